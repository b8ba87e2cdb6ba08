//! The thread that owns a session file: writes whole lines in batches, syncs by urgency, and handles disk failures.
//!
//! On a full disk it first cuts the file back to its last good length, so that no half line stays for long, and then
//! waits for space. After a disk error it never retries: unsynced events go to a rescue file next to the session.

use super::codec::blobs_of;
use super::disk::Disk;
use super::queue::{DiskFault, Durable, Mode, Shared};
use super::{Record, blobs};
use crate::clock::Clock;
use crate::model::{Kind, Ms, Seq};
use crate::own_file::is_full;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::watch;

/// Minimum time between two urgent syncs; a busy sync takes 4 to 8 ms, so they finish within 20 ms.
const GROUP_MS: u64 = 12;
/// Delay of other syncs after the write, so that they finish within a second.
const LATER_MS: u64 = 900;
/// First delay before a retry on a full disk; it doubles each time.
const RETRY_FIRST_MS: u64 = 10;
/// Maximum delay between two retries on a full disk.
const RETRY_LAST_MS: u64 = 1_000;
/// Maximum wait for a full disk after the writer is closed, in milliseconds.
const CLOSING_PATIENCE_MS: u64 = 2_000;

/// State of the thread; `disk` is dropped first, so that the lock is free before the end is reported.
pub(super) struct Committer {
    disk: Box<dyn Disk>,
    /// File length after the last complete write.
    len: u64,
    /// Records taken from the queue, in order.
    unwritten: Vec<Arc<Record>>,
    /// Records written since the last good sync; a failing disk may lose them.
    unsynced: Vec<Arc<Record>>,
    sync_at: Option<Ms>,
    synced_at: Option<Ms>,
    rescuing: bool,
    mode: Mode,
    clock: Clock,
    shared: Arc<Shared>,
    tell: watch::Sender<Durable>,
}

impl Committer {
    pub(super) fn new(
        disk: Box<dyn Disk>,
        len: u64,
        mode: Mode,
        shared: Arc<Shared>,
        tell: watch::Sender<Durable>,
    ) -> Committer {
        Committer {
            disk,
            len,
            unwritten: vec![],
            unsynced: vec![],
            sync_at: None,
            synced_at: None,
            rescuing: false,
            mode,
            clock: Clock::real(Ms(0)),
            shared,
            tell,
        }
    }

    /// Runs until the handle is closed and everything is synced, or nothing more can be saved.
    pub(super) fn run(mut self) {
        loop {
            match self.step() {
                Ok(Flow::On) => {}
                Ok(Flow::Over) => return,
                Err(error) => {
                    if let Err(fault) = self.rescue(&error) {
                        self.publish(|d| d.fault = Some(fault));
                        return;
                    }
                }
            }
        }
    }

    /// Takes the queued records, writes them, and syncs if due. An error means that the disk has failed.
    fn step(&mut self) -> io::Result<Flow> {
        let now = self.clock.now();
        let patience = match self.sync_at {
            _ if !self.unwritten.is_empty() => Some(Duration::ZERO),
            Some(at) => Some(Duration::from_millis(at.since(now))),
            None => None,
        };
        let orders = self.shared.take(patience, &mut self.unwritten);
        if !self.unwritten.is_empty()
            && let Waited::InVain = self.write()?
        {
            return Ok(Flow::Over);
        }
        let due = self.sync_at.is_some_and(|at| at <= self.clock.now());
        if !self.unsynced.is_empty() && (due || orders.flush || orders.over) {
            let synced = self.sync()?;
            self.publish(|d| d.synced = d.synced.max(synced));
        }
        Ok(if orders.over { Flow::Over } else { Flow::On })
    }

    /// Writes all taken records; waits for disk space without a time limit.
    fn write(&mut self) -> io::Result<Waited> {
        let mut retry = RETRY_FIRST_MS;
        let mut give_up_at = None;
        while let Err(error) = self.try_write() {
            if !is_full(&error) || self.rescuing {
                return Err(error);
            }
            self.disk.cut(self.len)?;
            // earlier records may wait as long as the disk is full, but must be synced
            if !self.unsynced.is_empty() {
                let synced = self.sync()?;
                self.publish(|d| d.synced = d.synced.max(synced));
            }
            let fault = DiskFault::Full { error: error.to_string().into() };
            self.publish(|d| d.fault = Some(fault));
            if self.shared.nap(Duration::from_millis(retry)) {
                let now = self.clock.now();
                if now >= *give_up_at.get_or_insert(now.plus(CLOSING_PATIENCE_MS)) {
                    return Ok(Waited::InVain);
                }
            }
            retry = (retry * 2).min(RETRY_LAST_MS);
        }
        let bytes: usize = self.unwritten.iter().map(|r| r.line.len()).sum();
        self.len += bytes as u64;
        self.shared.pending.fetch_sub(bytes, Ordering::AcqRel);
        let soonest = self.unwritten.iter().map(|r| self.due(urgency(&r.event.kind))).min();
        self.sync_at = self.sync_at.into_iter().chain(soonest).min();
        let written = self.unwritten.last().map(|r| r.event.seq);
        self.unsynced.append(&mut self.unwritten);
        let at_once = self.mode == Mode::Strict || self.rescuing || !self.disk.is_kept();
        let synced = if at_once { self.sync()? } else { None };
        self.publish(|d| {
            d.written = written;
            d.synced = d.synced.max(synced);
            d.fault.take_if(|f| matches!(f, DiskFault::Full { .. }));
        });
        Ok(Waited::ForRoom)
    }

