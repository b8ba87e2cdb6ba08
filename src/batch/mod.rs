//! A scenario over many questions: one conversation an item and protocol, results as lines, figures over all of them.
//!
//! [`Items`] reads the questions one at a time, [`BatchRun`] hands them out and keeps the budget, [`line`](measure::line())
//! makes a result of a session, [`report`] makes tables of results. Nothing is held for all items but a few bytes each.
//! How a conversation is had is not known here: whoever runs a batch hands that in ([`JobRunner`]).
#![deny(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

pub mod arithmetic;
mod calls;
mod items;
mod measure;
mod merge;
mod page;
pub mod report;
mod results;
mod run;
mod schema;

pub use calls::{Calls, calls};
pub use items::{BatchItem, Damaged, Items, digest, hash};
pub use measure::{Subject, line};
pub use merge::{Refused, merge};
pub use page::page;
pub use results::{Appended, KnownResults, ResultLine, ResultOutcome, Turned, VERSION, lines};
pub use run::{BatchJob, BatchRun, BatchStopped, JobOutcome, JobRunner, Progress, Protocol, Slice};
pub use schema::schema;
