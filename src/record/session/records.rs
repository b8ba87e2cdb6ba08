//! The events of a session with their lines, in order, in its file or in memory.
//!
//! Each iteration over a file reads it again, so that a long session is never in memory as a whole.

use super::Record;
use super::archive::{Archive, ArchiveReading};
use super::error::SessionError;
use crate::logged::Logged;
use crate::model::{Event, Kind};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

impl Logged for Arc<Record> {
    fn event(&self) -> &Event {
        &self.event
    }
}

/// The events of a session; clones share them.
#[derive(Clone, Debug)]
pub struct Records(Place);

#[derive(Clone, Debug)]
enum Place {
    Memory(Arc<[Arc<Record>]>),
    File(Archive),
}

impl From<Vec<Arc<Record>>> for Records {
    fn from(records: Vec<Arc<Record>>) -> Records {
        Records(Place::Memory(records.into()))
    }
}

impl From<Archive> for Records {
    fn from(archive: Archive) -> Records {
        Records(Place::File(archive))
    }
}

impl Records {
    /// Returns the number of events.
    pub fn len(&self) -> usize {
        match &self.0 {
            Place::Memory(records) => records.len(),
            Place::File(archive) => archive.len(),
        }
    }

    /// Returns whether there are no events.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the archive of the file, if the events are in a file.
    pub fn archive(&self) -> Option<&Archive> {
        match &self.0 {
            Place::Memory(_) => None,
            Place::File(archive) => Some(archive),
        }
    }

    /// Returns an error if an iteration ended early because the file could not be read.
    pub fn all_read(&self) -> Result<(), SessionError> {
        match self.archive().and_then(|archive| Some((archive, archive.fault()?))) {
            Some((archive, fault)) => {
                Err(SessionError::io("read", archive.path())(io::Error::other(fault)))
            }
            None => Ok(()),
        }
    }

    /// Returns the event at an index.
    pub fn get(&self, at: usize) -> Option<Arc<Record>> {
        match &self.0 {
            Place::Memory(records) => records.get(at).cloned(),
            Place::File(archive) => archive.get(at),
        }
    }

    /// Returns the first event.
    pub fn first(&self) -> Option<Arc<Record>> {
        self.get(0)
    }

    /// Returns all events in order. An iteration over a file ends at a read error, which [`Archive::fault`] returns.
    pub fn iter(&self) -> EachRecord {
        self.starting_at(0)
    }

    /// Returns all events in order, without pieces, because `turn.ended` repeats their text.
    pub fn skim(&self) -> impl Iterator<Item = Arc<Record>> + use<> {
        let all = match &self.0 {
            Place::Memory(_) => self.iter(),
            Place::File(archive) => EachRecord::new(archive, archive.skim()),
        };
        all.filter(|record| !matches!(record.event.kind, Kind::Delta(_)))
    }

    /// Returns the events from an index on, in order.
    pub fn starting_at(&self, at: usize) -> EachRecord {
        match &self.0 {
            Place::Memory(records) => EachRecord::Memory(records.clone(), at),
            Place::File(archive) => EachRecord::new(archive, archive.from(at)),
        }
    }
}

/// Iterator over the events of a session.
pub enum EachRecord {
    /// Events in memory, and the next index.
    Memory(Arc<[Arc<Record>]>, usize),
    /// Events in a file.
    File(Box<FileRecords>),
}

/// Iterator over the events of a file.
pub struct FileRecords {
    archive: Archive,
    /// Number of events still to skip, and the source of the others.
    reading: Option<(usize, ArchiveReading)>,
    /// Parsed events.
    ready: VecDeque<Arc<Record>>,
}

impl EachRecord {
    fn new(archive: &Archive, reading: Option<(usize, ArchiveReading)>) -> EachRecord {
        let archive = archive.clone();
        let ready = VecDeque::new();
        EachRecord::File(Box::new(FileRecords { archive, reading, ready }))
    }
}

impl Iterator for EachRecord {
    type Item = Arc<Record>;

    fn next(&mut self) -> Option<Arc<Record>> {
        match self {
            EachRecord::Memory(records, at) => {
                let record = records.get(*at).cloned()?;
                *at += 1;
                Some(record)
            }
            EachRecord::File(file) => file.next(),
        }
    }
}

impl FileRecords {
    fn next(&mut self) -> Option<Arc<Record>> {
        let FileRecords { archive, reading, ready } = self;
        while ready.is_empty() {
            let (skip, reading) = reading.as_mut()?;
            let read = reading.block(&mut |found| match *skip {
                0 => ready.push_back(found.record()),
                _ => *skip -= 1,
            });
            if !archive.seen(read) {
                self.reading = None;
                break;
            }
        }
        ready.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Seq;
    use crate::session::load;
    use std::path::Path;

    const EXAMPLE: &str =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/sessions/example-rehearsed.jsonl");

    #[test]
    fn records_in_a_file_equal_records_in_memory() {
        let log = load(Path::new(EXAMPLE)).unwrap();
        let records = Records::from(log.archive.clone().unwrap());
        let lines = |records: &mut dyn Iterator<Item = Arc<Record>>| -> Vec<String> {
            records.map(|r| r.line.clone()).collect()
        };
        let all = lines(&mut log.records.iter().cloned());
        assert_eq!((records.len(), lines(&mut records.iter())), (all.len(), all.clone()));
        for at in [0, 1, 7, all.len() - 1, all.len(), all.len() + 3] {
            assert_eq!(
                records.get(at).map(|r| &r.line == all.get(at).unwrap()),
                all.get(at).map(|_| true)
            );
            assert_eq!(lines(&mut records.starting_at(at)), all.get(at..).unwrap_or_default());
        }
        assert!(log.archive.as_ref().unwrap().fault().is_none());
    }

    /// Lines of a session that spans several marks, repeated from a short one.
    #[test]
    fn any_place_of_a_long_file_is_found_and_a_damaged_part_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long.jsonl");
        let short = load(Path::new(EXAMPLE)).unwrap();
        let mut lines = String::new();
        for seq in 0..3_000u64 {
            let from = &short.records[seq as usize % short.records.len()].event;
            let record = Record::new(Event { seq: Seq(seq), ..Event::clone(from) }).unwrap();
            lines.push_str(&match seq {
                1_234 => record.line.replace("seq", "sec"),
                _ => record.line,
            });
        }
        std::fs::write(&path, &lines).unwrap();
        let log = load(&path).unwrap();
        let records = Records::from(log.archive.clone().unwrap());
        assert_eq!(records.len(), 2_999);
        for at in [0, 17, 1_233, 1_234, 1_235, 2_997, 2_998, 4, 1_500] {
            assert_eq!(records.get(at).unwrap().event, log.records[at].event, "{at}");
            assert_eq!(
                records.starting_at(at).next().unwrap().event,
                log.records[at].event,
                "{at}"
            );
        }
    }
}
