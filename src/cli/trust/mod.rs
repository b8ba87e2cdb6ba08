//! Permissions of files, and the operator's consent to them.

pub mod allowed;
pub mod pins;
