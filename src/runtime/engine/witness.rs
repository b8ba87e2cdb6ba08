//! Observer of appended events that decides if a conversation may continue.

use crate::model::Event;
use crate::state::State;
use std::future::Future;
use std::pin::Pin;

/// An observer that the engine waits for: it sees the state at each event, before later events change it.
pub trait Witness: Send {
    /// Observes an event and the state right after it.
    fn see(&mut self, state: &State, event: &Event);

    /// Resolves when the conversation may continue. Until then no call starts and no virtual time passes.
    fn permit<'a>(&'a mut self, state: &'a State) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;
}
