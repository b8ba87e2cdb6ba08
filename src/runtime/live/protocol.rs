//! Messages of both sides, one JSON object a line. A line with `seq` is a line of the session.

use crate::model::{Channel, Ms, Piece, Seq, TurnId};
use serde::{Deserialize, Serialize};

/// Version of the protocol.
pub const PROTOCOL: u32 = 1;
/// Longest line that a client may send, in bytes.
pub const CLIENT_LINE_MAX: usize = 1024 * 1024;
/// Longest line that a server sends, in bytes: a line of a session with the texts that the file stores in blobs.
pub const SERVER_LINE_MAX: usize = 128 * 1024 * 1024;

/// A message of the server, besides lines of the session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerMessage {
    /// First message.
    Hello(Hello),
    /// Response to `attach`.
    Attached(Attached),
    /// Text that is in no event yet. It follows the last event; the next event supersedes it.
    Piece(SentPiece),
    /// A fault of the client's last line, or a refusal. The connection closes.
    Error(ErrorMessage),
    /// Last message.
    Bye(Bye),
}

/// The running conversation, as the server introduces it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    /// Version of the protocol.
    pub protocol: u32,
    /// Id of the session.
    pub session: String,
    /// Version of the session's format.
    pub format: u32,
    /// `seq` of the next event.
    pub seq: Seq,
    /// `steer`; a server may also restrict a client to `watch`.
    pub may: May,
    /// Title of the conversation.
    pub title: String,
    /// What the conversation does.
    pub state: Doing,
    /// Names of the participants that speak.
    pub speaking: Vec<String>,
    /// Number of clients that are attached.
    pub attached: usize,
    /// Process that runs the conversation.
    pub pid: u32,
}

/// Rights of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum May {
    /// Follow only.
    Watch,
    /// Follow and give commands.
    Steer,
}

/// Summary of a conversation's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doing {
    /// Somebody speaks or is about to.
    Running,
    /// Paused by the operator or after a failure.
    Paused,
    /// A person has the floor, or a limit is reached.
    Waiting,
    Ended,
}

/// Response to `attach`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attached {
    /// Name of the client in the log: the requested one, with a number if it is taken.
    pub name: String,
    /// Prefix of the keys of its commands: the n-th steering line of the connection has the key prefix + n, from 1.
    pub keys: String,
}

/// A piece of a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentPiece {
    pub turn: TurnId,
    /// `say` or `think`.
    #[serde(rename = "as")]
    pub channel: Channel,
    /// Time of the session.
    pub ms: Ms,
    pub text: String,
}

/// Reason for a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// A conversation started the client's process.
    Descends,
    /// All places are taken.
    Full,
    /// The name cannot be used.
    Name,
    /// The line is no message of the protocol.
    Line,
    /// The line is too long.
    TooLong,
    /// Too many commands wait.
    TooMany,
    /// The client did not attach in time.
    Late,
    /// The client may not give commands.
    WatchOnly,
    /// The request is for the program that runs the conversation.
    Owned,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorMessage {
    /// The reason.
    pub code: Code,
    /// One sentence.
    pub text: String,
}

/// End of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bye {
    /// The conversation ended.
    Ended,
    /// The process leaves the conversation, which can be resumed.
    Left,
    /// Another process takes the conversation over and can be attached to soon.
    Detached,
    /// The client read too slowly.
    Slow,
}

/// A message of a client, besides steering lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ClientMessage {
    /// Request for the lines of the session; first message.
    Attach(Attach),
    /// Request to end the conversation, as an interrupt would.
    Stop {},
}

/// Request for the lines of the session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attach {
    /// First `seq` to send; absent: only new events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Seq>,
    /// Requested name in the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// True if the client gives no commands.
    #[serde(default)]
    pub watch: bool,
}

impl From<&Piece> for SentPiece {
    fn from(piece: &Piece) -> SentPiece {
        let Piece { turn, channel, at, text } = piece;
        SentPiece { turn: *turn, channel: *channel, ms: *at, text: text.to_string() }
    }
}

impl From<SentPiece> for Piece {
    fn from(sent: SentPiece) -> Piece {
        let SentPiece { turn, channel, ms, text } = sent;
        Piece { turn, channel, at: ms, text: text.into() }
    }
}

/// Returns a message as a line, with its newline.
pub fn line(message: &impl Serialize) -> String {
    let json = serde_json::to_string(message);
    json.expect("messages have only texts and numbers") + "\n"
}
