//! Files other than sessions that are kept between runs.

pub mod adaptations;
pub mod drafts;
pub mod input_history;
pub mod preferences;
pub mod private_file;
