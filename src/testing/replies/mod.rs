//! Models in tests: every reply is recorded beside the test, so that the same test runs again without a request.
//!
//! `request.rs` says what is asked and by what it is known again, [`ReplyFile`] holds what was answered,
//! [`RunModels`] puts both together for one run. A failed call is never recorded.

mod budget;
mod file;
mod live;
mod models;
mod request;

pub use budget::{Budget, UNPRICED_TOKENS};
pub use file::{NoReply, RecordMode, ReplyFile};
pub use live::{ModelReply, RealModel};
pub use models::{Charged, RunModels};
pub use request::ReplyPlace;
