//! Edits a draft in the user's own editor: written to a file that only the user can read, and read back when the editor
//! exits.
//!
//! The draft stays unchanged after an error or if the file comes back empty.

use crate::cli::context::Context;
use crate::spawn::foreground;
use crate::ui::request::ServiceFault;
use crate::{text, untrusted};
use std::io::Write;

/// Opens the editor on the draft; returns the content of the file when it exits.
pub async fn edit(draft: &str, context: &Context) -> Result<String, ServiceFault> {
    let none = "set EDITOR, as in EDITOR=nano; your draft is kept";
    let editor = context.environment.editor().ok_or(none)?;
    let failed =
        |e: std::io::Error| format!("cannot write a file for {editor}: {e}; your draft is kept");
    let file = tempfile::Builder::new().prefix("colloquium-").suffix(".md").tempfile();
    let mut file = file.map_err(failed)?;
    file.write_all(draft.as_bytes()).and_then(|()| file.flush()).map_err(failed)?;
    let ended = foreground(editor, file.path()).await;
    let status = ended.map_err(|e| format!("{editor}: {e}; your draft is kept"))?;
    if !status.success() {
        return Err(format!("{editor} failed ({status}); your draft is unchanged").into());
    }
    // an editor may have put another file in the place of ours
    let written = untrusted::read(file.path()).map_err(failed)?;
    match text::decode(written).text.trim_end() {
        "" => Err("the file was empty; your draft is unchanged".into()),
        words => Ok(words.to_owned()),
    }
}
