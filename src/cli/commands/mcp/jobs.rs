//! The conversations that clients have started: each on a thread of its own, with a session like any other.
//!
//! What came of one is read from its session, so that a server that was started again knows as much as the one before;
//! a conversation that its end stopped goes on as soon as somebody waits for it.

use super::bounds::{Bounds, Purse, token_worth};
use crate::cli::commands::resume;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::memory::private_file::write_private;
use crate::cli::play::assemble::{Assembled, random};
use crate::cli::play::next::Resume;
use crate::cli::play::opening::{self, Follows, OpenOutcome};
use crate::cli::play::setup::Setup;
use crate::cli::runtime::block_on;
use crate::config::make_private;
use crate::engine::Input;
use crate::model::{Command, Key, Kind, Participant, Seq, SteerLine, Usd};
use crate::session::{self, Item};
use crate::state::State;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc as channel};
use std::thread;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;

/// The folder of what is remembered of jobs, in the data folder.
const FOLDER: &str = "mcp";
/// Commands that may wait for a conversation.
const COMMANDS_WAITING: usize = 64;
/// How long a command may take until it is known whether it can be carried out.
const HEARD_WITHIN: Duration = Duration::from_secs(3);

/// How long a conversation may take to create its file.
const BEGINS_WITHIN: Duration = Duration::from_secs(10);
/// How often to look for the file.
const LOOKS: Duration = Duration::from_millis(10);

/// What is known of a conversation that runs.
#[derive(Debug, Default)]
struct Pulse {
    /// The first event of this run; what comes before it is read from the session.
    begins: Seq,
    /// Events so far.
    events: u64,
    /// Turns so far.
    turns: u32,
    over: bool,
    /// What became of commands, by key: why they were refused, if they were.
    heard: BTreeMap<Key, Option<String>>,
    spent: Usd,
}

/// A conversation that was started here.
pub struct Convened {
    /// The id of the session that the conversation is kept in.
    pub id: String,
    /// Dollars that are set aside for it.
    kept: Usd,
    /// Billionths of a dollar that a token counts as, if its limit is in tokens.
    token_worth: Option<u64>,
    orders: Mutex<Option<mpsc::Sender<Input>>>,
    stop: Mutex<Option<oneshot::Sender<Stop>>>,
    pulse: Mutex<Pulse>,
    changed: Condvar,
    sent: Mutex<u32>,
    /// What makes its keys others than those of an earlier server.
    dice: u64,
}

