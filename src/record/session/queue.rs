//! State shared by the handle of a writer and its thread: queued events, and the progress of the disk.

use super::Record;
use crate::model::{Seq, Text};
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

/// Maximum bytes of one write with more than one line.
const BATCH_BYTES: usize = 1024 * 1024;

/// Sync mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Events that the screen shows as saved are synced within 20 ms, all others within a second.
    #[default]
    Normal,
    /// Every write is synced before it counts as written.
    Strict,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiskFault {
    /// The disk is full, or a quota or size limit is reached. Nothing is lost; writing resumes by itself.
    #[error("the disk is full: {error}")]
    Full {
        /// Error of the operating system.
        error: Text,
    },
    /// The disk failed; nothing more is written to the session.
    #[error("{error}{}", rescue.as_ref().map(|p| format!("; the rest is in {}", p.display())).unwrap_or_default())]
    Broken {
        /// Error of the operating system.
        error: Text,
        /// The file with everything after the last good sync; `None` if writing it failed as well.
        rescue: Option<PathBuf>,
    },
}

/// Progress of the disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Durable {
    /// `seq` of the last event accepted by the operating system.
    pub written: Option<Seq>,
    /// `seq` of the last event that would survive a power cut; events up to it may be shown as saved.
    pub synced: Option<Seq>,
    /// Current fault; `None` while the disk works.
    pub fault: Option<DiskFault>,
    /// Unwritten bytes when this was published; [`super::SessionWriter::pending_bytes`] is current.
    pub waiting_bytes: usize,
}

impl Durable {
    /// Describes the wait for space on a full disk, if there is one.
    pub fn wait(&self) -> Option<String> {
        let full = self.fault.as_ref().filter(|fault| matches!(fault, DiskFault::Full { .. }));
        full.map(|fault| format!("waiting for space: {fault}"))
    }
}

/// State shared by the handle and the thread.
pub(super) struct Shared {
    queue: Mutex<Queue>,
    pub bell: Condvar,
    pub pending: AtomicUsize,
}

#[derive(Default)]
pub(super) struct Queue {
    pub records: VecDeque<Arc<Record>>,
    /// True if the thread was woken for the queued records.
    pub awake: bool,
    pub last: Option<Seq>,
    pub flush: bool,
    pub closed: bool,
}

/// Orders for the thread besides the taken records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Orders {
    /// True to sync now, without the usual delay.
    pub flush: bool,
    /// True if the writer is closed: no records follow.
    pub over: bool,
}

impl Shared {
    pub fn new(last: Option<Seq>) -> Shared {
        let queue = Mutex::new(Queue { last, ..Queue::default() });
        Shared { queue, bell: Condvar::new(), pending: AtomicUsize::new(0) }
    }

    pub fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock()
    }

    pub fn close(&self) {
        self.lock().closed = true;
        self.bell.notify_one();
    }

    /// Waits for records, orders or the end of `patience`; moves one batch of records into `batch`.
    pub fn take(&self, patience: Option<Duration>, batch: &mut Vec<Arc<Record>>) -> Orders {
        let mut queue = self.lock();
        let idle = |q: &mut Queue| !q.awake && !q.flush && !q.closed;
        match patience {
            None => self.bell.wait_while(&mut queue, idle),
            Some(patience) => _ = self.bell.wait_while_for(&mut queue, idle, patience),
        }
        let mut bytes = 0;
        while let Some(record) = queue.records.pop_front() {
            bytes += record.line.len();
            if bytes > BATCH_BYTES && !batch.is_empty() {
                queue.records.push_front(record);
                break;
            }
            batch.push(record);
        }
        queue.awake = !queue.records.is_empty();
        let over = queue.closed && queue.records.is_empty();
        let flush = queue.flush && queue.records.is_empty();
        queue.flush &= !flush;
        Orders { flush, over }
    }

    /// Waits for the end of `patience` or until the handle is closed; returns whether it is closed.
    pub fn nap(&self, patience: Duration) -> bool {
        let mut queue = self.lock();
        let was = queue.closed;
        self.bell.wait_while_for(&mut queue, |q| q.closed == was, patience);
        queue.closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::event::ENGINE;
    use crate::model::payload::Warning;
    use crate::model::{Event, Ms, ThreadId, Wall};

    fn record(seq: u64, text: &str) -> Arc<Record> {
        let kind = Warning { text: text.into(), about: None }.into();
        let at = Wall(0);
        let ms = Ms(seq);
        let by = ENGINE.into();
        let event = Event { seq: Seq(seq), at, ms, thread: ThreadId::ROOT, by, cause: None, kind };
        Arc::new(Record::new(event).unwrap())
    }

    #[test]
    fn queued_events_are_batched_and_flushed_once() {
        let shared = Shared::new(None);
        let taken = || {
            let mut batch = vec![];
            let orders = shared.take(Some(Duration::ZERO), &mut batch);
            (batch.len(), orders.flush)
        };
        shared.lock().records.extend((0..9).map(|seq| record(seq, "short")));
        assert_eq!(taken(), (9, false));
        let long = "x".repeat(60_000);
        shared.lock().records.extend((0..40).map(|seq| record(seq, &long)));
        shared.lock().flush = true;
        assert_eq!([taken(), taken(), taken()], [(17, false), (17, false), (6, true)]);
        assert_eq!(taken(), (0, false));
    }
}
