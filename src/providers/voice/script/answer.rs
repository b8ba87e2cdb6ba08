//! Parser of a script's output: JSON lines or plain text, depending on the first line.
//!
//! It is incremental and does no I/O: the result does not depend on how the bytes are split.

use crate::model::{Channel, ErrorClass, Text, Usage};
use crate::voice::{Chunk, Done, Pieces};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::mem;

/// Maximum length of a line, in bytes.
const LINE_MAX: usize = 1 << 20;
/// Maximum characters quoted from a script's error message.
const REASON_MAX: usize = 500;
/// Keys of the protocol. The output is JSON lines if its first line is an object with one of them.
const SIGNS: [&str; 6] = ["delta", "think", "text", "structured", "pass", "error"];

/// Reason for rejecting the output, with its error class.
#[derive(Debug, PartialEq)]
pub(super) struct AnswerFault(pub ErrorClass, pub String);

/// Parser state of an answer.
#[derive(Default)]
pub(super) struct ScriptAnswer {
    kind: Kind,
    /// Unparsed bytes: an unfinished line, or in plain text an unfinished character.
    pending: Vec<u8>,
    /// Number of lines begun, and number of bytes of the last one.
    lines: usize,
    line_bytes: usize,
    said: String,
    /// White space held back, dropped if it ends the text.
    held: String,
    last: Option<Line>,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Kind {
    #[default]
    Unknown,
    Plain,
    Lines,
}

/// A line that a script writes.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Line {
    /// Next piece of the reply, shown at once.
    delta: Option<String>,
    /// Next piece of reasoning, for the log and the operator.
    think: Option<String>,
    /// The whole reply, in place of the deltas; with it, the line is the last one.
    text: Option<String>,
    /// Data of the reply; with it, the line is the last one.
    structured: Value,
    /// Reason for the end of the reply, such as `stop` or `length`; with it, the line is the last one.
    finish: Option<Text>,
    /// Tokens that the reply used; with it, the line is the last one.
    usage: Option<Usage>,
    /// True if the participant passes its turn; the line is the last one.
    pass: bool,
    /// Parsed separately, so that an unknown key on the same line cannot hide it.
    #[serde(skip)]
    error: Option<String>,
}

/// Returns the JSON Schema of a line that a script writes.
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(Line).to_value();
    schema["properties"]["error"] = json!({
        "type": "string",
        "description": "Reason why the turn failed, which is never said aloud; the line is the last one.",
    });
    schema
}

impl Line {
    fn is_last(&self) -> bool {
        let data = !self.structured.is_null() || self.usage.is_some();
        self.text.is_some() || self.finish.is_some() || data || self.pass
    }
}

