//! A conversation that the server runs: a task reads its tail; threads wait for it, send it commands and leave it.

use super::open::Interest;
use crate::cli::play::assemble::random;
use crate::cli::play::next::Setup;
use crate::engine::{Input, Owner};
use crate::host::{Leave, RunningConversation};
use crate::ledger::RunBudget;
use crate::model::{Key, Kind, Seq, SteerLine};
use crate::session::{Item, SessionFiles, holder};
use futures::FutureExt;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// Time limit until a command is accepted or refused.
pub const ANSWER_WITHIN: Duration = Duration::from_secs(5);
/// Looks for the file of a new conversation, which are ten seconds.
const LOOKS: u32 = 1_000;
/// Longest time in which a client that has gone goes unnoticed.
const SLICE: Duration = Duration::from_millis(200);

/// The progress of a running conversation.
#[derive(Default)]
struct Pulse {
    /// Turns so far.
    turns: u32,
    /// Events so far.
    events: u64,
    over: bool,
    /// Results of commands by key: `None`, or the reason for a refusal.
    heard: BTreeMap<Key, Option<String>>,
}

/// A conversation.
pub struct Attended {
    /// The id of the session that the conversation is kept in.
    pub id: String,
    files: SessionFiles,
    runtime: Handle,
    orders: Mutex<Option<mpsc::Sender<Input>>>,
    leave: watch::Sender<Leave>,
    pulse: watch::Sender<Pulse>,
    /// Number of commands so far.
    sent: AtomicU32,
    /// Beginning of its command keys.
    keys: String,
    /// The first event of this run; earlier ones are read from the session.
    begins: Seq,
}

impl Attended {
    /// Runs a conversation on a task to its end, at most for a number of seconds; `sockets` is the folder for clients.
    pub fn start(
        setup: Setup,
        seconds: u64,
        sockets: Option<PathBuf>,
        runtime: &Handle,
    ) -> (Arc<Attended>, JoinHandle<()>) {
        let Setup { mut conversation, budget, .. } = setup;
        let _entered = runtime.enter();
        // without a socket, nobody can attach
        let _ = sockets.map(|folder| conversation.open(folder, Owner::Program));
        let begins = conversation.state().next_seq;
        let files = conversation.files.clone();
        let running = conversation.start();
        let job = Arc::new(Attended {
            // an earlier server used others
            keys: format!("mcp:{:016x}:", random()),
            orders: Mutex::new(Some(running.commands.clone())),
            pulse: watch::Sender::default(),
            begins,
            ..Attended::past(files, runtime)
        });
        let within = Duration::from_secs(seconds);
        let task = runtime.spawn(play(running, budget, job.clone(), within));
        (job, task)
    }

    /// Returns a conversation that is not attended: it has ended, or another process runs it.
    pub fn past(files: SessionFiles, runtime: &Handle) -> Attended {
        Attended {
            id: files.id(),
            files,
            runtime: runtime.clone(),
            orders: Mutex::default(),
            leave: watch::Sender::new(Leave::Stay),
            pulse: watch::Sender::new(Pulse { over: true, ..Pulse::default() }),
            sent: AtomicU32::default(),
            keys: String::new(),
            begins: Seq(0),
        }
    }

    /// Returns whether it runs here.
    pub fn runs(&self) -> bool {
        !self.pulse.borrow().over
    }

    /// Returns whether it runs nowhere.
    pub fn is_over(&self) -> bool {
        !self.runs() && holder(&self.files).is_none()
    }

    /// Waits until its progress satisfies a condition or it is over; returns false if that takes too long.
    fn until(&self, within: Duration, is: impl Fn(&Pulse) -> bool) -> bool {
        let mut pulse = self.pulse.subscribe();
        let change =
            async { timeout(within, pulse.wait_for(|now| now.over || is(now))).await.is_ok() };
        self.runtime.block_on(change)
    }

