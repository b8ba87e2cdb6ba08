//! What a file may run, and what the operator has agreed to.

pub mod allowed;
pub mod bound;
pub mod pins;
pub mod store;
pub mod untrusted;
