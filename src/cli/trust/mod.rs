//! What a file may run, and what the operator has agreed to.

pub mod allowed;
pub mod store;
pub mod untrusted;
