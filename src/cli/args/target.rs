//! Options for the output file of a document.

use clap::Args;
use std::path::{Path, PathBuf};

/// Options for the output file.
#[derive(Debug, Args)]
pub struct Target {
    /// Write to a file that does not exist yet, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long, requires = "output")]
    pub force: bool,
}

impl Target {
    /// Returns the output file; `None` for standard output, also if named `-`.
    pub fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != Path::new("-"))
    }
}
