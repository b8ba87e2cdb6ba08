//! Refusal of an operator command.

use crate::model::sentence::sentence_error;

sentence_error! {
    /// Reason for refusing a command, with an alternative.
    pub(super) struct Refusal;
}
