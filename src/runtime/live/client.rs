//! The client's end of a connection to a running conversation.

use super::protocol::{
    Attach, Attached, Bye, CLIENT_LINE_MAX, ClientMessage, ErrorMessage, Hello, PROTOCOL,
    SERVER_LINE_MAX, ServerMessage, line,
};
use crate::model::{Event, Key, Kind, Piece, Seq, SteerLine, Text};
use crate::net::{LineReader, LineWriter, LocalStream};
use crate::session::Record;
use serde_json::Value;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Time limit for the introduction and for the response to `attach`.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// Reason why a conversation cannot be attached to.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The socket is missing, or nobody listens.
    #[error("it is not running, or it takes no clients")]
    NotRunning,
    /// The socket cannot be used.
    #[error("the connection failed: {0}")]
    Io(io::Error),
    /// The server does not respond.
    #[error("the running conversation does not respond")]
    Silent,
    /// The server closed the connection.
    #[error("the running conversation closed the connection")]
    Closed,
    /// The server refused.
    #[error("refused: {}", .0.text)]
    Refused(ErrorMessage),
    /// The other program speaks another version of the protocol.
    #[error("the running conversation speaks version {0} of the protocol, this program {PROTOCOL}")]
    Version(u32),
    /// The client's own line is too long.
    #[error("a line is longer than {CLIENT_LINE_MAX} bytes")]
    TooLong,
}

/// A connection that is not attached.
pub struct Greeted {
    lines: LineReader,
    writer: LineWriter,
    /// Introduction of the conversation.
    pub hello: Hello,
}

/// Receiving end of an attached connection.
pub struct Receiver {
    lines: LineReader,
}

/// Sending end of an attached connection.
pub struct Sender {
    writer: LineWriter,
    keys: String,
    sent: u64,
}

/// A received message.
#[derive(Debug)]
pub enum Received {
    Event(Arc<Record>),
    /// Text that is in no event yet.
    Piece(Piece),
    /// The reason for which the server closes the connection.
    Error(ErrorMessage),
    /// A farewell.
    Bye(Bye),
    /// The connection is gone without a farewell.
    Lost,
}

/// A receipt of a command, or its refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstReceipt {
    /// `queued`, `delivered`, `done`, `too_late` or `refused`; `sent` without a receipt in time.
    pub is: &'static str,
    /// `seq` of the receipt.
    pub seq: Option<Seq>,
    /// Reason.
    pub why: Option<Text>,
}

impl FirstReceipt {
    /// Receipt of a command that was sent and not answered in time.
    pub const SENT: FirstReceipt = FirstReceipt { is: "sent", seq: None, why: None };

    /// Returns the receipt in an event, with the key of the command.
    pub fn from_event(event: &Event) -> Option<(&Key, FirstReceipt)> {
        let (key, is, why) = match &event.kind {
            Kind::CommandRefused(refused) => (&refused.key, "refused", Some(&refused.why)),
            Kind::Receipt(receipt) => (&receipt.of, receipt.is.word(), receipt.why.as_ref()),
            _ => return None,
        };
        Some((key, FirstReceipt { is, seq: Some(event.seq), why: why.cloned() }))
    }

    /// Returns whether the command has no effect.
    pub fn is_refusal(&self) -> bool {
        matches!(self.is, "refused" | "too_late")
    }
}

/// Connects to a socket and reads the introduction.
pub async fn greet(socket: &Path) -> Result<Greeted, ClientError> {
    let stream = LocalStream::connect(socket).await.map_err(|e| match e.kind() {
        ErrorKind::NotFound | ErrorKind::ConnectionRefused => ClientError::NotRunning,
        _ => ClientError::Io(e),
    })?;
    let (mut lines, writer) = stream.into_lines(SERVER_LINE_MAX);
    match answer(&mut lines).await? {
        ServerMessage::Hello(hello) if hello.protocol == PROTOCOL => {
            Ok(Greeted { lines, writer, hello })
        }
        ServerMessage::Hello(hello) => Err(ClientError::Version(hello.protocol)),
        _ => Err(ClientError::Closed),
    }
}

