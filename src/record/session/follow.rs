//! Follows a session that another program writes: existing records first, then each new line.
//!
//! Reads only, and does not block the writer. An incomplete line waits until it is complete.

use super::codec::LINE_MAX_BYTES;
use super::error::SessionError;
use super::files::SessionFiles;
use super::reader::{Reader, SESSION_MAX_BYTES, Survey, open, proven};
use super::{Record, lock};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

/// Bytes per read.
const AT_ONCE_BYTES: u64 = 1024 * 1024;

/// A cursor in a session file.
pub struct Follower {
    file: File,
    files: SessionFiles,
    reader: Reader,
    /// Bytes of an incomplete line.
    rest: Vec<u8>,
    /// Number of bytes read.
    len: u64,
}

impl Follower {
    /// Opens a session; the first call of [`Follower::fresh`] returns all existing records.
    pub fn open(path: &Path) -> Result<Follower, SessionError> {
        let files = proven(path)?;
        let file = open(&files)?;
        let reader = Reader::new(files.clone());
        Ok(Follower { file, files, reader, rest: vec![], len: 0 })
    }

    /// Opens a session after the part that `read` has covered.
    pub fn behind(read: &Survey) -> Result<Follower, SessionError> {
        let files = read.files.clone();
        let (reader, len) = Reader::behind(read);
        let mut file = open(&files)?;
        file.seek(SeekFrom::Start(len)).map_err(SessionError::io("read", files.log()))?;
        Ok(Follower { file, files, reader, rest: vec![], len })
    }

    /// Returns the paths of the session.
    pub fn files(&self) -> &SessionFiles {
        &self.files
    }

    /// Returns whether a program is writing the session.
    pub fn is_written(&self) -> bool {
        lock::holder(&self.files).is_some()
    }

    /// Returns the new records, at most a few thousand; more may exist until it returns none.
    ///
    /// # Errors
    /// Error of reading the file, or an oversized file or line.
    pub fn fresh(&mut self) -> Result<Vec<Arc<Record>>, SessionError> {
        let path = self.files.log();
        loop {
            let before = self.rest.len();
            let part = self.file.by_ref().take(AT_ONCE_BYTES);
            let read = { part }.read_to_end(&mut self.rest);
            let read = read.map_err(SessionError::io("read", path))?;
            self.len += read as u64;
            // a line may be longer than one read
            if read == 0 || self.rest.get(before..).is_some_and(|fresh| fresh.contains(&b'\n')) {
                break;
            }
            if self.rest.len() > LINE_MAX_BYTES {
                return Err(SessionError::Endless {
                    path: path.to_owned(),
                    bytes: self.rest.len(),
                });
            }
        }
        if self.len > SESSION_MAX_BYTES {
            return Err(SessionError::TooLarge { path: path.to_owned(), bytes: self.len });
        }
        if let Some(end) = self.rest.iter().rposition(|b| *b == b'\n') {
            let rest = self.rest.split_off(end + 1);
            self.reader.take(&self.rest);
            self.rest = rest;
        }
        Ok(self.reader.fresh())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::event::ENGINE;
    use crate::model::payload::Paused;
    use crate::model::{Event, Ms, Seq, ThreadId, Wall};
    use std::io::Write;

    #[test]
    fn lines_come_as_they_are_written_and_only_whole_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        let line = |seq: u64| {
            let event = Event {
                seq: Seq(seq),
                at: Wall(0),
                ms: Ms(seq),
                thread: ThreadId::ROOT,
                by: ENGINE.into(),
                cause: None,
                kind: Paused::default().into(),
            };
            Record::new(event).unwrap().line
        };
        std::fs::write(&path, line(0)).unwrap();
        let mut follower = Follower::open(&path).unwrap();
        let mut seqs =
            || -> Vec<u64> { follower.fresh().unwrap().iter().map(|r| r.event.seq.0).collect() };
        let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
        let second = line(1);
        let third = line(2);
        let (begin, end) = second.split_at(20);
        assert_eq!(seqs(), [0]);
        file.write_all(begin.as_bytes()).unwrap();
        assert_eq!(seqs(), [0; 0], "half a line is none");
        file.write_all((end.to_owned() + &third).as_bytes()).unwrap();
        assert_eq!(seqs(), [1, 2]);
        assert_eq!(seqs(), [0; 0]);
        assert!(!follower.is_written());
        assert_eq!(follower.len, path.metadata().unwrap().len());
        file.write_all(&vec![b'x'; 2 * LINE_MAX_BYTES]).unwrap();
        assert!(matches!(follower.fresh(), Err(SessionError::Endless { .. })));
        assert!(follower.rest.len() <= 2 * LINE_MAX_BYTES, "the rest is not read");
        file.write_all(b"\n").unwrap();
        follower.fresh().unwrap();
        follower.len = SESSION_MAX_BYTES;
        assert!(follower.fresh().unwrap().is_empty());
        follower.len += 1;
        assert!(matches!(follower.fresh(), Err(SessionError::TooLarge { .. })));
    }
}
