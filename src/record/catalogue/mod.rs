//! Past sessions: list, lookup by name, full-text search, trash.
//!
//! Reads session files and writes none; next to each it keeps a summary that can be deleted. A damaged file is listed
//! as such and never hides the others. Only the search looks at text.

mod examples;
mod find;
mod list;
mod search;
mod stored;
mod trash;
mod tree;

pub use examples::{EXAMPLES, example};
pub use find::{SessionNotFound, find, last};
pub use list::{Headline, list, paths};
pub use search::{Hit, Query, search, split_query};
pub use stored::{SessionStatus, SessionSummary};
pub use trash::{NotMoved, delete, restore};
pub use tree::{Branch, family, tree};
