//! A draft in an editor of the person's own: written to a file that only they can read, and read back at its end.
//!
//! What goes wrong, and a file that holds nothing, leave the draft as it was.

use crate::cli::context::Context;
use crate::spawn::foreground;
use std::fs;
use std::io::Write;

/// Lets the person write on; returns what the file holds then.
pub async fn edit(draft: &str, context: &Context) -> Result<String, String> {
    let none = "set EDITOR to the editor you like, as in EDITOR=nano; your draft stays here";
    let editor = context.environment.editor().ok_or(none)?;
    let failed = |e: std::io::Error| format!("no file for {editor}: {e}; your draft stays");
    let mut file = tempfile::Builder::new().prefix("colloquium-").suffix(".md").tempfile();
    let file = file.as_mut().map_err(|e| format!("no file for {editor}: {e}; your draft stays"))?;
    file.write_all(draft.as_bytes()).and_then(|()| file.flush()).map_err(failed)?;
    let ended = foreground(editor, file.path()).await;
    let status = ended.map_err(|e| format!("{editor}: {e}; your draft stays"))?;
    if !status.success() {
        return Err(format!("{editor} failed ({status}); your draft stays as it was"));
    }
    // an editor may have put another file in the place of ours
    let written = fs::read(file.path()).map_err(failed)?;
    let written = String::from_utf8_lossy(&written);
    match written.trim_end() {
        "" => Err("nothing was written; your draft stays as it was".into()),
        words => Ok(words.to_owned()),
    }
}
