//! Extracts tool requests from the streamed text of a model without tool support.

use super::tools::{BYTES_MAX, REQUESTS_MAX};
use crate::model::tool::{REQUEST_TAG, ToolRequest};
use serde_json::Value;

/// Returns the opening tag of a request.
fn opening() -> String {
    format!("<{REQUEST_TAG}>")
}

/// Tool requests of a reply, with the text that may still belong to one.
#[derive(Debug, Default)]
pub(super) struct TextRequests {
    pending: String,
    requests: Vec<ToolRequest>,
    /// True once a limit is exceeded; the rest of the reply is dropped.
    full: bool,
}

impl TextRequests {
    /// Adds text and returns the part that belongs to no request.
    pub(super) fn push(&mut self, words: &str) -> String {
        let open = opening();
        let close = format!("</{REQUEST_TAG}>");
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

    /// Returns the held back text and all requests, including one without its closing tag.
    pub(super) fn finish(mut self) -> (String, Vec<ToolRequest>) {
        if !self.full && self.pending.starts_with(&opening()) {
            self.take(self.pending.len());
        }
        (self.pending, self.requests)
    }

    /// Turns the pending text up to `end` into a request.
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

/// Parses a request. Invalid JSON stays text, which every tool rejects.
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

/// Returns the length of the longest suffix of a text that is a prefix of `open`.
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
