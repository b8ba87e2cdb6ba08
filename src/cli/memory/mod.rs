//! What is kept from run to run besides the sessions.

pub mod drafts;
pub mod input_history;
pub mod last_copy;
pub mod preferences;
pub mod private_file;
