//! What a person wants of the screen: the one closed list that keys, palette and help all name.
//!
//! An action is an intention. What it changes is `update`'s business; which key means it is `keymap`'s.

/// An intention in the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Pauses after this speaker, takes that back, or goes on.
    TogglePause,
    /// One utterance, then paused again.
    Step,
    /// Stops this speaker, or passes over the next one.
    Skip,
    /// Stops whoever speaks and pauses.
    PauseNow,
    /// Lifts the limit that holds by one round.
    MoreRound,
    /// One line towards the beginning.
    LineUp,
    /// One line towards the end.
    LineDown,
    /// Half a page towards the beginning.
    HalfUp,
    /// Half a page towards the end.
    HalfDown,
    /// A page towards the beginning.
    PageUp,
    /// A page towards the end.
    PageDown,
    /// The beginning.
    Top,
    /// The end, and following what comes.
    Follow,
    /// Draws everything anew.
    Redraw,
    /// Ctrl-C: the gentlest of what can still be stopped.
    Interrupt,
    /// Leaves the screen; the session stays as it is.
    Quit,
}
