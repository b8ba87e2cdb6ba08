//! Deleting: a session's files move to a folder from which they can be moved back.

use crate::session::lock::Lock;
use crate::session::{SessionError, SessionFiles};
use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};

/// Why a session stays where it is.
#[derive(Debug, thiserror::Error)]
pub enum NotDeleted {
    /// Somebody writes it, or it is not there.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The system refused.
    #[error("cannot move {} to {}", from.display(), to.display())]
    Io {
        /// What.
        from: PathBuf,
        /// Where to.
        to: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// Moves all files of a session that nobody writes into a folder of their own in the trash, and returns that folder.
///
/// # Errors
/// [`NotDeleted`]; whatever was not moved yet stays where it is.
pub fn delete(log: &Path, trash: &Path) -> Result<PathBuf, NotDeleted> {
    let files = SessionFiles::of_existing(log)?;
    let _lock = Lock::take(&files)?;
    let to = free(&trash.join(files.id()));
    let refused = |from: &Path| {
        let (from, to) = (from.to_owned(), to.clone());
        move |source| NotDeleted::Io { from, to, source }
    };
    make(&to).map_err(refused(files.log()))?;
    let folder = files.log().parent().unwrap_or(Path::new("."));
    let own = format!("{}.", files.id());
    let entries = fs::read_dir(folder).map_err(refused(files.log()))?;
    let mut parts: Vec<PathBuf> = entries
        .flatten()
        .filter(|e| e.file_name().to_string_lossy().starts_with(&own))
        .map(|e| e.path())
        .collect();
    // the log goes last: while it is there, so is the session
    parts.sort_by_key(|p| p == files.log());
    for part in parts {
        let name = part.file_name().unwrap_or_default();
        fs::rename(&part, to.join(name)).map_err(refused(&part))?;
    }
    Ok(to)
}

/// Returns a name that nothing has: the one asked for, or the same with `-2`, `-3`.
fn free(path: &Path) -> PathBuf {
    let numbered = |n: u32| PathBuf::from(format!("{}-{n}", path.display()));
    let mut names = std::iter::once(path.to_owned()).chain((2..).map(numbered));
    names.find(|p| p.symlink_metadata().is_err()).unwrap_or_else(|| path.to_owned())
}

fn make(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
