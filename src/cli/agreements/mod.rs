//! Agreements of the operator to files with commands, with digests of everything that they cover.

mod bound;
pub mod store;
