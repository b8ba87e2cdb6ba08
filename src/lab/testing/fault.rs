//! Faults of a test or of a part of it.

use crate::model::sentence::sentence_error;

sentence_error! {
    /// Reason why a test, or a part of it, cannot run; with a fix if there is one.
    pub struct TestFault;
}