/// How a conversation is stopped.
#[derive(Clone, Copy, PartialEq)]
enum Stop {
    /// Somebody wants it to end.
    End,
    /// The server ends: it is left as a kill would leave it, and goes on later.
    Leave,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Convened {
    /// Returns whether it runs.
    pub fn runs(&self) -> bool {
        !lock(&self.pulse).over
    }

    /// Waits for its end; tells how many turns there are whenever that changes. Returns whether it has ended.
    pub fn wait(&self, within: Duration, tell: &dyn Fn(u32) -> bool) -> bool {
        let mut left = within;
        let mut told = None;
        let mut pulse = lock(&self.pulse);
        loop {
            if pulse.over {
                return true;
            }
            let (turns, events) = (pulse.turns, pulse.events);
            if told != Some(turns) {
                drop(pulse);
                if !tell(turns) {
                    return false;
                }
                told = Some(turns);
                pulse = lock(&self.pulse);
                continue;
            }
            let slice = left.min(Duration::from_millis(200));
            if slice.is_zero() {
                return false;
            }
            let waited = self.changed.wait_timeout(pulse, slice);
            pulse = waited.unwrap_or_else(PoisonError::into_inner).0;
            if pulse.events == events || pulse.turns == turns {
                // counted in slices: no clock is read here
                left = left.saturating_sub(slice);
            }
            if !tell(turns) {
                return false;
            }
        }
    }

    /// Waits until its file exists: the events are known slightly earlier.
    fn begins(&self, path: &Path) {
        let mut left = BEGINS_WITHIN;
        while self.runs() && !path.is_file() && !left.is_zero() {
            let waited = self.changed.wait_timeout(lock(&self.pulse), LOOKS);
            drop(waited.unwrap_or_else(PoisonError::into_inner));
            left = left.saturating_sub(LOOKS);
        }
    }

    /// Waits a moment for something to happen; returns whether it still runs.
    pub fn nap(&self) -> bool {
        let pulse = lock(&self.pulse);
        let events = pulse.events;
        let idle = |pulse: &mut Pulse| !pulse.over && pulse.events == events;
        let waited = self.changed.wait_timeout_while(pulse, Duration::from_secs(1), idle);
        !waited.unwrap_or_else(PoisonError::into_inner).0.over
    }

    /// Gives it a command of the operator.
    ///
    /// # Errors
    /// A sentence for people, when it does not run or does not take the command.
    pub fn command(&self, line: SteerLine) -> Result<(), String> {
        let over =
            || "this conversation takes no commands any more: it has ended or reached a limit";
        let orders = lock(&self.orders).clone().ok_or_else(over)?;
        let number = {
            let mut sent = lock(&self.sent);
            *sent += 1;
            *sent
        };
        let key: Key = format!("mcp:{:016x}:{number}", self.dice).into();
        orders
            .try_send(Input::Command { key: key.clone(), line })
            .map_err(|_| "too many commands wait; try again".to_owned())?;
        let pulse = lock(&self.pulse);
        let unheard = |pulse: &mut Pulse| !pulse.over && !pulse.heard.contains_key(&key);
        let waited = self.changed.wait_timeout_while(pulse, HEARD_WITHIN, unheard);
        let pulse = waited.unwrap_or_else(PoisonError::into_inner).0;
        match pulse.heard.get(&key) {
            Some(Some(why)) => Err(why.clone()),
            Some(None) | None => Ok(()),
        }
    }

    /// Returns the dollars that it has used of the budget.
    fn spent(&self, state: &State) -> Usd {
        let spent = state.spent();
        self.token_worth.map_or(spent.cost().unwrap_or_default(), |worth| {
            Usd(spent.usage.tokens().saturating_mul(worth))
        })
    }

    /// Ends the conversation, as an operator would.
    pub fn stop(&self) {
        self.told(Stop::End);
    }

    fn told(&self, how: Stop) {
        if let Some(stop) = lock(&self.stop).take() {
            // one that is over needs no telling
            let _ = stop.send(how);
        }
    }

    fn take(&self, item: &Item) {
        let Item::Event(record) = item else { return };
        let mut pulse = lock(&self.pulse);
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
            Kind::LimitReached(_) if !past => *lock(&self.orders) = None,
            Kind::Paused(_) if !past && record.event.cause.is_none() => *lock(&self.orders) = None,
            _ => {}
        }
        self.changed.notify_all();
    }
}

/// All conversations of a server.
pub struct Jobs {
    /// The bounds of clients.
    pub bounds: Arc<Bounds>,
    all: Mutex<BTreeMap<String, Arc<Convened>>>,
    /// One is started at a time, so that no key and no dollar counts twice.
    starting: Mutex<()>,
    folder: PathBuf,
    threads: Mutex<Vec<thread::JoinHandle<()>>>,
}

impl Jobs {
    /// Returns a server's conversations, of which none runs yet.
    pub fn new(bounds: Bounds, context: &Context) -> Jobs {
        Jobs {
            bounds: Arc::new(bounds),
            all: Mutex::default(),
            starting: Mutex::default(),
            folder: context.paths.data.join(FOLDER),
            threads: Mutex::default(),
        }
    }

    /// Returns a conversation that was started here.
    pub fn get(&self, id: &str) -> Option<Arc<Convened>> {
        lock(&self.all).get(id).cloned()
    }

    /// Returns all that run.
    pub fn running(&self) -> Vec<Arc<Convened>> {
        lock(&self.all).values().filter(|job| job.runs()).cloned().collect()
    }

    /// Returns the dollars that are left for another conversation.
    pub fn left(&self) -> Usd {
        let used = |job: &Arc<Convened>| {
            let pulse = lock(&job.pulse);
            if pulse.over { pulse.spent } else { job.kept }
        };
        let used: Usd = lock(&self.all).values().map(used).sum();
        Usd(self.bounds.usd.0.saturating_sub(used.0))
    }

