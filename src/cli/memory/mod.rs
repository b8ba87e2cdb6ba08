//! What is kept from run to run beside the sessions.

pub mod input_history;
pub mod preferences;
