//! Conversations of other programs as sessions: chat messages with names, trajectories (ATIF), sessions of Claude Code.
//!
//! Reading is pure: text in, messages out, and [`events`] makes the log of them. The texts are untrusted, like those of
//! a model. Limits: 64 MiB of text, 100,000 messages and 200 participants; unknown versions are refused.
#![deny(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod atif;
mod chat;
mod claude_code;
mod content;
mod events;

pub use events::events;

use crate::model::payload::Whisper;
use crate::model::{ResultGiven, SEATS_MAX, SeatId, StopReason, Text, Usage, Usd, Wall};
use serde_json::Value;

/// Maximum bytes of all files of one conversation.
pub const BYTES_MAX: u64 = 64 << 20;
/// Maximum number of messages.
const MESSAGES_MAX: usize = 100_000;
/// Maximum bytes of a name.
const NAME_MAX: usize = 100;

/// Format of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A list of messages with roles and names, as in the APIs of OpenAI and Anthropic.
    Chat,
    /// A trajectory of agents.
    Atif,
    /// JSON lines of Claude Code.
    ClaudeCode,
}

/// Names of the formats for users.
pub const FORMATS: [(&str, Format); 3] =
    [("chat", Format::Chat), ("atif", Format::Atif), ("claude-code", Format::ClaudeCode)];

/// Reason why a file is not a conversation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// No format fits.
    #[error(
        "it is neither a list of messages, nor an ATIF trajectory, nor a session of Claude Code"
    )]
    Unknown,
    /// It is not JSON.
    #[error("line {line}: {why}")]
    Json {
        /// Line, from 1.
        line: usize,
        /// The parser's reason.
        why: String,
    },
    /// A version that this program does not know.
    #[error("{0} is not supported; {1}")]
    Version(String, &'static str),
    /// A required field is missing or has another type.
    #[error("{at}: {why}")]
    Field {
        /// Place in the file.
        at: String,
        /// Expectation.
        why: &'static str,
    },
    /// It has no messages.
    #[error("it has no messages")]
    Empty,
    /// It has more messages than the limit.
    #[error("it has more than {MESSAGES_MAX} messages")]
    TooManyMessages,
    /// It has more participants than the limit.
    #[error("it has more than {SEATS_MAX} participants")]
    TooManySeats,
}

/// A conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// Title; empty if the file has none.
    pub title: String,
    /// Topic.
    pub topic: Option<String>,
    /// Participants, in order of appearance.
    pub speakers: Vec<Speaker>,
    /// Messages, in order.
    pub messages: Vec<Said>,
    /// Reason of the end; `None` if it may continue.
    pub ended: Option<StopReason>,
    /// Its result.
    pub result: Option<ResultGiven>,
    /// Number of parts that are not imported, such as images.
    pub left_out: usize,
}

/// A participant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Speaker {
    /// Identifier.
    pub id: SeatId,
    /// Display name.
    pub name: String,
    /// Model or other voice; empty if unknown.
    pub voice: String,
    /// Its instructions.
    pub persona: Option<String>,
}

/// A message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Said {
    /// The participant; `None` for the person.
    pub by: Option<SeatId>,
    /// Text.
    pub text: String,
    /// Reasoning.
    pub think: Option<String>,
    /// Model that spoke; empty if unknown.
    pub model: String,
    /// Tokens.
    pub usage: Option<Usage>,
    /// Cost in dollars.
    pub cost: Option<Usd>,
    /// Time.
    pub at: Option<Wall>,
    /// The only reader of a person's message.
    pub to: Option<SeatId>,
    /// Private messages with it.
    pub whispers: Vec<Whisper>,
    /// Used tools, in order.
    pub tools: Vec<ToolUse>,
}

/// A use of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolUse {
    /// Identifier in the file.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// Arguments; null for none.
    pub input: Value,
    /// Result; `None` if the file has none.
    pub result: Option<String>,
    /// True if it failed.
    pub failed: bool,
    /// Kind of tool, as in the Agent Client Protocol; empty if unknown.
    pub sort: String,
}

