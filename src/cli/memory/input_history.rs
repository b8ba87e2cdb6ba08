//! The input history, kept from run to run: a file in the user's state folder, one JSON text on each line.

use crate::cli::memory::private_file::write_private;
use crate::config::make_private;
use std::fs;
use std::io;
use std::path::Path;

const FILE: &str = "input-history.jsonl";

/// Returns earlier inputs, oldest first; empty where the file is missing or unreadable.
pub fn read(folder: &Path) -> Vec<String> {
    let file = fs::read_to_string(folder.join(FILE)).unwrap_or_default();
    file.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Keeps what was sent, readable by its owner alone.
///
/// # Errors
/// When the folder or the file cannot be written.
pub fn write(folder: &Path, sent: &[String]) -> io::Result<()> {
    if sent.is_empty() {
        return Ok(());
    }
    make_private(folder).map_err(io::Error::other)?;
    let lines = sent.iter().filter_map(|words| serde_json::to_string(words).ok());
    let file: String = lines.map(|line| line + "\n").collect();
    write_private(&folder.join(FILE), &file)
}
