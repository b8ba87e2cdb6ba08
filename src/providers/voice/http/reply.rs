//! The reply in an answer: the whole text, a path in JSON, or pieces of a stream. Incremental, without I/O.

use crate::model::{Channel, ErrorClass, HttpSpec, ReplyAt, Text};
use crate::voice::remote::cure::has_error;
use crate::voice::remote::failure::{ServerFault, of_error};
use crate::voice::remote::frames::{Frames, Framing, TooLong};
use crate::voice::{Done, Pieces};
use serde_json::Value;
use std::str;

/// Maximum bytes of an answer that is not a stream.
pub(super) const BODY_MAX: usize = 4 << 20;
/// Maximum bytes of a stream.
const STREAM_MAX: usize = 64 << 20;
/// Maximum bytes of text in one reply.
const TEXT_MAX: usize = 8 << 20;
/// Maximum number of unreadable events in one answer.
const SKIPPED_MAX: u32 = 16;
/// Maximum characters quoted from an answer that is not JSON.
const QUOTE_MAX: usize = 80;
/// Maximum number of keys named in an error.
const KEYS_MAX: usize = 8;
/// Maximum number of tool names of one reply.
const TOOLS_MAX: usize = 64;
/// Data of the last event in OpenAI's dialect.
const LAST: &str = "[DONE]";
/// Word for the whole data of an event.
const TEXT: &str = "text";

/// Parser state of an answer.
pub(super) struct ServiceAnswer {
    reply: ReplyAt,
    session_path: Option<Text>,
    tools_path: Option<Text>,
    content_type: String,
    frames: Option<Frames>,
    body: Vec<u8>,
    said: String,
    session: Option<String>,
    tools: Vec<Text>,
    skipped: u32,
    over: bool,
}

pub(super) struct AnswerEnd {
    pub(super) done: Done,
    pub(super) session: Option<String>,
    pub(super) tools: Vec<Text>,
}

impl ServiceAnswer {
    /// Starts an answer of this content type. `names_session` tells whether it must have the conversation's identifier.
    pub(super) fn new(
        spec: &HttpSpec,
        content_type: Option<&str>,
        names_session: bool,
    ) -> ServiceAnswer {
        let frames = match spec.reply {
            ReplyAt::Sse(_) => Some(Frames::new(Framing::Events)),
            ReplyAt::Lines(_) => Some(Frames::new(Framing::Lines)),
            ReplyAt::Text | ReplyAt::Path(_) => None,
        };
        let from = if names_session { spec.session.as_ref() } else { None };
        ServiceAnswer {
            reply: spec.reply.clone(),
            session_path: from.map(|session| session.from.clone()),
            tools_path: spec.tools.clone(),
            content_type: content_type.unwrap_or("no content type").to_owned(),
            frames,
            body: vec![],
            said: String::new(),
            session: None,
            tools: vec![],
            skipped: 0,
            over: false,
        }
    }

    /// Returns the maximum bytes of the answer.
    pub(super) fn bytes_max(&self) -> usize {
        if self.frames.is_some() { STREAM_MAX } else { BODY_MAX }
    }

