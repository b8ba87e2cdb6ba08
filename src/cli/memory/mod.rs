//! Files other than sessions that are kept between runs.

pub mod adaptations;
pub mod private_file;
