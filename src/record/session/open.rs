//! Creates or resumes a session: file, lock, repair and writer in the right order.

use super::Record;
use super::archive::Archive;
use super::create::Unnamed;
use super::disk::FileDisk;
use super::error::SessionError;
use super::files::{SessionFiles, session_id};
use super::lock::Lock;
use super::progress::ReadProgress;
use super::reader::{Log, Survey, proven, read_open};
use super::repair::mend_tail;
use super::scanner::{Found, Scanner};
use super::writer::{Mode, SessionWriter, WriterStart};
use crate::model::Wall;
use crate::model::payload::LogRepaired;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// A session that this process writes.
pub struct Session {
    /// Its paths.
    pub files: SessionFiles,
    /// Its writer; holds the lock until it is finished.
    pub writer: SessionWriter,
}

/// A resumed session that this process writes.
pub struct ResumedSession {
    /// The log so far; empty if a crash left less than one line, or if it was not read again.
    pub log: Log,
    /// True if the log was read again, because the file had changed.
    pub again: bool,
    /// The `log.repaired` to append first, if an incomplete last line was set aside.
    pub repaired: Option<LogRepaired>,
    /// Its writer; holds the lock until it is finished.
    pub writer: SessionWriter,
}

/// Location of a new session.
#[derive(Clone, Copy, Debug)]
pub enum SessionPlace<'a> {
    /// In a folder; the id is made from the time and a random number.
    Folder(&'a Path, Wall, u64),
    /// In a file that the user named and that must not exist.
    File(&'a Path),
    /// In a temporary file, removed when the writer is finished.
    Nowhere,
}

/// An empty session: its paths, its file, and its temporary folder.
type Empty = (SessionFiles, Unnamed, Option<TempDir>);

impl SessionPlace<'_> {
    fn make(self) -> Result<Empty, SessionError> {
        match self {
            SessionPlace::Folder(folder, at, random) => {
                let (files, file) = SessionFiles::create_in(folder, &session_id(at, random))?;
                Ok((files, file, None))
            }
            SessionPlace::File(path) => {
                let files = SessionFiles::at(path);
                files.create().map(|file| (files.clone(), file, None))
            }
            SessionPlace::Nowhere => {
                let mut builder = tempfile::Builder::new();
                builder.prefix("colloquium-");
                builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
                let folder = builder.tempdir();
                let folder = folder.map_err(SessionError::io("make", "a temporary folder"))?;
                let files = SessionFiles::at(folder.path().join("session.jsonl"));
                files.create().map(|file| (files.clone(), file, Some(folder)))
            }
        }
    }
}

/// Creates a session.
///
/// # Errors
/// [`SessionError::Io`], also if the file exists.
pub fn create(place: SessionPlace<'_>, mode: Mode) -> Result<Session, SessionError> {
    let (files, Unnamed { file, path, lock }, folder) = place.make()?;
    let disk = FileDisk::new(file, files.clone(), lock, folder).unnamed(path);
    begin(files, disk, WriterStart::default(), mode)
}

/// Creates a session with the first `kept` lines of another one, verbatim, and their blobs.
///
/// # Errors
/// [`SessionError::ReadOnly`] if the other session must be repaired first or comes from a newer program, and
/// [`SessionError::Io`]; no session is created then.
pub fn fork(
    parent: &Survey,
    kept: impl Iterator<Item = Arc<Record>>,
    place: SessionPlace<'_>,
    mode: Mode,
) -> Result<Session, SessionError> {
    if !parent.can_append() {
        let path = parent.files.log().to_owned();
        return Err(SessionError::ReadOnly { path, faults: parent.faults.clone() });
    }
    let (files, Unnamed { file, path, lock }, folder) = place.make()?;
    let mut start = WriterStart::default();
    let copy = || -> io::Result<()> {
        // without a folder there are no blobs
        let blobs = fs::read_dir(parent.files.blobs()).into_iter().flatten().flatten();
        let mut blobs: Vec<fs::DirEntry> = blobs.collect();
        let mut out = BufWriter::new(&file);
        for record in kept {
            for blob in blobs.extract_if(.., |blob| {
                record.line.contains(&*blob.file_name().to_string_lossy()) && blob.path().is_file()
            }) {
                let name = blob.file_name().to_string_lossy().into_owned();
                files.put_blob(&name, &fs::read_to_string(blob.path())?)?;
            }
            out.write_all(record.line.as_bytes())?;
            start.len += record.line.len() as u64;
            start.last = Some(record.event.seq);
        }
        out.flush()?;
        if let Some(fault) = parent.archive.as_ref().and_then(Archive::fault) {
            return Err(io::Error::other(fault));
        }
        files.name(&file, &mut Some(path), true)
    };
    copy().map_err(|e| {
        // an incomplete copy is not a branch
        let _ = fs::remove_dir_all(files.blobs());
        SessionError::io("write", files.log())(e)
    })?;
    let disk = FileDisk::new(file, files.clone(), lock, folder);
    begin(files, disk, start, mode)
}

fn begin(
    files: SessionFiles,
    disk: FileDisk,
    start: WriterStart,
    mode: Mode,
) -> Result<Session, SessionError> {
    let writer = SessionWriter::spawn(Box::new(disk), start, mode)
        .map_err(SessionError::io("start the writer of", files.log()))?;
    Ok(Session { files, writer })
}

/// Resumes a session: locks it, reads it, repairs an incomplete last line, and copies nothing.
pub fn resume(path: &Path, mode: Mode) -> Result<ResumedSession, SessionError> {
    resume_at(path, None, mode)
}

/// Resumes a session that was read already; reads it again only if the file has changed since.
///
/// # Errors
/// [`SessionError::Locked`] with the holder's process id, [`SessionError::ReadOnly`] if it needs a repair or comes from
/// a newer program, [`SessionError::NotASession`], [`SessionError::TooLarge`], and [`SessionError::Io`].
pub fn resume_read(read: Survey, mode: Mode) -> Result<ResumedSession, SessionError> {
    let path = read.files.log().to_owned();
    resume_at(&path, Some(read), mode)
}

fn resume_at(
    path: &Path,
    read: Option<Survey>,
    mode: Mode,
) -> Result<ResumedSession, SessionError> {
    let files = proven(path)?;
    let lock = Lock::take(&files)?;
    let mut file = OpenOptions::new()
        .read(true)
        .append(true)
        .open(files.log())
        .map_err(SessionError::io("open", path))?;
    let now = file.metadata().map_err(SessionError::io("read", path))?;
    let (mut log, again) = match read.filter(|read| read.is_current(&now)) {
        Some(survey) => (Log { survey, records: vec![] }, false),
        None => {
            let mut records = vec![];
            let again = file.try_clone().map_err(SessionError::io("open", path))?;
            let mut each = |found: Found<'_>| records.push(found.record());
            let scanner = Scanner::new(files.clone());
            let survey = read_open(scanner, again, &ReadProgress::default(), &mut each)?;
            (Log { survey, records }, true)
        }
    };
    if !log.can_append() {
        return Err(SessionError::ReadOnly { path: path.to_owned(), faults: log.survey.faults });
    }
    let repaired = mend_tail(&mut log.survey, &mut file)?;
    let start = WriterStart { len: log.len, last: log.survey.last };
    let disk = FileDisk::new(file, files, lock, None);
    let writer = SessionWriter::spawn(Box::new(disk), start, mode)
        .map_err(SessionError::io("start the writer of", path))?;
    Ok(ResumedSession { log, again, repaired, writer })
}
