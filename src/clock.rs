//! Time, real and virtual. The only reader of clocks.
//!
//! Virtual time moves only when every running call sleeps in it; a call that works for real (a child process, a
//! socket) holds it. tokio's paused clock is not used because it jumps while a child process works: a script of
//! 0.3 s "timed out" at 120 s.
//!
//! A paced clock runs over another one, faster, slower or not at all, and can be set: the time of a recording.

use crate::model::{CallId, Ms, Wall};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::{Notify, oneshot};

/// The wall time at which a virtual session begins that is to be the same byte for byte: 2026-01-01T00:00:00Z.
pub const VIRTUAL_EPOCH: Wall = Wall(1_767_225_600_000);

/// The pace of a clock that keeps up with the one below.
const PERCENT: u64 = 100;

/// A shared clock of one session.
#[derive(Clone)]
pub struct Clock {
    inner: Arc<Mutex<Inner>>,
    idle: Arc<Notify>,
}

enum Kind {
    Real {
        base: Instant,
    },
    Virtual {
        /// When the session began.
        epoch: Wall,
    },
    /// Stood at `ms` when the clock below stood at `since`.
    Paced {
        over: Clock,
        since: Ms,
        percent: u32,
    },
}

struct Inner {
    kind: Kind,
    /// Virtual: now. Real: the session's milliseconds at `base`.
    ms: Ms,
    working: BTreeSet<CallId>,
    /// Chunks that were sent and not yet taken in: time stands until the engine has seen them.
    in_flight: usize,
    sleepers: BTreeMap<(Ms, CallId), oneshot::Sender<()>>,
}

impl Clock {
    /// Returns a clock that goes on from `ms` in real time.
    pub fn real(ms: Ms) -> Clock {
        Clock::new(Kind::Real { base: Instant::now() }, ms)
    }

    /// Returns a clock that goes on from `ms` in virtual time.
    pub fn virtual_from(ms: Ms) -> Clock {
        Clock::virtual_since(VIRTUAL_EPOCH, ms)
    }

    /// Returns the same for a session that began at a wall time.
    pub fn virtual_since(epoch: Wall, ms: Ms) -> Clock {
        Clock::new(Kind::Virtual { epoch }, ms)
    }

    /// Returns a clock that stands at `ms` until it is [`pace`](Clock::pace)d, and then runs over another one.
    pub fn paced_over(over: &Clock, ms: Ms) -> Clock {
        Clock::new(Kind::Paced { over: over.clone(), since: over.now(), percent: 0 }, ms)
    }

    /// Lets a paced clock go on from here at so many percent of the clock below; 0 stops it. Others keep their pace.
    pub fn pace(&self, percent: u32) {
        let now = self.now();
        let mut c = self.lock();
        if let Kind::Paced { over, since, percent: pace } = &mut c.kind {
            (*since, *pace) = (over.now(), percent);
            c.ms = now;
        }
    }

    /// Sets a paced clock; others are not set.
    pub fn set(&self, ms: Ms) {
        let mut c = self.lock();
        if let Kind::Paced { over, since, .. } = &mut c.kind {
            *since = over.now();
            c.ms = ms;
        }
    }

