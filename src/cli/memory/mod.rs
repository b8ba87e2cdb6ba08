//! Files besides the sessions that are kept from run to run.

pub mod drafts;
pub mod input_history;
pub mod last_copy;
pub mod preferences;
pub mod private_file;