    /// Returns what another conversation may cost: several at once share what is left.
    pub fn purse(&self) -> Purse {
        let places = self.bounds.running.saturating_sub(self.running().len());
        self.bounds.purse(self.left(), places)
    }

    /// Starts a conversation, unless one with the same key was started before; returns its session.
    ///
    /// # Errors
    /// What keeps it from being started.
    pub fn start(
        &self,
        key: Option<&str>,
        arguments: &Value,
        context: &Context,
        begin: impl FnOnce(&Context, Purse) -> Result<Setup, Failure> + Send + 'static,
    ) -> Result<Arc<Convened>, Failure> {
        let _one = lock(&self.starting);
        if let Some((id, same)) = key.and_then(|key| self.remembered(key, arguments)) {
            if !same {
                let message = "this key was used for another conversation";
                return Err(Failure::usage(message, "choose another key"));
            }
            return self.going(&id, context);
        }
        let job = self.begun(context, begin)?;
        let kept = json!({"key": key, "arguments": arguments, "session": job.id});
        let written = make_private(&self.folder).is_ok()
            && write_private(&self.folder.join(format!("{}.json", job.id)), &kept.to_string())
                .is_ok();
        if !written {
            job.stop();
            let message = format!("cannot write in {}", self.folder.display());
            return Err(Failure::new(Exit::Session, message));
        }
        Ok(job)
    }

    /// Returns a conversation of this server or an earlier one, going on where it was stopped.
    ///
    /// # Errors
    /// When none was started by that name, or it cannot go on.
    pub fn going_on(&self, id: &str, context: &Context) -> Result<Arc<Convened>, Failure> {
        let _one = lock(&self.starting);
        self.going(id, context)
    }

    fn going(&self, id: &str, context: &Context) -> Result<Arc<Convened>, Failure> {
        if let Some(job) = self.get(id) {
            return Ok(job);
        }
        if !self.folder.join(format!("{id}.json")).is_file() {
            let message = format!("no conversation `{id}` was started by this server");
            return Err(Failure::usage(message, "start one with `start` or `convene`"));
        }
        let path = context.paths.sessions().join(format!("{id}.jsonl"));
        let log = session::read(&path)?;
        let state = State::fold(log.events());
        if state.ended.is_some() {
            let (pulse, spent) = (Pulse { over: true, ..Pulse::default() }, Usd::default());
            let job = Convened { pulse: Mutex::new(pulse), ..Convened::new(id.to_owned(), spent) };
            return Ok(Arc::new(job));
        }
        let has_caller = state.seats.iter().any(|s| s.spec.voice.is_human());
        self.bounds.admit(state.seats.iter().map(|s| &*s.spec))?;
        self.begun(context, move |context, purse| {
            let opened = match opening::open(&path, Follows::Output, context)? {
                OpenOutcome::Read(opened) => *opened,
                _ => return Err(Failure::new(Exit::Session, "the session could not be read")),
            };
            let mut resume = Resume { path, ..Resume::default() };
            resume.play.headless = true;
            // the caller's words take their time, as they did before
            resume.play.steer = has_caller.then(|| "-".to_owned());
            let seats: Vec<&Participant> = state.seats.iter().map(|s| &*s.spec).collect();
            let set = purse.limits(&seats, &state.limits);
            resume.commands.push(Command::Limit { set });
            resume::start(&resume, opened, context)
        })
    }

