//! What is printed on standard output.

use crate::export;
use clap::ValueEnum;

/// What is printed on standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PrintFormat {
    /// Plain text, one block per finished turn.
    #[default]
    Text,
    /// The session's lines, exactly as its file holds them.
    Jsonl,
    /// Markdown.
    Md,
}

impl PrintFormat {
    /// Returns how the format is spelled; none for the lines themselves.
    pub fn spelling(self) -> Option<export::Spelling> {
        match self {
            PrintFormat::Text => Some(export::text::spell),
            PrintFormat::Md => Some(export::md::spell),
            PrintFormat::Jsonl => None,
        }
    }
}
