//! Decodes the bytes of an answer to pieces and an end: framing, wire format and limits.
//!
//! It is incremental and does no I/O: the result does not depend on how the bytes are split. All memory is bounded,
//! including the number of tool requests, whatever their indexes.

use super::Wire;
use super::content::FrameContent;
use super::cure::{RefusedRequest, has_error, message_of};
use super::ends::{BROKEN, FILTERED};
use super::failure::{ServerFault, of_error, words_of};
use super::frames::{Frames, TooLong};
use super::state::{self, STATE_MAX};
use super::tools::Asked;
use super::wire::code;
use crate::model::{Channel, ErrorClass, OTHER_END, Usage};
use crate::text::join_surrogates;
use crate::voice::{Done, Pieces};
use serde_json::{Value, json};

/// Maximum bytes of text in one reply, including reasoning.
const TEXT_MAX: usize = 8 << 20;
/// Maximum bytes of one answer on the wire.
const ANSWER_MAX: usize = 64 << 20;
/// Bytes per token in estimates, used if the server reported no usage.
const BYTES_PER_TOKEN: usize = 4;
/// Data of the last event in OpenAI's format.
const LAST: &str = "[DONE]";

/// Maximum number of unreadable frames in one answer.
const SKIPPED_MAX: u32 = 16;

/// Decoder state of an answer.
#[derive(Default)]
pub struct Decoder {
    wire: Wire,
    frames: Frames,
    bytes: usize,
    said: usize,
    thought: usize,
    /// True if the reply has any text besides white space and reasoning.
    spoke: bool,
    finish: Option<String>,
    input: Option<u64>,
    output: Option<u64>,
    cache: Option<(u64, u64)>,
    over: bool,
    /// Tool requests so far.
    asked: Asked,
    /// Data that has to come back with their results, and its size in bytes.
    state: Value,
    state_bytes: usize,
    /// Number of unreadable frames.
    skipped: u32,
    /// Escape of half a character that the next frame completes.
    half: String,
}

impl Decoder {
    /// Creates the decoder of one answer.
    pub fn new(wire: Wire) -> Decoder {
        Decoder { wire, frames: Frames::new(code(wire).framing), ..Decoder::default() }
    }

    /// Decodes bytes and appends the new pieces to `out`, also before an error.
    ///
    /// # Errors
    /// If the server reports a failure, the data is not in its format, or a limit is exceeded.
    pub fn push(&mut self, bytes: &[u8], out: &mut Pieces) -> Result<(), ServerFault> {
        self.bytes += bytes.len();
        let mut frames = Vec::new();
        let taken = self.frames.push(bytes, &mut frames);
        frames
            .iter()
            .flat_map(|frame| events(frame))
            .try_for_each(|event| self.take(event, out))?;
        taken.map_err(too_long)?;
        if self.bytes > ANSWER_MAX && !self.over {
            return Err(too_large(format!("sent more than {} MiB", ANSWER_MAX >> 20)));
        }
        Ok(())
    }

    /// Returns whether the last frame has arrived.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Returns whether the model has finished, so that at most the usage is still missing.
    pub fn is_finished(&self) -> bool {
        self.over || self.finish.is_some()
    }

    /// Returns whether any text or reasoning arrived.
    pub fn has_words(&self) -> bool {
        self.said + self.thought > 0
    }

    /// Appends the remaining pieces to `out` and returns the end of the reply. `shown` is the size of the prompt in
    /// bytes, for the estimate of its usage.
    ///
    /// # Errors
    /// If the reply broke off, has no text, or was not a reply.
    pub fn end(mut self, shown: usize, out: &mut Pieces) -> Result<Done, ServerFault> {
        let mut rest = Vec::new();
        let frames = std::mem::replace(&mut self.frames, Frames::new(code(self.wire).framing));
        let stray = frames.end(&mut rest).map_err(too_long)?;
        for event in rest.iter().flat_map(|frame| events(frame)) {
            // a truncated frame is dropped; the missing end marks the reply as broken off
            if let Ok(value) = serde_json::from_str::<Value>(event) {
                self.take_value(&value, out)?;
            } else if event.trim() == LAST {
                self.over = true;
            }
        }
        if !self.is_finished() && !self.has_words() {
            let whole = serde_json::Deserializer::from_str(&stray).into_iter::<Value>();
            whole.map_while(Result::ok).try_for_each(|value| self.take_value(&value, out))?;
        }
        if !self.is_finished() {
            return Err(self.unfinished(&stray));
        }
        let usage = self.usage(shown);
        if self.finish.as_deref() == Some(BROKEN) {
            return Err(ServerFault::new(ErrorClass::Broken, "stopped with an error"));
        }
        if !self.spoke && self.asked.is_empty() || self.finish.as_deref() == Some(FILTERED) {
            let mut fault = self.unheard();
            fault.usage = Some(usage);
            return Err(fault);
        }
        let finish = self.finish.map(Into::into);
        let skipped = self.skipped;
        let calls = self.asked.states();
        let tools = self.asked.finish();
        // without tools nothing comes back
        let turn = if tools.is_empty() { Value::Null } else { self.state };
        let state = json!({"turn": turn, "calls": calls}).into();
        Ok(Done { finish, usage: Some(usage), skipped, tools, state, ..Done::default() })
    }

