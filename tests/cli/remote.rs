//! Tests of the language-model voice against a server that misbehaves in every possible way.

mod call;
mod chunkings;
mod connections;
#[path = "../faults/mod.rs"]
mod faults;
mod http_faults;
mod many;
mod real;
mod server;
mod stream_faults;
mod streams;
mod wires;