    /// Returns true if the stream has sent its end mark.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Parses bytes and appends the new pieces to `out`, also before an error.
    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Pieces) -> Result<(), ServerFault> {
        if let Some(frames) = &mut self.frames {
            let mut complete = vec![];
            let taken = frames.push(bytes, &mut complete);
            complete.iter().try_for_each(|frame| self.take_frame(frame, out))?;
            return taken.map_err(too_long);
        }
        self.body.extend_from_slice(bytes);
        if self.reply == ReplyAt::Text {
            let whole = match str::from_utf8(&self.body) {
                Ok(_) => self.body.len(),
                // a character may be split; invalid bytes become U+FFFD
                Err(e) => e.error_len().map_or(e.valid_up_to(), |n| e.valid_up_to() + n),
            };
            let text: Vec<u8> = self.body.drain(..whole).collect();
            self.say(&String::from_utf8_lossy(&text), out)?;
        }
        Ok(())
    }

    /// Appends the remaining pieces to `out` and returns the end.
    pub(super) fn end(mut self, out: &mut Pieces) -> Result<AnswerEnd, ServerFault> {
        let mut structured = Value::Null;
        if let Some(frames) = self.frames.take() {
            let mut rest = vec![];
            let stray = frames.end(&mut rest).map_err(too_long)?;
            rest.iter().try_for_each(|frame| self.take_frame(frame, out))?;
            if self.said.is_empty() && !stray.trim().is_empty() {
                return Err(self.unlike("a stream of events", &stray));
            }
        } else if let ReplyAt::Path(path) = self.reply.clone() {
            let body = std::mem::take(&mut self.body);
            let value: Value = serde_json::from_slice(&body)
                .map_err(|_| self.unlike("JSON", &String::from_utf8_lossy(&body)))?;
            self.note(&value);
            let found = find(&value, &path);
            if found.iter().all(|found| found.is_null()) {
                return Err(missing(&value, &path, "reply"));
            }
            if let [data @ (Value::Object(_) | Value::Array(_))] = found[..] {
                structured = data.clone();
            }
            let texts: Vec<String> = found.into_iter().filter_map(text_of).collect();
            self.say(&texts.join("\n"), out)?;
        } else if !self.body.is_empty() {
            let rest = String::from_utf8_lossy(&self.body).into_owned();
            self.say(&rest, out)?;
        }
        let said = self.said.trim();
        if said.is_empty() {
            return Err(ServerFault::new(ErrorClass::Empty, "returned an empty reply"));
        }
        if let (Some(path), None, true) =
            (&self.session_path, &self.session, matches!(self.reply, ReplyAt::Path(_)))
        {
            let why = format!("returned no id at `{path}` (http.session.from)");
            return Err(ServerFault::new(ErrorClass::NoProtocol, why));
        }
        let text = (said.len() < self.said.len()).then(|| Text::from(said));
        let done = Done { text, structured, skipped: self.skipped, ..Done::default() };
        Ok(AnswerEnd { done, session: self.session, tools: self.tools })
    }

    fn take_frame(&mut self, frame: &str, out: &mut Pieces) -> Result<(), ServerFault> {
        if self.over {
            return Ok(());
        }
        if frame.trim() == LAST {
            self.over = true;
            return Ok(());
        }
        let path = match &self.reply {
            ReplyAt::Sse(path) if &**path == TEXT => return self.say(frame, out),
            ReplyAt::Sse(path) | ReplyAt::Lines(path) => path.clone(),
            ReplyAt::Text | ReplyAt::Path(_) => return Ok(()),
        };
        let Ok(value) = serde_json::from_str::<Value>(frame) else {
            self.skipped += 1;
            if self.skipped > SKIPPED_MAX {
                return Err(self.unlike("JSON events", frame));
            }
            return Ok(());
        };
        self.note(&value);
        let texts: Vec<String> = find(&value, &path).into_iter().filter_map(text_of).collect();
        if texts.is_empty() && has_error(&value) {
            return Err(of_error(None, &value));
        }
        self.say(&texts.concat(), out)
    }

    /// Keeps the identifier and the tools that a JSON value names.
    fn note(&mut self, value: &Value) {
        if let (Some(path), None) = (&self.session_path, &self.session) {
            self.session = find(value, path).into_iter().find_map(id);
        }
        if let Some(path) = &self.tools_path {
            let names = find(value, path).into_iter().filter_map(text_of).map(Text::from);
            self.tools.extend(names);
            self.tools.truncate(TOOLS_MAX);
        }
    }

    fn say(&mut self, text: &str, out: &mut Pieces) -> Result<(), ServerFault> {
        if self.said.len() + text.len() > TEXT_MAX {
            let why = format!("sent a reply of more than {} MiB", TEXT_MAX >> 20);
            return Err(ServerFault::new(ErrorClass::TooLarge, why));
        }
        if !text.is_empty() {
            self.said.push_str(text);
            out.push((Channel::Say, text.to_owned()));
        }
        Ok(())
    }

    fn unlike(&self, expected: &str, text: &str) -> ServerFault {
        if let Ok(value @ Value::Object(_)) = serde_json::from_str::<Value>(text)
            && has_error(&value)
        {
            return of_error(None, &value);
        }
        let start: String = text.chars().take(QUOTE_MAX).collect();
        let why = format!("returned {} instead of {expected}", self.content_type);
        ServerFault::new(ErrorClass::NoProtocol, why).quoting(&start)
    }
}