    fn take(&mut self, frame: &str, out: &mut Pieces) -> Result<(), ServerFault> {
        let frame = frame.trim();
        self.over |= frame == LAST;
        // an empty frame is a keep-alive, not an event
        if self.over || frame.is_empty() {
            return Ok(());
        }
        if let (Some(words), true) = ((code(self.wire).words)(frame), self.half.is_empty()) {
            return self
                .push_frame(FrameContent { say: words.into(), ..FrameContent::default() }, out);
        }
        let value = serde_json::from_str::<Value>(frame);
        match value.or_else(|_| serde_json::from_str(&join_surrogates(frame, &mut self.half))) {
            Ok(value) => self.take_value(&value, out),
            Err(_) => self.skip(),
        }
    }

    /// Skips an unreadable frame. Later frames may be valid, but a server that sends too many bad ones is not a model
    /// server.
    fn skip(&mut self) -> Result<(), ServerFault> {
        self.skipped += 1;
        if self.skipped > SKIPPED_MAX { Err(garbage()) } else { Ok(()) }
    }

    fn take_value(&mut self, value: &Value, out: &mut Pieces) -> Result<(), ServerFault> {
        if let Value::Array(all) = value {
            // Google's stream without events, and its errors before a stream
            return all.iter().try_for_each(|value| self.take_value(value, out));
        }
        if !value.is_object() {
            return self.skip();
        }
        if has_error(value) {
            return Err(self.refused(value));
        }
        self.push_frame((code(self.wire).parse_frame)(value), out)
    }

    fn push_frame(&mut self, heard: FrameContent, out: &mut Pieces) -> Result<(), ServerFault> {
        let FrameContent { say, think, finish, input, output, cache, over, state, asked, error } =
            heard;
        self.said += say.len();
        self.thought += think.len();
        if self.said + self.thought > TEXT_MAX {
            return Err(too_large(format!("wrote more than {} MiB", TEXT_MAX >> 20)));
        }
        add(out, Channel::Think, &think);
        add(out, Channel::Say, &say);
        if let Some(error) = error {
            return Err(self.refused(&error));
        }
        asked.into_iter().for_each(|part| self.asked.push(part));
        self.add_state(&state);
        self.spoke |= !say.trim().is_empty();
        self.finish = self.finish.take().or(finish);
        self.input = input.or(self.input);
        self.output = output.or(self.output);
        self.cache = cache.or(self.cache);
        self.over |= over;
        Ok(())
    }

    /// Adds a part of the data for the next call; all of it is dropped if it becomes too large.
    fn add_state(&mut self, part: &Value) {
        if part.is_null() || self.state_bytes > STATE_MAX {
            return;
        }
        self.state_bytes += part.to_string().len();
        if self.state_bytes > STATE_MAX {
            self.state = Value::Null;
        } else {
            state::merge(&mut self.state, part);
        }
    }

    /// Returns the fault of an error in an answer. Before the first word it may be a refusal of the request.
    fn refused(&self, value: &Value) -> ServerFault {
        let mut fault = of_error(None, value);
        fault.refusal = (!self.has_words()).then(|| RefusedRequest::in_answer(value).into());
        fault
    }

    fn unfinished(&self, stray: &str) -> ServerFault {
        if self.has_words() {
            return ServerFault::new(ErrorClass::Broken, "stopped in the middle of the reply");
        }
        let value = serde_json::from_str(stray).unwrap_or_else(|_| words_of(stray).into());
        let words = message_of(&value);
        let fault = of_error(None, &value);
        match words {
            Some(_) if value.is_object() && fault.class != ErrorClass::Failed => fault,
            words => garbage().quoting(&words.unwrap_or_default()),
        }
    }

