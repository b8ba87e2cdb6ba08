//! Summaries of all sessions in a folder.

use super::stored::{SessionStatus, SessionSummary, Stored};
use crate::model::Wall;
use crate::session::{
    LogFault, ReadProgress, SessionError, SessionFiles, Survey, Want, holder, read,
};
use crate::state::{Entry, State};
use crate::workers;
use jiff::Timestamp;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::{io, thread};

/// Maximum characters of the last turn's excerpt.
const LAST_CHARS: usize = 160;

/// Suffix of a log's file name.
const ENDING: &str = ".jsonl";
/// Suffix of a rescue file.
const RESCUE: &str = ".rescue.jsonl";

/// Describes the outcome of a conversation.
pub type Headline = fn(&State) -> Option<String>;

/// Returns every session of a folder, the last written first; `progress` counts them.
///
/// # Errors
/// If the folder exists and cannot be read.
pub fn list(
    folder: &Path,
    headline: Headline,
    progress: &ReadProgress,
) -> io::Result<Vec<SessionSummary>> {
    let logs = logs(folder)?;
    progress.begin(logs.len() as u64);
    let threads = thread::available_parallelism().map_or(1, usize::from).min(logs.len().max(1));
    let mut left = logs.iter();
    let mut all = vec![];
    // a session without a stored summary is read whole, and a thousand of these take seconds
    workers::share(
        threads,
        || left.next(),
        |entry| summary(entry, headline),
        |summary| {
            progress.step();
            all.push(summary);
        },
    );
    all.sort_by(|a, b| (b.written, &b.id).cmp(&(a.written, &a.id)));
    Ok(all)
}

/// Returns the log of every session of a folder, by its name.
///
/// # Errors
/// If the folder exists and cannot be read.
pub fn paths(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut all: Vec<PathBuf> = logs(folder)?.iter().map(DirEntry::path).collect();
    all.sort();
    Ok(all)
}

/// Returns the logs of a folder, in no order; none if the folder does not exist.
pub(super) fn logs(folder: &Path) -> io::Result<Vec<DirEntry>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
        Err(e) => return Err(e),
    };
    let is_log = |e: &DirEntry| {
        let name = e.file_name();
        let name = name.to_string_lossy();
        name.ends_with(ENDING) && !name.ends_with(RESCUE) && !name.starts_with('.')
    };
    entries.filter(|e| e.as_ref().map_or(true, is_log)).collect()
}

/// Returns the modification time of a file.
pub(super) fn written(entry: &DirEntry) -> Wall {
    let modified = entry.metadata().and_then(|m| m.modified()).ok();
    let at = modified.and_then(|m| Timestamp::try_from(m).ok());
    Wall(at.map_or(0, Timestamp::as_millisecond))
}

fn summary(entry: &DirEntry, headline: Headline) -> SessionSummary {
    let path = entry.path();
    let files = SessionFiles::at(&path);
    let mut summary = SessionSummary {
        id: files.id(),
        path,
        standing: SessionStatus::Unfinished,
        written: written(entry),
        ..SessionSummary::default()
    };
    let Ok(metadata) = entry.metadata() else {
        summary.standing = SessionStatus::Unreadable("it no longer exists".into());
        return summary;
    };
    let kept = Stored::read(&files, &metadata).filter(|kept| {
        // a rescue file next to the log is damage that the log itself does not show
        kept.damaged.is_some() || !files.rescue().exists()
    });
    if let Some(kept) = kept {
        summary.standing = holder(&files).map_or_else(|| kept.status(), SessionStatus::Running);
        summary.title = kept.title;
        summary.utterances = kept.utterances;
        summary.parent = kept.parent;
        summary.cast = kept.cast;
        summary.last = kept.last;
        summary.headline = kept.headline;
        summary.is_silent = kept.is_silent;
        return summary;
    }
    // `turn.ended` repeats the text of pieces
    let mut state = State::default();
    match read(&summary.path, Want::Turns, &ReadProgress::default(), &mut |found| {
        state.apply(found.event)
    }) {
        Ok(log) => {
            summary.title = state.shown_title().to_string();
            summary.utterances = state.utterances;
            summary.parent = parent(&state);
            summary.cast = state.cast().map(|(_, seat)| seat.spec.name.to_string()).collect();
            summary.last = last_words(&state);
            summary.headline = headline(&state).unwrap_or_default();
            let said = state.entries.iter().any(|entry| entry.number.is_none());
            summary.is_silent = state.rehearsed && !said;
            summary.standing = session_status(&files, &log, &state);
            if !matches!(summary.standing, SessionStatus::Running(_)) {
                // without it only the next list is slower
                let kept = Stored::new(&metadata, &summary);
                let _ = kept.write(&files);
            }
        }
        Err(e) => summary.standing = SessionStatus::Unreadable(why(&e)),
    }
    summary
}

/// Returns the beginning of the last public turn.
fn last_words(state: &State) -> String {
    let open = |e: &&Entry| e.number.is_some() && e.to.is_empty() && e.hidden.is_none();
    let last = state.entries.iter().rev().find(open);
    let words = last.map_or("", |e| e.text()).split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(LAST_CHARS).collect()
}

/// Returns the parent of a session, and the turn after which it branched off.
fn parent(state: &State) -> Option<(String, u32)> {
    let forked = state.forked.as_ref()?;
    let kept = state.entries.iter().take_while(|e| e.versions[0].seq <= forked.at);
    Some((forked.parent.to_string(), kept.filter_map(|e| e.number).max().unwrap_or(0)))
}

fn session_status(files: &SessionFiles, log: &Survey, state: &State) -> SessionStatus {
    if log.faults.iter().any(|f| matches!(f, LogFault::Newer { .. })) {
        return SessionStatus::Newer;
    }
    if let Some(fault) = log.faults.iter().find(|f| f.forbids_writing()) {
        return SessionStatus::Damaged(fault.to_string());
    }
    if let Some(holder) = holder(files) {
        return SessionStatus::Running(holder);
    }
    match &state.ended {
        Some(ended) => SessionStatus::Ended { reason: ended.reason, lossy: ended.lossy },
        None if log.torn.is_some() => SessionStatus::Recovered,
        None => SessionStatus::Unfinished,
    }
}

fn why(e: &SessionError) -> String {
    match e {
        SessionError::Io { source, .. } => source.to_string(),
        SessionError::NotASession { .. } => "not a session".into(),
        SessionError::TooLarge { bytes, .. } => format!("too large ({bytes} bytes)"),
        SessionError::Unspeakable { .. }
        | SessionError::LineTooLong { .. }
        | SessionError::Endless { .. }
        | SessionError::Checksum
        | SessionError::Shape(_)
        | SessionError::Inside
        | SessionError::Locked { .. }
        | SessionError::ReadOnly { .. } => e.to_string(),
    }
}
