//! colloquium.

pub mod catalogue;
pub mod cli;
pub mod clock;
pub mod config;
pub mod engine;
pub mod export;
pub mod expr;
pub mod model;
pub mod net;
pub mod policy;
pub mod prompt;
pub mod reply;
pub mod scenario;
pub mod session;
pub mod spawn;
pub mod state;
pub mod steer;
pub mod text;
pub mod voice;
