//! Where a finished document goes: standard output, or a file that did not exist before.

use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::models::providers::{ModelOptions, Providers};
use crate::cli::output;
use crate::text;
use clap::Args;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Where it goes.
#[derive(Debug, Args)]
pub struct Target {
    /// Write to a file that does not exist yet, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Target {
    /// Writes it, and says where. A key that this program knows of is in it no more, whatever the session holds.
    pub fn write(&self, document: &str, context: &Context) -> Result<(), Failure> {
        let document = text::without_keys(document);
        let bytes = document.as_bytes();
        match self.output.as_deref().filter(|path| *path != Path::new("-")) {
            None => output::data(bytes),
            Some(path) => {
                create(path, bytes)?;
                context.say(&format!("written: {}", path.display()));
                Ok(())
            }
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

/// Writes a new file for the user alone; one that is there is never written over.
pub fn create(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| file.write_all(bytes));
    written.map_err(|e: io::Error| {
        let failure = Failure::new(Exit::Usage, format!("cannot write {}: {e}", path.display()));
        match e.kind() {
            ErrorKind::AlreadyExists => failure.hint("name a file that does not exist yet"),
            _ => failure.hint("check the folder, its rights and its space"),
        }
    })
}
