//! Scripted tests: a file says who speaks, what the operator does and what must be true, and the conversation is really
//! had, under virtual time.
//!
//! [`find()`] finds the files, [`load()`] makes tests of one or reports everything that is wrong with it, [`Pool`] runs
//! them, each with an engine, a log and a clock of its own, and [`report`] reports the outcome. A test plays the
//! models: a seat's words are in the test, and its prompts can be checked. Nothing here reaches a network or starts a
//! program by itself; the caller passes what may ([`Real`]).
//!
//! It deliberately knows no settings, no screen and no session on disk.
#![deny(clippy::unwrap_used, clippy::panic)]

mod answers;
mod calls;
mod case;
mod cassette;
mod check;
pub mod coverage;
mod difference;
mod disk;
mod facts;
mod find;
mod judging;
mod keys;
mod load;
mod outcome;
mod places;
mod plan;
mod pool;
mod record;
mod recording;
mod replies;
pub mod report;
mod result;
mod run;
mod simulated;
mod stage;
mod tools;
mod watcher;
mod written;

pub use case::How;
pub use find::{ENDING, TestsNotFound, find};
pub use keys::EXPECT_NAMES;
pub use load::{Invalid, load};
pub use outcome::{Broken, CriterionVerdict, Judged, Rate, TestOutcome};
pub use plan::{Test, TestFile};
pub use pool::Pool;
pub use record::TestRecord;
pub use recording::RecordedVoice;
pub use replies::{Budget, Charged, RealModel, RecordMode, ReplyFile, UNPRICED_TOKENS};
pub use run::{Real, events_of};
pub use written::{Words, from_session};

use crate::scenario::{self, PolicyRow};
use serde_json::Value;

/// Returns the JSON Schema of a test file; `rows` are the policies that this program has.
pub fn schema(rows: &[PolicyRow]) -> Value {
    let mut schema = scenario::table(keys::TEST, rows);
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "A colloquium test".into();
    schema
}
