//! Parses replies: separates the speaker's own text from that of others, and reads the data and mentions in it.
//!
//! Only a seat's own text counts, never its quotes or code: text by other participants must not smuggle in control.
//! This module only parses and deliberately decides nothing; for example, the policy decides whether a mention moves
//! the floor.
#![deny(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod answer;
mod choices;
mod data;
mod form;
mod formed;
mod joined;
mod keep;
mod mentions;
mod message;
mod plan;
mod proposal;
mod questions;
mod quotes;
mod repair;
mod repetition;
mod stance;
#[cfg(test)]
mod tests;
mod think;
mod whisper;

pub use answer::spelled;
pub use form::formed;
pub use formed::{FormFault, Formed};
pub use joined::joined;
pub use keep::{kept, said_in};
pub use mentions::{asked, mentions};
pub use proposal::{streamed_answer, without_marker};
pub use questions::{DirectedQuestion, called, questions};
pub use quotes::checked as quotes_checked;
pub use repair::{RepairedReply, repair, repair_again};
pub use repetition::{closed_at_repetition, echoes, repeats_from};
pub use stance::{StanceApart, StanceFilter, stance_apart};
pub use think::Splitter;
pub use whisper::{Parted, parted};
