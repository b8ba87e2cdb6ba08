//! Files other than sessions that are kept between runs.

pub mod drafts;
pub mod input_history;
pub mod last_copy;
pub mod preferences;
pub mod private_file;
