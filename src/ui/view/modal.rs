//! Where somebody with the habits of vim stands.

/// What letters mean in the composer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VimMode {
    /// Text.
    #[default]
    Insert,
    /// Moves and changes.
    Normal,
}

/// Where somebody with these habits stands.
#[derive(Clone, Debug, Default)]
pub struct Vim {
    /// What letters mean in the composer.
    pub mode: VimMode,
    /// The beginning of a command of two letters.
    pub begun: Option<char>,
    /// What was typed behind a colon.
    pub colon: Option<String>,
    /// The count before a key at the table, behind its sign.
    pub count: Option<u32>,
}