    fn begun(
        &self,
        context: &Context,
        begin: impl FnOnce(&Context, Purse) -> Result<Setup, Failure> + Send + 'static,
    ) -> Result<Arc<Convened>, Failure> {
        if self.running().len() >= self.bounds.running {
            let message = format!("{} conversations run already", self.bounds.running);
            let fix = "wait for one of them to end, or raise mcp.max_running in the settings";
            return Err(Failure::usage(message, fix));
        }
        let (purse, seconds) = (self.purse(), self.bounds.seconds);
        let (own, (tx, rx)) = (context.again(), channel::channel());
        let thread = thread::Builder::new().name("conversation".into()).spawn(move || {
            let setup = match begin(&own, purse) {
                Ok(setup) => setup,
                Err(failure) => {
                    // whoever asked waits for it
                    let _ = tx.send(Err(failure));
                    return;
                }
            };
            let state = &setup.conversation.engine.live.state;
            let seats: Vec<&Participant> = state.seats.iter().map(|s| &*s.spec).collect();
            let job = Convened {
                token_worth: token_worth(&seats).filter(|_| state.limits.usd.is_none()),
                ..Convened::new(setup.conversation.files.id(), purse.kept(&state.limits))
            };
            let ((orders, taken), (stop, stopped)) =
                (mpsc::channel(COMMANDS_WAITING), oneshot::channel());
            lock(&job.pulse).begins = setup.conversation.engine.live.state.next_seq;
            (*lock(&job.orders), *lock(&job.stop)) = (Some(orders), Some(stop));
            let job = Arc::new(job);
            let _ = tx.send(Ok(job.clone()));
            play(setup, &job, (taken, stopped), seconds);
        });
        let thread = thread.map_err(crate::cli::runtime::refused)?;
        let job =
            rx.recv().unwrap_or_else(|_| Err(Failure::new(Exit::Failed, "it ended at once")))?;
        // its session can be read as soon as anybody knows its id
        job.begins(&context.paths.sessions().join(format!("{}.jsonl", job.id)));
        lock(&self.threads).push(thread);
        lock(&self.all).insert(job.id.clone(), job.clone());
        Ok(job)
    }

    /// Finds the session that was started with a key, and whether it was started with the same arguments.
    fn remembered(&self, key: &str, arguments: &Value) -> Option<(String, bool)> {
        let entries = std::fs::read_dir(&self.folder).ok()?;
        entries.flatten().find_map(|entry| {
            let kept: Value = serde_json::from_slice(&std::fs::read(entry.path()).ok()?).ok()?;
            let id = kept["session"].as_str().filter(|_| kept["key"] == key)?;
            Some((id.to_owned(), kept["arguments"] == *arguments))
        })
    }

    /// Leaves everything that runs as a kill would leave it, written to the last event.
    pub fn leave(&self) {
        for job in self.running() {
            job.told(Stop::Leave);
        }
        for thread in lock(&self.threads).drain(..) {
            // one that panicked has nothing more to write
            let _ = thread.join();
        }
    }
}

impl Convened {
    fn new(id: String, kept: Usd) -> Convened {
        Convened {
            id,
            kept,
            token_worth: None,
            orders: Mutex::default(),
            stop: Mutex::default(),
            pulse: Mutex::default(),
            changed: Condvar::new(),
            sent: Mutex::default(),
            dice: random(),
        }
    }
}

/// Has a conversation to its end.
fn play(
    setup: Setup,
    job: &Convened,
    (orders, stopped): (mpsc::Receiver<Input>, oneshot::Receiver<Stop>),
    seconds: u64,
) {
    let Assembled { mut engine, mut tail, .. } = setup.conversation;
    let done = block_on(async {
        let (end, ends) = oneshot::channel::<()>();
        {
            let run = engine.run(orders, async {
                if ends.await.is_err() {
                    std::future::pending().await
                }
            });
            tokio::pin!(run, stopped);
            let (mut end, mut stopping) = (Some(end), true);
            // time of the conversation stands while it is paused, this does not
            let late = sleep(Duration::from_secs(seconds));
            tokio::pin!(late);
            loop {
                tokio::select! { biased;
                    how = &mut stopped, if stopping => {
                        stopping = false;
                        match how {
                            Ok(Stop::Leave) => break,
                            Ok(Stop::End) => if let Some(end) = end.take() { let _ = end.send(()); },
                            Err(_) => {}
                        }
                    }
                    () = &mut late, if end.is_some() => {
                        if let Some(end) = end.take() { let _ = end.send(()); }
                    }
                    Some(item) = tail.next() => job.take(&item),
                    _ = &mut run => break,
                }
            }
        }
        while let Some(item) = tail.try_next() {
            job.take(&item);
        }
        let spent = job.spent(&engine.live.state);
        // a fault of the disk shows in the session, which is read for every answer
        let _ = engine.finish().await;
        Ok(spent)
    });
    *lock(&job.orders) = None;
    let mut pulse = lock(&job.pulse);
    pulse.spent = done.unwrap_or(job.kept);
    pulse.over = true;
    drop(pulse);
    job.changed.notify_all();
}
