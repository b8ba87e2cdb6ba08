//! Reasons for the end of the event loop.

/// Reason for the end of the loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The conversation ended, and all events are written and synced.
    Ended,
    /// Another process takes the conversation over; nothing is in flight.
    HandedOver,
    /// The session cannot be written anymore.
    Unwritable(String),
}
