//! The start screen: topic, table and saved sessions.
//!
//! `cli` passes its findings, some of them after the first frame, and gets back a choice. Nothing here uses a server, a
//! file or an engine, and nothing starts without the user's choice.

mod keying;
mod keys;
mod list;
mod state;
mod table;
mod update;
mod words;

pub use crate::ui::start::keying::{KeyShape, Keying};
pub use crate::ui::start::list::{ListRow, focused, rows};
pub use crate::ui::start::state::{
    Choice, Forecast, Host, ListedExample, ListedScenario, News, PlannedSeat, ScenarioChoice,
    StartRow, StartScreen, TalkPlan, TalkSetting, VoiceChoice,
};
pub use crate::ui::start::table::{ModelPlace, OfferedModel, bare, short};
pub use crate::ui::start::update::{WAYS, key, paste};
pub use crate::ui::start::words::{ago, status_text};
