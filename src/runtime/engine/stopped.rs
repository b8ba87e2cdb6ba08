//! Reasons for the end of a run.

/// Reason for the end of a run whose session could be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The conversation ended, and all events are written and synced.
    Ended,
    /// Another process takes the conversation over; nothing is in flight.
    HandedOver,
    /// It was left before its end.
    Left,
}
