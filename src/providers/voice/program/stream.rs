//! Reader of a program's stream of JSON lines. A table gives the meaning of lines, so that a program is a row.

use crate::model::{Channel, Text, Usage, Usd};
use crate::text;
use crate::voice::{Done, Pieces};
use serde_json::Value;

/// Maximum length of a line, in bytes.
const LINE_MAX: usize = 4 << 20;

/// Meaning of the lines with some values.
pub struct LineRule {
    /// JSON pointers with their values; all have to match.
    pub when: &'static [(&'static str, &'static str)],
    /// Part of the line that counts.
    pub take: Take,
}

/// Part of a line.
pub enum Take {
    /// A piece of the reply.
    Text(&'static str),
    /// A piece of the reasoning.
    Thought(&'static str),
    /// The reason of a failure, which ends the stream.
    Fault(&'static str),
    /// The end of a complete reply.
    End(FigurePlaces),
}

/// JSON pointers of the figures of a turn; empty if the program does not report them.
pub struct FigurePlaces {
    /// Input tokens, as a sum.
    pub input: &'static [&'static str],
    /// Output tokens.
    pub output: &'static str,
    /// Input tokens that were read from a cache.
    pub cached: &'static str,
    /// Cost in dollars.
    pub cost: &'static str,
    /// Object whose keys are the models.
    pub models: &'static str,
}

/// State of a stream.
pub struct JsonStream {
    rules: &'static [LineRule],
    pending: Vec<u8>,
    /// True if a piece of the reply has arrived.
    pub spoke: bool,
    /// End of the stream: the figures, or the reason of a failure.
    pub end: Option<Result<Done, String>>,
}

impl JsonStream {
    /// Creates the state before the first byte.
    pub fn new(rules: &'static [LineRule]) -> JsonStream {
        JsonStream { rules, pending: vec![], spoke: false, end: None }
    }

    /// Parses bytes and appends the new pieces to `out`.
    ///
    /// # Errors
    /// If a line is too long.
    pub fn push(&mut self, bytes: &[u8], out: &mut Pieces) -> Result<(), String> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.pending.extend_from_slice(part);
            if self.pending.len() > LINE_MAX {
                return Err(format!("wrote a line of more than {} MiB", LINE_MAX >> 20));
            }
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.pending);
                self.line(&line, out);
            }
        }
        Ok(())
    }

    /// Parses the last line, which may have no line end.
    pub fn finish(&mut self, out: &mut Pieces) {
        let line = std::mem::take(&mut self.pending);
        self.line(&line, out);
    }

    fn line(&mut self, line: &[u8], out: &mut Pieces) {
        // programs also write warnings between their JSON lines
        let Ok(value) = serde_json::from_slice::<Value>(line) else { return };
        let holds = |(place, wanted): &(&str, &str)| match value.pointer(place) {
            Some(Value::String(found)) => found == wanted,
            Some(Value::Bool(found)) => found.to_string() == *wanted,
            Some(_) | None => false,
        };
        let Some(rule) = self.rules.iter().find(|rule| rule.when.iter().all(holds)) else { return };
        let word = |place: &str| value.pointer(place).and_then(Value::as_str).unwrap_or_default();
        match &rule.take {
            Take::Text(place) => {
                self.spoke |= !word(place).trim().is_empty();
                out.push((Channel::Say, word(place).to_owned()));
            }
            Take::Thought(place) => out.push((Channel::Think, word(place).to_owned())),
            Take::Fault(place) => self.end = Some(Err(text::line(word(place)).into_owned())),
            Take::End(place) => self.end = Some(Ok(figures(&value, place))),
        }
    }
}

