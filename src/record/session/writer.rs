//! Handle of the writer: pushes records without waiting, and reports the progress of the disk.
//!
//! Its thread (`committer`) owns the file. The queue is unbounded, because events must not be dropped; the engine
//! accepts no words while more than [`WAITING_MAX_BYTES`] are waiting.

use super::Record;
use super::committer::Committer;
use super::disk::Disk;
use super::queue::Shared;
use crate::model::Seq;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::watch;

pub use super::queue::{DiskFault, Durable, Mode};

/// While more bytes than this wait for the disk, the engine accepts no more words from voices.
pub const WAITING_MAX_BYTES: usize = 64 * 1024 * 1024;

/// Start position of a writer in its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriterStart {
    /// Length of the file in bytes.
    pub len: u64,
    /// `seq` of the last event in the file; `None` in an empty one.
    pub last: Option<Seq>,
}

/// Handle of the thread that writes a session.
///
/// If it is dropped, the thread still writes all queued records; [`finish`](SessionWriter::finish) also waits for it.
pub struct SessionWriter {
    shared: Arc<Shared>,
    durable: watch::Receiver<Durable>,
    lock: Option<File>,
}

impl SessionWriter {
    /// Starts the thread that owns a disk.
    pub fn spawn(disk: Box<dyn Disk>, start: WriterStart, mode: Mode) -> io::Result<SessionWriter> {
        let shared = Arc::new(Shared::new(start.last));
        let (tell, durable) = watch::channel(Durable {
            written: start.last,
            synced: start.last,
            ..Durable::default()
        });
        let lock = disk.lock_file();
        let committer = Committer::new(disk, start.len, mode, shared.clone(), tell);
        std::thread::Builder::new().name("session".into()).spawn(move || committer.run())?;
        Ok(SessionWriter { shared, durable, lock })
    }

    /// Returns the locked lock file of the session, which another process can take over.
    pub fn lock_file(&self) -> Option<File> {
        self.lock.as_ref()?.try_clone().ok()
    }

    /// Queues a record and wakes the thread; never waits. Records come in the order of their `seq`.
    pub fn push(&self, record: Arc<Record>) {
        self.queue(record);
        self.wake();
    }

    /// Queues a record without waking the thread: [`wake`](SessionWriter::wake) does so once for all queued records.
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

    /// Closes the writer without the records queued since the last wake, and waits until the lock is released.
    pub async fn abandon(mut self) {
        self.shared.lock().records.clear();
        self.shared.close();
        // the channel closes when the thread ends
        while self.durable.changed().await.is_ok() {}
    }

    /// Returns the progress of the disk as a watch channel.
    pub fn durable(&self) -> watch::Receiver<Durable> {
        self.durable.clone()
    }

    /// Returns the number of unwritten bytes.
    pub fn pending_bytes(&self) -> usize {
        self.shared.pending.load(Ordering::Acquire)
    }

    /// Requests a sync now, whatever the kinds of the events; [`Durable::synced`] reports its completion.
    pub fn flush(&self) {
        self.shared.lock().flush = true;
        self.shared.bell.notify_one();
    }

    /// Closes the writer, and waits until everything is synced and the lock is released.
    ///
    /// # Errors
    /// The fault that kept records out of the session file. On a full disk it waits two more seconds.
    pub async fn finish(mut self) -> Result<Durable, DiskFault> {
        self.shared.close();
        // the channel closes when the thread ends
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
