//! Begins a session or goes on with one: file, lock, repair and writer in the right order.

use super::disk::FileDisk;
use super::error::SessionError;
use super::files::{SessionFiles, session_id};
use super::lock::Lock;
use super::reader::{Log, read_open};
use super::repair::mend_tail;
use super::writer::{Mode, SessionWriter, Start};
use crate::model::Wall;
use crate::model::payload::LogRepaired;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// A session that this process writes.
pub struct Session {
    /// Where it lies.
    pub files: SessionFiles,
    /// Who writes it; holds the lock until it is finished.
    pub writer: SessionWriter,
}

/// A session that this process goes on with.
pub struct Resumed {
    /// What was said so far; empty where a crash left less than one line.
    pub log: Log,
    /// The `log.repaired` to append first, where a torn tail was set aside.
    pub repaired: Option<LogRepaired>,
    /// Who writes on; holds the lock until it is finished.
    pub writer: SessionWriter,
}

/// Begins a session in a folder; its name is made of a moment and of dice.
///
/// # Errors
/// [`SessionError::Io`].
pub fn create(folder: &Path, at: Wall, random: u64, mode: Mode) -> Result<Session, SessionError> {
    let (files, file) = SessionFiles::create_in(folder, &session_id(at, random))?;
    begin(files, file, None, Start::default(), mode)
}

/// Begins a session in a file of a person's choice, which must not exist.
///
/// # Errors
/// [`SessionError::Io`], also when the file exists.
pub fn create_at(path: &Path, mode: Mode) -> Result<Session, SessionError> {
    let files = SessionFiles::at(path);
    let file = files.create()?;
    begin(files, file, None, Start::default(), mode)
}

/// Begins a session that is not to be saved: it is gone when the writer is finished.
///
/// # Errors
/// [`SessionError::Io`].
pub fn temporary(mode: Mode) -> Result<Session, SessionError> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("colloquium-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let folder = builder.tempdir().map_err(SessionError::io("make", "a temporary folder"))?;
    let files = SessionFiles::at(folder.path().join("session.jsonl"));
    let file = files.create()?;
    begin(files, file, Some(folder), Start::default(), mode)
}

/// Begins a session in a folder with the first lines of another one, verbatim, and the long texts they name.
///
/// # Errors
/// [`SessionError::ReadOnly`] when the other session must be mended first or is a newer program's, and
/// [`SessionError::Io`].
pub fn fork(
    parent: &Log,
    events: usize,
    folder: &Path,
    (at, random): (Wall, u64),
    mode: Mode,
) -> Result<Session, SessionError> {
    if !parent.can_append() {
        let path = parent.files.log().to_owned();
        return Err(SessionError::ReadOnly { path, faults: parent.faults.clone() });
    }
    let kept = parent.records.get(..events).unwrap_or(&parent.records);
    let lines: String = kept.iter().map(|r| r.line.as_str()).collect();
    let (files, mut file) = SessionFiles::create_in(folder, &session_id(at, random))?;
    let mut copy = || -> io::Result<()> {
        // a folder that is not there has no long texts
        for blob in fs::read_dir(parent.files.blobs()).into_iter().flatten().flatten() {
            let name = blob.file_name().to_string_lossy().into_owned();
            if lines.contains(&name) {
                files.put_blob(&name, &fs::read_to_string(blob.path())?)?;
            }
        }
        file.write_all(lines.as_bytes())?;
        file.sync_all()
    };
    copy().map_err(SessionError::io("write", files.log()))?;
    let start = Start { len: lines.len() as u64, last: kept.last().map(|r| r.event.seq) };
    begin(files, file, None, start, mode)
}

fn begin(
    files: SessionFiles,
    file: File,
    temporary: Option<tempfile::TempDir>,
    start: Start,
    mode: Mode,
) -> Result<Session, SessionError> {
    let lock = Lock::take(&files)?;
    let disk = FileDisk::new(file, files.clone(), lock, temporary);
    let writer = SessionWriter::spawn(Box::new(disk), start, mode)
        .map_err(SessionError::io("start the writer of", files.log()))?;
    Ok(Session { files, writer })
}

/// Goes on with a session: takes its lock, reads it, mends a torn tail, and copies nothing.
///
/// # Errors
/// [`SessionError::Locked`] with the holder's process id, [`SessionError::ReadOnly`] when something is wrong that a
/// repair must mend or a newer program wrote it, [`SessionError::NotASession`], [`SessionError::TooLarge`], and
/// [`SessionError::Io`].
pub fn resume(path: &Path, mode: Mode) -> Result<Resumed, SessionError> {
    let files = SessionFiles::of_existing(path)?;
    if !files.log().is_file() {
        return Err(SessionError::NotASession { path: path.to_owned() });
    }
    let lock = Lock::take(&files)?;
    let mut file = OpenOptions::new()
        .read(true)
        .append(true)
        .open(files.log())
        .map_err(SessionError::io("open", path))?;
    let (mut log, bytes) = read_open(files.clone(), &file)?;
    if !log.can_append() {
        return Err(SessionError::ReadOnly { path: path.to_owned(), faults: log.faults });
    }
    let repaired = mend_tail(&mut log, &bytes, &mut file)?;
    let start = Start { len: log.len, last: log.last().map(|e| e.seq) };
    let disk = FileDisk::new(file, files, lock, None);
    let writer = SessionWriter::spawn(Box::new(disk), start, mode)
        .map_err(SessionError::io("start the writer of", path))?;
    Ok(Resumed { log, repaired, writer })
}