impl ScriptAnswer {
    /// Parses bytes and appends the new pieces to `out`, also before an error.
    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Pieces) -> Result<(), AnswerFault> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.lines += usize::from(self.line_bytes == 0);
            let whole = part.ends_with(b"\n");
            self.line_bytes += part.len() - usize::from(whole);
            if self.line_bytes > LINE_MAX {
                let why = format!("wrote a line of more than {} MiB", LINE_MAX >> 20);
                return Err(AnswerFault(ErrorClass::TooLarge, why));
            }
            self.pending.extend_from_slice(part);
            if whole {
                self.line_bytes = 0;
            }
            match self.kind {
                Kind::Unknown if whole || !self.may_be_object() => self.take_line(out)?,
                Kind::Lines if whole => self.take_line(out)?,
                Kind::Unknown | Kind::Lines | Kind::Plain => {}
            }
        }
        if self.kind == Kind::Plain { self.take_plain(out, End::Open) } else { Ok(()) }
    }

    /// Returns whether the last object has arrived.
    pub(super) fn is_over(&self) -> bool {
        self.last.is_some()
    }

    /// Appends the remaining pieces to `out` and returns the last chunk. `broken` is the failure of the process; an
    /// error reported by the script itself takes precedence.
    pub(super) fn end(
        mut self,
        broken: Option<AnswerFault>,
        out: &mut Pieces,
    ) -> Result<Chunk, AnswerFault> {
        let rest = match self.kind {
            Kind::Unknown | Kind::Lines if !self.pending.is_empty() => self.take_line(out),
            Kind::Unknown | Kind::Lines | Kind::Plain => Ok(()),
        };
        let rest = match self.kind {
            Kind::Plain => rest.and(self.take_plain(out, End::Reached)),
            Kind::Unknown | Kind::Lines => rest,
        };
        let last = self.last.unwrap_or_default();
        if let Some(why) = last.error {
            return Err(AnswerFault(ErrorClass::Failed, why));
        }
        broken.map_or(rest, Err)?;
        if last.pass {
            return Ok(Chunk::Pass);
        }
        let blank = |text: &str| text.trim().is_empty();
        let mut done = Done {
            structured: last.structured,
            finish: last.finish,
            usage: last.usage,
            ..Done::default()
        };
        if self.kind == Kind::Plain && self.said.starts_with('{') {
            // data nested too deeply for the parser stays text
            let object = serde_json::from_str::<Map<String, Value>>(&self.said);
            done.structured = object.map_or(Value::Null, Value::Object);
        }
        let whole = match last.text.filter(|text| !blank(text)) {
            None if blank(&self.said) && !done.structured.is_null() => {
                Some(done.structured.to_string())
            }
            text => text,
        };
        if whole.is_none() && blank(&self.said) {
            return Err(AnswerFault(ErrorClass::Empty, "returned an empty reply".into()));
        }
        done.text = whole.filter(|text| *text != self.said).map(Text::from);
        Ok(Chunk::Done(done))
    }

    fn may_be_object(&self) -> bool {
        self.pending.trim_ascii_start().first().is_none_or(|byte| *byte == b'{')
    }

    /// Parses the pending line. The first line decides the format of the answer.
    fn take_line(&mut self, out: &mut Pieces) -> Result<(), AnswerFault> {
        let text = String::from_utf8_lossy(&self.pending);
        let is_text = matches!(text, Cow::Borrowed(_));
        let object = match text.trim() {
            "" => Some(Map::new()),
            line => serde_json::from_str::<Map<String, Value>>(line).ok(),
        };
        if self.kind == Kind::Unknown && object.as_ref().is_none_or(|o| !o.is_empty()) {
            let speaks = object.as_ref().is_some_and(|o| SIGNS.iter().any(|s| o.contains_key(*s)));
            self.kind = if speaks { Kind::Lines } else { Kind::Plain };
            if !speaks {
                return Ok(());
            }
        }
        self.pending.clear();
        if self.is_over() {
            return Ok(());
        }
        if !is_text {
            return Err(not_utf8());
        }
        let wrong = |why| AnswerFault(ErrorClass::NoProtocol, format!("line {} {why}", self.lines));
        let mut object = object.ok_or_else(|| wrong("is not a JSON object".into()))?;
        let error = match object.remove("error") {
            None | Some(Value::Null) => None,
            Some(Value::String(why)) => Some(reason(&why)),
            Some(why) => Some(reason(&why.to_string())),
        };
        if error.is_some() {
            self.last = Some(Line { error, ..Line::default() });
            return Ok(());
        }
        let line: Line = serde_json::from_value(Value::Object(object))
            .map_err(|e| wrong(format!("does not fit: {e}")))?;
        self.add(out, Channel::Think, line.think.as_deref());
        self.add(out, Channel::Say, line.delta.as_deref());
        if line.is_last() {
            self.last = Some(line);
        }
        Ok(())
    }

    /// Emits the pending text except for an unfinished character and trailing white space.
    fn take_plain(&mut self, out: &mut Pieces, end: End) -> Result<(), AnswerFault> {
        let (valid, broken) = match str::from_utf8(&self.pending) {
            Ok(text) => (text.len(), false),
            // an incomplete character may still be completed
            Err(e) => (e.valid_up_to(), e.error_len().is_some() || end == End::Reached),
        };
        let fresh = String::from_utf8_lossy(&self.pending[..valid]).into_owned();
        self.pending.drain(..valid);
        self.hold(out, &fresh);
        if broken { Err(not_utf8()) } else { Ok(()) }
    }

    /// Emits text except for the white space at its end.
    fn hold(&mut self, out: &mut Pieces, fresh: &str) {
        self.held.push_str(fresh);
        if fresh.trim_end().is_empty() {
            return;
        }
        let text = mem::take(&mut self.held);
        let text = if self.said.is_empty() { text.trim_start() } else { &text };
        let (words, rest) = text.split_at(text.trim_end().len());
        self.held.push_str(rest);
        self.add(out, Channel::Say, Some(words));
    }

    fn add(&mut self, out: &mut Pieces, channel: Channel, text: Option<&str>) {
        let Some(text) = text.filter(|text| !text.is_empty()) else { return };
        if channel == Channel::Say {
            self.said.push_str(text);
        }
        match out.last_mut() {
            Some((before, joined)) if *before == channel => joined.push_str(text),
            _ => out.push((channel, text.into())),
        }
    }
}

