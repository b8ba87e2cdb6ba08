//! The past of a resumed conversation: read once, folded once and passed on.

use crate::session::{Record, Survey};
use crate::state::State;
use crate::ui::ViewState;
use crate::ui::view::transcript::Transcript;
use std::sync::Arc;

/// A session after reading and folding.
pub struct OpenedSession {
    /// Facts about its file.
    pub survey: Survey,
    /// State after its last event.
    pub past: State,
    /// The past in the form that its reader needs.
    pub before: Before,
}

/// The past, for a reader that follows the conversation from here on.
#[derive(Default)]
pub enum Before {
    /// No history; new events only.
    #[default]
    Nothing,
    /// Earlier events, in order.
    Events(Vec<Arc<Record>>),
    /// The transcript, and the reader's position if its end was already on the screen.
    Transcript(Box<Transcript>, Option<Box<ViewState>>),
}
