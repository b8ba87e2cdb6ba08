//! Scripted tests: a file defines who speaks, the operator's commands and the expectations, and the conversation really
//! runs, on virtual time.
//!
//! [`find()`] finds the files, [`load()`] turns a file into tests or reports all of its faults, [`Pool`] runs them,
//! each with its own engine, log and clock, and [`report`] formats the outcome. A test plays the models: the replies of
//! a seat are in the test, and its prompts can be checked. Nothing here uses the network or starts a program by itself;
//! the caller passes the means to do so ([`Real`]).
//!
//! This module deliberately knows no settings, no screen and no session on disk.
#![deny(clippy::unwrap_used, clippy::panic)]

mod answers;
mod calls;
mod case;
mod cassette;
mod check;
pub mod coverage;
mod difference;
mod facts;
mod fault;
mod find;
mod judging;
mod keys;
mod load;
mod outcome;
mod places;
mod plan;
mod pool;
mod record;
mod replies;
pub mod report;
mod run;
mod simulated;
mod stage;
mod tools;
mod watcher;
mod written;

pub use case::How;
pub use cassette::RecordedVoice;
pub use fault::TestFault;
pub use find::{ENDING, TestsNotFound, find};
pub use keys::EXPECT_NAMES;
pub use load::{Invalid, load};
pub use outcome::{Broken, CriterionVerdict, Judged, Rate, TestOutcome};
pub use plan::{Test, TestFile, service_name};
pub use pool::Pool;
pub use record::TestRecord;
pub use replies::{Charged, RealModel, RecordMode, ReplyFile, whole_reply};
pub use run::{Real, events_of};
pub use written::{Words, from_session};

use crate::scenario::{self, PolicyRow};
use serde_json::Value;

/// Returns the JSON Schema of a test file; `rows` are the policies of this program.
pub fn schema(rows: &[PolicyRow]) -> Value {
    let mut schema = scenario::table(keys::TEST, rows);
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "A colloquium test".into();
    schema
}
