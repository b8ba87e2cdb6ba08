//! Conversations of other programs as sessions: chat messages with names, exports and sessions of several programs,
//! trajectories (ATIF), sessions of Claude Code.
//!
//! Reading is pure: text in, messages out, and [`events()`] makes the log of them. The texts are untrusted, like those of
//! a model. Limits: 64 MiB of text, 100,000 messages and 200 participants; unknown versions are refused.
#![deny(clippy::unwrap_used, clippy::panic)]

mod atif;
mod chains;
mod chat;
mod claude_code;
mod content;
mod conversation;
mod dialect;
mod events;
mod left_out;
mod programs;

pub use claude_code::session_id;
pub use conversation::{ImportError, Imported, ImportedMessage, ImportedSpeaker, ToolUse};
pub use events::events;
pub use left_out::LeftOut;

use crate::model::{SEATS_MAX, SeatId};
use conversation::{MESSAGES_MAX, cut, text_at};
use serde_json::Value;
use std::collections::BTreeMap;

/// Maximum number of conversations of an export that are listed.
const NEWEST: usize = 20;
/// Maximum bytes of all files of one conversation.
pub const BYTES_MAX: u64 = 64 << 20;

/// Format of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportFormat {
    /// A list of messages with roles and names, as in the APIs of OpenAI and Anthropic.
    Chat,
    /// A trajectory of agents.
    Atif,
    /// JSON lines of Claude Code.
    ClaudeCode,
}

/// Names of the formats for users.
pub const FORMATS: [(&str, ImportFormat); 3] = [
    ("chat", ImportFormat::Chat),
    ("atif", ImportFormat::Atif),
    ("claude-code", ImportFormat::ClaudeCode),
];

/// Returns the names of the known formats and programs.
pub fn known() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|(name, _)| *name).chain(dialect::names())
}

/// Reads a conversation. `text` is the file, and `more` the files of its sub-agents. Without a format, it is recognised.
/// `pick` is the number of a conversation in an export with several, from 1.
///
/// # Errors
/// The reason why the file is not a conversation of this format.
pub fn read(
    text: &str,
    more: &[String],
    format: Option<ImportFormat>,
    pick: Option<usize>,
) -> Result<Imported, ImportError> {
    let whole = serde_json::from_str::<Value>(text);
    let imported = match (format, whole) {
        (Some(ImportFormat::ClaudeCode), _) => claude_code::read(text, more),
        (Some(ImportFormat::Atif), Ok(value)) => atif::read(&value),
        (Some(ImportFormat::Chat), Ok(value)) => chat::read(&value),
        (None, Ok(value)) if value.get("schema_version").is_some() => atif::read(&value),
        (None, Ok(value)) if dialect::recognise(&value).is_some() => exported(&value, pick),
        (None, Ok(value))
            if ["messages", "contents"].iter().any(|key| value.get(key).is_some())
                || value.is_array() =>
        {
            chat::read(&value)
        }
        (None, _) if session_id(text).is_some() => claude_code::read(text, more),
        (None, Ok(_)) => Err(unknown(text)),
        (None | Some(ImportFormat::Chat), Err(e)) => match dialect::lines(text) {
            Some(lines) if dialect::recognise(&lines).is_some() => exported(&lines, pick),
            lines => match lines.and_then(dialect::with_roles) {
                Some(list) => chat::read(&list),
                None if is_broken(text) => Err(not_json(&e)),
                None => Err(unknown(text)),
            },
        },
        (_, Err(e)) => Err(not_json(&e)),
    }?;
    checked(imported)
}

/// Reads all conversations of an export, each with its own fault; other files have one.
pub fn read_all(
    text: &str,
    more: &[String],
    format: Option<ImportFormat>,
) -> Vec<Result<Imported, ImportError>> {
    let whole = serde_json::from_str(text).ok().or_else(|| dialect::lines(text));
    match whole.as_ref().and_then(dialect::recognise) {
        Some(export) if format.is_none() => {
            let all = export.conversations.iter();
            all.map(|(one, left_out)| checked(picked(one, left_out)?)).collect()
        }
        Some(_) | None => vec![read(text, more, format, None)],
    }
}

/// Joins the uses of tools with their turns, and applies the limits.
fn checked(mut imported: Imported) -> Result<Imported, ImportError> {
    imported.messages = join_tools(imported.messages);
    if imported.messages.is_empty() {
        return Err(ImportError::Empty);
    }
    if imported.messages.len() > MESSAGES_MAX {
        return Err(ImportError::TooManyMessages);
    }
    if imported.speakers.len() > SEATS_MAX {
        return Err(ImportError::TooManySeats);
    }
    Ok(imported)
}

fn unknown(text: &str) -> ImportError {
    ImportError::Unknown(dialect::description(text))
}

fn not_json(e: &serde_json::Error) -> ImportError {
    ImportError::Json { line: e.line(), why: e.to_string() }
}

/// Returns whether a text begins like JSON whose first line is not a value of its own.
fn is_broken(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    first.trim_start().starts_with(['{', '[']) && serde_json::from_str::<Value>(first).is_err()
}

/// Reads a conversation of an export.
fn exported(value: &Value, pick: Option<usize>) -> Result<Imported, ImportError> {
    let Some(export) = dialect::recognise(value) else { return Err(unknown(&value.to_string())) };
    let all = &export.conversations;
    let found = match (pick, &all[..]) {
        (None, [only]) => Some(only),
        (None, _) => None,
        (Some(n), _) => n.checked_sub(1).and_then(|at| all.get(at)),
    };
    let Some((conversation, left_out)) = found else {
        let titles = all.iter().enumerate().rev().take(NEWEST);
        let titles: Vec<String> = titles
            .map(|(at, (one, _))| {
                format!(
                    "  {}  {}",
                    at + 1,
                    cut(text_at(one, "title").lines().next().unwrap_or_default())
                )
            })
            .collect();
        let (program, count, newest) = (export.name, all.len(), titles.join("\n"));
        return Err(ImportError::Several { program, count, newest });
    };
    picked(conversation, left_out)
}

/// Reads one conversation of an export.
fn picked(conversation: &Value, left_out: &LeftOut) -> Result<Imported, ImportError> {
    let mut imported = chat::read(conversation)?;
    imported.left_out.extend(left_out);
    Ok(imported)
}

/// Joins messages that only use tools with the next message of their speaker, or with the last one: a turn without words
/// is not part of the transcript.
fn join_tools(messages: Vec<ImportedMessage>) -> Vec<ImportedMessage> {
    let mut joined: Vec<ImportedMessage> = vec![];
    let mut waiting: BTreeMap<SeatId, ImportedMessage> = BTreeMap::new();
    for said in messages {
        let Some(by) = said.by.clone() else {
            joined.push(said);
            continue;
        };
        let said = match waiting.remove(&by) {
            Some(mut before) => {
                before.at = said.at;
                before.extend(said);
                before
            }
            None => said,
        };
        if said.text.trim().is_empty() && said.whispers.is_empty() {
            waiting.insert(by, said);
        } else {
            joined.push(said);
        }
    }
    for (by, said) in waiting {
        match joined.iter_mut().rfind(|last| last.by.as_ref() == Some(&by)) {
            Some(last) => last.extend(said),
            None => joined.push(said),
        }
    }
    joined
}
