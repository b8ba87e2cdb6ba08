//! Real and virtual time. No other module reads clocks.
//!
//! Virtual time advances only while every running call sleeps in it. It does not advance while a call does real work,
//! such as a child process or a socket. tokio's paused clock is not used because it jumps while a child process works:
//! a script of 0.3 s "timed out" at 120 s.
//!
//! A paced clock follows another clock at a percentage of its speed, and can be set. It provides the time of a
//! recording.

use crate::model::{CallId, Ms, Wall};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::{Notify, oneshot};

/// Wall time at the start of reproducible virtual sessions: 2026-01-01T00:00:00Z.
pub const VIRTUAL_EPOCH: Wall = Wall(1_767_225_600_000);

/// Pace of a clock as fast as the underlying one.
const PERCENT: u64 = 100;

/// Clock of one session; clones share it.
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
        /// Wall time at the start of the session.
        epoch: Wall,
    },
    /// A clock that showed `Inner::ms` when the underlying clock showed `since`.
    Paced {
        over: Clock,
        since: Ms,
        percent: u32,
    },
}

struct Inner {
    kind: Kind,
    /// Virtual: current time. Real: session time at `base`. Paced: session time at `since`.
    ms: Ms,
    working: BTreeSet<CallId>,
    /// Number of chunks sent but not yet handled by the engine. Virtual time does not advance meanwhile.
    in_flight: usize,
    sleepers: BTreeMap<(Ms, CallId), oneshot::Sender<()>>,
}

impl Clock {
    /// Creates a clock that continues from `ms` in real time.
    pub fn real(ms: Ms) -> Clock {
        Clock::new(Kind::Real { base: Instant::now() }, ms)
    }

    /// Creates a clock that continues from `ms` in virtual time.
    pub fn virtual_from(ms: Ms) -> Clock {
        Clock::virtual_since(VIRTUAL_EPOCH, ms)
    }

    /// Creates a virtual clock for a session that started at the wall time `epoch`.
    pub fn virtual_since(epoch: Wall, ms: Ms) -> Clock {
        Clock::new(Kind::Virtual { epoch }, ms)
    }

    /// Creates a clock that is stopped at `ms` until [`pace`](Clock::pace) starts it, and then follows another clock.
    pub fn paced_over(over: &Clock, ms: Ms) -> Clock {
        Clock::new(Kind::Paced { over: over.clone(), since: over.now(), percent: 0 }, ms)
    }

    /// Sets the pace of a paced clock, in percent of the underlying clock; 0 stops it. Has no effect on other clocks.
    pub fn pace(&self, percent: u32) {
        let now = self.now();
        let mut c = self.inner.lock();
        if let Kind::Paced { over, since, percent: pace } = &mut c.kind {
            *since = over.now();
            *pace = percent;
            c.ms = now;
        }
    }

    /// Sets a paced clock to a time. Has no effect on other clocks.
    pub fn set(&self, ms: Ms) {
        let mut c = self.inner.lock();
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

    /// Returns whether time is virtual.
    pub fn is_virtual(&self) -> bool {
        matches!(self.inner.lock().kind, Kind::Virtual { .. })
    }

    /// Subtracts a time during which the program was suspended from a real clock. Has no effect on other clocks.
    pub fn leave_out(&self, ms: u64) {
        if let Kind::Real { base } = &mut self.inner.lock().kind {
            *base += Duration::from_millis(ms).min(base.elapsed());
        }
    }

    /// Returns the session time.
    pub fn now(&self) -> Ms {
        let c = self.inner.lock();
        match &c.kind {
            Kind::Virtual { .. } => c.ms,
            Kind::Real { base } => c.ms.plus(millis(base.elapsed())),
            Kind::Paced { over, since, percent } => {
                c.ms.plus(over.now().since(*since).saturating_mul(u64::from(*percent)) / PERCENT)
            }
        }
    }

    /// Returns the wall time; in virtual time the epoch plus the session time.
    pub fn wall(&self) -> Wall {
        let c = self.inner.lock();
        match c.kind {
            Kind::Virtual { epoch } => Wall(epoch.0.saturating_add_unsigned(c.ms.0)),
            Kind::Real { .. } | Kind::Paced { .. } => wall_now(),
        }
    }

    /// Sleeps for `ms` milliseconds on behalf of a call.
    pub async fn sleep(&self, call: CallId, ms: u64) {
        let woken = {
            let mut c = self.inner.lock();
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

    /// Marks a call as working: virtual time does not advance until it sleeps or finishes.
    pub fn begin(&self, call: CallId) {
        self.inner.lock().working.insert(call);
    }

    /// Marks a call as finished.
    pub fn finish(&self, call: CallId) {
        let mut c = self.inner.lock();
        c.working.remove(&call);
        c.sleepers.retain(|(_, k), _| *k != call);
        drop(c);
        self.idle.notify_one();
    }

    /// Marks a chunk as sent to the engine.
    pub fn sent(&self) {
        self.inner.lock().in_flight += 1;
    }

    /// Marks a chunk as handled by the engine.
    pub fn taken(&self) {
        let mut c = self.inner.lock();
        c.in_flight = c.in_flight.saturating_sub(1);
        drop(c);
        self.idle.notify_one();
    }

    /// Waits until the time `until` or, in virtual time, until a sleeper is woken before that.
    pub async fn advance(&self, until: Option<Ms>) {
        if !self.is_virtual() {
            return match until {
                Some(u) => tokio::time::sleep(Duration::from_millis(u.since(self.now()))).await,
                None => std::future::pending().await,
            };
        }
        loop {
            {
                let mut c = self.inner.lock();
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
