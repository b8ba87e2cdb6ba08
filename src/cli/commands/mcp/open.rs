//! Requests in progress, so that a client can cancel one.

use parking_lot::Mutex;
use serde_json::Value;
use std::sync::Arc;

/// The notification by which a client cancels a request.
pub const CANCELLED: &str = "notifications/cancelled";
/// Requests that are answered at once.
const AT_ONCE: usize = 32;

/// The interest of a caller in the answer of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// It waits.
    Waiting,
    /// Its connection is closed.
    Gone,
    /// It cancelled the call.
    Cancelled,
}

/// The requests that are being answered, by the client's session and the request's id.
#[derive(Clone, Default)]
pub struct OpenRequests {
    all: Arc<Mutex<Vec<Entry>>>,
}

struct Entry {
    /// A number of its own: two clients without a session may use the same id.
    number: u64,
    session: String,
    id: String,
    interest: Interest,
}

/// A request that is being answered, until it is dropped.
pub struct OpenRequest {
    all: OpenRequests,
    number: u64,
}

impl OpenRequests {
    /// Returns whether a request of a client is open.
    pub fn has(&self, session: &str, id: &Value) -> bool {
        let id = id.to_string();
        self.all.lock().iter().any(|entry| entry.session == session && entry.id == id)
    }

    /// Takes a request in; `None` if there are too many.
    pub fn begin(&self, session: &str, id: &Value) -> Option<OpenRequest> {
        let mut all = self.all.lock();
        if all.len() >= AT_ONCE {
            return None;
        }
        let number = all.last().map_or(0, |last| last.number + 1);
        let session = session.to_owned();
        let id = id.to_string();
        all.push(Entry { number, session, id, interest: Interest::Waiting });
        Some(OpenRequest { all: self.clone(), number })
    }

    /// Cancels the request that a notification names; returns whether it is open.
    pub fn cancel(&self, session: &str, params: &Value) -> bool {
        let id = params["requestId"].to_string();
        let mut all = self.all.lock();
        let mut found = false;
        for entry in all.iter_mut().filter(|entry| entry.session == session && entry.id == id) {
            entry.interest = Interest::Cancelled;
            found = true;
        }
        found
    }

    /// Ends the waits of all requests: their client has gone.
    pub fn abandon(&self) {
        for entry in self.all.lock().iter_mut().filter(|e| e.interest == Interest::Waiting) {
            entry.interest = Interest::Gone;
        }
    }
}

impl OpenRequest {
    /// Returns whether the client still waits for it.
    pub fn interest(&self) -> Interest {
        let all = self.all.all.lock();
        let own = all.iter().find(|entry| entry.number == self.number);
        own.map_or(Interest::Gone, |entry| entry.interest)
    }

    /// Ends the wait of the client, unless it ended before.
    pub fn lose(&self, interest: Interest) {
        let mut all = self.all.all.lock();
        let own = all.iter_mut().find(|entry| entry.number == self.number);
        if let Some(entry) = own.filter(|entry| entry.interest == Interest::Waiting) {
            entry.interest = interest;
        }
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.all.all.lock().retain(|entry| entry.number != self.number);
    }
}
