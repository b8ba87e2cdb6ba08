//! Where a finished document goes.

use clap::Args;
use std::path::{Path, PathBuf};

/// Where it goes.
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
    /// Returns the file; none for standard output, which `-` names too.
    pub fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != Path::new("-"))
    }
}
