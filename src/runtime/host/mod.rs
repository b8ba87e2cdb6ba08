//! Conversations that run: [`assemble`] joins the parts of one, and [`Assembled::start`] runs its engine on a task;
//! [`attach()`] and [`follow`] return one that another process runs.
//!
//! Everything that shows or steers a conversation has the same [`RunningConversation`]: its tail, the sender of commands,
//! and the [`Run`], which reports the end. Only this module names the engine, so no caller has a loop of its own around
//! it, and leaving has one meaning: the calls are aborted, everything is written, and then the socket and the lock go.

mod parts;
mod remote;
mod running;
mod team;
mod unsaved;

use crate::voice::reading::ReadingPace;
pub use parts::{Assembled, Opening, Parts};
pub use remote::{attach, follow};
pub use running::{End, Leave, Run, RunningConversation};
use std::sync::Arc;
pub use team::with_teams;
pub use unsaved::unsaved;

/// Assembles a conversation and appends its first event.
pub fn assemble(parts: Parts) -> Assembled {
    let mut voices = with_teams(parts.voices, parts.tools.clone());
    if parts.at_reading_pace {
        voices = Arc::new(ReadingPace(voices));
    }
    Assembled::new(Parts { voices, ..parts })
}
