//! A conversation that is ready to be played, and how it is to be played.

use crate::cli::args::play::Play;
use crate::cli::models::inquiry::Inquiry;
use crate::cli::play::assemble::Assembled;
use crate::cli::trust::allowed::Allowed;

/// A conversation that is ready to be played.
pub struct Setup {
    /// The engine and what belongs to it.
    pub conversation: Assembled,
    /// The options of the run.
    pub play: Play,
    /// The commands that the conversation may run.
    pub allowed: Allowed,
    /// Asks the providers for their models after the first frame, before anybody speaks; none where they were asked already.
    pub inquiry: Option<Inquiry>,
    /// The first notice on the screen; none where there is nothing to say.
    pub notice: Option<String>,
}
