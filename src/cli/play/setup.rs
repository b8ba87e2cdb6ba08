//! A conversation that is ready to be played, and how it is to be played.

use crate::cli::args::play::Play;
use crate::cli::play::assemble::Assembled;
use crate::cli::trust::allowed::Allowed;

/// A conversation that is ready to be played.
pub struct Setup {
    /// The engine and what belongs to it.
    pub conversation: Assembled,
    /// The options of the run.
    pub play: Play,
    /// Which commands it may run.
    pub allowed: Allowed,
    /// What the screen says first.
    pub notice: Option<String>,
}
