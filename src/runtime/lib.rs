//! Engine, policies, prompts, replies, steering, sockets, running conversations.

pub use colloquium_providers::*;
pub use colloquium_record::*;

pub mod engine;
pub mod escape;
pub mod host;
pub mod ledger;
pub mod live;
pub mod policy;
pub mod prompt;
pub mod reply;
pub mod rules;
pub mod steer;
