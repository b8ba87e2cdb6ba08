//! Reading replies: whose words a reply really holds, and what a finished utterance asks of the conversation.
//!
//! Only words that a seat said itself count, never what it quotes or shows as code: other people's text must not
//! smuggle in control. This room reads; it deliberately decides nothing. Whether a mention moves the floor is decided
//! by the policy.
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
mod quotes;
mod repair;
mod repetition;
mod think;
mod whisper;

pub use answer::spelled;
pub use form::formed;
pub use formed::Formed;
pub use joined::joined;
pub use keep::{kept, said_in};
pub use mentions::{asked, mentions};
pub use proposal::without_marker;
pub use quotes::checked as quotes_checked;
pub use repair::{RepairedReply, repair, repair_again};
pub use repetition::{echoes, repeats_from};
pub use think::Splitter;
pub use whisper::{Parted, parted};
