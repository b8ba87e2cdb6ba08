//! The input history, kept between runs in a file of the user's state folder, one JSON string per line.

use crate::cli::memory::private_file::write_private;
use crate::untrusted::{FILE_MAX_BYTES, read_own_text};
use std::io;
use std::path::Path;

const FILE: &str = "input-history.jsonl";

/// Returns earlier inputs, oldest first; empty if the file is missing or unreadable.
pub fn read(folder: &Path) -> Vec<String> {
    let file = read_own_text(&folder.join(FILE)).unwrap_or_default();
    file.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Saves the sent inputs in a file that only its owner can read.
pub fn write(folder: &Path, sent: &[String]) -> io::Result<()> {
    if sent.is_empty() {
        return Ok(());
    }
    let lines = sent.iter().rev().filter_map(|words| serde_json::to_string(words).ok());
    let mut bytes = 0;
    // as much as is read again
    let mut newest: Vec<String> = lines
        .map(|line| line + "\n")
        .take_while(|line| {
            bytes += line.len() as u64;
            bytes <= FILE_MAX_BYTES
        })
        .collect();
    newest.reverse();
    write_private(&folder.join(FILE), &newest.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::hostile_values;
    use serde_json::json;
    use std::fs;

    #[test]
    fn lines_of_other_kinds_are_not_inputs() {
        let folder = tempfile::tempdir().unwrap();
        let marker = folder.path().join("marker");
        let texts = hostile_values::texts(&marker.display().to_string(), "pipe", "other");
        for text in texts {
            let lines = [text.clone(), json!([text]).to_string(), json!({"a": text}).to_string()];
            let input = json!(text).to_string();
            fs::write(folder.path().join(FILE), [&lines[..], &[input]].concat().join("\n"))
                .unwrap();
            let read = read(folder.path());
            // a file that is too large as a whole is not read
            assert!(read.is_empty() || read.contains(&text), "{text:.40}");
            assert!(read.len() <= 2, "{text:.40}: {} inputs", read.len());
            assert!(!marker.exists(), "{text:.40}: acted");
        }
    }

    #[test]
    fn keeps_the_newest_inputs_that_can_be_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let sent: Vec<String> = (0..8).map(|n| n.to_string().repeat(200 << 10)).collect();
        write(folder.path(), &sent).unwrap();
        assert_eq!(read(folder.path()), sent[3..]);
    }
}
