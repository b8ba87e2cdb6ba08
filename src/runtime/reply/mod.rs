//! Parses replies: separates the speaker's own text from that of others, and reads the data and mentions in it.
//!
//! Only a seat's own text counts, never its quotes or code: text by other participants must not smuggle in control.
//! This module only parses and deliberately decides nothing; for example, the policy decides whether a mention moves
//! the floor.
#![deny(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod answer;
mod closing;
mod form;
mod json;
mod letters;
mod lines;
mod mention;
mod mentions;
mod names;
mod number;
mod plan;
mod questions;
mod read;
mod repair;
mod schema;
mod step;
mod stream;
#[cfg(test)]
mod tests;
mod think;
mod vote;
mod whisper;
mod wishes;
mod words;

pub use answer::{disagrees, last_box, normalised};
pub use closing::{ClosingParts, behind_label};
pub use form::read;
pub use lines::line_with;
pub use mentions::mentions;
pub use questions::{
    DirectedQuestion, answers, asked_at_end, asks_each, called, has_question, last_question,
    questions,
};
pub use read::{ReadReply, Unclear, WantedReply};
pub use repair::{RepairedReply, repair, repair_again};
pub use schema::corrected_form;
pub use stream::{ReplyStream, Speech, StreamEnd, read_alone};
pub use whisper::{Parted, parted};
pub use wishes::{is_errand, is_wish};