/// End of the input: still open or reached.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Open,
    Reached,
}

fn not_utf8() -> AnswerFault {
    AnswerFault(ErrorClass::NoProtocol, "wrote bytes that are not UTF-8".into())
}

/// Returns the beginning of a script's error message.
pub(super) fn reason(text: &str) -> String {
    text.trim().chars().take(REASON_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    type ParsedParts = (String, String, Result<Chunk, AnswerFault>);

    /// Parses an answer given in parts; returns its text, its reasoning and its end.
    fn parse_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> ParsedParts {
        let mut answer = ScriptAnswer::default();
        let mut pieces = Pieces::new();
        let pushed = parts.into_iter().try_for_each(|part| answer.push(part, &mut pieces));
        let last = pushed.and_then(|()| answer.end(None, &mut pieces));
        let of = |channel| pieces.iter().filter(|p| p.0 == channel).map(|p| p.1.as_str()).collect();
        (of(Channel::Say), of(Channel::Think), last)
    }

    /// Checks that an answer parses equally as a whole and split at every byte.
    #[track_caller]
    fn check(input: &[u8], said: &str, last: Result<Chunk, AnswerFault>) {
        let whole = parse_parts([input]);
        assert_eq!((whole.0.as_str(), &whole.2), (said, &last));
        assert_eq!(parse_parts(input.chunks(1)), whole);
        for cut in 0..input.len() {
            let (a, b) = input.split_at(cut);
            assert_eq!(parse_parts([a, b]), whole, "cut at {cut}");
        }
    }

    fn done(text: Option<&str>, structured: Value) -> Result<Chunk, AnswerFault> {
        let text = text.map(Text::from);
        Ok(Chunk::Done(Done { text, structured, ..Done::default() }))
    }

    fn fault(class: ErrorClass, why: &str) -> Result<Chunk, AnswerFault> {
        Err(AnswerFault(class, why.into()))
    }

    #[test]
    fn plain_text_is_the_reply() {
        check(b"hi", "hi", done(None, Value::Null));
        check(
            "\n  Gr\u{fc}\u{df}e \u{1f600}\n\n!\n \n".as_bytes(),
            "Gr\u{fc}\u{df}e \u{1f600}\n\n!",
            done(None, Value::Null),
        );
        let not_text = || fault(ErrorClass::NoProtocol, "wrote bytes that are not UTF-8");
        check(b"a\xffb\xf0\x9f\x98 c", "a", not_text());
        check(b"a b\xc3", "a b", not_text());
        check(b"{\"text\":\"caf\xe9\"}", "", not_text());
        check(b"[1]\n{\"text\":\"no\"}", "[1]\n{\"text\":\"no\"}", done(None, Value::Null));
        check(b"{not json}\nat all\n", "{not json}\nat all", done(None, Value::Null));
        check(b" \n \n", "", fault(ErrorClass::Empty, "returned an empty reply"));
        check(b"", "", fault(ErrorClass::Empty, "returned an empty reply"));
    }

    #[test]
    fn plain_data_is_text_and_data() {
        check(b"{\"ask\":true}\n", "{\"ask\":true}", done(None, json!({"ask": true})));
        check(b"{\n \"a\": 1\n}\n", "{\n \"a\": 1\n}", done(None, json!({"a": 1})));
        let deep = "{\"a\":".repeat(300);
        check(deep.as_bytes(), &deep, done(None, Value::Null));
    }

    #[test]
    fn lines_are_the_protocol() {
        check(b"\n{\"delta\":\"a \"}\r\n{\"delta\":\"b\"}", "a b", done(None, Value::Null));
        check(b"{\"delta\":\"a\"}\n{\"text\":\"a\"}\n", "a", done(None, Value::Null));
        check(
            b"{\"delta\":\"a\"}\n{\"text\":\"b\"}\nnever read",
            "a",
            done(Some("b"), Value::Null),
        );
        check(b"{\"text\":\"b\",\"structured\":{\"c\":1}}", "", done(Some("b"), json!({"c": 1})));
        check(b"{\"structured\":{\"c\":1}}", "", done(Some("{\"c\":1}"), json!({"c": 1})));
        check(b"{\"pass\":true}", "", Ok(Chunk::Pass));
        check(
            b"{\"delta\":\"a\"}\n{\"error\":\"b\",\"code\":1}",
            "a",
            fault(ErrorClass::Failed, "b"),
        );
        check(b"{\"text\":\" \"}", "", fault(ErrorClass::Empty, "returned an empty reply"));
        check(b"{\"think\":\"a\"}", "", fault(ErrorClass::Empty, "returned an empty reply"));
        assert_eq!(parse_parts([b"{\"think\":\"hm\"}\n{\"delta\":\"a\"}".as_slice()]).1, "hm");
        let last = parse_parts([
            b"{\"text\":\"a\",\"finish\":\"length\",\"usage\":{\"input\":1,\"output\":2}}"
                .as_slice(),
        ])
        .2;
        let usage = Some(Usage { input: 1, output: 2, ..Usage::default() });
        let finish = Some("length".into());
        assert_eq!(
            last,
            Ok(Chunk::Done(Done { text: Some("a".into()), finish, usage, ..Done::default() }))
        );
    }

    #[test]
    fn protocol_violations_are_reported() {
        for (input, words) in [
            ("{\"delta\":\"a\"}\n{\"del", "line 2 is not a JSON object"),
            ("{\"delta\":\"a\"}\n\nplain", "line 3 is not a JSON object"),
            ("{\"text\":\"a\",\"score\":3}", "line 1 does not fit: unknown field `score`"),
            ("{\"delta\":7}", "line 1 does not fit: invalid type"),
        ] {
            let Err(AnswerFault(ErrorClass::NoProtocol, why)) = parse_parts([input.as_bytes()]).2
            else {
                panic!("{input}")
            };
            assert!(why.starts_with(words), "{why}");
        }
    }

    #[test]
    fn a_line_has_a_bound() {
        let long = "x".repeat(LINE_MAX);
        assert_eq!(
            parse_parts([long.as_bytes(), b"\n", long.as_bytes()]).2,
            done(None, Value::Null)
        );
        let last = parse_parts([long.as_bytes(), b"x"]).2;
        assert_eq!(last, fault(ErrorClass::TooLarge, "wrote a line of more than 1 MiB"));
    }

    proptest! {
        #[test]
        fn every_cut_gives_the_same_text(bytes: Vec<u8>, lines: bool, size in 1usize..9) {
            let mut input = if lines { b"{\"delta\":\"a\"}\n".to_vec() } else { vec![] };
            input.extend(bytes);
            prop_assert_eq!(parse_parts(input.chunks(size)), parse_parts([input.as_slice()]));
        }
    }
}
