//! Requests for tools in the text of a model that cannot call them, taken out as the text arrives.

use super::tools::{BYTES_MAX, REQUESTS_MAX};
use crate::model::tool::{REQUEST_TAG, ToolRequest};
use serde_json::Value;

/// What a request begins with.
fn opening() -> String {
    format!("<{REQUEST_TAG}>")
}

/// The requests of a reply, and the words in front of them as far as they are certain.
#[derive(Debug, Default)]
pub(super) struct TextRequests {
    pending: String,
    requests: Vec<ToolRequest>,
    /// Whether more came than is kept: the rest of the reply is dropped.
    full: bool,
}

impl TextRequests {
    /// Takes in words and returns those that belong to no request.
    pub(super) fn push(&mut self, words: &str) -> String {
        let (open, close) = (opening(), format!("</{REQUEST_TAG}>"));
        let mut said = String::new();
        self.pending.push_str(words);
        loop {
            if self.full {
                self.pending.clear();
                return said;
            }
            let Some(at) = self.pending.find(&open) else {
                let kept = self.pending.len() - open_end(&self.pending, &open);
                said.extend(self.pending.drain(..kept));
                return said;
            };
            said.extend(self.pending.drain(..at));
            let Some(end) = self.pending.find(&close) else {
                if self.pending.len() > BYTES_MAX {
                    self.take(BYTES_MAX);
                    self.full = true;
                }
                return said;
            };
            self.take(end);
            self.pending.drain(..close.len());
        }
    }

    /// Returns the text that was held back and every request, including one without its closing tag.
    pub(super) fn finish(mut self) -> (String, Vec<ToolRequest>) {
        if !self.full && self.pending.starts_with(&opening()) {
            self.take(self.pending.len());
        }
        (self.pending, self.requests)
    }

    /// Makes a request of what is pending, up to a place.
    fn take(&mut self, end: usize) {
        let block: String = self.pending.drain(..self.pending.floor_char_boundary(end)).collect();
        let body = block.strip_prefix(&opening()).unwrap_or_default().trim();
        if self.requests.len() < REQUESTS_MAX {
            self.requests.push(request(body));
        } else {
            self.full = true;
        }
    }
}

/// Reads a request; invalid JSON stays text, which no tool accepts.
fn request(body: &str) -> ToolRequest {
    let read: Value = serde_json::from_str(body).unwrap_or_default();
    let name = read["name"].as_str().unwrap_or(REQUEST_TAG).to_owned();
    let arguments = match &read {
        Value::Object(map) => {
            map.get("arguments").cloned().unwrap_or_else(|| Value::Object(Default::default()))
        }
        _ => Value::String(body.to_owned()),
    };
    ToolRequest { tool: name.into(), arguments }
}

/// Returns the length of the longest end of a text that may become `open`.
fn open_end(text: &str, open: &str) -> usize {
    (1..open.len()).rev().find(|n| text.ends_with(&open[..*n])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(words: &str, piece: usize) -> (String, Vec<(String, Value)>) {
        let mut requests = TextRequests::default();
        let chars: Vec<char> = words.chars().collect();
        let mut said: String =
            chars.chunks(piece).map(|c| requests.push(&c.iter().collect::<String>())).collect();
        let (rest, asked) = requests.finish();
        said.push_str(&rest);
        (said, asked.into_iter().map(|r| (r.tool.to_string(), r.arguments)).collect())
    }

    #[test]
    fn requests_are_taken_out_however_the_words_are_cut() {
        let two = "Let me lo\u{f6}k. <tool_request>{\"name\": \"a\", \"arguments\": {\"x\": 1}}</tool_request>\n\
                   <tool_request> {\"name\": \"b\"}</tool_request> <tool";
        for piece in [1, 2, 7, 1000] {
            let (said, asked) = read(two, piece);
            assert_eq!(said, "Let me lo\u{f6}k. \n <tool", "{piece}");
            assert_eq!(asked, [("a".into(), json!({"x": 1})), ("b".into(), json!({}))], "{piece}");
        }
        let (said, asked) = read("Go. <tool_request>{\"name\": \"a\"}", 3);
        assert_eq!((&*said, asked.len()), ("Go. ", 1), "the end may be missing");
        let (_, broken) = read("<tool_request>{name: a}</tool_request>", 5);
        assert_eq!(broken, [("tool_request".into(), json!("{name: a}"))]);
        assert_eq!(read("a < b <tools> </tool_request>", 4).0, "a < b <tools> </tool_request>");
    }

    #[test]
    fn a_flood_is_bounded() {
        let many = "<tool_request>{}</tool_request>".repeat(5_000);
        assert_eq!(read(&many, 1000).1.len(), REQUESTS_MAX);
        let long = format!("<tool_request>{}", "\u{e9}".repeat(BYTES_MAX));
        let (said, asked) = read(&(long + "</tool_request> more"), 4000);
        assert_eq!((&*said, asked.len()), ("", 1));
        assert!(asked[0].1.as_str().unwrap().len() <= BYTES_MAX);
    }
}
