//! Why a call failed: a class for decisions, a text for people.

use super::ids::Text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The class of a failed call: it decides whether the call is retried and what the operator reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// The program of a script could not be started.
    NotFound,
    /// The voice exists but could not do it: a script's non-zero exit, a server's own fault.
    Failed,
    /// The reply could not be understood.
    NoProtocol,
    /// The reply contained no words.
    Empty,
    /// A bound of the program was exceeded (size, lines, depth).
    TooLarge,
    /// No word arrived before the time-out.
    Silence,
    /// The connection was lost in the middle of the stream.
    Broken,
    /// The seat has no voice that this program can reach.
    NoVoice,
    /// No server listens at the address.
    Refused,
    /// The name of the host has no address.
    Dns,
    /// No secure connection could be made.
    Tls,
    /// No key, or one that was rejected.
    Credentials,
    /// The account has no credit left.
    Credit,
    /// The server has no such model.
    UnknownModel,
    /// The request was not understood; sending it again would not help.
    BadRequest,
    /// The provider limits the rate of requests (429).
    Rate,
    /// The server is overloaded.
    Overload,
    /// The prompt does not fit the model's window.
    Context,
    /// The provider's content filter blocked the call.
    Filter,
    /// The reply did not have the form it was asked for.
    Form,
    /// A limit left no room for the call.
    Budget,
    /// All tokens of the reply were spent before it had a word, or before its JSON ended.
    Length,
    /// The reply only repeated earlier words.
    Echo,
}

impl ErrorClass {
    /// Returns whether the same call might succeed a little later.
    pub fn may_pass(self) -> bool {
        match self {
            ErrorClass::Failed
            | ErrorClass::NoProtocol
            | ErrorClass::Empty
            | ErrorClass::Silence
            | ErrorClass::Broken
            | ErrorClass::Refused
            | ErrorClass::Dns
            | ErrorClass::Tls
            | ErrorClass::Rate
            | ErrorClass::Overload => true,
            ErrorClass::NotFound
            | ErrorClass::TooLarge
            | ErrorClass::NoVoice
            | ErrorClass::Credentials
            | ErrorClass::Credit
            | ErrorClass::UnknownModel
            | ErrorClass::BadRequest
            | ErrorClass::Context
            | ErrorClass::Filter
            | ErrorClass::Form
            | ErrorClass::Length
            | ErrorClass::Echo
            | ErrorClass::Budget => false,
        }
    }

    /// Returns whether a model had begun to work when it failed so, which is paid for.
    pub fn costs(self) -> bool {
        match self {
            ErrorClass::Empty
            | ErrorClass::TooLarge
            | ErrorClass::Silence
            | ErrorClass::Broken
            | ErrorClass::Filter
            | ErrorClass::Form
            | ErrorClass::Length
            | ErrorClass::Echo => true,
            ErrorClass::NotFound
            | ErrorClass::Failed
            | ErrorClass::NoProtocol
            | ErrorClass::NoVoice
            | ErrorClass::Refused
            | ErrorClass::Dns
            | ErrorClass::Tls
            | ErrorClass::Credentials
            | ErrorClass::Credit
            | ErrorClass::UnknownModel
            | ErrorClass::BadRequest
            | ErrorClass::Rate
            | ErrorClass::Overload
            | ErrorClass::Context
            | ErrorClass::Budget => false,
        }
    }

    /// Returns whether nothing will change until a person acts: a key, an account, a name.
    pub fn needs_a_hand(self) -> bool {
        match self {
            ErrorClass::NotFound
            | ErrorClass::NoVoice
            | ErrorClass::Credentials
            | ErrorClass::Credit
            | ErrorClass::UnknownModel
            | ErrorClass::BadRequest => true,
            ErrorClass::Failed
            | ErrorClass::NoProtocol
            | ErrorClass::Empty
            | ErrorClass::TooLarge
            | ErrorClass::Silence
            | ErrorClass::Broken
            | ErrorClass::Refused
            | ErrorClass::Dns
            | ErrorClass::Tls
            | ErrorClass::Rate
            | ErrorClass::Overload
            | ErrorClass::Context
            | ErrorClass::Filter
            | ErrorClass::Form
            | ErrorClass::Length
            | ErrorClass::Echo
            | ErrorClass::Budget => false,
        }
    }

    /// Returns whether there is no model, or none that takes the key.
    pub fn lacks_a_model(self) -> bool {
        matches!(self, ErrorClass::Credentials | ErrorClass::UnknownModel)
    }

    /// Returns whether the server asked to be left alone for a while: waiting then costs no retry.
    pub fn asks_to_wait(self) -> bool {
        matches!(self, ErrorClass::Rate | ErrorClass::Overload)
    }
}

/// Why a call failed: a class for decisions, a text for people. The text never becomes speech.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallError {
    /// What decides whether the call is retried.
    pub class: ErrorClass,
    /// One sentence, untrusted.
    pub text: Text,
}
