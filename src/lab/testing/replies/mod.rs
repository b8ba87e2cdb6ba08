//! Models in tests: every reply is recorded beside the test, so that the test can run again without requests.
//!
//! `request.rs` identifies requests, [`ReplyFile`] has the recorded replies, [`RunModels`] combines both for one run.
//! Failed calls are never recorded.

mod budget;
mod file;
mod live;
mod models;
mod request;

pub use budget::RealModel;
pub use file::{NoReply, RecordMode, ReplyFile};
pub use live::{ModelReply, whole_reply};
pub use models::{Charged, RunModels};
pub use request::ReplyPlace;
