//! Random access to the events of a session file, so that they need not stay in memory.
//!
//! A log only grows, so an open file can be read again later, regardless of appended lines.

use super::Record;
use super::files::SessionFiles;
use super::lines::Blocks;
use super::scanner::{Each, FileMark, Scanner, Want};
use crate::model::{Event, Seq};
use parking_lot::Mutex;
use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Events of a session up to the time of reading; clones share the file.
#[derive(Clone, Debug)]
pub struct Archive(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    file: Arc<File>,
    files: SessionFiles,
    /// Offsets of some events in the file, in order.
    marks: Vec<FileMark>,
    /// Number of events.
    events: usize,
    /// `seq` of the last event.
    last: Option<Seq>,
    /// End of the last whole line, in bytes.
    end: u64,
    /// The events around the last requested one, and the number of events before them.
    near: Mutex<(usize, Vec<Arc<Record>>)>,
    /// Error of the last read, if one failed.
    fault: Mutex<Option<String>>,
}

impl Archive {
    pub(super) fn new(file: Arc<File>, scanner: &mut Scanner, end: u64) -> Archive {
        Archive(Arc::new(Inner {
            file,
            files: scanner.files.clone(),
            marks: std::mem::take(&mut scanner.marks),
            events: scanner.events,
            last: scanner.last,
            end,
            near: Mutex::default(),
            fault: Mutex::default(),
        }))
    }

    /// Returns the path of the session's log.
    pub(super) fn path(&self) -> &Path {
        self.0.files.log()
    }

    /// Returns the number of events.
    pub fn len(&self) -> usize {
        self.0.events
    }

    /// Returns whether there are no events.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns an archive of the first `events` events.
    pub fn first(&self, events: usize) -> Archive {
        let last = events.checked_sub(1).and_then(|at| self.get(at)).map(|r| r.event.seq);
        if last.is_none() || events >= self.len() {
            return self.clone();
        }
        let Inner { file, files, marks, end, .. } = &*self.0;
        Archive(Arc::new(Inner {
            file: file.clone(),
            files: files.clone(),
            marks: marks.iter().take_while(|mark| mark.events < events).copied().collect(),
            events,
            last,
            end: *end,
            near: Mutex::default(),
            fault: Mutex::default(),
        }))
    }

    /// Returns whether this `seq` is at or before the last event.
    pub fn holds(&self, seq: Seq) -> bool {
        self.0.last.is_some_and(|last| seq <= last)
    }

    /// Returns the error of a failed read; the events end there.
    pub fn fault(&self) -> Option<String> {
        self.0.fault.lock().clone()
    }

    /// Passes the events from `seq` on to `each`, in order, until it returns that it has enough.
    pub fn events(
        &self,
        from: Seq,
        each: &mut dyn FnMut(&Event) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let before = self.0.marks.partition_point(|mark| mark.seq <= from);
        let Some(mut reading) = self.read(before, None, Want::All) else { return Ok(()) };
        let mut flow = ControlFlow::Continue(());
        while flow.is_continue()
            && reading.block(&mut |found| {
                if !self.holds(found.event.seq) {
                    flow = ControlFlow::Break(());
                }
                if flow.is_continue() && found.event.seq >= from {
                    flow = each(found.event);
                }
            })?
        {}
        Ok(())
    }

    /// Returns the event at an index, with its line; its neighbours stay cached.
    pub(super) fn get(&self, events: usize) -> Option<Arc<Record>> {
        if events >= self.len() {
            return None;
        }
        let mut near = self.0.near.lock();
        if !(near.0..near.0 + near.1.len()).contains(&events) {
            let before = self.0.marks.partition_point(|mark| mark.events <= events);
            let end = self.0.marks.get(before).map(|mark| mark.at);
            let mut reading = self.read(before, end, Want::All)?;
            *near = (reading.scanner.events, vec![]);
            while self.seen(reading.block(&mut |found| near.1.push(found.record()))) {}
        }
        near.1.get(events - near.0).cloned()
    }

