//! Tests of the language-model voice against a server that misbehaves in every possible way.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail where it stands")]

mod call;
mod chunkings;
mod connections;
#[path = "../faults/mod.rs"]
mod faults;
mod http_faults;
mod many;
#[path = "../program/mod.rs"]
mod program;
mod real;
mod server;
mod stream_faults;
mod streams;
mod wires;
