//! Past sessions: the list, finding one by name, a search in all of them, and the trash.
//!
//! It reads session files and writes none; beside each it keeps a summary that can be deleted. A bad file is listed as
//! what it is and never hides the others. What is said in a session plays no part here but when words are looked for.

mod examples;
mod find;
mod list;
mod search;
mod stored;
mod summary;
mod trash;
mod tree;

pub use examples::{EXAMPLES, example};
pub use find::{SessionNotFound, find, last};
pub use list::{list, paths};
pub use search::{Hit, Query, search, split_query};
pub use summary::{SessionStatus, SessionSummary};
pub use trash::{NotMoved, delete, restore};
pub use tree::{Branch, family, tree};