/// Returns the identifier at a path of a JSON answer.
///
/// # Errors
/// If the answer is not JSON or has none.
pub(super) fn session(body: &[u8], path: &str) -> Result<String, ServerFault> {
    let value: Value = serde_json::from_slice(body).map_err(|_| {
        ServerFault::new(ErrorClass::NoProtocol, "opened no conversation: its answer is not JSON")
    })?;
    let found = find(&value, path).into_iter().find_map(id);
    found.ok_or_else(|| missing(&value, path, "session.from"))
}

fn missing(value: &Value, path: &str, key: &str) -> ServerFault {
    if has_error(value) {
        return of_error(None, value);
    }
    let has = match value {
        Value::Object(entries) => {
            let keys: Vec<String> =
                entries.keys().take(KEYS_MAX).map(|key| format!("`{key}`")).collect();
            format!("an object with {}", keys.join(", "))
        }
        Value::Array(items) => format!("a list of {}", items.len()),
        other => format!("{other}").chars().take(QUOTE_MAX).collect(),
    };
    let why = format!("returned nothing at `{path}` (http.{key}), but {has}");
    ServerFault::new(ErrorClass::NoProtocol, why)
}

/// Returns the values at a path: keys and indices between dots, `*` for all items, negative indices from the end; or a
/// JSON pointer.
fn find<'v>(value: &'v Value, path: &str) -> Vec<&'v Value> {
    if path.starts_with('/') {
        return value.pointer(path).into_iter().collect();
    }
    let mut found = vec![value];
    for part in path.split('.') {
        found = found.into_iter().flat_map(|value| step(value, part)).collect();
    }
    found
}

