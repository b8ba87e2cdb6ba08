//! Changes of the screen: keys and actions in, a changed view and requests out.

pub mod appearance;
pub mod branches;
pub mod commands;
pub mod completion;
pub mod entries;
pub mod intents;
pub mod jump;
pub mod leave;
pub mod lists;
pub mod modal;
pub mod mouse;
pub mod navigate;
pub mod participant;
pub mod playback;
pub mod select;
pub mod send;
pub mod undo;
pub mod update;
