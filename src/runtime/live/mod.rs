//! Clients of a running conversation: they follow it and steer it over a socket, from another terminal or a script.
//!
//! Every conversation that runs in real time and is saved opens one socket ([`server`]). The server first says `hello`;
//! the client attaches from a `seq` on and sends steering lines. The server sends the lines of the session once they are
//! in the file, with unsealed pieces in between ([`protocol`]). It runs on its own thread: a slow client delays neither
//! the engine nor other clients; it misses pieces, never events.
//!
//! Only the same user may connect, and no process that a conversation started: scripts, agents and tool servers run
//! under the same user, and must not steer the conversation that they are part of.
#![deny(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

pub mod client;
mod connection;
pub mod protocol;
mod relay;
pub mod server;

pub use relay::chosen_name;