/// Reads the response of the server to what the client did.
async fn answer(lines: &mut LineReader) -> Result<ServerMessage, ClientError> {
    let answer = timeout(ANSWER_WITHIN, lines.next()).await.map_err(|_| ClientError::Silent)?;
    let Some(Ok(answer)) = answer else { return Err(ClientError::Closed) };
    match serde_json::from_str(&answer) {
        Ok(ServerMessage::Error(error)) => Err(ClientError::Refused(error)),
        Ok(message) => Ok(message),
        // a later version may introduce itself otherwise
        Err(_) => Err(ClientError::Version(version(&answer))),
    }
}

fn version(hello: &str) -> u32 {
    let hello: serde_json::Value = serde_json::from_str(hello).unwrap_or_default();
    let version = hello.get("hello").and_then(|hello| hello.get("protocol"));
    version.and_then(|v| u32::try_from(v.as_u64()?).ok()).unwrap_or_default()
}

impl Greeted {
    /// Attaches; returns the response and both ends of the connection.
    pub async fn attach(self, attach: Attach) -> Result<(Attached, Receiver, Sender), ClientError> {
        let Greeted { mut lines, mut writer, .. } = self;
        let sent = writer.send(&line(&ClientMessage::Attach(attach))).await;
        sent.map_err(|_| ClientError::Closed)?;
        match answer(&mut lines).await? {
            ServerMessage::Attached(attached) => {
                let keys = attached.keys.clone();
                Ok((attached, Receiver { lines }, Sender { writer, keys, sent: 0 }))
            }
            _ => Err(ClientError::Closed),
        }
    }
}

impl Receiver {
    /// Waits for the next message. Cancel safe.
    pub async fn next(&mut self) -> Received {
        loop {
            let Some(Ok(line)) = self.lines.next().await else { return Received::Lost };
            if line.starts_with("{\"seq\":") {
                match Record::from_whole_line(&line) {
                    Ok(record) => return Received::Event(Arc::new(record)),
                    Err(_) => return Received::Lost,
                }
            }
            match serde_json::from_str(&line) {
                Ok(ServerMessage::Piece(piece)) => return Received::Piece(piece.into()),
                Ok(ServerMessage::Error(error)) => return Received::Error(error),
                Ok(ServerMessage::Bye(bye)) => return Received::Bye(bye),
                // messages of a later version
                Ok(ServerMessage::Hello(_) | ServerMessage::Attached(_)) | Err(_) => {}
            }
        }
    }
}

impl Receiver {
    /// Waits for the first receipt of a command.
    ///
    /// # Errors
    /// If the connection ends first.
    pub async fn receipt(&mut self, of: &Key) -> Result<FirstReceipt, ClientError> {
        loop {
            match self.next().await {
                Received::Event(record) => match FirstReceipt::from_event(&record.event) {
                    Some((key, receipt)) if key == of => return Ok(receipt),
                    Some(_) | None => {}
                },
                Received::Piece(_) => {}
                Received::Error(error) => return Err(ClientError::Refused(error)),
                Received::Bye(_) | Received::Lost => return Err(ClientError::Closed),
            }
        }
    }
}

impl Sender {
    /// Sends a command; returns its key.
    ///
    /// # Errors
    /// As [`Sender::steer`].
    pub async fn give(&mut self, line: &SteerLine) -> Result<Key, ClientError> {
        self.steer(&Value::Object(line.to_map()).to_string()).await
    }

    /// Sends a steering line; returns the key of its command.
    ///
    /// # Errors
    /// [`ClientError::TooLong`] and [`ClientError::Closed`].
    pub async fn steer(&mut self, raw: &str) -> Result<Key, ClientError> {
        if raw.len() >= CLIENT_LINE_MAX || raw.contains('\n') {
            return Err(ClientError::TooLong);
        }
        self.sent += 1;
        let key = Key::from(format!("{}{}", self.keys, self.sent));
        self.writer.send(&format!("{raw}\n")).await.map_err(|_| ClientError::Closed)?;
        Ok(key)
    }

    /// Asks the conversation to end, as an interrupt would.
    pub async fn stop(&mut self) -> Result<(), ClientError> {
        let sent = self.writer.send(&line(&ClientMessage::Stop {})).await;
        sent.map_err(|_| ClientError::Closed)
    }
}
