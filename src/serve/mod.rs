//! The page of a running conversation for browsers: follow it on a phone, and steer it from one of them.
//!
//! The server runs in a process of its own and is a client of the conversation's socket ([`crate::live`]): the engine
//! does not know about it. It folds the events (`transcript`) into rows of a page, and sends those instead of the
//! events: a prompt never leaves the machine, and a page that watches gets only what an export would contain.
//!
//! ```text
//! socket ─ follow ─► audience: transcript, table ─ server-sent events ─► pages
//! socket ◄─ steering ◄──────────────────────────── POST /steer ───────── the page that steers
//! ```
//!
//! `access` has the two links, the cookies and the rates, `checks` the rules for each request, `routes` the
//! requests, and `server` the connections. The page itself is in `assets/web/`: plain HTML, CSS and one script.
#![deny(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod access;
mod audience;
mod checks;
mod connections;
mod routes;
mod server;
mod table;
mod transcript;

pub use server::{LinkError, OpenError, OpenServer, PageLink, PageServer, open};
