//! The promises of the command line, kept on the built binary: each test has its own home and its own data folder.
#![cfg(unix)]

mod exits;
mod formats;
mod hostile;
mod house;
mod sessions;
mod steering;
mod stopping;
mod trust;
