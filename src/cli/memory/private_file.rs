//! Private files of the user's state folder: the input history, one JSON string per line; the unsent text of the last
//! session that was left; the theme; the last copied text.

use crate::settings::make_private;
use crate::ui::request::ServiceFault;
use crate::untrusted::{FILE_MAX_BYTES, read_own_text};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::Path;
use tempfile::NamedTempFile;

const INPUTS: &str = "input-history.jsonl";
const DRAFT: &str = "draft.json";
const THEME: &str = "theme";

/// Writes a file that only its owner can read, in a folder of the same kind. Replaces an earlier file atomically.
pub fn write_private(path: &Path, words: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    make_private(folder).map_err(io::Error::other)?;
    // readable by its owner alone from the start
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(words.as_bytes())?;
    file.persist(path).map(drop).map_err(|e| e.error)
}

/// Saves the last copied text for terminals without a clipboard.
pub fn keep_last_copy(folder: &Path, words: &str) -> Result<String, ServiceFault> {
    let path = folder.join("last-copy.txt");
    make_private(folder).map_err(|e| e.to_string())?;
    write_private(&path, words).map_err(|e| format!("not in {}: {e}", path.display()))?;
    Ok(path.display().to_string())
}

/// Returns earlier inputs, oldest first; empty if the file is missing or unreadable.
pub fn inputs(folder: &Path) -> Vec<String> {
    let file = read_own_text(&folder.join(INPUTS)).unwrap_or_default();
    file.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Saves the sent inputs in a file that only its owner can read.
pub fn keep_inputs(folder: &Path, sent: &[String]) -> io::Result<()> {
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
    write_private(&folder.join(INPUTS), &newest.concat())
}

/// Unsent text of a session.
#[derive(Serialize, Deserialize)]
struct Draft {
    session: String,
    words: String,
}

/// Returns the unsent text of a session; `None` if the saved draft belongs to another session.
pub fn draft(folder: &Path, session: &str) -> Option<String> {
    let file = read_own_text(&folder.join(DRAFT)).ok()?;
    let draft: Draft = serde_json::from_str(&file).ok()?;
    (draft.session == session).then_some(draft.words)
}

/// Saves the draft of a session. An empty draft does not replace the draft of another session.
pub fn keep_draft(folder: &Path, session: &str, words: &str) -> io::Result<()> {
    if words.trim().is_empty() && draft(folder, session).is_none() {
        return Ok(());
    }
    let draft = Draft { session: session.into(), words: words.into() };
    write_private(&folder.join(DRAFT), &serde_json::to_string(&draft)?)
}

/// Returns the theme chosen last from the list; `None` if the file is missing or unreadable.
pub fn theme(folder: &Path) -> Option<String> {
    let name = read_own_text(&folder.join(THEME)).ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// Saves the theme chosen from the list.
pub fn keep_theme(folder: &Path, name: &str) -> io::Result<()> {
    if theme(folder).as_deref() == Some(name) {
        return Ok(());
    }
    write_private(&folder.join(THEME), name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::hostile_values;
    use serde_json::json;
    use std::fs;

    #[test]
    fn a_file_is_replaced_in_one_go_or_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("notes"), "old").unwrap();
        fs::hard_link(path("notes"), path("same")).unwrap();
        write_private(&path("notes"), "new").unwrap();
        let read = |name: &str| fs::read_to_string(path(name)).unwrap();
        assert_eq!([read("notes"), read("same")], ["new", "old"]);
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(path("notes").metadata().unwrap().permissions().mode() & 0o777, 0o600);
        fs::create_dir(path("folder")).unwrap();
        write_private(&path("folder"), "new").unwrap_err();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "nothing is left behind");
    }

    #[test]
    fn lines_of_other_kinds_are_not_inputs() {
        let folder = tempfile::tempdir().unwrap();
        let marker = folder.path().join("marker");
        let texts = hostile_values::texts(&marker.display().to_string(), "pipe", "other");
        for text in texts {
            let lines = [text.clone(), json!([text]).to_string(), json!({"a": text}).to_string()];
            let input = json!(text).to_string();
            fs::write(folder.path().join(INPUTS), [&lines[..], &[input]].concat().join("\n"))
                .unwrap();
            let read = inputs(folder.path());
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
        keep_inputs(folder.path(), &sent).unwrap();
        assert_eq!(inputs(folder.path()), sent[3..]);
    }
}
