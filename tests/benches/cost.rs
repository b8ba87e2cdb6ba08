//! What things cost: `cargo bench`, or `cargo bench -- prompt` for those whose names have that in them.
//!
//! They report and fail nothing; what must hold is a test.

#![allow(clippy::unwrap_used, reason = "a bench that cannot begin has nothing to report")]

mod engine;
mod record;
mod screen;
mod scripted;
mod talk;
mod text;

fn main() {
    divan::main();
}
