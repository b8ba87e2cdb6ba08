//! Runs a scenario over many questions: one conversation per item and protocol, results as JSON lines, and tables of
//! them.
//!
//! [`Items`] reads the questions one at a time, [`BatchRun`] schedules them and enforces the budget,
//! [`line`](measure::line()) measures a session, [`report`] makes tables of results. Each item needs only a few bytes
//! of memory. The caller runs the conversations by passing a [`JobRunner`].
#![deny(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod arm;
mod baseline;
mod bounded;
mod called;
mod calls;
mod compared;
mod each;
mod file;
mod gathered;
mod items;
mod keys;
mod measure;
mod merge;
mod page;
mod quality;
mod ratings;
pub mod report;
mod results;
mod rows;
mod run;
mod schema;
mod troubles;

pub use arm::{Arm, ArmSeat, ArmSide, BATCH_VERSION, BatchFile, Equal, RunNote, bracketed, panel};
pub use baseline::{Shape, first_round};
pub use called::ModelCalls;
pub use calls::{Calls, calls};
pub use each::{CONVERSATIONS, conversations};
pub use file::{Appended, BadResult, open_results, remove_superseded, reopen_results};
pub use gathered::{Estimate, ReportRules, TestFamily};
pub use items::{BatchItem, FieldMap, Items, digest, file_digest, hash};
pub use keys::{KeyForm, read_key};
pub use measure::{Subject, line};
pub use merge::{Refused, merge};
pub use page::{leaderboard_page, page};
pub use results::{
    Held, JudgeCounts, KnownResults, ResultLine, ResultOutcome, ResultPlace, Sure, Turned, VERSION,
};
pub use rows::Damaged;
pub use run::{BatchJob, BatchRun, BatchStopped, JobOutcome, JobRunner, Progress, Slice};
pub use schema::{dictionary, flat, schema};
pub use troubles::Troubles;
