//! Past sessions: a list of them all, and the one that a person means.
//!
//! It reads session files and writes nothing. A bad file is listed as what it is and never hides the others; what is
//! said in a session plays no part here but its title.

mod find;
mod list;

pub use find::{NotFound, find, last};
pub use list::{Standing, Summary, list};
