//! Snapshots of the screen, and its guarantees to a reader: nothing moves while they read.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail where it stands")]

mod asking;
mod boards;
mod cards;
mod connect;
mod contest;
mod endings;
mod faults;
mod figures;
mod finding;
mod forecast;
mod hand;
mod keys;
mod limits;
mod line;
mod long;
mod moments;
mod mouse;
mod narrow;
mod overlays;
mod past;
mod people;
mod permissions;
mod pictures;
mod plain;
#[path = "../program/mod.rs"]
mod program;
mod reading;
mod replay;
mod signs;
mod stage;
mod stands;
mod start;
mod steering;
mod undoing;
mod versions;
mod whispers;
mod words;
mod writing;