    /// Waits for its end, at most for a time; passes on the number of turns when it changes. Returns early if the caller
    /// loses interest.
    pub fn wait(&self, within: Duration, tell: &dyn Fn(u32) -> Interest) -> Interest {
        // counted in slices: no clock is read here
        let mut left = within;
        loop {
            let turns = self.pulse.borrow().turns;
            let interest = tell(turns);
            if interest != Interest::Waiting || self.is_over() || left.is_zero() {
                return interest;
            }
            let slice = left.min(SLICE);
            if !self.runs() {
                thread::sleep(slice);
            } else if self.until(slice, |now| now.turns != turns) {
                continue;
            }
            left = left.saturating_sub(slice);
        }
    }

    /// Returns whether a client stopped it.
    pub fn is_stopped(&self) -> bool {
        *self.leave.borrow() == Leave::End
    }

    /// Waits until its file exists: the events are known slightly earlier.
    pub fn begins(&self) {
        for _ in 0..LOOKS {
            if !self.runs() || self.files.log().is_file() {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits a moment for something to happen; returns whether it still runs.
    pub fn nap(&self) -> bool {
        let events = self.pulse.borrow().events;
        self.until(SLICE, |now| now.events != events);
        self.runs()
    }

    /// Sends the conversation an operator command.
    ///
    /// # Errors
    /// A message for users, if the conversation does not run or rejects the command.
    pub fn command(&self, line: SteerLine) -> Result<(), String> {
        let over =
            || "this conversation takes no commands any more: it has ended or reached a limit";
        let orders = self.orders.lock().clone().ok_or_else(over)?;
        let number = self.sent.fetch_add(1, Ordering::SeqCst) + 1;
        let key: Key = format!("{}{number}", self.keys).into();
        orders
            .try_send(Input::Command { key: key.clone(), line })
            .map_err(|_| "too many commands wait; try again".to_owned())?;
        self.until(ANSWER_WITHIN, |now| now.heard.contains_key(&key));
        let refusal = self.pulse.borrow().heard.get(&key).cloned().flatten();
        refusal.map_or(Ok(()), Err)
    }

    /// Leaves the conversation.
    pub fn leave(&self, how: Leave) {
        self.leave.send_replace(how);
    }

    fn take(&self, item: &Item) {
        let Item::Event(record) = item else { return };
        let is_new = record.event.seq >= self.begins;
        let heard = match &record.event.kind {
            // a receipt would make the client wait for a turn
            Kind::CommandGiven(given) => Some((&given.key, None)),
            Kind::CommandRefused(refused) => Some((&refused.key, Some(refused.why.to_string()))),
            _ => None,
        };
        match &record.event.kind {
            // nobody raises a limit or repairs a failure: the end follows
            Kind::LimitReached(_) if is_new => *self.orders.lock() = None,
            Kind::Paused(_) if is_new && record.event.cause.is_none() => *self.orders.lock() = None,
            _ => {}
        }
        self.pulse.send_modify(|pulse| {
            pulse.events += 1;
            pulse.turns += u32::from(
                matches!(&record.event.kind, Kind::TurnEnded(end) if end.number.is_some()),
            );
            if let Some((key, result)) = heard {
                pulse.heard.entry(key.clone()).or_insert(result);
            }
        });
    }
}

/// Attends a conversation to its end.
async fn play(
    running: RunningConversation,
    budget: Option<RunBudget>,
    job: Arc<Attended>,
    within: Duration,
) {
    let RunningConversation { mut tail, commands, mut run } = running;
    // that of the job remains
    drop(commands);
    let mut leave = job.leave.subscribe();
    // somebody may have stopped it before it began
    leave.mark_changed();
    // the time of the conversation stops while it is paused, this time does not
    let late = pin!(sleep(within));
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
    let end = run.stopped().await;
    if let Some(budget) = budget {
        budget.charge(&end.state);
    }
    *job.orders.lock() = None;
    drop(run);
    job.pulse.send_modify(|pulse| pulse.over = true);
}