    /// Returns the failure of a finished reply without text.
    fn unheard(&self) -> ServerFault {
        match self.finish.as_deref() {
            Some(FILTERED) => {
                ServerFault::new(ErrorClass::Filter, "blocked the reply with its content filter")
            }
            Some("length") => {
                ServerFault::new(ErrorClass::Length, "used the whole token limit before a word")
            }
            Some(word) if word.starts_with(OTHER_END) => {
                let word = word.trim_start_matches(OTHER_END);
                let what = format!("ended the reply with `{word}` before a word");
                // the same request would end in the same way
                ServerFault::new(ErrorClass::BadRequest, what)
            }
            // the same request would end in the same way, and one with more tokens may not
            Some(_) | None if self.thought > 0 => {
                ServerFault::new(ErrorClass::Length, "sent reasoning without a reply")
            }
            Some(_) | None => ServerFault::new(ErrorClass::Empty, "sent an empty reply"),
        }
    }

    fn usage(&self, shown: usize) -> Usage {
        let estimate = |bytes: usize| bytes.div_ceil(BYTES_PER_TOKEN) as u64;
        let (cache_read, cache_write) = self.cache.unwrap_or_default();
        Usage {
            cache_read,
            cache_write,
            input: self.input.unwrap_or_else(|| estimate(shown)),
            output: self.output.unwrap_or_else(|| estimate(self.said + self.thought)),
            estimated: self.input.is_none() || self.output.is_none(),
        }
    }
}

/// Returns the events in a frame: several if the server sends no empty lines between them.
fn events(frame: &str) -> impl Iterator<Item = &str> {
    let is_event = |line: &str| line.starts_with('{') || line == LAST;
    // no text of JSON has the other character
    frame.split(if frame.lines().all(is_event) { '\n' } else { '\0' })
}

fn add(out: &mut Pieces, channel: Channel, text: &str) {
    match out.last_mut() {
        _ if text.is_empty() => {}
        Some((last, so_far)) if *last == channel => so_far.push_str(text),
        Some(_) | None => out.push((channel, text.to_owned())),
    }
}

fn garbage() -> ServerFault {
    ServerFault::new(ErrorClass::NoProtocol, "sent a response in an unexpected format")
}

fn too_long(_: TooLong) -> ServerFault {
    too_large("sent a line that never ends".into())
}

