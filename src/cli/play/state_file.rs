//! `--state FILE`: what is known of the person, read before a conversation and written after it, so that a server can
//! keep it for its client and run one turn at a time.

use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::inputs::read_file;
use crate::state::State;
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// Reads the data of the previous turn; before the first turn there is no file, and the data is empty.
///
/// # Errors
/// What is wrong with the file.
pub fn read(path: &Path) -> Result<Map<String, Value>, Failure> {
    if matches!(path.try_exists(), Ok(false)) {
        return Ok(Map::new());
    }
    let shown = path.display().to_string();
    let text = read_file("the state", &shown)?;
    let invalid = |why: String| {
        Failure::new(Exit::Invalid, format!("the state {shown}: {why}"))
            .hint("expected a JSON object such as {\"profile\": {\"allergies\": \"none\"}}")
    };
    let state: Value = serde_json::from_str(&text).map_err(|e| invalid(e.to_string()))?;
    match state.get("profile") {
        None if state.is_object() => Ok(Map::new()),
        Some(Value::Object(profile)) => Ok(profile.clone()),
        Some(_) => Err(invalid("`profile` is no object".into())),
        None => Err(invalid("not an object".into())),
    }
}

/// Writes the current data to the file, whole or not at all.
///
/// # Errors
/// When the file cannot be written.
pub fn write(path: Option<&Path>, state: &State) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    let known = &state.known;
    let now = json!({
        "profile": *known.profile,
        "stage": known.stage.stage,
        "ranking": known.ranking().map_or(&[][..], |made| &made.items),
    });
    let text = format!("{now:#}\n");
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let put = || -> io::Result<()> {
        let mut file = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
        file.write_all(text.as_bytes())?;
        file.persist(path)?;
        Ok(())
    };
    put().map_err(|e| {
        Failure::new(Exit::Failed, format!("cannot write the state {}: {e}", path.display()))
            .hint("check the folder's permissions and space")
    })
}
