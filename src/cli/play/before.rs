//! What was before, where a conversation is taken up: read once, folded once, and handed on.

use crate::session::{Record, Survey};
use crate::state::State;
use crate::ui::ViewState;
use crate::ui::view::transcript::Transcript;
use std::sync::Arc;

/// A session that was read and folded.
pub struct OpenedSession {
    /// What is known of its file.
    pub survey: Survey,
    /// What it says.
    pub past: State,
    /// The same for whoever shows it.
    pub before: Before,
}

/// What was before, for whoever follows a conversation from here on.
#[derive(Default)]
pub enum Before {
    /// They are shown what comes, and nothing else.
    #[default]
    Nothing,
    /// The events.
    Events(Vec<Arc<Record>>),
    /// The transcript, and where its reader is, if they have seen its end already.
    Told(Box<Transcript>, Option<Box<ViewState>>),
}
