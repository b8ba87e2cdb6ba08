//! Counts the calls of a conversation from its events, by purpose and by model.

use crate::model::failure::ErrorClass;
use crate::model::{Event, Kind, Purpose, is_capped};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Number of calls of a model, and how many of them got no answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelCalls {
    /// All calls, including retries.
    pub calls: u64,
    /// Calls without an answer: refused, overloaded, timed out, broken off or withheld by a content filter.
    pub unanswered: u64,
}

/// Call counts of a conversation.
#[derive(Debug, Default)]
pub(super) struct Called {
    /// Calls by purpose, as spelled in the log; a retry counts if the call before it had a reply.
    pub purposes: BTreeMap<String, u64>,
    /// Number of retried calls.
    pub retries: u64,
    /// Replies that were cut at their token limit.
    pub cut: u64,
    /// Calls whose prompt did not hold the whole conversation that the protocol shows.
    pub truncated: u64,
    pub models: BTreeMap<String, ModelCalls>,
    /// Purpose of each batch and turn, by `seq`.
    granted: BTreeMap<u64, Purpose>,
    /// Model of each call, by `seq`.
    of: BTreeMap<u64, String>,
}

impl Called {
    /// Counts an event.
    pub fn take(&mut self, event: &Event) {
        match &event.kind {
            Kind::BatchOpened(batch) => {
                self.granted.insert(event.seq.0, batch.purpose);
            }
            Kind::FloorGranted(granted) => {
                let purpose = self.granted.get(&granted.batch.0).copied();
                self.granted.insert(event.seq.0, purpose.unwrap_or(Purpose::Speak));
            }
            Kind::CallStarted(call) => {
                let purpose = self.granted.get(&call.turn.0).copied().unwrap_or(Purpose::Speak);
                *self.purposes.entry(name(purpose)).or_default() += 1;
                self.models.entry(call.model.to_string()).or_default().calls += 1;
                self.of.insert(event.seq.0, call.model.to_string());
                self.truncated += u64::from(call.left_out > 0);
            }
            Kind::CallRetried(again) => {
                self.retries += 1;
                self.failed(again.call.0, again.error.class);
                let purpose = self.granted.get(&again.turn.0).copied().unwrap_or(Purpose::Speak);
                if is_silent(again.error.class)
                    && let Some(calls) = self.purposes.get_mut(&name(purpose))
                {
                    *calls = calls.saturating_sub(1);
                }
            }
            Kind::TurnEnded(turn) => {
                self.cut += u64::from(turn.finish.as_deref().is_some_and(is_capped));
                if let (Some(call), Some(error)) = (turn.call, &turn.error) {
                    self.failed(call.0, error.class);
                }
            }
            _ => {}
        }
    }

    fn failed(&mut self, call: u64, class: ErrorClass) {
        let model = self.of.get(&call).and_then(|model| self.models.get_mut(model));
        if let Some(model) = model
            && is_silent(class)
        {
            model.unanswered += 1;
        }
    }
}

/// Returns the name of a purpose as spelled in the log.
pub(super) fn name(purpose: Purpose) -> String {
    serde_json::to_value(purpose).ok().and_then(|v| v.as_str().map(Into::into)).unwrap_or_default()
}

/// Returns whether a failure means that the model gave no answer, as opposed to an unusable one.
fn is_silent(class: ErrorClass) -> bool {
    !matches!(
        class,
        ErrorClass::TooLarge
            | ErrorClass::BadRequest
            | ErrorClass::Context
            | ErrorClass::Form
            | ErrorClass::Budget
            | ErrorClass::Length
            | ErrorClass::Echo
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filtered_reply_counts_as_unanswered_and_unusable_reply_as_answered() {
        for class in [ErrorClass::Filter, ErrorClass::Refused, ErrorClass::Empty] {
            assert!(is_silent(class), "{class:?}");
        }
        for class in [ErrorClass::Form, ErrorClass::Length, ErrorClass::Echo] {
            assert!(!is_silent(class), "{class:?}");
        }
    }
}
