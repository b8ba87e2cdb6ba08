//! An imported conversation, and the helpers of its parsers.

use super::left_out::LeftOut;
use crate::model::payload::Whisper;
use crate::model::{ResultGiven, SEATS_MAX, SeatId, StopReason, Text, Usage, Usd, Wall};
use crate::text::strings;
use serde_json::Value;

/// Maximum number of messages.
pub(super) const MESSAGES_MAX: usize = 100_000;
/// Seconds since 1970, year 5138; larger numbers are milliseconds.
const SECONDS_MAX: f64 = 100_000_000_000.0;
/// Maximum bytes of a name.
const NAME_MAX: usize = 100;
/// Name of a tool without one.
const TOOL: &str = "tool";

/// Reason why a file is not a conversation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// No format fits a file with this description.
    #[error("{0}: no format that import knows; --format forces one")]
    Unknown(String),
    /// An export with more or fewer conversations than one.
    #[error(
        "this looks like an export of {program}: {count} conversations; take one with --pick N, or --all\n{newest}"
    )]
    Several {
        /// Name of the program.
        program: &'static str,
        /// Number of conversations.
        count: usize,
        /// Numbers and titles of the last ones.
        newest: String,
    },
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
    pub speakers: Vec<ImportedSpeaker>,
    /// Messages, in order.
    pub messages: Vec<ImportedMessage>,
    /// Reason of the end; `None` if it may continue.
    pub ended: Option<StopReason>,
    /// Its result.
    pub result: Option<ResultGiven>,
    /// Parts that are not imported, such as images.
    pub left_out: LeftOut,
}

/// A participant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedSpeaker {
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
pub struct ImportedMessage {
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

impl ToolUse {
    /// Creates the use of a tool in a file.
    pub(super) fn new(id: &str, name: &str, input: Value) -> ToolUse {
        let name = if name.trim().is_empty() { TOOL } else { name };
        ToolUse { id: id.into(), name: name.into(), input, ..ToolUse::default() }
    }
}

impl ImportedMessage {
    /// Adds a later part of the same turn.
    pub(super) fn extend(&mut self, more: ImportedMessage) {
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
pub(super) fn join(to: &mut String, text: &str) {
    if !to.is_empty() && !text.is_empty() {
        to.push_str("\n\n");
    }
    to.push_str(text);
}

impl Imported {
    /// Returns the participant of a name, and adds it if it is new. Of more participants than the limit, the first beyond
    /// it has the words of all others, so that a file that is refused is read in linear time.
    pub(super) fn speaker(&mut self, name: &str) -> SeatId {
        let name = cut(name);
        let known = self.speakers.iter().find(|s| s.name == name || *s.id == *name);
        if let Some(known) = known.or(self.speakers.get(SEATS_MAX)) {
            return known.id.clone();
        }
        let id = self.new_id(&name);
        self.speakers.push(ImportedSpeaker {
            id: id.clone(),
            name,
            voice: String::new(),
            persona: None,
        });
        id
    }

    /// Counts the parts of a message of the file that neither the message made of it nor the other texts have.
    pub(super) fn count_unused(&mut self, source: &Value, said: &ImportedMessage, others: &[&str]) {
        let mut used: Vec<&str> = others.to_vec();
        used.extend([said.text.as_str(), said.think.as_deref().unwrap_or_default()]);
        for tool in &said.tools {
            used.push(tool.result.as_deref().unwrap_or_default());
            used.extend(strings(&tool.input));
        }
        used.extend(said.whispers.iter().map(|whisper| &*whisper.text));
        self.left_out.compare(source, &used);
    }

    /// Returns a valid identifier that no participant has.
    pub(super) fn new_id(&self, name: &str) -> SeatId {
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
pub(super) fn cut(name: &str) -> String {
    name.get(..name.floor_char_boundary(NAME_MAX)).unwrap_or_default().trim().to_owned()
}

/// Returns the model of a participant by the models that it spoke with, if all are the same.
pub(super) fn name_voices(imported: &mut Imported) {
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

/// Returns a time: a text with a time zone, or a number of seconds or milliseconds since 1970.
pub(super) fn time(value: &Value) -> Option<Wall> {
    if let Some(number) = value.as_f64() {
        let ms = if number < SECONDS_MAX { number * 1_000.0 } else { number };
        return (0.0..SECONDS_MAX * 1_000.0).contains(&ms).then_some(Wall(ms as i64));
    }
    let at: jiff::Timestamp = value.as_str()?.parse().ok()?;
    Some(Wall(at.as_millisecond()))
}

pub(super) fn text_at<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

pub(super) fn texts(text: &str) -> Text {
    text.into()
}
