//! Benchmarks: `cargo bench`, or `cargo bench -- prompt` for those with `prompt` in their names.
//!
//! They only report; requirements are tests.

#![allow(clippy::unwrap_used, reason = "a bench that cannot begin has nothing to report")]

mod engine;
mod live;
#[path = "../program/mod.rs"]
mod program;
mod record;
mod screen;
mod scripted;
mod talk;
mod text;

fn main() {
    divan::main();
}