/// Reads the figures of a turn.
fn figures(value: &Value, place: &FigurePlaces) -> Done {
    let number = |place: &str| value.pointer(place).and_then(Value::as_u64);
    let input: Vec<u64> = place.input.iter().filter_map(|place| number(place)).collect();
    let usage = (!input.is_empty()).then(|| Usage {
        input: input.iter().sum(),
        output: number(place.output).unwrap_or_default(),
        cache_read: number(place.cached).unwrap_or_default(),
        ..Usage::default()
    });
    let cost = if place.cost.is_empty() { None } else { value.pointer(place.cost) };
    let models = if place.models.is_empty() { None } else { value.pointer(place.models) };
    let model = models.and_then(Value::as_object).and_then(|models| models.keys().next());
    Done {
        usage,
        cost: cost.and_then(Value::as_f64).and_then(|usd| Usd::try_from(usd).ok()),
        model: model.map(|model| Text::from(model.as_str())),
        ..Done::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::PROGRAMS;
    use super::*;

    /// Streams of each program, as its version of the table prints them, without the parts that are not read.
    const STREAMS: [&str; 3] = [
        r#"{"type":"system","subtype":"init","model":"m-1[1m]"}
{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"Hm."}}}
{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"At "}}}
{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"nine."}}}
{"type":"assistant","message":{"content":[{"type":"text","text":"At nine."}]}}
{"type":"result","subtype":"success","is_error":false,"result":"At nine.","total_cost_usd":0.5,"usage":{"input_tokens":20,"cache_read_input_tokens":1,"output_tokens":3},"modelUsage":{"m-1":{}}}
"#,
        r#"WARNING: no aliases
{"type":"thread.started","thread_id":"1"}
{"type":"item.completed","item":{"type":"reasoning","text":"Hm."}}
{"type":"item.completed","item":{"type":"agent_message","text":"At nine."}}
{"type":"turn.completed","usage":{"input_tokens":21,"cached_input_tokens":1,"output_tokens":3}}
"#,
        r#"Ripgrep is not available.
{"type":"message","role":"user","content":"School?"}
{"type":"message","role":"assistant","content":"At ","delta":true}
{"type":"message","role":"assistant","content":"nine.","delta":true}
{"type":"result","status":"success","stats":{"input_tokens":21,"output_tokens":3,"cached":1,"models":{"m-1":{}}}}
"#,
    ];

    fn read(rules: &'static [LineRule], text: &str, size: usize) -> (JsonStream, Pieces) {
        let mut stream = JsonStream::new(rules);
        let mut out = Pieces::new();
        for bytes in text.as_bytes().chunks(size) {
            stream.push(bytes, &mut out).unwrap();
        }
        stream.finish(&mut out);
        (stream, out)
    }

    #[test]
    fn reads_text_and_figures_of_each_program_however_it_is_split() {
        for (program, text) in PROGRAMS.iter().zip(STREAMS) {
            for size in [1, 7, text.len()] {
                let (stream, out) = read(program.rules, text, size);
                let said = out.iter().filter(|(channel, _)| *channel == Channel::Say);
                let said: String = said.map(|(_, text)| text.as_str()).collect();
                assert_eq!(said, "At nine.", "{}", program.name);
                let Some(Ok(done)) = stream.end else { panic!("{} ended", program.name) };
                let usage = done.usage.unwrap();
                assert_eq!((usage.input, usage.output, usage.cache_read), (21, 3, 1));
                let model = done.model.as_deref();
                assert_eq!(model, (program.name != "codex").then_some("m-1"));
                assert_eq!(done.cost.map(f64::from), (program.name == "claude").then_some(0.5));
            }
        }
    }

    #[test]
    fn a_fault_ends_the_stream() {
        for (at, line, why) in [
            (0, r#"{"type":"result","is_error":true,"result":"Not logged in"}"#, "Not logged in"),
            (1, r#"{"type":"turn.failed","error":{"message":"401"}}"#, "401"),
            (2, r#"{"type":"result","status":"error","error":{"message":"quota"}}"#, "quota"),
        ] {
            let (stream, _) = read(PROGRAMS[at].rules, line, 9);
            assert_eq!(stream.end.and_then(Result::err).as_deref(), Some(why));
        }
    }
}
