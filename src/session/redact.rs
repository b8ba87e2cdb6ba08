//! Redacts a session's file permanently: a new file takes its place, and nothing of the old one is kept.
//!
//! This is the only operation that changes what is written; so it needs a person's request, leaves a note in the log,
//! and never touches a session that a program writes or that needs a repair first.

use super::codec::blobs_of;
use super::error::SessionError;
use super::files::{self, SessionFiles};
use super::lock::Lock;
use super::reader;
use super::redaction::Redaction;
use super::{Log, Record};
use crate::model::event::ENGINE;
use crate::model::payload::Warning;
use crate::model::{Event, ThreadId};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The result of a redaction.
#[derive(Debug)]
pub struct Redacted {
    /// Events that are not what they were.
    pub events: usize,
    /// Events that still hold a text that was to go, as part of a name of a seat, a command or an outcome.
    pub left: usize,
    /// Older copies and long texts beside the log that were removed.
    pub removed: Vec<PathBuf>,
}

/// Removes the contents that `redaction` names from a session's events, and appends a `warning` that says so.
///
/// Where nothing is found, nothing is changed.
///
/// # Errors
/// [`SessionError::Locked`] while another program writes it, [`SessionError::ReadOnly`] where a repair is due first or
/// a newer program wrote it, [`SessionError::Shape`] where an event would be invalid without the removed text, and
/// [`SessionError::Io`].
pub fn redact(
    path: &Path,
    redaction: impl FnOnce(&Log) -> Redaction,
    note: &str,
) -> Result<Redacted, SessionError> {
    let files = reader::proven(path)?;
    let _lock = Lock::take(&files)?;
    let log = reader::read(path)?;
    if !log.can_append() || log.torn.is_some() {
        return Err(SessionError::ReadOnly { path: path.to_owned(), faults: log.survey.faults });
    }
    let redaction = redaction(&log);
    let mut rebuilt = redaction.apply(&log.records)?;
    let changed = |(old, new): &(&Arc<Record>, &Arc<Record>)| !Arc::ptr_eq(old, new);
    let events = log.records.iter().zip(&rebuilt).filter(changed).count();
    let Some(last) = log.last().filter(|_| events > 0) else {
        return Ok(Redacted { events, left: 0, removed: vec![] });
    };
    let left =
        rebuilt.iter().filter(|r| redaction.texts.iter().any(|t| r.line.contains(t))).count();
    rebuilt.push(Arc::new(Record::new(Event {
        seq: last.seq.next(),
        at: last.at,
        ms: last.ms,
        thread: ThreadId::ROOT,
        by: ENGINE.into(),
        cause: None,
        kind: Warning { text: note.into(), about: None }.into(),
    })?));
    let mut blobs = BTreeSet::new();
    for record in &rebuilt {
        for blob in blobs_of(record).map_err(SessionError::Shape)? {
            files
                .put_blob(&blob.name, &blob.text)
                .map_err(SessionError::io("write", files.blobs()))?;
            blobs.insert(blob.name);
        }
    }
    let lines: String = rebuilt.iter().map(|r| r.line.as_str()).collect();
    files::write_whole(files.log(), lines.as_bytes())
        .map_err(SessionError::io("write", files.log()))?;
    let removed =
        remove_copies(&files, &blobs).map_err(SessionError::io("clear", files.folder()))?;
    Ok(Redacted { events, left, removed })
}

/// Removes files that may still contain the removed text: long texts that no line names, and older copies of the log.
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

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
