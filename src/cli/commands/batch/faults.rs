//! Errors of the files of a batch, in words.

use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use std::io::ErrorKind;
use std::path::Path;

/// Returns the failure of a file that cannot be read.
pub fn unreadable(path: &Path, e: &std::io::Error) -> Failure {
    Failure::usage(
        format!("cannot read {}: {e}", path.display()),
        "name a file of JSON lines or CSV",
    )
}

/// Returns the failure of a file or folder in `--out`: a foreign file, or an error of the disk.
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
