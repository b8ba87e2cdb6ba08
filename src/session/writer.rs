//! The engine's end of the writer: hand a record over, never wait, and see how far the disk has come.
//!
//! The thread behind it (`committer`) owns the file. The queue has no bound, because events must not be dropped; the
//! engine stops taking words while more than [`WAITING_MAX_BYTES`] wait.

use super::Record;
use super::committer::Committer;
use super::disk::Disk;
use super::queue::Shared;
use crate::model::Seq;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::watch;

pub use super::queue::{DiskFault, Durable, Mode};

/// While more bytes than this wait for the disk, the engine takes no more words from voices.
pub const WAITING_MAX_BYTES: usize = 64 * 1024 * 1024;

/// Where a writer starts in its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriterStart {
    /// The length of the file in bytes.
    pub len: u64,
    /// The last event in the file; none in an empty one.
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
    /// When the system cannot start a thread.
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
        self.queue(record);
        self.wake();
    }

    /// Hands a record over as [`push`](SessionWriter::push) does, but does not wake the thread:
    /// [`wake`](SessionWriter::wake) does, once for all records that were queued.
    pub fn queue(&self, record: Arc<Record>) {
        self.shared.pending.fetch_add(record.line.len(), Ordering::AcqRel);
        let mut queue = self.shared.lock();
        queue.last = Some(record.event.seq);
        queue.records.push_back(record);
    }

    /// Wakes the thread if records wait for it.
    pub fn wake(&self) {
        let mut queue = self.shared.lock();
        if !queue.awake && !queue.records.is_empty() {
            queue.awake = true;
            self.shared.bell.notify_one();
        }
    }

    /// Closes the writer without writing what it was not yet woken for, and waits until the lock is released.
    pub async fn abandon(mut self) {
        self.shared.lock().records.clear();
        self.shared.close();
        // the other end goes with the thread
        while self.durable.changed().await.is_ok() {}
    }

    /// Returns how far the disk has come, now and whenever that changes.
    pub fn durable(&self) -> watch::Receiver<Durable> {
        self.durable.clone()
    }

    /// Returns how many bytes the disk has not yet taken.
    pub fn pending_bytes(&self) -> usize {
        self.shared.pending.load(Ordering::Acquire)
    }

    /// Asks for a sync now, whatever the kinds of the events; [`Durable::synced`] shows when it is done.
    pub fn flush(&self) {
        self.shared.lock().flush = true;
        self.shared.bell.notify_one();
    }

    /// Closes the writer, and waits until everything is synced and the lock is released.
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
