//! A conversation while it runs: on the screen, as growing text, or without anybody.

pub mod alive;
pub mod assemble;
pub mod before;
pub mod call_log;
pub mod cast;
pub mod changes;
pub mod dry_run;
pub mod editor;
pub mod engine_input;
pub mod gate;
pub mod go;
pub mod headless;
pub mod history;
pub mod linear;
pub mod next;
pub mod opening;
pub mod outcome;
pub mod outside;
pub mod printer;
pub mod screen;
pub mod setup;
pub mod signals;
pub mod state_file;
pub mod stdin;
pub mod terminal;
pub mod toolbox;
