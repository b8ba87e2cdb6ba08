//! The past of a conversation that is resumed: read once, folded once, and passed on.

use crate::session::{Record, Survey};
use crate::state::State;
use crate::ui::ViewState;
use crate::ui::view::transcript::Transcript;
use std::sync::Arc;

/// A session that was read and folded.
pub struct OpenedSession {
    /// The facts about its file.
    pub survey: Survey,
    /// The state after its last event.
    pub past: State,
    /// The same for a reader that shows it.
    pub before: Before,
}

/// The past, for a reader that follows a conversation from here on.
#[derive(Default)]
pub enum Before {
    /// None: the reader sees only what comes.
    #[default]
    Nothing,
    /// The events before, in order.
    Events(Vec<Arc<Record>>),
    /// The transcript, and where its reader is, if they have seen its end already.
    Told(Box<Transcript>, Option<Box<ViewState>>),
}
