//! Selection, addresses and availability of models.

pub mod agents;
pub mod alike;
pub mod inquiry;
pub mod key_command;
pub mod local;
pub mod minds;
pub mod named;
pub mod places;
pub mod programs;
pub mod providers;
pub mod resolve;
pub mod survey;
pub mod tool_servers;
pub mod update;
