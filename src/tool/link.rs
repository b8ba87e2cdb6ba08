//! Connection to a tool server: one request at a time, each with its answer. Other messages are ignored, except for
//! requests of a server process: a `ping` is answered, all others are rejected.

use crate::model::{Secret, Text};
use crate::net::{Ask, Client, Response};
use crate::rpc::{self, LINE_MAX, NO_METHOD, RpcError, RpcLines, RpcMessage};
use crate::spawn::{self, Child, ChildEnvironment, Job, Output};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::Path;
use std::time::Duration;

/// Requested version of the protocol.
const VERSION: &str = "2025-06-18";
/// Timeout for connecting.
const CONNECT: Duration = Duration::from_secs(10);
/// Maximum characters of a server's reason for a failure.
const REASON_MAX: usize = 300;

/// Reason why a server gave no answer, phrased to follow the server's name.
#[derive(Debug)]
pub(super) struct LinkFault(pub String);

impl LinkFault {
    /// Returns whether the server itself returned the error, so that the connection can be used again.
    pub(super) fn is_of_server(&self) -> bool {
        self.0.starts_with(REFUSED)
    }

    pub(super) fn late(within: Duration) -> LinkFault {
        LinkFault(format!("did not answer within {} s", within.as_secs()))
    }
}

impl<E: std::error::Error> From<E> for LinkFault {
    fn from(e: E) -> LinkFault {
        LinkFault(e.to_string())
    }
}

/// A connection to a tool server.
pub(super) struct Link {
    line: ToolLine,
    next: u64,
}

/// Transport of a connection.
pub(super) enum ToolLine {
    /// A child process that exchanges lines.
    Child {
        /// Process of the server, which ends with the link.
        child: Box<Child>,
        /// Buffer of incomplete lines.
        lines: RpcLines,
        /// Messages that were received but not yet handled.
        read: VecDeque<RpcMessage>,
    },
    /// A server over HTTP.
    Http(HttpToolLine),
}

/// State of a connection over HTTP.
pub(super) struct HttpToolLine {
    client: Client,
    url: Text,
    key: Option<Secret>,
    /// Session id assigned by the server.
    session: Option<String>,
}

impl ToolLine {
    /// Starts a server as a child process.
    pub(super) fn child(
        command: &[Text],
        folder: &Path,
        environment: &ChildEnvironment,
    ) -> Result<ToolLine, LinkFault> {
        let child = spawn::start_talk(Job {
            command: command.iter().map(Text::to_string).collect(),
            folder: folder.to_owned(),
            environment: environment.clone(),
            input: vec![],
        })?;
        Ok(ToolLine::Child {
            child: Box::new(child),
            lines: RpcLines::default(),
            read: VecDeque::new(),
        })
    }

    /// Creates the transport for a server over HTTP; nothing is sent yet.
    pub(super) fn http(client: Client, url: Text, key: Option<Secret>) -> ToolLine {
        let key = key.map(|key| key.after("Bearer "));
        ToolLine::Http(HttpToolLine { client, url, key, session: None })
    }
}

