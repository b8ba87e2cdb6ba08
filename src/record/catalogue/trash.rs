//! The trash: moves the files of a session into a folder of their own, and back.

use super::find::{SessionNotFound, chosen};
use crate::own_file::{OwnFile, is_full};
use crate::session::lock::Lock;
use crate::session::repair::free_name;
use crate::session::{self, SessionError};
use crate::untrusted;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// File in a trashed session's folder with the path of its original folder.
const ORIGIN: &str = ".from";

/// A session that could not be moved.
#[derive(Debug, thiserror::Error)]
pub enum NotMoved {
    /// It is in use, does not exist, or is not a session.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// No such session in the trash.
    #[error(transparent)]
    Unknown(#[from] SessionNotFound),
    /// Its original path is in use.
    #[error("{} already exists", .0.display())]
    Taken(PathBuf),
    /// The operating system refused to move a file.
    #[error("cannot move {} to {}", from.display(), to.display())]
    Io {
        /// The old path.
        from: PathBuf,
        to: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
}

/// Returns the error of a failed move.
fn refused(from: &Path, to: &Path) -> impl FnOnce(io::Error) -> NotMoved {
    let from = from.to_owned();
    let to = to.to_owned();
    move |source| NotMoved::Io { from, to, source }
}

/// Moves the files of a session that no program writes into a folder of their own in the trash; returns that folder.
///
/// # Errors
/// [`NotMoved`]; files not yet moved are unchanged.
pub fn delete(log: &Path, trash: &Path) -> Result<PathBuf, NotMoved> {
    let files = session::proven(log)?;
    let _lock = Lock::hold(&files)?;
    let to = free_name(&trash.join(files.id()));
    let log = files.log();
    make(&to).map_err(refused(log, &to))?;
    let folder = log.parent().unwrap_or(Path::new("."));
    let origin = folder.as_os_str().as_encoded_bytes();
    let kept = OwnFile::create_new(&to.join(ORIGIN)).and_then(|mut file| file.write_all(origin));
    match kept {
        // a full disk is a reason to delete; the session goes back to the usual folder then
        Err(e) if is_full(&e) => {}
        kept => kept.map_err(refused(log, &to))?,
    }
    // the log goes last: while it is there, so is the session
    let mut parts = files.others().map_err(refused(log, &to))?;
    parts.push(log.to_owned());
    move_all(&parts, &to)?;
    Ok(to)
}

/// Moves a session from the trash to its original folder, or to `home` if that is unknown; returns its log.
///
/// # Errors
/// [`NotMoved`]; nothing is overwritten.
pub fn restore(name: &str, trash: &Path, home: &Path) -> Result<PathBuf, NotMoved> {
    session::may_change()?;
    let listed = match fs::read_dir(trash) {
        Ok(entries) => {
            entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect()
        }
        Err(e) if e.kind() == ErrorKind::NotFound => vec![],
        Err(e) => return Err(refused(trash, home)(e)),
    };
    let from = trash.join(chosen(listed, name)?);
    let entries = fs::read_dir(&from).map_err(refused(&from, home))?;
    let mut parts: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    parts.retain(|path| path.file_name().is_some_and(|name| name != ORIGIN));
    let is_log = |path: &PathBuf| session::proven(path).is_ok();
    let log = parts.iter().find(|path| is_log(path)).cloned();
    let Some(log) = log else { return Err(SessionError::NotASession { path: from }.into()) };
    let to = match untrusted::read(&from.join(ORIGIN)) {
        Ok(bytes) if !bytes.is_empty() => OsString::from_vec(bytes).into(),
        Ok(_) | Err(_) => home.to_owned(),
    };
    make(&to).map_err(refused(&from, &to))?;
    parts.sort_by_key(|path| *path == log);
    let target = |path: &PathBuf| to.join(path.file_name().unwrap_or_default());
    if let Some(taken) = parts.iter().map(target).find(|path| path.symlink_metadata().is_ok()) {
        return Err(NotMoved::Taken(taken));
    }
    move_all(&parts, &to)?;
    // remaining files in the trash do no harm
    let _ = fs::remove_dir_all(&from);
    Ok(target(&log))
}

fn move_all(parts: &[PathBuf], to: &Path) -> Result<(), NotMoved> {
    parts.iter().try_for_each(|part| {
        let name = part.file_name().unwrap_or_default();
        fs::rename(part, to.join(name)).map_err(refused(part, to))
    })
}

fn make(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}
