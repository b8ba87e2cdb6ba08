//! What changes the screen: keys and actions in, changed views and requests out.

pub mod appearance;
pub mod branches;
pub mod commands;
pub mod entries;
pub mod intents;
pub mod leave;
pub mod modal;
pub mod mouse;
pub mod navigate;
pub mod participant;
pub mod select;
pub mod undo;
pub mod update;