    /// Writes the blobs, then the lines.
    fn try_write(&mut self) -> io::Result<()> {
        let mut lines = String::new();
        for record in &self.unwritten {
            if blobs::mentioned(&record.line) {
                for blob in blobs_of(record).map_err(io::Error::other)? {
                    self.disk.blob(&blob.name, &blob.text)?;
                }
            }
            lines.push_str(&record.line);
        }
        let took = loop {
            match self.disk.write(lines.as_bytes()) {
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                took => break took?,
            }
        };
        if took < lines.len() {
            return Err(io::Error::new(
                ErrorKind::StorageFull,
                "the disk accepted only part of the write",
            ));
        }
        Ok(())
    }

    /// Syncs all written records; returns the last `seq` among them.
    fn sync(&mut self) -> io::Result<Option<Seq>> {
        self.disk.sync()?;
        self.synced_at = Some(self.clock.now());
        self.sync_at = None;
        Ok(self.unsynced.drain(..).next_back().map(|r| r.event.seq))
    }

    /// Returns the latest start of the sync for a record written now.
    fn due(&self, urgency: Urgency) -> Ms {
        let now = self.clock.now();
        match (urgency, self.synced_at) {
            (Urgency::Later, _) => now.plus(LATER_MS),
            (Urgency::Soon, None) => now,
            (Urgency::Soon, Some(before)) => now.max(before.plus(GROUP_MS)),
        }
    }

    /// Switches to the rescue file and writes everything after the last good sync; an error ends all saving.
    fn rescue(&mut self, error: &io::Error) -> Result<(), DiskFault> {
        let lost = |more: String| DiskFault::Broken {
            error: format!("{error}{more}").into(),
            rescue: None,
        };
        if self.rescuing {
            return Err(lost(String::new()));
        }
        let rescue =
            self.disk.rescue().map_err(|e| lost(format!("; the rescue file failed too: {e}")))?;
        self.disk = rescue.disk;
        self.rescuing = true;
        self.len = 0;
        self.sync_at = None;
        let written: usize = self.unsynced.iter().map(|r| r.line.len()).sum();
        self.shared.pending.fetch_add(written, Ordering::AcqRel);
        self.unsynced.append(&mut self.unwritten);
        self.unwritten.append(&mut self.unsynced);
        let fault =
            DiskFault::Broken { error: error.to_string().into(), rescue: Some(rescue.path) };
        self.publish(|d| d.fault = Some(fault));
        Ok(())
    }

    fn publish(&self, change: impl FnOnce(&mut Durable)) {
        self.tell.send_modify(|d| {
            change(d);
            d.waiting_bytes = self.shared.pending.load(Ordering::Acquire);
        });
    }
}

enum Flow {
    On,
    Over,
}

enum Waited {
    ForRoom,
    InVain,
}

/// Deadline of a sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Urgency {
    /// Within a second.
    Later,
    /// Within 20 milliseconds, together with the events in between.
    Soon,
}

/// Returns the sync urgency of an event kind.
fn urgency(kind: &Kind) -> Urgency {
    match kind {
        // events that the engine would decide or produce again
        Kind::ThreadOpened(_)
        | Kind::ThreadClosed(_)
        | Kind::SeatJoined(_)
        | Kind::SeatLeft(_)
        | Kind::PlanMade(_)
        | Kind::CommandRefused(_)
        | Kind::BatchOpened(_)
        | Kind::FloorGranted(_)
        | Kind::CallStarted(_)
        | Kind::CallRetried(_)
        | Kind::ToolAsked(_)
        | Kind::AgentPlan(_)
        | Kind::PermissionAsked(_)
        | Kind::Delta(_)
        | Kind::Receipt(_)
        | Kind::LimitNear(_)
        | Kind::LimitReached(_)
        | Kind::PositionRecorded(_)
        | Kind::ProfileUpdated(_)
        | Kind::StageEntered(_)
        | Kind::RankingMade(_)
        | Kind::Warning(_)
        | Kind::LogRepaired(_)
        | Kind::Unknown(_) => Urgency::Later,
        // a loss that a person would notice: the opening and the end, words, votes (they are ended turns), controls
        _ => Urgency::Soon,
    }
}
