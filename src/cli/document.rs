//! Writes a finished document: to standard output, or to a file that did not exist before.

use crate::cli::args::models::ModelOptions;
use crate::cli::args::target::Target;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::models::providers::Providers;
use crate::cli::output;
use crate::text;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Writes a document to its target, and reports where. Keys that this program knows are removed, whatever the session
/// holds.
pub fn write(document: &str, target: &Target, context: &Context) -> Result<(), Failure> {
    let document = text::without_keys(document);
    let bytes = document.as_bytes();
    match target.output.as_deref().filter(|path| *path != Path::new("-")) {
        None => output::data(bytes),
        Some(path) => {
            if target.force { replace(path, bytes) } else { create(path, bytes) }?;
            context.say(&format!("written: {}", path.display()));
            Ok(())
        }
    }
}

/// Reads the keys that are at hand, so that they are kept out of what is written.
pub fn know_keys(context: &Context) -> Result<(), Failure> {
    let providers = Providers::new(context, &ModelOptions::default())?;
    for known in providers.all() {
        // one that is not set cannot stand in a session either
        let _ = providers.has_key(known);
    }
    Ok(())
}

/// Writes a new file for the user alone; one that exists is never overwritten.
pub fn create(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| file.write_all(bytes));
    written.map_err(|e: io::Error| match e.kind() {
        ErrorKind::AlreadyExists => Failure::usage(
            format!("{} already exists", path.display()),
            "choose another name, or replace the file with --force",
        ),
        _ => unwritable(path, &e),
    })
}

/// Replaces a file in one step: until the document is complete, the old file stays.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if path.is_dir() {
        return Err(Failure::usage(
            format!("{} is a folder", path.display()),
            "name a file in it, as in --output FOLDER/FILE",
        ));
    }
    // a link is kept, and what it leads to is replaced
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().unwrap_or(folder);
    let written =
        tempfile::Builder::new().prefix(".colloquium-").tempfile_in(folder).and_then(|mut file| {
            file.write_all(bytes)?;
            file.persist(&target).map(drop).map_err(|e| e.error)
        });
    written.map_err(|e| unwritable(path, &e))
}

fn unwritable(path: &Path, e: &io::Error) -> Failure {
    Failure::new(Exit::Usage, format!("cannot write {}: {e}", path.display()))
        .hint("check the folder, its permissions and the free space")
}
