//! Failures for files of a batch.

use crate::cli::error::{Exit, Failure};
use crate::untrusted::refused_target;
use std::io::ErrorKind;
use std::path::Path;

/// Returns the failure for a file that cannot be read.
pub fn unreadable(path: &Path, e: &std::io::Error) -> Failure {
    let message = format!("cannot read {}: {e}", path.display());
    if e.kind() == ErrorKind::InvalidData {
        return Failure::new(Exit::Invalid, message).hint("repair or convert the file");
    }
    let hint = match refused_target(e) {
        Some(target) => format!("name the file itself: batch --items {}", target.display()),
        None => "name a file of JSON lines, a JSON array or CSV".into(),
    };
    Failure::usage(message, hint)
}

/// Returns the failure for a file or folder in `--out`: it belongs to another program, or there was an I/O error.
pub fn unusable(path: &Path, e: &std::io::Error) -> Failure {
    match e.kind() {
        ErrorKind::InvalidInput | ErrorKind::InvalidData => Failure::usage(
            format!("{} is refused: {e}", path.display()),
            "choose another --out, or remove it",
        ),
        _ => Failure::new(Exit::Session, format!("cannot write {}: {e}", path.display()))
            .hint("check the folder, its permissions and the free space"),
    }
}
