//! The start screen: what to talk about, by whom, and what was said before; at the first run, what can be done at all.
//!
//! `cli` hands in what it found, some of it after the first frame, and gets back a choice. Nothing here knows a server,
//! a file or an engine, and nothing starts before a person said so.

mod keying;
mod keys;
pub mod run;
mod state;
mod update;
mod words;

pub use crate::ui::start::keying::Keying;
pub use crate::ui::start::state::{
    Choice, Host, Mind, News, ScenarioChoice, StartRow, StartScreen, VoiceChoice,
};
pub use crate::ui::start::update::{key, paste};
pub use crate::ui::start::words::{ago, standing};
