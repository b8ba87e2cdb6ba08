//! The stages that take parts out of a reply: reasoning and end tokens, then closing lines. A reply that streams and a
//! whole one run the same stages.

use super::closing::{ClosingFilter, ClosingParts};
use super::read::{ReadReply, Unclear, WantedReply};

use super::think::Splitter;
use crate::model::{Channel, Form, Text};
use serde_json::Value;

/// The filters of a reply while it streams.
pub struct ReplyStream {
    /// Separates reasoning; `None` for voices that mark none.
    splitter: Option<Splitter>,
    /// Holds back closing lines, private messages, markers and labels; `None` if the reply can have none.
    closing: Option<ClosingFilter>,
    /// The speech with the parts that were taken out.
    whole: String,
}

/// Text that was held back until the end of a reply.
#[derive(Default)]
pub struct StreamEnd {
    /// The text, in order.
    pub parts: Vec<(Channel, Text)>,
    /// The line of data of the reply.
    pub line: Option<Text>,
    /// The whole speech, if parts other than the line of data were taken out.
    pub whole: Option<Text>,
}

/// A whole reply without the parts that are not speech.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Speech {
    /// The speech.
    pub text: String,
    /// The reasoning.
    pub think: String,
    /// The line of data; the last one, if there are several.
    pub line: Option<Text>,
}

impl ReplyStream {
    /// Returns the filters of a reply that may contain reasoning, and parts that are not public speech.
    pub fn new(reasons: bool, parts: ClosingParts) -> ReplyStream {
        let closes =
            parts.line.is_some() || parts.whispers || parts.answers || !parts.markers.is_empty();
        ReplyStream {
            splitter: reasons.then(Splitter::default),
            closing: closes.then(|| ClosingFilter::new(parts)),
            whole: String::new(),
        }
    }

    /// Adds a piece of speech and returns the parts that are now certain, in order.
    pub fn push(&mut self, piece: &str) -> Vec<(Channel, Text)> {
        let parts = match &mut self.splitter {
            Some(splitter) => splitter.push(piece),
            None => vec![(Channel::Say, piece.to_owned())],
        };
        self.public(parts)
    }

    /// Returns the text that was held back, at the end of the call. If the model `stopped` by itself and its reasoning
    /// never closed, that is its speech.
    pub fn finish(mut self, stopped: bool) -> StreamEnd {
        let mut held = self.splitter.as_mut().map(Splitter::finish).unwrap_or_default();
        if stopped {
            let unclosed = self.splitter.as_mut().and_then(Splitter::unclosed);
            held.extend(unclosed.map(|speech| (Channel::Say, speech)));
        }
        let mut parts = self.public(held);
        let Some(filter) = &mut self.closing else {
            return StreamEnd { parts, ..StreamEnd::default() };
        };
        let rest = filter.finish();
        if !rest.is_empty() {
            parts.push((Channel::Say, rest.into()));
        }
        let line = filter.line().map(Text::from);
        StreamEnd { parts, line, whole: (!filter.taken.is_empty()).then(|| self.whole.into()) }
    }

    fn public(&mut self, parts: Vec<(Channel, String)>) -> Vec<(Channel, Text)> {
        let mut kept = vec![];
        for (channel, text) in parts {
            let text = match &mut self.closing {
                Some(filter) if channel == Channel::Say => {
                    self.whole.push_str(&text);
                    filter.push(&text)
                }
                Some(_) | None => text,
            };
            if !text.is_empty() {
                kept.push((channel, text.into()));
            }
        }
        kept
    }
}

impl Speech {
    /// Takes the parts out of a whole reply, with the line that has a label.
    pub fn new(reply: &str, reasons: bool, label: Option<&'static str>) -> Speech {
        let (said, think) =
            if reasons { Splitter::whole(reply) } else { (reply.to_owned(), String::new()) };
        let closing = ClosingParts { line: label, ..ClosingParts::default() };
        let mut stream = ReplyStream::new(false, closing);
        let mut parts = stream.push(&said);
        let StreamEnd { parts: rest, line, .. } = stream.finish(true);
        parts.extend(rest);
        let text: String = parts.iter().map(|(_, text)| &**text).collect();
        let text = if text == reply && label.is_none() { text } else { text.trim_end().to_owned() };
        Speech { text, think, line }
    }
}

/// Reads the data of a model's reply outside a conversation; its reasoning does not count.
///
/// # Errors
/// If the reply is unclear or does not match its form.
pub fn read_alone(form: &Form, reply: &str, data: &Value) -> Result<Value, Unclear> {
    let said = Speech::new(reply, true, None).text;
    super::form::read(&WantedReply::new(form), &said, data)
        .map(|ReadReply { structured, .. }| structured)
}