/// Reads a conversation. `text` is the file, and `more` the files of its sub-agents. Without a format, it is recognised.
///
/// # Errors
/// The reason why the file is not a conversation of this format.
pub fn read(text: &str, more: &[String], format: Option<Format>) -> Result<Imported, ImportError> {
    let whole = serde_json::from_str::<Value>(text);
    let mut imported = match (format, whole) {
        (Some(Format::ClaudeCode), _) => claude_code::read(text, more),
        (Some(Format::Atif), Ok(value)) => atif::read(&value),
        (Some(Format::Chat), Ok(value)) => chat::read(&value),
        (None, Ok(value)) if value.get("schema_version").is_some() => atif::read(&value),
        (None, Ok(value)) if value.is_array() || value.get("messages").is_some() => {
            chat::read(&value)
        }
        (None, _) if claude_code::is_session(text) => claude_code::read(text, more),
        (None, Ok(_)) => Err(ImportError::Unknown),
        (_, Err(e)) => Err(ImportError::Json { line: e.line(), why: e.to_string() }),
    }?;
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

/// Joins messages that only use tools with the next message of their speaker: both are one turn.
fn join_tools(messages: Vec<Said>) -> Vec<Said> {
    let mut joined: Vec<Said> = vec![];
    for said in messages {
        let is_next =
            |last: &Said| last.by.is_some() && last.by == said.by && last.text.trim().is_empty();
        match joined.last_mut() {
            Some(last) if is_next(last) => last.extend(said),
            _ => joined.push(said),
        }
    }
    joined
}

impl Said {
    /// Adds a later part of the same turn.
    fn extend(&mut self, more: Said) {
        join(&mut self.text, &more.text);
        if let Some(think) = more.think {
            join(self.think.get_or_insert_default(), &think);
        }
        self.tools.extend(more.tools);
        self.whispers.extend(more.whispers);
        self.usage = match (self.usage.take(), more.usage) {
            (Some(one), Some(other)) => Some(one.with(&other)),
            (one, other) => one.or(other),
        };
        self.cost = match (self.cost, more.cost) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        };
        if self.model.is_empty() {
            self.model = more.model;
        }
    }
}

/// Adds a paragraph to a text.
fn join(to: &mut String, text: &str) {
    if !to.is_empty() && !text.is_empty() {
        to.push_str("\n\n");
    }
    to.push_str(text);
}

impl Imported {
    /// Returns the participant of a name, and adds it if it is new.
    fn speaker(&mut self, name: &str) -> SeatId {
        if let Some(known) = self.speakers.iter().find(|s| s.name == name || *s.id == *name) {
            return known.id.clone();
        }
        let id = self.new_id(name);
        let name = cut(name);
        self.speakers.push(Speaker { id: id.clone(), name, voice: String::new(), persona: None });
        id
    }

    /// Returns a valid identifier that no participant has.
    fn new_id(&self, name: &str) -> SeatId {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        let id: String = cut(name).chars().map(plain).collect();
        let id = id.trim_matches('-');
        let taken = |id: &str| {
            ["", "operator", "engine", "all"].contains(&id)
                || self.speakers.iter().any(|s| *s.id == *id)
        };
        if !taken(id) {
            return id.into();
        }
        let id = if id.is_empty() { "agent" } else { id };
        let mut n = 2_usize;
        while taken(&format!("{id}-{n}")) {
            n += 1;
        }
        format!("{id}-{n}").as_str().into()
    }
}

/// Returns the first bytes of a name.
fn cut(name: &str) -> String {
    name.get(..name.floor_char_boundary(NAME_MAX)).unwrap_or_default().trim().to_owned()
}

/// Returns the model of a participant by the models that it spoke with, if all are the same.
fn name_voices(imported: &mut Imported) {
    for speaker in imported.speakers.iter_mut().filter(|speaker| speaker.voice.is_empty()) {
        let said = imported.messages.iter().filter(|m| m.by.as_ref() == Some(&speaker.id));
        let mut models = said.map(|m| m.model.as_str()).filter(|model| !model.is_empty());
        if let Some(first) = models.next()
            && models.all(|model| model == first)
        {
            speaker.voice = first.to_owned();
        }
    }
}

fn time(value: &Value) -> Option<Wall> {
    let at: jiff::Timestamp = value.as_str()?.parse().ok()?;
    Some(Wall(at.as_millisecond()))
}

fn text_at<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn texts(text: &str) -> Text {
    text.into()
}
