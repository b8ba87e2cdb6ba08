//! Repairs a session: an incomplete last line before the first append, other damage only on request.
//!
//! Cut bytes are kept in a file next to the log first. A damaged log is never edited: a new one replaces it, and the
//! old one is kept under another name. The meaning of events is irrelevant here.

use super::error::{LogFault, SessionError};
use super::files::{self, NewFile, SessionFiles};
use super::lock::Lock;
use super::progress::ReadProgress;
use super::reader::{self, Survey};
use super::scanner::{GAP_MAX, Want};
use super::{Record, Records};
use crate::model::event::ENGINE;
use crate::model::payload::LogRepaired;
use crate::model::{Event, Ms, Seq, ThreadId, Wall};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Result of a repair.
#[derive(Debug)]
pub struct Repaired {
    /// Faults of the old file.
    pub faults: Vec<LogFault>,
    /// The old file under its new name; `None` if nothing had to be repaired.
    pub kept: Option<PathBuf>,
    /// Number of events in the session now.
    pub events: usize,
    /// Number of events from the rescue file.
    pub rescued: usize,
    /// Number of `log.repaired` events that replace lost events.
    pub stand_ins: usize,
}

/// Moves an incomplete last line to another file, or completes it with a newline; the log is whole and synced then.
///
/// `file` is open for appending and locked. Returns the data of the `log.repaired` to append first.
/// `file` is open for appending and locked. Returns the data of the `log.repaired` to append first.
pub(super) fn mend_tail(
    log: &mut Survey,
    file: &mut File,
) -> Result<Option<LogRepaired>, SessionError> {
    let path = log.files.log().to_owned();
    let io = |e| SessionError::io("mend", &path)(e);
    let mut repaired = None;
    if let Some(torn) = log.torn.take() {
        let mut tail = vec![];
        file.seek(SeekFrom::Start(torn.start)).map_err(io)?;
        file.read_to_end(&mut tail).map_err(io)?;
        let kept = set_aside(&log.files.damage(torn.start), &tail)?;
        file.set_len(torn.start).map_err(io)?;
        log.len = torn.start;
        repaired = Some(LogRepaired { from: torn.start, to: torn.end, kept: name(&kept).into() });
    }
    if std::mem::take(&mut log.unterminated) {
        file.write_all(b"\n").map_err(io)?;
        log.len += 1;
    }
    file.sync_data().map_err(io)?;
    Ok(repaired)
}

/// Replaces a damaged session by a new one with all valid events of the log and its rescue file; updates `progress`.
///
/// Lost events are replaced by `log.repaired`, so that every other event keeps its number. An intact session is
/// unchanged; a lost blob cannot be repaired. Events are read from the old files and written to the new one, one by
/// one.
///
/// # Errors
/// [`SessionError::Locked`] while another program writes it, [`SessionError::ReadOnly`] for a newer format or a gap too
/// wide to fill, and [`SessionError::Io`]; the session is then unchanged.
pub fn repair(path: &Path, progress: &ReadProgress) -> Result<Repaired, SessionError> {
    let files = reader::proven(path)?;
    let _lock = Lock::take(&files)?;
    let log = reader::read(path, Want::All, &ReadProgress::default(), &mut |_| {})?;
    let records = log.records();
    let read_only = |faults| SessionError::ReadOnly { path: path.to_owned(), faults };
    if log.faults.iter().any(|f| matches!(f, LogFault::Newer { .. })) {
        return Err(read_only(log.faults));
    }
    if log.can_append() && log.torn.is_none() {
        let events = records.len();
        return Ok(Repaired { faults: log.faults, kept: None, events, rescued: 0, stand_ins: 0 });
    }
    let rescue = reader::rescued(&files)?;
    let kept = free_name(&files.beside(".unrepaired"));
    let note = LogRepaired { from: 0, to: log.len, kept: name(&kept).into() };
    let mut rewritten = Rewritten::new(&files, &note)?;
    let mut rescued = 0;
    let mut stand_ins = 0;
    progress.begin(records.len() as u64);
    let mut own = records.iter().peekable();
    let mut others = rescue.iter().flat_map(Records::iter).peekable();
    loop {
        let next = own.peek().map(|record| record.event.seq);
        let record = match others.next_if(|other| next.is_none_or(|seq| other.event.seq < seq)) {
            Some(other) => {
                rescued += 1;
                other
            }
            None => {
                let Some(record) = own.next() else { break };
                // the log has precedence over the rescue file
                others.next_if(|other| other.event.seq == record.event.seq);
                progress.step();
                record
            }
        };
        let missing = rewritten.next.0..record.event.seq.0;
        if missing.end - missing.start > GAP_MAX {
            return Err(read_only(vec![LogFault::Missing { seq: missing }]));
        }
        for _ in missing {
            rewritten.add_note()?;
            stand_ins += 1;
        }
        rewritten.add(&record)?;
    }
    records.all_read()?;
    rescue.as_ref().map_or(Ok(()), Records::all_read)?;
    rewritten.add_note()?;

    // the log's name always has a file: the old one gets a second name before the new one replaces it
    fs::hard_link(files.log(), &kept).map_err(SessionError::io("keep", &kept))?;
    let events = rewritten.place()?;
    if rescue.is_some() {
        let joined = free_name(&files.beside(".rescue-joined"));
        fs::rename(files.rescue(), &joined).map_err(SessionError::io("keep", joined))?;
        files::sync_folder(files.folder()).map_err(SessionError::io("sync", files.folder()))?;
    }
    Ok(Repaired { faults: log.faults, kept: Some(kept), events, rescued, stand_ins })
}

