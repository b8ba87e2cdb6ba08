//! Finds a session by its path, its id, or a prefix of its id.

use super::list::{logs, written};
use crate::model::near::nearest;
use crate::session::SessionFiles;
use std::io;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

/// Maximum number of candidates in the message about an ambiguous prefix.
const CANDIDATES_SHOWN: usize = 10;

/// A name that matches no session, or several.
#[derive(Debug, thiserror::Error)]
pub enum SessionNotFound {
    /// No id begins like this.
    #[error("no session {name}{}", nearest.as_ref().map_or(String::new(), |n| format!("; the nearest is {n}")))]
    Unknown {
        /// The id or prefix, as given.
        name: String,
        /// The nearest id.
        nearest: Option<String>,
    },
    /// Several ids begin like this.
    #[error("{name} is ambiguous: {}{}", ids.join(", "), if *more > 0 { format!(" and {more} more") } else { String::new() })]
    Ambiguous {
        /// The id or prefix, as given.
        name: String,
        /// The first matching ids, for the message.
        ids: Vec<String>,
        /// Number of further matching ids.
        more: usize,
    },
    /// The folder has no session.
    #[error("no sessions yet")]
    None,
}

/// Returns the log of the session with a path, an id, or a unique prefix of one.
///
/// # Errors
/// [`SessionNotFound`], or the error of reading the folder.
pub fn find(folder: &Path, name: &str) -> io::Result<Result<PathBuf, SessionNotFound>> {
    let is_path = name.contains(MAIN_SEPARATOR) || name.ends_with(".jsonl");
    if is_path && Path::new(name).exists() {
        return Ok(Ok(name.into()));
    }
    let ids = logs(folder)?.iter().map(|e| SessionFiles::at(e.path()).id()).collect();
    Ok(match chosen(ids, name) {
        Ok(id) => Ok(folder.join(format!("{id}.jsonl"))),
        Err(SessionNotFound::Unknown { name, .. }) if is_path => {
            Err(SessionNotFound::Unknown { name, nearest: None })
        }
        Err(e) => Err(e),
    })
}

/// Returns the id that equals a name or is the only one to begin with it.
pub(super) fn chosen(mut ids: Vec<String>, name: &str) -> Result<String, SessionNotFound> {
    ids.sort();
    if ids.iter().any(|id| id == name) {
        return Ok(name.into());
    }
    let begins: Vec<&String> = ids.iter().filter(|id| id.starts_with(name)).collect();
    match begins[..] {
        [id] => Ok(id.clone()),
        [] => {
            let near = nearest(name, ids.iter().map(String::as_str)).map(str::to_owned);
            Err(SessionNotFound::Unknown { name: name.into(), nearest: near })
        }
        _ => {
            let more = begins.len().saturating_sub(CANDIDATES_SHOWN);
            let ids = begins.into_iter().take(CANDIDATES_SHOWN).cloned().collect();
            Err(SessionNotFound::Ambiguous { name: name.into(), ids, more })
        }
    }
}

/// Returns the log of the session that was written last.
///
/// # Errors
/// [`SessionNotFound::None`], or the error of reading the folder.
pub fn last(folder: &Path) -> io::Result<Result<PathBuf, SessionNotFound>> {
    // neither a link nor a pipe was written by this program
    let files =
        logs(folder)?.into_iter().filter(|e| e.file_type().is_ok_and(|kind| kind.is_file()));
    let newest = files.max_by_key(|e| (written(e), e.file_name()));
    Ok(newest.map(|e| e.path()).ok_or(SessionNotFound::None))
}
