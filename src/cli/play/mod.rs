//! Plays a conversation: on the screen, as append-only text, or headless.

mod added;
pub mod alive;
pub mod assemble;
pub mod attached;
pub mod call_log;
pub mod cast;
pub mod casting;
pub mod changes;
pub mod detach;
pub mod door;
pub mod dry_run;
pub mod editor;
pub mod gate;
pub mod headless;
pub mod history;
pub mod leaving;
pub mod linear;
pub mod material;
pub mod next;
pub mod opening;
pub mod outcome;
pub mod outside;
pub mod printer;
#[cfg(any(feature = "mcp", feature = "acp"))]
pub mod screen;
pub mod seating;
pub mod signals;
pub mod state_file;
pub mod stdin;
pub mod terminal;
pub mod toolbox;
