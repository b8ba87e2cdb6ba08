//! Output formats of printed conversations.

use crate::export;
use clap::ValueEnum;

/// Format of standard output.
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
    /// Returns the formatter; `None` for JSON lines, which are copied unchanged.
    pub fn spelling(self) -> Option<export::Spelling> {
        match self {
            PrintFormat::Text => Some(export::text::spell),
            PrintFormat::Md => Some(export::md::spell),
            PrintFormat::Jsonl => None,
        }
    }
}
