//! End-to-end tests of the session log and the engine: the real binary is killed, run on a full disk and steered, and
//! its files are read by independent code.
//!
//! Ten thousand kills, about half an hour on two cores:
//! `cargo test --test kills ten_thousand -- --ignored --nocapture`
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail where it stands")]

mod aimed;
mod full;
#[path = "../cli/house.rs"]
#[allow(dead_code, reason = "shared with the tests of the command line")]
mod house;
mod killed;
mod power;
#[path = "../program/mod.rs"]
mod program;
mod promises;
mod record;
mod tables;