fn step<'v>(value: &'v Value, part: &str) -> Vec<&'v Value> {
    match (value, part) {
        (Value::Array(items), "*") => items.iter().collect(),
        (Value::Object(entries), "*") => entries.values().collect(),
        (Value::Array(items), _) => {
            let index = part.parse::<isize>().ok();
            let index = index.and_then(|at| {
                if at < 0 {
                    items.len().checked_sub(at.unsigned_abs())
                } else {
                    Some(at.unsigned_abs())
                }
            });
            index.and_then(|at| items.get(at)).into_iter().collect()
        }
        (Value::Object(entries), _) => entries.get(part).into_iter().collect(),
        _ => vec![],
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn id(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn too_long(_: TooLong) -> ServerFault {
    ServerFault::new(ErrorClass::TooLarge, "sent a line that never ends")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn texts(value: &Value, path: &str) -> Vec<String> {
        find(value, path).into_iter().filter_map(text_of).collect()
    }

    #[test]
    fn finds_values_by_path() {
        let value = json!({"a": [{"b": "x"}, {"b": 2}, {"c": null}], "d.e": {"f/g": true}});
        for (path, expected) in [
            ("a.0.b", &["x"][..]),
            ("a.*.b", &["x", "2"]),
            ("a.-2.b", &["2"]),
            ("a.-9.b", &[]),
            ("a.9.b", &[]),
            ("a.x", &[]),
            ("a.0.b.c", &[]),
            ("/d.e/f~1g", &["true"]),
            ("/a/1/b", &["2"]),
            ("*.*.b", &["x", "2"]),
            ("a.2.c", &[]),
        ] {
            assert_eq!(texts(&value, path), expected, "{path}");
        }
    }

    fn answer(reply: ReplyAt, bytes: &[u8]) -> Result<(String, Done), ServerFault> {
        let spec = HttpSpec { reply, ..HttpSpec::default() };
        let mut whole = None;
        // every way to split the bytes gives the same text
        for size in [1, 3, bytes.len().max(1)] {
            let mut answer = ServiceAnswer::new(&spec, None, true);
            let mut pieces = vec![];
            for part in bytes.chunks(size) {
                answer.push(part, &mut pieces)?;
            }
            let done = answer.end(&mut pieces)?.done;
            let text = pieces.into_iter().map(|(_, text)| text).collect::<String>();
            assert!(whole.is_none_or(|(before, _)| before == text), "{size}");
            whole = Some((text, done));
        }
        Ok(whole.unwrap())
    }

    #[test]
    fn reads_three_dialects_of_events_and_lines() {
        let path = |path: &str| ReplyAt::Sse(path.into());
        let openai = "data: {\"choices\":[{\"delta\":{\"content\":\"Hé\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"llo\"}}]}\n\ndata: [DONE]\n\ndata: late\n\n";
        assert_eq!(answer(path("choices.0.delta.content"), openai.as_bytes()).unwrap().0, "Héllo");
        let named = "event: start\ndata: {}\n\nevent: delta\ndata: {\"delta\":{\"text\":\"Hi\"}}\n\n: ping\n\nevent: end\ndata: {\"usage\":1}\n\n";
        assert_eq!(answer(path("delta.text"), named.as_bytes()).unwrap().0, "Hi");
        let plain = "data: One\n\ndata:  two\n\n";
        assert_eq!(answer(path("text"), plain.as_bytes()).unwrap().0, "One two");
        let lines = "{\"response\":\"a\"}\n{\"response\":\"b\",\"done\":true}\n";
        assert_eq!(answer(ReplyAt::Lines("response".into()), lines.as_bytes()).unwrap().0, "ab");
    }

    #[test]
    fn describes_answers_without_a_reply() {
        let path = |bytes: &[u8]| answer(ReplyAt::Path("a.b".into()), bytes).unwrap_err();
        assert!(path(b"<html>").what.contains("instead of JSON"));
        assert!(
            path(b"{\"c\":1}")
                .what
                .contains("nothing at `a.b` (http.reply), but an object with `c`")
        );
        assert_eq!(path(b"{\"error\":\"quota\"}").class, ErrorClass::Failed);
        assert_eq!(path(b"{\"a\":{\"b\":\" \"}}").class, ErrorClass::Empty);
        let sse = answer(ReplyAt::Sse("a".into()), b"data: {\"error\":{\"message\":\"no\"}}\n\n");
        assert_eq!(sse.unwrap_err().class, ErrorClass::Failed);
        assert_eq!(answer(ReplyAt::Text, b" \n").unwrap_err().class, ErrorClass::Empty);
    }

    #[test]
    fn keeps_data_and_trims_text() {
        let (text, done) = answer(ReplyAt::Path("a".into()), b"{\"a\":{\"vote\":\"x\"}}").unwrap();
        assert_eq!((text.as_str(), &done.structured), ("{\"vote\":\"x\"}", &json!({"vote": "x"})));
        let (text, done) = answer(ReplyAt::Text, "h\u{e9}\u{1f600}\n".as_bytes()).unwrap();
        assert_eq!((text.as_str(), done.text.as_deref()), ("hé😀\n", Some("hé😀")));
        assert_eq!(answer(ReplyAt::Text, b"a\xffb").unwrap().0, "a\u{fffd}b");
    }
}
