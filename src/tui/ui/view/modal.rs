//! Vim mode of the composer.

/// Mode of the composer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VimMode {
    /// Letters are text.
    #[default]
    Insert,
    /// Letters are motions and changes.
    Normal,
}

/// State of the Vim mode.
#[derive(Clone, Debug, Default)]
pub struct Vim {
    /// Current mode.
    pub mode: VimMode,
    /// First letter of a two-letter command.
    pub begun: Option<char>,
    /// Text of the command line, after the colon.
    pub colon: Option<String>,
    /// Count typed before a key in the transcript, after its `'` prefix.
    pub count: Option<u32>,
}