impl Link {
    /// Negotiates the protocol.
    pub(super) async fn open(line: ToolLine) -> Result<Link, LinkFault> {
        let mut link = Link { line, next: 0 };
        let client = json!({"name": "colloquium", "version": env!("CARGO_PKG_VERSION")});
        let hello = json!({"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client});
        let agreed = link.ask("initialize", &hello).await?;
        if !agreed["protocolVersion"].is_string() {
            return Err(LinkFault("does not speak the Model Context Protocol".into()));
        }
        link.notify("notifications/initialized").await?;
        Ok(link)
    }

    async fn notify(&mut self, method: &str) -> Result<(), LinkFault> {
        let notice = rpc::notice(method, &json!({}));
        match &mut self.line {
            ToolLine::Child { child, .. } => Ok(child.send(&notice)?),
            ToolLine::Http(line) => line.post(&notice).await.map(drop),
        }
    }

    /// Sends a request and returns its result.
    pub(super) async fn ask(&mut self, method: &str, params: &Value) -> Result<Value, LinkFault> {
        self.next += 1;
        let id = self.next;
        let request = rpc::request(self.next, method, params);
        let result = match &mut self.line {
            ToolLine::Child { child, lines, read } => {
                child.renew();
                child.send(&request)?;
                await_answer(child, lines, read, id).await?
            }
            ToolLine::Http(line) => {
                let mut response = line.post(&request).await?;
                if let Some(given) = response.header("mcp-session-id") {
                    line.session = Some(given.to_owned());
                }
                streamed(&mut response, id).await?
            }
        };
        result.map_err(|RpcError { code, message }| {
            let why: String = message.trim().chars().take(REASON_MAX).collect();
            LinkFault(format!("{REFUSED} {why} ({code})"))
        })
    }
}

/// Prefix of errors that the server itself returned.
const REFUSED: &str = "answered with an error:";

/// Waits for the answer of a child process, and handles the server's own requests meanwhile.
async fn await_answer(
    child: &mut Child,
    lines: &mut RpcLines,
    read: &mut VecDeque<RpcMessage>,
    id: u64,
) -> Result<Result<Value, RpcError>, LinkFault> {
    loop {
        while let Some(message) = read.pop_front() {
            match message {
                RpcMessage::Answer { id: of, result } if of == id => return Ok(result),
                RpcMessage::Answer { .. } | RpcMessage::Notice { .. } => {}
                RpcMessage::Request { id, method, .. } => {
                    let none = RpcError { code: NO_METHOD, message: "method not found".into() };
                    let result = if method == "ping" { Ok(json!({})) } else { Err(none) };
                    child.send(&rpc::answer(&id, &result))?;
                }
            }
        }
        match child.next().await? {
            Output::Bytes(bytes) => read.extend(lines.push(&bytes)?),
            Output::Ended(exit) => {
                let last = exit.stderr.lines().rev().map(str::trim).find(|line| !line.is_empty());
                let last: String = last.unwrap_or_default().chars().take(REASON_MAX).collect();
                let last = if last.is_empty() { last } else { format!(": {last}") };
                return Err(LinkFault(format!("ended ({}){last}", exit.status)));
            }
        }
    }
}

impl HttpToolLine {
    async fn post(&self, message: &[u8]) -> Result<Response, LinkFault> {
        let session = self.session.clone().map(|session| ("mcp-session-id", session));
        let fixed = [
            ("accept", "application/json, text/event-stream".to_owned()),
            ("mcp-protocol-version", VERSION.to_owned()),
        ];
        let ask = Ask {
            url: self.url.to_string(),
            headers: vec![],
            more: fixed.into_iter().chain(session).collect(),
            key: self.key.clone().map(|key| ("authorization", key)),
            body: Some(String::from_utf8_lossy(message).into_owned()),
            connect: CONNECT,
        };
        let response = self.client.send(ask).await?;
        match response.status() {
            200..=299 => Ok(response),
            401 | 403 if self.key.is_none() => Err(LinkFault(
                "needs a key: set its variable under [tools.keys] in the settings".into(),
            )),
            status => Err(LinkFault(format!("answered with the status {status}"))),
        }
    }
}

/// Reads the answer from a response: either one message, or a stream of events that contains it.
async fn streamed(response: &mut Response, id: u64) -> Result<Result<Value, RpcError>, LinkFault> {
    let kind = response.header("content-type").unwrap_or_default().to_owned();
    let events = kind.starts_with("text/event-stream");
    let mut text = EventLines::default();
    let mut heard = 0;
    while let Some(bytes) = response.next().await? {
        heard += bytes.as_ref().len();
        if heard > 4 * LINE_MAX {
            return Err(LinkFault("answered with too much".into()));
        }
        text.extend(bytes.as_ref());
        while events && let Some(line) = text.next_line() {
            let Some(data) = line.strip_prefix(b"data:") else { continue };
            if let Ok(RpcMessage::Answer { id: of, result }) = rpc::read(data)
                && of == id
            {
                return Ok(result);
            }
        }
    }
    match rpc::read(text.rest()) {
        Ok(RpcMessage::Answer { id: of, result }) if of == id => Ok(result),
        Ok(_) | Err(_) => Err(LinkFault("gave no answer".into())),
    }
}

/// Line buffer for a stream in arbitrary pieces. Each byte is scanned only once.
#[derive(Default)]
struct EventLines {
    bytes: Vec<u8>,
    /// Offset of the next line.
    line: usize,
    /// Offset of the first byte that was not yet scanned for a line end.
    seen: usize,
}

impl EventLines {
    /// Adds the next bytes of the stream.
    fn extend(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.line);
        self.seen -= self.line;
        self.line = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next complete line, without its line end.
    fn next_line(&mut self) -> Option<&[u8]> {
        let Some(length) = memchr::memchr(b'\n', &self.bytes[self.seen..]) else {
            self.seen = self.bytes.len();
            return None;
        };
        let start = self.line;
        let end = self.seen + length;
        self.line = end + 1;
        self.seen = self.line;
        self.bytes.get(start..end)
    }

    /// Returns the bytes after the last line returned.
    fn rest(&self) -> &[u8] {
        &self.bytes[self.line..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_line_of_sixteen_mib_in_small_pieces() {
        let mut lines = EventLines::default();
        // quadratic scanning would take hours
        for _ in 0..(16 << 20) / 64 {
            lines.extend(&[b'x'; 64]);
            assert_eq!(lines.next_line(), None);
        }
        lines.extend(b"\ndata: 1\r\n\nda");
        assert_eq!(lines.next_line().map(<[u8]>::len), Some(16 << 20));
        assert_eq!(lines.next_line(), Some(&b"data: 1\r"[..]));
        assert_eq!(lines.next_line(), Some(&b""[..]));
        assert_eq!(lines.next_line(), None);
        assert_eq!(lines.rest(), b"da");
    }
}
