//! A conversation of a client: it runs on its own thread; other threads wait for it, send it commands and stop it.

use super::open::Interest;
use crate::cli::play::assemble::random;
use crate::cli::play::next::Setup;
use crate::cli::runtime::block_on;
use crate::engine::{Input, Owner};
use crate::host::{self, Leave};
use crate::model::{Key, Kind, Seq, SteerLine};
use crate::session::{Item, SessionFiles, holder};
use futures::FutureExt;
use parking_lot::{Condvar, Mutex};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;

/// Time limit until a command is accepted or refused.
const HEARD_WITHIN: Duration = Duration::from_secs(3);
/// Time limit in which a conversation creates its file.
const BEGINS_WITHIN: Duration = Duration::from_secs(10);
/// Time between two looks for the file.
const LOOKS: Duration = Duration::from_millis(10);
/// Longest time in which a client that has gone goes unnoticed.
const SLICE: Duration = Duration::from_millis(200);

/// The progress of a running conversation.
#[derive(Debug, Default)]
struct Pulse {
    /// The first event of this run; earlier ones are read from the session.
    begins: Seq,
    /// Turns so far.
    turns: u32,
    /// Events so far.
    events: u64,
    over: bool,
    /// Results of commands by key: the reason for a refusal, or `None`.
    heard: BTreeMap<Key, Option<String>>,
}

/// A conversation that was started here.
pub struct Convened {
    /// The id of the session that the conversation is kept in.
    pub id: String,
    /// The session, if another process runs it.
    elsewhere: Option<SessionFiles>,
    orders: Mutex<Option<mpsc::Sender<Input>>>,
    leave: watch::Sender<Leave>,
    pulse: Mutex<Pulse>,
    changed: Condvar,
    /// Number of commands so far.
    sent: AtomicU32,
    /// Random part of its command keys: an earlier server used others.
    dice: u64,
}

impl Convened {
    /// Returns a conversation that is about to run.
    pub fn new(setup: &Setup) -> Arc<Convened> {
        let begins = setup.conversation.state().next_seq;
        let commands = setup.conversation.commands.clone();
        Arc::new(Convened {
            orders: Mutex::new(Some(commands)),
            pulse: Mutex::new(Pulse { begins, ..Pulse::default() }),
            ..Convened::ended(setup.conversation.files.id())
        })
    }

    /// Returns a conversation that does not run.
    pub fn ended(id: String) -> Convened {
        Convened {
            id,
            elsewhere: None,
            orders: Mutex::default(),
            leave: watch::Sender::new(Leave::Stay),
            pulse: Mutex::new(Pulse { over: true, ..Pulse::default() }),
            changed: Condvar::new(),
            sent: AtomicU32::default(),
            dice: random(),
        }
    }

    /// Returns a conversation that another process runs.
    pub fn elsewhere(files: SessionFiles) -> Convened {
        let id = files.id();
        Convened { elsewhere: Some(files), ..Convened::ended(id) }
    }

    /// Returns whether it runs here.
    pub fn runs(&self) -> bool {
        !self.pulse.lock().over
    }

    /// Waits for its end, at most for a time; passes on the number of turns when it changes. Returns early if the caller
    /// loses interest.
    pub fn wait(&self, within: Duration, tell: &dyn Fn(u32) -> Interest) -> Interest {
        // counted in slices: no clock is read here
        let mut left = within;
        loop {
            let turns = self.pulse.lock().turns;
            let interest = tell(turns);
            if interest != Interest::Waiting || self.is_over() || left.is_zero() {
                return interest;
            }
            let slice = left.min(SLICE);
            let same = |pulse: &mut Pulse| pulse.turns == turns && self.pends(pulse);
            if self.changed.wait_while_for(&mut self.pulse.lock(), same, slice).timed_out() {
                left = left.saturating_sub(slice);
            }
        }
    }

    fn pends(&self, pulse: &Pulse) -> bool {
        !pulse.over || self.elsewhere.is_some()
    }

    /// Returns whether a client stopped it.
    pub fn is_stopped(&self) -> bool {
        *self.leave.borrow() == Leave::End
    }

    /// Returns whether it runs nowhere.
    pub fn is_over(&self) -> bool {
        match &self.elsewhere {
            Some(files) => holder(files).is_none(),
            None => !self.runs(),
        }
    }