    /// Returns a reading of the events from an index on, and the number of events before it.
    pub(super) fn from(&self, events: usize) -> Option<(usize, ArchiveReading)> {
        let before = self.0.marks.partition_point(|mark| mark.events <= events);
        let reading = self.read(before, None, Want::All)?;
        Some((events.saturating_sub(reading.scanner.events), reading))
    }

    /// Returns a reading of all events except pieces.
    pub(super) fn skim(&self) -> Option<(usize, ArchiveReading)> {
        Some((0, self.read(0, None, Want::Turns)?))
    }

    /// Starts reading at the last of the first `before` marks.
    fn read(&self, before: usize, end: Option<u64>, want: Want) -> Option<ArchiveReading> {
        let Inner { file, files, marks, .. } = &*self.0;
        let mark = *marks.get(before.saturating_sub(1))?;
        let part = Part { file: file.clone(), at: mark.at, end: end.unwrap_or(self.0.end) };
        let mut scanner = Scanner::at(mark, files.clone());
        scanner.want = want;
        Some(ArchiveReading { blocks: Blocks::new(part), scanner })
    }

    /// Returns whether a block was read; remembers an error.
    pub(super) fn seen(&self, read: io::Result<bool>) -> bool {
        read.unwrap_or_else(|e| {
            let mut fault = self.0.fault.lock();
            *fault = Some(e.to_string());
            false
        })
    }
}

/// Reads a file again from one of its marks.
pub(super) struct ArchiveReading {
    blocks: Blocks<Part>,
    scanner: Scanner,
}

impl ArchiveReading {
    /// Passes the events of the next block to `each`; returns whether there was one.
    pub(super) fn block(&mut self, each: Each<'_>) -> io::Result<bool> {
        let block = self.blocks.next()?;
        Ok(block.map(|block| self.scanner.take(&block, each)).is_some())
    }
}

/// Part of a file, independent of other readers.
pub(super) struct Part {
    pub(super) file: Arc<File>,
    /// Offset of the next read, in bytes.
    pub(super) at: u64,
    /// End in bytes; a file that ends earlier was cut. `u64::MAX` if unknown.
    pub(super) end: u64,
}

impl Read for Part {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left =
            usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX).min(into.len());
        let into = into.get_mut(..left).unwrap_or_default();
        let read = read_at(&self.file, into, self.at)?;
        if read == 0 && left > 0 && self.end < u64::MAX {
            let shorter = "the session that is read has become shorter";
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, shorter));
        }
        self.at += read as u64;
        Ok(read)
    }
}

fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, into, at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::load;

    const EXAMPLE: &str =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/sessions/example-rehearsed.jsonl");

    #[test]
    fn events_are_read_again_from_any_place_on_and_no_further_than_wanted() {
        let path = EXAMPLE;
        let log = load(Path::new(path)).unwrap();
        let archive = log.archive.clone().unwrap();
        for from in (0..log.records.len()).step_by(7) {
            let mut left = 5;
            let mut seqs = vec![];
            let mut each = |event: &Event| {
                assert_eq!(event, &*log.records[event.seq.0 as usize].event);
                seqs.push(event.seq.0 as usize);
                left -= 1;
                if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            archive.events(Seq(from as u64), &mut each).unwrap();
            assert!(seqs.into_iter().eq((from..log.records.len()).take(5)));
        }
    }

    #[test]
    fn iterator_excludes_later_records() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        let all = std::fs::read(EXAMPLE).unwrap();
        let half = memchr::memrchr(b'\n', &all[..all.len() / 2]).unwrap() + 1;
        // half a line after the whole ones does not count
        std::fs::write(&path, &all[..half + 20]).unwrap();
        let log = load(&path).unwrap();
        std::fs::write(&path, &all).unwrap();
        let mut seqs = 0;
        let mut each = |_: &Event| {
            seqs += 1;
            ControlFlow::Continue(())
        };
        log.archive.clone().unwrap().events(Seq(0), &mut each).unwrap();
        assert_eq!(seqs, log.records.len());
    }
}