    fn new(kind: Kind, ms: Ms) -> Clock {
        let inner =
            Inner { kind, ms, working: BTreeSet::new(), in_flight: 0, sleepers: BTreeMap::new() };
        Clock { inner: Arc::new(Mutex::new(inner)), idle: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Returns whether time is virtual.
    pub fn is_virtual(&self) -> bool {
        matches!(self.lock().kind, Kind::Virtual { .. })
    }

    /// Leaves out milliseconds in which the program was stopped, from a clock that goes on in real time.
    pub fn leave_out(&self, ms: u64) {
        if let Kind::Real { base } = &mut self.lock().kind {
            *base += Duration::from_millis(ms).min(base.elapsed());
        }
    }

    /// Returns the session's time.
    pub fn now(&self) -> Ms {
        let c = self.lock();
        match &c.kind {
            Kind::Virtual { .. } => c.ms,
            Kind::Real { base } => c.ms.plus(millis(base.elapsed())),
            Kind::Paced { over, since, percent } => {
                c.ms.plus(over.now().since(*since).saturating_mul(u64::from(*percent)) / PERCENT)
            }
        }
    }

    /// Returns the wall time; in virtual time a fixed epoch plus the session's time.
    pub fn wall(&self) -> Wall {
        let c = self.lock();
        match c.kind {
            Kind::Virtual { epoch } => Wall(epoch.0.saturating_add_unsigned(c.ms.0)),
            Kind::Real { .. } | Kind::Paced { .. } => wall_now(),
        }
    }

    /// Sleeps for a call.
    pub async fn sleep(&self, call: CallId, ms: u64) {
        let woken = {
            let mut c = self.lock();
            match c.kind {
                Kind::Real { .. } | Kind::Paced { .. } => None,
                Kind::Virtual { .. } => {
                    let (tx, rx) = oneshot::channel();
                    let due = c.ms.plus(ms);
                    c.sleepers.insert((due, call), tx);
                    c.working.remove(&call);
                    Some(rx)
                }
            }
        };
        match woken {
            Some(rx) => {
                self.idle.notify_one();
                // a dropped sender means that the call was cancelled; its task is being aborted
                let _ = rx.await;
            }
            None => tokio::time::sleep(Duration::from_millis(ms)).await,
        }
    }

    /// Marks a call as working: virtual time stands until it sleeps or finishes.
    pub fn begin(&self, call: CallId) {
        self.lock().working.insert(call);
    }

    /// Marks a call as over.
    pub fn finish(&self, call: CallId) {
        let mut c = self.lock();
        c.working.remove(&call);
        c.sleepers.retain(|(_, k), _| *k != call);
        drop(c);
        self.idle.notify_one();
    }

    /// Marks a chunk as on its way to the engine.
    pub fn sent(&self) {
        self.lock().in_flight += 1;
    }

    /// Marks a chunk as taken in.
    pub fn taken(&self) {
        let mut c = self.lock();
        c.in_flight = c.in_flight.saturating_sub(1);
        drop(c);
        self.idle.notify_one();
    }

    /// Returns when `until` has come or, in virtual time, when a sleeper was woken instead.
    pub async fn advance(&self, until: Option<Ms>) {
        if !self.is_virtual() {
            return match until {
                Some(u) => tokio::time::sleep(Duration::from_millis(u.since(self.now()))).await,
                None => std::future::pending().await,
            };
        }
        loop {
            {
                let mut c = self.lock();
                if c.working.is_empty() && c.in_flight == 0 {
                    let first = c.sleepers.keys().next().copied();
                    match (first, until) {
                        (Some((due, call)), u) if u.is_none_or(|u| due <= u) => {
                            let tx = c.sleepers.remove(&(due, call));
                            c.ms = c.ms.max(due);
                            c.working.insert(call);
                            if tx.is_none_or(|t| t.send(()).is_err()) {
                                c.working.remove(&call);
                            }
                            return;
                        }
                        (_, Some(u)) => {
                            c.ms = c.ms.max(u);
                            return;
                        }
                        _ => {}
                    }
                }
            }
            self.idle.notified().await;
        }
    }
}

fn millis(d: Duration) -> u64 {
    u64::try_from(d.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the wall time of this machine.
pub fn wall_now() -> Wall {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    Wall(since.map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_asleep_is_left_out() {
        let clock = Clock::real(Ms(5_000));
        clock.leave_out(60_000);
        assert!((5_000..6_000).contains(&clock.now().0), "{:?}", clock.now());
        let paced = Clock::paced_over(&clock, Ms(7));
        paced.leave_out(60_000);
        assert_eq!(paced.now(), Ms(7));
    }
}