fn too_large(why: String) -> ServerFault {
    ServerFault::new(ErrorClass::TooLarge, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_a_limit_whatever_it_consists_of() {
        let mut decoder = Decoder::new(Wire::OpenAi);
        decoder.bytes = ANSWER_MAX - 5;
        let mut push = || decoder.push(b": hi\n", &mut vec![]);
        push().unwrap();
        assert_eq!(push().unwrap_err().class, ErrorClass::TooLarge);
    }

    /// Returns the words of an answer in one part, or the failure.
    fn said(wire: Wire, answer: &str) -> Result<String, String> {
        let mut decoder = Decoder::new(wire);
        let mut pieces = vec![];
        decoder.push(answer.as_bytes(), &mut pieces).map_err(|fault| fault.what)?;
        decoder.end(1, &mut pieces).map_err(|fault| format!("{fault:?}"))?;
        Ok(pieces.into_iter().map(|(_, text)| text).collect())
    }

    #[test]
    fn an_answer_that_is_not_a_stream_is_read() {
        let message = r#"{"role":"assistant","content":"Keep them."}"#;
        let openai = |part: &str| format!(r#"{{"choices":[{{{part},"finish_reason":"stop"}}]}}"#);
        let whole = openai(&format!(r#""message":{message}"#));
        let lines = format!(
            "{}\n{}\n",
            openai(r#""delta":{"content":"Keep "},"x":1"#).replace("\"stop\"", "null"),
            openai(r#""delta":{"content":"them."}"#)
        );
        let pretty = serde_json::to_string_pretty(&serde_json::from_str::<Value>(&whole).unwrap());
        let google = r#"[{"candidates":[{"content":{"parts":[{"text":"Keep "}]}}]},
            {"candidates":[{"content":{"parts":[{"text":"them."}]},"finishReason":"STOP"}]}]"#;
        for (wire, answer) in [
            (Wire::OpenAi, &whole),
            (Wire::OpenAi, &pretty.unwrap()),
            (Wire::OpenAi, &lines),
            (Wire::OpenAi, &format!("data: {whole}\n\n")),
            (Wire::OpenAi, &format!("data: {}\n\n", openai(r#""text":"Keep them.""#))),
            (Wire::Gemini, &google.to_owned()),
        ] {
            assert_eq!(said(wire, answer).unwrap(), "Keep them.", "{answer}");
        }
        let why = said(Wire::OpenAi, "<html>Please log in</html>").unwrap_err();
        assert!(why.contains("NoProtocol") && why.contains("Please log in"), "{why}");
        let why = said(Wire::OpenAi, r#"{"detail":"the model is loading"}"#).unwrap_err();
        assert!(why.contains("the model is loading"), "{why}");
    }

    #[test]
    fn halves_of_a_character_in_two_frames_are_joined() {
        let frame = |text: &str| {
            format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
        };
        let end =
            "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"null\"}]}\n\ndata: [DONE]\n\n";
        for (parts, expected) in [
            ([r"Go \ud83d", r"\ude80 \ud83d", r"\ude80."], "Go 🚀 🚀."),
            ([r"a\ud83db", r"\ude80", "c"], "a\u{fffd}b\u{fffd}c"),
            ([r"a\ud83d", "b", "c"], "abc"),
        ] {
            let answer: String = parts.iter().map(|part| frame(part)).collect();
            assert_eq!(said(Wire::OpenAi, &(answer + end)).unwrap(), expected);
        }
    }

    #[test]
    fn where_the_server_counts_no_tokens_they_are_estimated_from_all_words() {
        let mut decoder = Decoder::new(Wire::OpenAi);
        let frame = r#"data: {"choices": [{"delta": {"content": "said", "reasoning_content": "think it"}, "finish_reason": "stop"}]}"#;
        let mut pieces = vec![];
        decoder.push(format!("{frame}\n\ndata: [DONE]\n\n").as_bytes(), &mut pieces).unwrap();
        assert_eq!(pieces.len(), 2, "{pieces:?}");
        let usage = decoder.end(40, &mut pieces).unwrap().usage.unwrap();
        assert_eq!((usage.input, usage.output, usage.estimated), (10, 3, true));
    }

    /// Decodes an answer in OpenAI's format.
    fn decoded(answer: &str) -> Result<String, ServerFault> {
        let (mut decoder, mut pieces) = (Decoder::new(Wire::OpenAi), vec![]);
        decoder.push(answer.as_bytes(), &mut pieces)?;
        decoder.end(40, &mut pieces)?;
        Ok(pieces.into_iter().map(|(_, text)| text).collect())
    }

    #[test]
    fn reads_habits_of_servers_beside_their_format() {
        let frame = |more: &str| {
            let delta = r#""choices":[{"delta":{"content":"a b"},"finish_reason":"stop"}]"#;
            format!("data: {{{delta}{more}}}\n")
        };
        for (answer, expected) in [
            // no empty lines between events
            (frame("") + "data: [DONE]\n", Ok("a b")),
            (frame("") + &frame(r#","id":"x""#) + "data: [DONE]\n", Ok("a ba b")),
            (frame("") + "data: {\"id\":\n\n", Ok("a b")),
            // an empty error is none
            (frame(r#","error":{}"#), Ok("a b")),
            (frame(r#","error":"","code":0"#), Ok("a b")),
            (frame(r#","error":false"#), Ok("a b")),
            (frame(r#","choices":[{"delta":{"content":"a b"},"finish_reason":"stop","error":{}}]"#), Ok("a b")),
            (frame(r#","error":{"code":500}"#), Err(ErrorClass::Failed)),
            // errors without such a field
            (
                "data: {\"object\":\"error\",\"message\":\"x\",\"code\":429}\n\n".into(),
                Err(ErrorClass::Rate),
            ),
            (
                r#"{"base_resp":{"status_code":1008,"status_msg":"insufficient balance"},"choices":null}"#.into(),
                Err(ErrorClass::Credit),
            ),
            ("<html><title>One moment</title></html>".into(), Err(ErrorClass::NoProtocol)),
            (
                r#"{"errors":[{"message":"This model's maximum context length is 9"}]}"#.into(),
                Err(ErrorClass::Context),
            ),
            // a part in the place of a list of parts
            (
                r#"{"choices":[{"message":{"content":{"text":"a b"}},"finish_reason":"stop"}]}"#.into(),
                Ok("a b"),
            ),
        ] {
            let found = decoded(&answer).map_err(|fault| fault.class);
            assert_eq!(found, expected.map(str::to_owned), "{answer}");
        }
    }
}
