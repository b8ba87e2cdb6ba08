//! Reads each event as it is appended, and decides whether a conversation goes on.

use crate::model::Event;
use crate::state::State;
use std::future::Future;
use std::pin::Pin;

/// A reader that the engine waits for: it sees the state at each event, before anything later changes it.
pub trait Witness: Send {
    /// Reads an event and the state right after it.
    fn see(&mut self, state: &State, event: &Event);

    /// Resolves when the conversation may go on. Until then no call starts and no virtual time passes.
    fn permit<'a>(&'a mut self, state: &'a State) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;
}