/// A log being rewritten without gaps.
struct Rewritten<'a> {
    path: &'a Path,
    note: &'a LogRepaired,
    file: NewFile,
    events: usize,
    next: Seq,
    at: Wall,
    ms: Ms,
}

impl<'a> Rewritten<'a> {
    fn new(files: &'a SessionFiles, note: &'a LogRepaired) -> Result<Rewritten<'a>, SessionError> {
        let path = files.log();
        let file = NewFile::at(path).map_err(SessionError::io("write", path))?;
        Ok(Rewritten { path, note, file, events: 0, next: Seq(0), at: Wall(0), ms: Ms(0) })
    }

    fn add(&mut self, record: &Record) -> Result<(), SessionError> {
        let written = self.file.write(record.line.as_bytes());
        written.map_err(SessionError::io("write", self.path))?;
        self.events += 1;
        self.next = record.event.seq.next();
        self.at = record.event.at;
        self.ms = record.event.ms;
        Ok(())
    }

    /// Adds a `log.repaired` under the next number.
    fn add_note(&mut self) -> Result<(), SessionError> {
        let record = Record::new(Event {
            seq: self.next,
            at: self.at,
            ms: self.ms,
            thread: ThreadId::ROOT,
            by: ENGINE.into(),
            cause: None,
            kind: self.note.clone().into(),
        })?;
        self.add(&record)
    }

    /// Replaces the log; returns its number of events.
    fn place(self) -> Result<usize, SessionError> {
        self.file.place().map_err(SessionError::io("write", self.path))?;
        Ok(self.events)
    }
}

/// Writes bytes to a synced file; returns its name, with a number if the first one was taken.
fn set_aside(path: &Path, bytes: &[u8]) -> Result<PathBuf, SessionError> {
    // a crash between this write and the cut leads here again with the same bytes
    let path = match fs::read(path) {
        Ok(there) if there == bytes => return Ok(path.to_owned()),
        Ok(_) | Err(_) => free_name(path),
    };
    files::write_whole(&path, bytes).map_err(SessionError::io("keep", &path))?;
    Ok(path)
}

/// Returns an unused name: the given one, or the same with `-2`, `-3`. The caller holds the lock.
pub fn free_name(path: &Path) -> PathBuf {
    let numbered = |n: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!("-{n}"));
        PathBuf::from(name)
    };
    let taken = |p: &PathBuf| p.symlink_metadata().is_ok();
    let mut candidates = std::iter::once(path.to_owned()).chain((2..).map(numbered));
    candidates.find(|p| !taken(p)).unwrap_or_else(|| path.to_owned())
}

pub(super) fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
