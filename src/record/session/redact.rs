//! Redacts a session file permanently: a new file replaces it, and no copy of the old one is kept.
//!
//! Nothing else changes written events. So it needs a person's request, leaves a note in the log, and never touches a
//! session that a program writes or that needs a repair first.

use super::codec::blobs_of;
use super::error::SessionError;
use super::files::{self, NewFile, SessionFiles};
use super::lock::Lock;
use super::progress::ReadProgress;
use super::redaction::Redaction;
use super::repair::name;
use super::scanner::Want;
use super::{Record, Records, reader};
use crate::model::event::ENGINE;
use crate::model::payload::Warning;
use crate::model::{Event, ThreadId};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

/// Result of a redaction.
#[derive(Debug, Default)]
pub struct Redacted {
    /// Number of changed events.
    pub events: usize,
    /// Number of events that still contain a removed text, as part of a name of a participant, a command or an outcome.
    pub left: usize,
    /// Removed files: older copies, and blobs.
    pub removed: Vec<PathBuf>,
}

/// Removes the contents that `redaction` names from a session's events, and appends a `warning` about it; updates
/// `progress`.
///
/// If nothing is found, the file is unchanged. Events are read from the old file and written to the new one, one by
/// one.
///
/// # Errors
/// [`SessionError::Locked`] while another program writes it, [`SessionError::ReadOnly`] if it needs a repair or comes
/// from a newer program, [`SessionError::Shape`] if an event would be invalid without the removed text, and
/// [`SessionError::Io`].
pub fn redact(
    path: &Path,
    redaction: impl FnOnce(&Records) -> Redaction,
    note: &str,
    progress: &ReadProgress,
) -> Result<Redacted, SessionError> {
    let files = reader::proven(path)?;
    let _lock = Lock::take(&files)?;
    let survey = reader::read(path, Want::All, &ReadProgress::default(), &mut |_| {})?;
    if !survey.can_append() || survey.torn.is_some() {
        return Err(SessionError::ReadOnly { path: path.to_owned(), faults: survey.faults });
    }
    let records = survey.records();
    let redaction = redaction(&records);
    // one pass searches the texts, one writes the file
    progress.begin(2 * records.len() as u64);
    let matches = redaction.matches(progress.through(records.iter(), records.len()));
    let mut rebuilding = redaction.rebuilding(&matches);
    let mut written = NewLog::new(&files)?;
    let mut done = Redacted::default();
    let mut last = None;
    for old in progress.through(records.iter(), records.len()) {
        let new = rebuilding.take(&old)?;
        done.events += usize::from(!Arc::ptr_eq(&old, &new));
        done.left += usize::from(redaction.texts.iter().any(|t| new.line.contains(t)));
        written.add(&new)?;
        last = Some(new);
    }
    records.all_read()?;
    if done.events == 0 {
        return Ok(Redacted::default());
    }
    let Some(last) = last else { return Ok(Redacted::default()) };
    let &Event { seq, at, ms, .. } = &*last.event;
    written.add(&Record::new(Event {
        seq: seq.next(),
        at,
        ms,
        thread: ThreadId::ROOT,
        by: ENGINE.into(),
        cause: None,
        kind: Warning { text: note.into(), about: None }.into(),
    })?)?;
    let blobs = written.place()?;
    done.removed =
        remove_copies(&files, &blobs).map_err(SessionError::io("clear", files.folder()))?;
    Ok(done)
}

/// Returns the number of events that a redaction would change.
///
/// # Errors
/// [`SessionError::Shape`] if an event would be invalid, and [`SessionError::Io`].
pub fn preview(
    path: &Path,
    redaction: impl FnOnce(&Records) -> Redaction,
) -> Result<usize, SessionError> {
    let records = reader::read(path, Want::All, &ReadProgress::default(), &mut |_| {})?.records();
    let redaction = redaction(&records);
    let matches = redaction.matches(records.iter());
    let mut rebuilding = redaction.rebuilding(&matches);
    let mut changed = 0;
    for old in records.iter() {
        changed += usize::from(!Arc::ptr_eq(&old, &rebuilding.take(&old)?));
    }
    records.all_read()?;
    Ok(changed)
}

/// The log that replaces the old one.
struct NewLog<'a> {
    files: &'a SessionFiles,
    file: NewFile,
    /// Names of the blobs of its lines.
    blobs: BTreeSet<String>,
}

impl NewLog<'_> {
    fn new(files: &SessionFiles) -> Result<NewLog<'_>, SessionError> {
        let file = NewFile::at(files.log()).map_err(SessionError::io("write", files.log()))?;
        Ok(NewLog { files, file, blobs: BTreeSet::new() })
    }

    fn add(&mut self, record: &Record) -> Result<(), SessionError> {
        for blob in blobs_of(record).map_err(SessionError::Shape)? {
            let put = self.files.put_blob(&blob.name, &blob.text);
            put.map_err(SessionError::io("write", self.files.blobs()))?;
            self.blobs.insert(blob.name);
        }
        let written = self.file.write(record.line.as_bytes());
        written.map_err(SessionError::io("write", self.files.log()))
    }

    /// Replaces the log; returns the names of its blobs.
    fn place(self) -> Result<BTreeSet<String>, SessionError> {
        self.file.place().map_err(SessionError::io("write", self.files.log()))?;
        Ok(self.blobs)
    }
}

/// Removes files that may still contain the removed text: unused blobs, and older copies of the log.
fn remove_copies(files: &SessionFiles, blobs: &BTreeSet<String>) -> io::Result<Vec<PathBuf>> {
    let mut old: Vec<PathBuf> = Vec::new();
    for entry in listed(&files.blobs())? {
        old.extend((!blobs.contains(&name(&entry))).then_some(entry));
    }
    let summary = files.beside(".summary");
    old.extend(files.copies()?.into_iter().chain(summary.exists().then_some(summary)));
    for path in &old {
        fs::remove_file(path)?;
    }
    files::sync_folder(files.folder())?;
    Ok(old)
}

fn listed(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|e| e.map(|e| e.path())).collect(),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(vec![]),
        Err(e) => Err(e),
    }
}
