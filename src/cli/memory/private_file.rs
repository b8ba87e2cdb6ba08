//! Files of the user's own state that only they can read.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

/// Writes a file that only its owner can read.
pub fn write_private(path: &Path, words: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(words.as_bytes())
}
