//! Newtypes for values that could be confused: positions in the log, times, names.
//!
//! The id of a thread, batch, turn or call is the `seq` of the event that created it, so there is no id generator and
//! ids stay unique across forks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
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
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
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
