//! Tool servers over HTTP: one `POST` request per message.

use super::fault::LinkFault;
use crate::model::{Secret, Text};
use crate::net::{Ask, Client, Response};
use crate::rpc::{self, LINE_MAX, RpcError, RpcMessage};
use serde_json::Value;
use std::time::Duration;

/// Timeout for connecting.
const CONNECT: Duration = Duration::from_secs(10);

/// State of a connection over HTTP.
pub(super) struct HttpToolLine {
    client: Client,
    url: Text,
    key: Option<Secret>,
    /// Session id assigned by the server.
    session: Option<String>,
}

impl HttpToolLine {
    /// Creates the connection; nothing is sent yet.
    pub(super) fn new(client: Client, url: Text, key: Option<Secret>) -> HttpToolLine {
        let key = key.map(|key| key.after("Bearer "));
        HttpToolLine { client, url, key, session: None }
    }

    /// Sends a request and returns its answer. `headers` repeat parts of the message.
    pub(super) async fn ask(
        &mut self,
        id: u64,
        message: &[u8],
        headers: Vec<(String, String)>,
    ) -> Result<Result<Value, RpcError>, LinkFault> {
        let mut response = self.post(message, headers).await?;
        let status = response.status();
        match (read_answer(&mut response, id).await, status) {
            (Ok(answer), 200..=299) => {
                if let Some(given) = response.header("mcp-session-id") {
                    self.session = Some(given.to_owned());
                }
                Ok(answer)
            }
            // in the later era some errors have a status of their own
            (Ok(Err(error)), _) => Ok(Err(error)),
            (Err(fault), 200..=299) => Err(fault),
            (_, status) => Err(LinkFault::Status(status)),
        }
    }

    /// Sends a notification.
    pub(super) async fn notify(
        &self,
        message: &[u8],
        headers: Vec<(String, String)>,
    ) -> Result<(), LinkFault> {
        match self.post(message, headers).await?.status() {
            200..=299 => Ok(()),
            status => Err(LinkFault::Status(status)),
        }
    }

    async fn post(
        &self,
        message: &[u8],
        headers: Vec<(String, String)>,
    ) -> Result<Response, LinkFault> {
        let accept = ("accept".to_owned(), "application/json, text/event-stream".to_owned());
        let session = self.session.clone().map(|session| ("mcp-session-id".to_owned(), session));
        let ask = Ask {
            url: self.url.to_string(),
            headers: vec![],
            more: headers.into_iter().chain([accept]).chain(session).collect(),
            key: self.key.clone().map(|key| ("authorization".into(), key)),
            body: Some(String::from_utf8_lossy(message).into_owned()),
            connect: CONNECT,
        };
        let response = self.client.send(ask).await?;
        match response.status() {
            401 | 403 if self.key.is_none() => Err(LinkFault::new(
                "needs a key: set its variable under [tools.keys] in the settings",
            )),
            401 | 403 => {
                Err(LinkFault::new(format!("answered with the status {}", response.status())))
            }
            _ => Ok(response),
        }
    }
}

/// Reads the answer from a response: either one message, or a stream of events that contains it.
async fn read_answer(
    response: &mut Response,
    id: u64,
) -> Result<Result<Value, RpcError>, LinkFault> {
    let kind = response.header("content-type").unwrap_or_default().to_owned();
    let events = kind.starts_with("text/event-stream");
    let mut text = EventLines::default();
    let mut heard = 0;
    while let Some(bytes) = response.next().await? {
        heard += bytes.as_ref().len();
        if heard > 4 * LINE_MAX {
            return Err(LinkFault::new("answered with too much"));
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
        Ok(_) | Err(_) => Err(LinkFault::new("gave no answer")),
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
