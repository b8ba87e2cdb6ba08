//! `--state FILE`: known facts about the person, read before a conversation and written after it, so that a server can
//! keep them for its client and run one turn at a time.

use crate::cli::args::StateFile;
use crate::cli::error::{Exit, Failure};
use crate::own_file::OwnFile;
use crate::state::State;
use crate::untrusted;
use serde_json::{Map, Value, json};
use std::io::ErrorKind;

/// Reads the profile in a state file; empty if the file does not exist yet.
///
/// # Errors
/// If the file is not a state: a JSON object with a `profile`, or an empty one.
pub fn read(file: &StateFile) -> Result<Map<String, Value>, Failure> {
    let text = text_of(file)?;
    let profile = match object(file, &text)?.remove("profile") {
        Some(Value::Object(profile)) => profile,
        _ => Map::new(),
    };
    file.remember(text);
    Ok(profile)
}

/// Writes the present facts into the file in one step; its other keys are kept.
///
/// # Errors
/// If the file is not a state, has changed since it was read, or cannot be written.
pub fn write(file: Option<&StateFile>, state: &State) -> Result<(), Failure> {
    let Some(file) = file else { return Ok(()) };
    let shown = file.path().display();
    let old = text_of(file)?;
    if file.remembered().is_some_and(|read| read != old) {
        let message = format!("the state {shown} has changed since it was read");
        return Err(Failure::new(Exit::Failed, message)
            .hint("let one conversation at a time use the file; the session has all facts"));
    }
    let mut whole = object(file, &old)?;
    let known = &state.known;
    whole.insert("profile".into(), Value::Object((*known.profile).clone()));
    whole.insert("stage".into(), json!(known.stage.stage));
    whole.insert("ranking".into(), json!(known.ranking().map_or(&[][..], |made| &made.items)));
    let text = format!("{:#}\n", Value::Object(whole));
    let first_line = old.lines().next().unwrap_or_default().trim_end();
    OwnFile::replace(file.path(), text.as_bytes(), |line| line == first_line.as_bytes()).map_err(
        |e| {
            Failure::new(Exit::Failed, format!("cannot write the state {shown}: {e}"))
                .hint("check the folder's permissions and space")
        },
    )
}

/// Returns the text of the file; empty if it does not exist.
fn text_of(file: &StateFile) -> Result<String, Failure> {
    let unreadable = |why: String| {
        let message = format!("cannot read the state {}: {why}", file.path().display());
        Failure::usage(message, "name a regular file of at most 1 MiB, or a new one")
    };
    match untrusted::read_text(file.path()) {
        Ok(text) => Ok(text),
        Err(e) if e.kind() == ErrorKind::NotFound && file.path().symlink_metadata().is_err() => {
            Ok(String::new())
        }
        Err(e) => Err(unreadable(e.to_string())),
    }
}

/// Parses a state: an object with a `profile`, or an empty one.
fn object(file: &StateFile, text: &str) -> Result<Map<String, Value>, Failure> {
    let invalid = |why: &str| {
        Failure::new(Exit::Invalid, format!("the state {}: {why}", file.path().display()))
            .hint("expected a JSON object such as {\"profile\": {\"allergies\": \"none\"}}")
    };
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(text).map_err(|e| invalid(&e.to_string()))? {
        Value::Object(map) if map.is_empty() => Ok(map),
        Value::Object(map) => match map.get("profile") {
            Some(Value::Object(_)) => Ok(map),
            Some(_) => Err(invalid("`profile` is not an object")),
            None => Err(invalid("it has no `profile`, so another program may have written it")),
        },
        _ => Err(invalid("it is not an object")),
    }
}
