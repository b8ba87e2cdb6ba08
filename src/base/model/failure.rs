//! Failed calls: a class for decisions, a text for people.

use super::ids::Text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Class of a failed call; determines retries and the message for the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// The program of a script could not be started.
    NotFound,
    /// The voice failed: a script's non-zero exit, an error of the server.
    Failed,
    /// The reply could not be parsed.
    NoProtocol,
    /// The reply contained no text.
    Empty,
    /// A limit of the program was exceeded (size, lines, depth).
    TooLarge,
    /// No text arrived before the timeout.
    Silence,
    /// The connection was lost in the middle of the stream.
    Broken,
    /// The participant has no voice that this program can reach.
    NoVoice,
    /// No server listens at the address.
    Refused,
    /// The host name has no address.
    Dns,
    /// The TLS handshake failed.
    Tls,
    /// The key is missing or was rejected.
    Credentials,
    /// The account has no credit left.
    Credit,
    /// The server has no such model.
    UnknownModel,
    /// The server rejected the request; a retry would not help.
    BadRequest,
    /// The provider limits the rate of requests (429).
    Rate,
    /// The server is overloaded.
    Overload,
    /// The prompt exceeds the model's context window.
    Context,
    /// The provider's content filter blocked the call.
    Filter,
    /// The reply did not have the required form.
    Form,
    /// A limit left no room for the call.
    Budget,
    /// All tokens of the reply were spent before its text began, or before its JSON ended.
    Length,
    /// The reply only repeated earlier text.
    Echo,
}

impl ErrorClass {
    /// Returns whether the same call may succeed a little later.
    pub fn may_pass(self) -> bool {
        matches!(self.group(), FailureGroup::Passing { .. })
    }

    /// Returns whether the call costs money because a model had started on it.
    pub fn costs(self) -> bool {
        matches!(self.group(), FailureGroup::Passing { paid: true } | FailureGroup::Unusable)
    }

    /// Returns whether a person must act first: a key, an account, a name.
    pub fn needs_a_hand(self) -> bool {
        self.group() == FailureGroup::Person
    }

    fn group(self) -> FailureGroup {
        match self {
            ErrorClass::Empty | ErrorClass::Silence | ErrorClass::Broken => {
                FailureGroup::Passing { paid: true }
            }
            ErrorClass::Failed
            | ErrorClass::NoProtocol
            | ErrorClass::Refused
            | ErrorClass::Dns
            | ErrorClass::Tls
            | ErrorClass::Rate
            | ErrorClass::Overload => FailureGroup::Passing { paid: false },
            ErrorClass::TooLarge
            | ErrorClass::Filter
            | ErrorClass::Form
            | ErrorClass::Length
            | ErrorClass::Echo => FailureGroup::Unusable,
            ErrorClass::NotFound
            | ErrorClass::NoVoice
            | ErrorClass::Credentials
            | ErrorClass::Credit
            | ErrorClass::UnknownModel
            | ErrorClass::BadRequest => FailureGroup::Person,
            ErrorClass::Context | ErrorClass::Budget => FailureGroup::Final,
        }
    }

    /// Returns whether the model is missing or rejected the key.
    pub fn lacks_a_model(self) -> bool {
        matches!(self, ErrorClass::Credentials | ErrorClass::UnknownModel)
    }

    /// Returns whether the server asked for a delay; waiting then costs no retry.
    pub fn asks_to_wait(self) -> bool {
        matches!(self, ErrorClass::Rate | ErrorClass::Overload)
    }
}

/// Group of failures with the same consequences.
#[derive(PartialEq, Eq)]
enum FailureGroup {
    /// The same call may succeed a little later.
    Passing {
        /// True if a model had started on it.
        paid: bool,
    },
    /// A model replied, but its reply cannot be used.
    Unusable,
    /// A person must act first.
    Person,
    /// The call does not fit into its limits.
    Final,
}

/// A failed call: a class for decisions, a text for people. The text never becomes speech.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallError {
    /// Determines whether the call is retried.
    pub class: ErrorClass,
    /// One sentence, untrusted.
    pub text: Text,
    /// Pointer to the first wrong field of a structured reply, such as `/profile/home`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<Text>,
}

impl CallError {
    /// Creates an error that concerns the whole call.
    pub fn new(class: ErrorClass, text: impl Into<Text>) -> CallError {
        CallError { class, text: text.into(), field: None }
    }
}
