//! Text as rows: wrapped at a width, parsed as Markdown, coloured as code.

pub mod card;
pub mod caret;
pub mod code;
pub mod links;
pub mod markdown;
pub mod tables;
pub mod wrap;
