//! The unsent text of the last session that was left, kept for the next visit.

use crate::cli::memory::private_file::write_private;
use crate::untrusted::read_own_text;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

const FILE: &str = "draft.json";

/// Unsent text of a session.
#[derive(Serialize, Deserialize)]
struct Draft {
    session: String,
    words: String,
}

/// Returns the unsent text of a session; `None` if the saved draft belongs to another session.
pub fn read(folder: &Path, session: &str) -> Option<String> {
    let file = read_own_text(&folder.join(FILE)).ok()?;
    let draft: Draft = serde_json::from_str(&file).ok()?;
    (draft.session == session).then_some(draft.words)
}

/// Saves the draft of a session. An empty draft does not replace the draft of another session.
pub fn keep(folder: &Path, session: &str, words: &str) -> io::Result<()> {
    if words.trim().is_empty() && read(folder, session).is_none() {
        return Ok(());
    }
    let draft = Draft { session: session.into(), words: words.into() };
    write_private(&folder.join(FILE), &serde_json::to_string(&draft)?)
}
