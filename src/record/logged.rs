//! Records and events, owned or borrowed, in one kind of iterator.

use crate::model::Event;
use std::sync::Arc;

/// An event of a log, alone or in a record.
pub trait Logged {
    fn event(&self) -> &Event;
}

impl Logged for Event {
    fn event(&self) -> &Event {
        self
    }
}

impl Logged for Arc<Event> {
    fn event(&self) -> &Event {
        self
    }
}

impl<T: Logged> Logged for &T {
    fn event(&self) -> &Event {
        T::event(self)
    }
}
