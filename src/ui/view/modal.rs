//! The mode of the composer with vim's keys.

/// The meaning of letters in the composer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VimMode {
    /// Letters are text.
    #[default]
    Insert,
    /// Letters are motions and changes.
    Normal,
}

/// The state of vim's keys.
#[derive(Clone, Debug, Default)]
pub struct Vim {
    /// The meaning of letters in the composer.
    pub mode: VimMode,
    /// The beginning of a command of two letters.
    pub begun: Option<char>,
    /// What was typed after a colon.
    pub colon: Option<String>,
    /// The count before a key in READ, with its prefix.
    pub count: Option<u32>,
}
