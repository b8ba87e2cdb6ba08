//! The mode of the composer with vim's keys.

/// What letters mean in the composer.
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
    /// What letters mean in the composer.
    pub mode: VimMode,
    /// The beginning of a command of two letters.
    pub begun: Option<char>,
    /// What was typed after a colon.
    pub colon: Option<String>,
    /// The count before a key at the table, behind its sign.
    pub count: Option<u32>,
}
