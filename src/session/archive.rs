//! The events of a session that lie in its file: found by their places, so that they need not stand in memory.
//!
//! A log only grows, so what was read once can be read again from the same open file, whatever is appended later.

use super::alone::{self, ScanDepth};
use super::files::SessionFiles;
use super::scanner::Scanner;
use crate::model::{Event, Seq};
use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The events of a session up to the time at which it was read; copies share the file.
#[derive(Clone, Debug)]
pub struct Archive(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    file: File,
    files: SessionFiles,
    /// The places in the file where some of its events begin, in order.
    marks: Vec<(Seq, u64)>,
    /// The end of the last whole line, in bytes.
    end: u64,
}

impl Archive {
    pub(super) fn new(
        file: File,
        files: SessionFiles,
        marks: Vec<(Seq, u64)>,
        end: u64,
    ) -> Archive {
        Archive(Arc::new(Inner { file, files, marks, end }))
    }

    /// Hands out the events from a place on, in order, until `each` has enough.
    ///
    /// # Errors
    /// What keeps the file from being read.
    pub fn events(
        &self,
        from: Seq,
        each: &mut dyn FnMut(Event) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let Inner { file, files, marks, end } = &*self.0;
        let before = marks.partition_point(|(seq, _)| *seq <= from);
        let Some(mark) = marks.get(before.saturating_sub(1)) else { return Ok(()) };
        let part = Part { file, at: mark.1, end: *end };
        let mut scanner = Scanner::at(*mark, files.clone());
        // most who ask from somewhere in the middle want a few events
        let long = end - mark.1 >= alone::SHORT_BYTES && from == Seq(0);
        alone::read(part, long, ScanDepth::Whole, &mut |block| {
            let mut flow = ControlFlow::Continue(());
            scanner.take(block, &mut |found| {
                if flow.is_continue() && found.event.seq >= from {
                    flow = each(found.event);
                }
            });
            flow
        })
    }
}

/// A part of a file, independent of other readers.
struct Part<'a> {
    file: &'a File,
    at: u64,
    end: u64,
}

impl Read for Part<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX).min(into.len());
        let into = into.get_mut(..left).unwrap_or_default();
        let read = read_at(self.file, into, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(unix)]
fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, into, at)
}

/// Where there is no reading at a place, one reader at a time moves there.
#[cfg(not(unix))]
fn read_at(mut file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    use std::io::{Seek, SeekFrom};
    file.seek(SeekFrom::Start(at))?;
    file.read(into)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::read;
    use std::path::Path;

    #[test]
    fn events_are_read_again_from_any_place_on_and_no_further_than_wanted() {
        let path = "assets/sessions/example-rehearsed.jsonl";
        let log = read(Path::new(path)).unwrap();
        let archive = log.archive.clone().unwrap();
        for from in (0..log.records.len()).step_by(7) {
            let mut left = 5;
            let mut seqs = vec![];
            let mut each = |event: Event| {
                assert_eq!(event, log.records[event.seq.0 as usize].event);
                seqs.push(event.seq.0 as usize);
                left -= 1;
                if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            archive.events(Seq(from as u64), &mut each).unwrap();
            assert!(seqs.into_iter().eq((from..log.records.len()).take(5)));
        }
    }

    #[test]
    fn what_is_appended_later_is_not_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        let all = std::fs::read("assets/sessions/example-rehearsed.jsonl").unwrap();
        let half = memchr::memrchr(b'\n', &all[..all.len() / 2]).unwrap() + 1;
        // half a line behind the whole ones is none
        std::fs::write(&path, &all[..half + 20]).unwrap();
        let log = read(&path).unwrap();
        std::fs::write(&path, &all).unwrap();
        let mut seqs = 0;
        let mut each = |_: Event| {
            seqs += 1;
            ControlFlow::Continue(())
        };
        log.archive.clone().unwrap().events(Seq(0), &mut each).unwrap();
        assert_eq!(seqs, log.records.len());
    }
}
