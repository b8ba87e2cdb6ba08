//! Models, scripts, agents, HTTP services, tools; processes and connections.

pub use colloquium_config::*;

pub mod net;
pub mod rpc;
pub mod spawn;
pub mod tool;
pub mod voice;