    /// Waits until its file exists: the events are known slightly earlier.
    pub fn begins(&self, path: &Path) {
        let mut left = BEGINS_WITHIN;
        while self.runs() && !path.is_file() && !left.is_zero() {
            self.changed.wait_for(&mut self.pulse.lock(), LOOKS);
            left = left.saturating_sub(LOOKS);
        }
    }

    /// Waits a moment for something to happen; returns whether it still runs.
    pub fn nap(&self) -> bool {
        let mut pulse = self.pulse.lock();
        let events = pulse.events;
        let idle = |pulse: &mut Pulse| !pulse.over && pulse.events == events;
        self.changed.wait_while_for(&mut pulse, idle, SLICE);
        !pulse.over
    }

    /// Sends the conversation an operator command.
    ///
    /// # Errors
    /// A message for users, if the conversation does not run or rejects the command.
    pub fn command(&self, line: SteerLine) -> Result<(), String> {
        let over =
            || "this conversation takes no commands any more: it has ended or reached a limit";
        let orders = self.orders.lock().clone().ok_or_else(over)?;
        let number = self.sent.fetch_add(1, Ordering::SeqCst);
        let key: Key = format!("mcp:{:016x}:{number}", self.dice).into();
        orders
            .try_send(Input::Command { key: key.clone(), line })
            .map_err(|_| "too many commands wait; try again".to_owned())?;
        let mut pulse = self.pulse.lock();
        let unheard = |pulse: &mut Pulse| !pulse.over && !pulse.heard.contains_key(&key);
        self.changed.wait_while_for(&mut pulse, unheard, HEARD_WITHIN);
        match pulse.heard.remove(&key).flatten() {
            Some(why) => Err(why),
            None => Ok(()),
        }
    }

    /// Ends the conversation, as an operator would.
    pub fn stop(&self) {
        self.leave.send_replace(Leave::End);
    }

    /// Leaves the conversation as a kill would leave it, written to its last event.
    pub fn leave(&self) {
        self.leave.send_replace(Leave::Now);
    }

    fn take(&self, item: &Item) {
        let Item::Event(record) = item else { return };
        let mut pulse = self.pulse.lock();
        pulse.events += 1;
        let past = record.event.seq < pulse.begins;
        match &record.event.kind {
            Kind::CommandGiven(given) => {
                pulse.heard.insert(given.key.clone(), None);
            }
            Kind::CommandRefused(refused) => {
                pulse.heard.insert(refused.key.clone(), Some(refused.why.to_string()));
            }
            Kind::TurnEnded(end) if end.number.is_some() => pulse.turns += 1,
            // nobody raises a limit or repairs what failed: the end follows
            Kind::LimitReached(_) if !past => *self.orders.lock() = None,
            Kind::Paused(_) if !past && record.event.cause.is_none() => *self.orders.lock() = None,
            _ => {}
        }
        self.changed.notify_all();
    }
}

/// Runs a conversation to its end, at most for a number of seconds; `sockets` is the folder for clients.
pub fn play(setup: Setup, job: &Convened, seconds: u64, sockets: Option<PathBuf>) {
    let Setup { mut conversation, budget, .. } = setup;
    let done = block_on(async {
        // without a socket, nobody can attach
        let _ = sockets.map(|folder| conversation.open(folder, Owner::Program));
        let host::RunningConversation { mut tail, commands, mut run } = conversation.start();
        // that of the job remains
        drop(commands);
        let mut leave = job.leave.subscribe();
        // somebody may have stopped it before it began
        leave.mark_changed();
        // the time of the conversation stops while it is paused, this time does not
        let late = pin!(sleep(Duration::from_secs(seconds)));
        let mut late = late.fuse();
        loop {
            tokio::select! { biased;
                Ok(()) = leave.changed() => run.leave(*leave.borrow_and_update()),
                () = &mut late => run.leave(Leave::End),
                item = tail.next() => match item {
                    Some(item) => job.take(&item),
                    None => break,
                }
            }
        }
        // a fault of the disk shows in the session, which is read for every answer
        Ok(run.stopped().await.state.clone())
    });
    *job.orders.lock() = None;
    if let (Some(budget), Ok(state)) = (budget, done) {
        budget.charge(&state);
    }
    job.pulse.lock().over = true;
    job.changed.notify_all();
}
