//! Permissions of files, and the operator's consent to them.

pub mod allowed;
pub mod bound;
pub mod pins;
pub mod store;
pub mod untrusted;
