//! The engine's end of the writer: hand a record over, never wait, and see how far the disk has come.
//!
//! The thread behind it (`committer`) owns the file. The queue has no bound of its own, because an event that happened
//! must not be dropped; the engine stops taking words while more than [`WAITING_MAX_BYTES`] wait.

use super::Record;
use super::committer::Committer;
use super::disk::Disk;
use crate::model::{Seq, Text};
use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::watch;

/// While more bytes than this wait for the disk, the engine takes no more words from voices.
pub const WAITING_MAX_BYTES: usize = 64 * 1024 * 1024;
/// What one write takes at most, if it is more than one line, in bytes.
const BATCH_BYTES: usize = 1024 * 1024;

/// When the disk is made to keep what it was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// What is shown as saved within 20 ms, everything else within a second.
    #[default]
    Normal,
    /// Everything before it counts as written.
    Strict,
}

/// What is wrong with the disk.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiskFault {
    /// It has no room (or the quota or size limit is reached). Nothing is lost; it goes on by itself.
    #[error("the disk is full: {error}")]
    Full {
        /// What the system said.
        error: Text,
    },
    /// It failed, and nothing more is written to the session: stop.
    #[error("{error}{}", rescue.as_ref().map(|p| format!("; the rest is kept in {}", p.display())).unwrap_or_default())]
    Broken {
        /// What the system said.
        error: Text,
        /// Where everything after the last good sync went; none if that failed as well.
        rescue: Option<PathBuf>,
    },
}

/// How far the disk has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Durable {
    /// The last event that the system took.
    pub written: Option<Seq>,
    /// The last event that would survive a power cut: all up to here may be shown as saved.
    pub synced: Option<Seq>,
    /// What is wrong now.
    pub fault: Option<DiskFault>,
    /// Bytes not yet written when this was published; [`SessionWriter::pending_bytes`] has the moment's.
    pub waiting_bytes: usize,
}

/// Where a writer goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriterStart {
    /// The length of the file in bytes.
    pub len: u64,
    /// The last event in it.
    pub last: Option<Seq>,
}

/// The handle to the one thread that writes a session.
///
/// Dropping it lets the thread write what is queued but does not wait for it; [`finish`](SessionWriter::finish) does.
pub struct SessionWriter {
    shared: Arc<Shared>,
    durable: watch::Receiver<Durable>,
}

impl SessionWriter {
    /// Starts the thread that owns a disk.
    ///
    /// # Errors
    /// When the system has no thread to give.
    pub fn spawn(disk: Box<dyn Disk>, start: WriterStart, mode: Mode) -> io::Result<SessionWriter> {
        let shared = Arc::new(Shared::new(start.last));
        let (tell, durable) = watch::channel(Durable {
            written: start.last,
            synced: start.last,
            ..Durable::default()
        });
        let committer = Committer::new(disk, start.len, mode, shared.clone(), tell);
        std::thread::Builder::new().name("session".into()).spawn(move || committer.run())?;
        Ok(SessionWriter { shared, durable })
    }

    /// Hands a record over; never waits. Records come in the order of their `seq`.
    pub fn push(&self, record: Arc<Record>) {
        self.shared.pending.fetch_add(record.line.len(), Ordering::AcqRel);
        let mut queue = self.shared.lock();
        queue.last = Some(record.event.seq);
        queue.records.push_back(record);
        drop(queue);
        self.shared.bell.notify_one();
    }

    /// Returns how far the disk has come, now and whenever that changes.
    pub fn durable(&self) -> watch::Receiver<Durable> {
        self.durable.clone()
    }

    /// Returns how many bytes the disk has not yet taken.
    pub fn pending_bytes(&self) -> usize {
        self.shared.pending.load(Ordering::Acquire)
    }

    /// Asks for a sync now, whatever the kinds of the events; [`Durable::synced`] tells when it was made.
    pub fn flush(&self) {
        self.shared.lock().flush = true;
        self.shared.bell.notify_one();
    }

    /// Says that nothing more comes, and waits until all of it is synced and the lock given back.
    ///
    /// # Errors
    /// The fault that kept something from the session's own file. A full disk is given two more seconds.
    pub async fn finish(mut self) -> Result<Durable, DiskFault> {
        self.shared.close();
        // the other end goes with the thread, once it is done
        while self.durable.changed().await.is_ok() {}
        self.outcome()
    }

    fn outcome(&self) -> Result<Durable, DiskFault> {
        let durable = self.durable.borrow().clone();
        match &durable.fault {
            Some(fault) => Err(fault.clone()),
            None if durable.synced == self.shared.lock().last => Ok(durable),
            None => {
                Err(DiskFault::Broken { error: "the writer stopped early".into(), rescue: None })
            }
        }
    }
}

impl Drop for SessionWriter {
    fn drop(&mut self) {
        self.shared.close();
    }
}

/// What the handle and the thread share.
pub(super) struct Shared {
    queue: Mutex<Queue>,
    bell: Condvar,
    pub pending: AtomicUsize,
}

#[derive(Default)]
struct Queue {
    records: VecDeque<Arc<Record>>,
    last: Option<Seq>,
    flush: bool,
    closed: bool,
}

/// What the thread is asked for besides the records it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Orders {
    /// A sync now.
    pub flush: bool,
    /// Nothing more comes after the records taken so far.
    pub over: bool,
}

impl Shared {
    fn new(last: Option<Seq>) -> Shared {
        let queue = Mutex::new(Queue { last, ..Queue::default() });
        Shared { queue, bell: Condvar::new(), pending: AtomicUsize::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn close(&self) {
        self.lock().closed = true;
        self.bell.notify_one();
    }

    /// Waits for records, orders or the end of `patience`, and moves one batch into `batch`.
    pub fn take(&self, patience: Option<Duration>, batch: &mut Vec<Arc<Record>>) -> Orders {
        let mut queue = self.lock();
        let idle = |q: &mut Queue| q.records.is_empty() && !q.flush && !q.closed;
        queue = match patience {
            None => self.bell.wait_while(queue, idle).unwrap_or_else(|e| e.into_inner()),
            Some(patience) => {
                let waited = self.bell.wait_timeout_while(queue, patience, idle);
                waited.unwrap_or_else(|e| e.into_inner()).0
            }
        };
        let mut bytes = 0;
        while let Some(record) = queue.records.pop_front() {
            bytes += record.line.len();
            if bytes > BATCH_BYTES && !batch.is_empty() {
                queue.records.push_front(record);
                break;
            }
            batch.push(record);
        }
        let over = queue.closed && queue.records.is_empty();
        let flush = queue.flush && queue.records.is_empty();
        queue.flush &= !flush;
        Orders { flush, over }
    }

    /// Waits for the end of `patience`, or until the handle is closed; returns whether it is.
    pub fn nap(&self, patience: Duration) -> bool {
        let queue = self.lock();
        let was = queue.closed;
        let waited = self.bell.wait_timeout_while(queue, patience, |q| q.closed == was);
        waited.unwrap_or_else(|e| e.into_inner()).0.closed
    }
}
