//! The core's promises: what holds for every conversation, whatever happens to it.
//!
//! `cargo test --test core`; more storms with `STORMS=20000 cargo test --release --test core storms`.

mod counting;
mod disk;
mod flows;
mod harness;
mod kills;
mod minds;
mod verbs;
