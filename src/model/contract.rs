//! The form that a reply must have: what a seat promises for its words, and what other purposes ask for.
//!
//! It deliberately reads no reply: `reply` does, and `prompt` says it in words.

use super::ids::Text;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a seat's replies must be, and how often it may try again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contract {
    /// The form.
    pub form: Form,
    /// Further calls of the same turn, each of which is shown what was wrong with the reply before it.
    #[serde(default = "once")]
    pub again: u32,
}

fn once() -> u32 {
    1
}

impl Default for Contract {
    fn default() -> Self {
        Contract { form: Form::Free, again: once() }
    }
}

impl Contract {
    /// Returns whether any words will do.
    pub fn is_free(&self) -> bool {
        self.form == Form::Free
    }
}

/// A form of replies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Any words.
    #[default]
    Free,
    /// Any words, in which these signs mean something; one that says "pass" alone lets the turn go.
    Markers(Vec<Text>),
    /// One of these answers, and why.
    Choice(Vec<Text>),
    /// JSON that fits this JSON Schema.
    Schema(Value),
    /// How much a seat wants to speak, from 0 to [`BID_MAX`], and why.
    Bid,
    /// Which of these sides is better, what each scores from 0 to [`SCORE_MAX`], and why.
    Judgement(Vec<Text>),
}

/// The highest bid.
pub const BID_MAX: f64 = 10.0;
/// The highest score of a side.
pub const SCORE_MAX: f64 = 10.0;
/// What a judge answers who finds no side better.
pub const TIE: &str = "tie";
