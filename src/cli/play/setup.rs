//! A conversation that is ready to be played, with its options.

use crate::cli::args::play::Play;
use crate::cli::models::inquiry::Inquiry;
use crate::cli::play::assemble::Assembled;
use crate::cli::trust::allowed::Allowed;

/// A conversation that is ready to be played.
pub struct Setup {
    /// The engine and everything that belongs to it.
    pub conversation: Assembled,
    /// Options of the run.
    pub play: Play,
    /// Commands that the conversation may run.
    pub allowed: Allowed,
    /// Request for the providers' models, sent after the first frame and before the first turn; `None` if they were
    /// asked already.
    pub inquiry: Option<Inquiry>,
    /// First notice on the screen, if any.
    pub notice: Option<String>,
}
