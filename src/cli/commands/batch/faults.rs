//! Errors of the files of a batch, in words.

use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use std::path::Path;

/// Returns the failure of a file that cannot be read.
pub fn unreadable(path: &Path, e: &std::io::Error) -> Failure {
    Failure::usage(
        format!("cannot read {}: {e}", path.display()),
        "name a file of JSON lines or CSV",
    )
}

/// Returns the failure of a file or folder that cannot be written.
pub fn unwritable(path: &Path, e: &std::io::Error) -> Failure {
    Failure::new(Exit::Session, format!("cannot write {}: {e}", path.display()))
        .hint("check the folder, its permissions and the free space")
}
