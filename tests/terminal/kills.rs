//! End-to-end tests of the session log and the engine: the real binary is killed, run on a full disk and steered, and
//! its files are read by independent code.
//!
//! Ten thousand kills, about half an hour on two cores:
//! `cargo test --test terminal ten_thousand -- --ignored --nocapture`

mod aimed;
mod full;
#[path = "../cli/house.rs"]
#[allow(dead_code, reason = "shared with the tests of the command line")]
mod house;
mod killed;
mod power;
mod promises;
mod record;
mod tables;
