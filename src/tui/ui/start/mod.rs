//! The start screen: topic, cast and saved sessions; at the first run, the setup.
//!
//! `cli` passes its findings, some of them after the first frame, and gets back a choice. Nothing here uses a server, a
//! file or an engine, and nothing starts without the user's choice.

mod keying;
mod keys;
mod state;
mod update;
mod words;

pub use crate::ui::start::keying::{KeyShape, Keying};
pub use crate::ui::start::state::{
    Choice, Host, ListedScenario, News, OfferedModel, ScenarioChoice, StartRow, StartScreen,
    VoiceChoice,
};
pub use crate::ui::start::update::{key, paste};
pub use crate::ui::start::words::{ago, status_text};
