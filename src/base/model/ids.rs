//! Newtypes for values that could be confused: positions in the log, times, names.
//!
//! The id of a thread, batch, turn or call is the `seq` of the event that created it, so there is no id generator and
//! ids stay unique across forks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{fmt, sync::Arc};

/// Shared, untrusted text; `text` makes it safe to show.
pub type Text = Arc<str>;

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(pub u64);
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}
macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(pub Text);
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
        impl From<&str> for $name {
            fn from(s: &str) -> Self {
                $name(s.into())
            }
        }
        impl From<String> for $name {
            fn from(s: String) -> Self {
                $name(s.into())
            }
        }
        impl std::ops::Deref for $name {
            type Target = str;
            fn deref(&self) -> &str {
                &self.0
            }
        }
        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                &*self.0 == other
            }
        }
        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                &*self.0 == *other
            }
        }
    };
}

number!(
    /// Position of an event in its log, from 0, without gaps.
    Seq
);
number!(
    /// Monotonic milliseconds of the session, pauses included.
    Ms
);
number!(
    /// A conversation inside the conversation; [`ThreadId::ROOT`] is the conversation itself.
    ThreadId
);
number!(
    /// Turns granted at once; its number is the horizon of its participants.
    BatchId
);
number!(
    /// One grant of the floor: the `seq` of its `floor.granted`.
    TurnId
);
number!(
    /// One request to a voice; a turn may need several.
    CallId
);
name!(
    /// The stable ASCII name of a participant (`[a-z0-9_-]`).
    SeatId
);
name!(
    /// The key of a command: a command with the same key acts only once.
    Key
);

/// Number of a message, from 1: of a turn, or of a message of the operator to all, written `h1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Value", into = "Value")]
pub enum MessageNumber {
    /// The number of a turn.
    Turn(u32),
    /// The number of a message of the operator, as prompts count them.
    Host(u32),
}

impl MessageNumber {
    /// Parses `h1`; `None` for other words.
    pub fn of_host(word: &str) -> Option<MessageNumber> {
        word.strip_prefix('h')?.parse().ok().map(MessageNumber::Host)
    }
}

impl TryFrom<Value> for MessageNumber {
    type Error = String;
    fn try_from(value: Value) -> Result<Self, String> {
        let turn = value.as_u64().and_then(|n| n.try_into().ok()).map(MessageNumber::Turn);
        let of_host = || MessageNumber::of_host(value.as_str()?);
        turn.or_else(of_host)
            .ok_or_else(|| format!("{value} is neither a turn number nor like \"h1\""))
    }
}

impl From<MessageNumber> for Value {
    fn from(number: MessageNumber) -> Value {
        match number {
            MessageNumber::Turn(number) => number.into(),
            MessageNumber::Host(number) => format!("h{number}").into(),
        }
    }
}

impl fmt::Display for MessageNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MessageNumber::Turn(number) => write!(f, "turn {number}"),
            MessageNumber::Host(number) => write!(f, "message h{number}"),
        }
    }
}

/// Wall-clock time in milliseconds since the Unix epoch; for information only, never for decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wall(pub i64);

impl ThreadId {
    /// The conversation itself, opened by the first event.
    pub const ROOT: ThreadId = ThreadId(0);

    /// Returns true for the conversation itself.
    pub fn is_root(&self) -> bool {
        *self == ThreadId::ROOT
    }
}

impl Key {
    /// Prefix of the keys of clients' commands.
    const OF_CLIENTS: &str = "live:";

    /// Returns the prefix of the keys on one connection of a client: its n-th line has the key prefix + n, from 1.
    pub fn client_prefix(name: &str, connection: u64) -> String {
        format!("{}{name}:{connection:012x}:", Key::OF_CLIENTS)
    }

    /// Returns the name of the client that sent the command; `None` for all other sources.
    pub fn client(&self) -> Option<&str> {
        let (name, _) = self.0.strip_prefix(Key::OF_CLIENTS)?.split_once(':')?;
        Some(name)
    }
}

impl Seq {
    /// Returns the next position.
    pub fn next(self) -> Seq {
        Seq(self.0 + 1)
    }
}

impl Ms {
    /// Returns the milliseconds since `earlier`, 0 if `earlier` is later.
    pub fn since(self, earlier: Ms) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Returns the time `ms` later.
    pub fn plus(self, ms: u64) -> Ms {
        Ms(self.0.saturating_add(ms))
    }
}
