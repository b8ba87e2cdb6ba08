//! Mends a session: a torn tail before the first append, anything worse only when a person asks for it.
//!
//! What is cut off is kept beside the log first. A damaged log is never edited: a new one takes its place and the old
//! one stays under another name. What an event means plays no part here.

use super::Record;
use super::error::SessionError;
use super::fault::LogFault;
use super::files;
use super::lock::Lock;
use super::reader::{self, Survey};
use super::scanner::GAP_MAX;
use crate::model::event::ENGINE;
use crate::model::payload::LogRepaired;
use crate::model::{Event, Ms, Seq, ThreadId, Wall};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The result of a repair.
#[derive(Debug)]
pub struct Repaired {
    /// The faults of the old file.
    pub faults: Vec<LogFault>,
    /// The session as it was, under its new name; none if there was nothing to repair.
    pub kept: Option<PathBuf>,
    /// Events in the session now.
    pub events: usize,
    /// How many events came from the rescue file.
    pub rescued: usize,
    /// How many `log.repaired` replace lost events.
    pub stand_ins: usize,
}

/// Sets a torn tail aside and cuts it off, or ends the last line; the log is whole and synced when this returns.
///
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

/// Replaces a damaged session by a new one with all that is good in it and in its rescue file.
///
/// Lost events are replaced by `log.repaired`, so that every other event keeps its number. Where nothing is wrong,
/// nothing is changed; a lost text outside the log cannot be repaired.
///
/// # Errors
/// [`SessionError::Locked`] while another program writes it, [`SessionError::ReadOnly`] for a newer format or a gap too
/// wide to fill, and [`SessionError::Io`]; the session is then as it was.
pub fn repair(path: &Path) -> Result<Repaired, SessionError> {
    let files = reader::proven(path)?;
    let _lock = Lock::take(&files)?;
    let log = reader::read(path)?;
    let read_only = |faults| SessionError::ReadOnly { path: path.to_owned(), faults };
    if log.faults.iter().any(|f| matches!(f, LogFault::Newer { .. })) {
        return Err(read_only(log.survey.faults));
    }
    if log.can_append() && log.torn.is_none() {
        let events = log.records.len();
        return Ok(Repaired {
            faults: log.survey.faults,
            kept: None,
            events,
            rescued: 0,
            stand_ins: 0,
        });
    }
    let rescue = match fs::read(files.rescue()) {
        Ok(bytes) => Some(reader::read_rescue(&files, &bytes).records),
        Err(e) if e.kind() == io::ErrorKind::NotFound => None,
        Err(e) => return Err(SessionError::io("read", files.rescue())(e)),
    };
    let kept = free_name(&files.beside(".unrepaired"));
    let good: BTreeMap<Seq, &Arc<Record>> =
        rescue.iter().flatten().chain(&log.records).map(|r| (r.event.seq, r)).collect();
    let note = LogRepaired { from: 0, to: log.len, kept: name(&kept).into() };
    let mut rewritten =
        Rewritten { note: &note, lines: String::new(), next: Seq(0), at: Wall(0), ms: Ms(0) };
    let mut stand_ins = 0;
    for (seq, record) in &good {
        let missing = rewritten.next.0..seq.0;
        if seq.0 - rewritten.next.0 > GAP_MAX {
            return Err(read_only(vec![LogFault::Missing { seq: missing }]));
        }
        for _ in missing {
            rewritten.add_note()?;
            stand_ins += 1;
        }
        rewritten.add(record);
    }
    rewritten.add_note()?;

    // the log's name is never without a file: the old one gets a second name before the new one takes the first
    fs::hard_link(files.log(), &kept).map_err(SessionError::io("keep", &kept))?;
    files::write_whole(files.log(), rewritten.lines.as_bytes())
        .map_err(SessionError::io("write", files.log()))?;
    if rescue.is_some() {
        let joined = free_name(&files.beside(".rescue-joined"));
        fs::rename(files.rescue(), &joined).map_err(SessionError::io("keep", joined))?;
        files::sync_folder(files.folder()).map_err(SessionError::io("sync", files.folder()))?;
    }
    Ok(Repaired {
        events: good.len() + stand_ins + 1,
        rescued: good.len() - log.records.len(),
        stand_ins,
        faults: log.survey.faults,
        kept: Some(kept),
    })
}

/// A log being written again, without gaps.
struct Rewritten<'a> {
    note: &'a LogRepaired,
    lines: String,
    next: Seq,
    at: Wall,
    ms: Ms,
}

impl Rewritten<'_> {
    fn add(&mut self, record: &Record) {
        self.lines.push_str(&record.line);
        (self.next, self.at, self.ms) = (record.event.seq.next(), record.event.at, record.event.ms);
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
        self.add(&record);
        Ok(())
    }
}

/// Keeps bytes in a file of their own, synced; returns its name, which has a number if the first one was taken.
fn set_aside(path: &Path, bytes: &[u8]) -> Result<PathBuf, SessionError> {
    // a crash between keeping and cutting off brings the same bytes a second time
    let path = match fs::read(path) {
        Ok(there) if there == bytes => return Ok(path.to_owned()),
        Ok(_) | Err(_) => free_name(path),
    };
    files::write_whole(&path, bytes).map_err(SessionError::io("keep", &path))?;
    Ok(path)
}

/// Returns an unused name: the one asked for, or the same with `-2`, `-3`. The caller holds the lock.
fn free_name(path: &Path) -> PathBuf {
    let numbered = |n: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!("-{n}"));
        PathBuf::from(name)
    };
    let taken = |p: &PathBuf| p.symlink_metadata().is_ok();
    let mut candidates = std::iter::once(path.to_owned()).chain((2..).map(numbered));
    candidates.find(|p| !taken(p)).unwrap_or_else(|| path.to_owned())
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
