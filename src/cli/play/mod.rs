//! A conversation while it runs: on the screen, as growing text, or without anybody.

pub mod dry_run;
pub mod editor;
pub mod headless;
pub mod history;
pub mod journal;
pub mod linear;
pub mod printer;
pub mod screen;
pub mod signals;
pub mod stdin;
