//! Conversations of a batch. Each has its own session and is resumed if it was stopped.

use super::args::BatchArgs;
use super::folder::{SESSIONS, folder_name};
use super::protocols::Prepared;
use super::questions::changed_item;
use crate::batch::{
    BatchItem, BatchJob, JobOutcome, JobRunner, ResultLine, ResultOutcome, Slice, Subject, digest,
    hash, line,
};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::play::assemble::{self, opened};
use crate::cli::play::door;
use crate::clock::{Clock, wall_now};
use crate::engine::{Owner, Stopped, Witness};
use crate::host::{self, Leave, Opening, Parts};
use crate::model::payload::{ModelAdapted, Opened};
use crate::model::{Command, Event, Kind, Limits, StopReason, Text, Usd, Wall};
use crate::session::{self, Log, Mode, ResumedSession, Session, SessionPlace};
use crate::state::State;
use parking_lot::Mutex;
use serde_json::json;
use std::future::{pending, ready};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{oneshot, watch};

/// Bits shifted out of a seed. The remaining 53 bits fit into a JSON number of any reader.
const SEED_SHIFT: u32 = 11;
/// Maximum bytes of an item id used as a session name. A digest replaces longer ids and those with special characters.
const NAME_MAX: usize = 60;

/// Runs the conversations of a batch.
pub struct Conversations {
    arms: Vec<Prepared>,
    out: PathBuf,
    seed: u64,
    /// True if conversations go on without the settings that servers refuse.
    adapts: bool,
    /// The first setting that was lost, if that is not accepted: no other conversation begins.
    lost: Mutex<Option<String>>,
    epoch: Option<Wall>,
    /// Default token limit of each conversation.
    tokens_each: Option<u64>,
    stop: watch::Receiver<bool>,
    /// Warnings that have not been reported yet.
    notes: Mutex<Vec<String>>,
    /// Folder of the sockets; `None` if the settings turn them off.
    sockets: Option<PathBuf>,
    /// Shared runtime: connections of a model cannot outlive the runtime that opened them.
    runtime: Runtime,
}

impl Conversations {
    /// Creates the runner for the conversations of the arms.
    pub fn new(
        arms: Vec<Prepared>,
        args: &BatchArgs,
        out: PathBuf,
        tokens_each: Option<u64>,
        stop: watch::Receiver<bool>,
        context: &Context,
    ) -> Result<Conversations, Failure> {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.map_err(crate::cli::runtime::refused)?;
        let epoch = context.environment.source_date_epoch().map(Wall);
        Ok(Conversations {
            arms,
            out,
            seed: args.seed,
            adapts: args.adapt,
            lost: Mutex::default(),
            epoch,
            tokens_each,
            stop,
            notes: Mutex::default(),
            sockets: door::folder(context),
            runtime,
        })
    }

    fn converse(&self, job: &BatchJob) -> Result<JobOutcome, Failure> {
        let Some(prepared) = self.arms.get(job.arm) else {
            return Err(Failure::new(Exit::Failed, "unknown arm"));
        };
        if let Some(why) = self.lost.lock().clone() {
            return Ok(JobOutcome::Impossible(why));
        }
        let mut number = 1;
        while self.path(prepared, &job.item, number).symlink_metadata().is_ok() {
            number += 1;
        }
        let mut loaded = prepared.of_item(&job.item.values, job.calls)?;
        let mut own = loaded.scenario.limits.clone();
        own.tokens = own.tokens.into_iter().chain(self.tokens_each).min();
        loaded.scenario.limits = bounded(&own, job.slice);
        let again =
            if job.item.repeat > 1 { format!(":{}", job.item.repeat) } else { String::new() };
        let place = format!("{}:{}:{}{again}", self.seed, job.item.id, prepared.arm.name);
        let seed = hash(&place) >> SEED_SHIFT;
        let item = Some(format!("{} {}", job.item.content, job.item.id).into());
        let opening = Opened { item, ..opened(loaded, prepared.rates.clone(), seed, false)? };
        if number > 1 {
            let path = self.path(prepared, &job.item, number - 1);
            if let Some(log) = self.own_log(&path, &opening, &job.item.id)? {
                let past = fold(&log);
                let failed = |line: &ResultLine| line.outcome == ResultOutcome::Failed;
                let over = is_over(&past, &own);
                let line = if over { self.result(job, prepared, &log, &own) } else { None };
                if let Some(lost) = self.unwanted_loss(past.lost_settings()) {
                    return Ok(lost);
                }
                match line {
                    Some(line) if !(job.again && failed(&line)) => {
                        return Ok(JobOutcome::Over(Box::new(line)));
                    }
                    Some(_) => {}
                    None => return self.resume(job, prepared, &path, log, &own),
                }
            }
        }
        let path = self.path(prepared, &job.item, number);
        let began = self.epoch.unwrap_or_else(wall_now);
        let session = session::create(SessionPlace::File(&path), Mode::Normal)?;
        let clock = assemble::clock(prepared.timeless, &State::default(), began);
        let start = Opening::Open(Box::new(opening));
        let parts = parts(prepared, session, start, clock);
        self.play(job, prepared, &path, parts, &own)
    }

    /// Reads the session of an earlier attempt. `None` if it lacks its opening event, or if this batch would not have
    /// started it: foreign sessions are neither counted nor resumed. An item that changed since is an error.
    fn own_log(&self, path: &Path, opening: &Opened, id: &str) -> Result<Option<Log>, Failure> {
        let log = match path.symlink_metadata() {
            Ok(found) if found.is_file() => Some(session::load(path)?),
            Ok(_) | Err(_) => None,
        };
        let is_changed = |item: &Text| {
            let of = item.split_once(' ').map(|(_, of)| of);
            of == Some(id) && Some(item) != opening.item.as_ref()
        };
        let first = log.as_ref().and_then(|log| log.events().next());
        if log.is_some() && first.is_none() {
            return Ok(None);
        }
        let is_own = match first.map(|event| &event.kind) {
            Some(Kind::Opened(found)) if found.item.as_ref().is_some_and(is_changed) => {
                return Err(changed_item(id, path));
            }
            Some(Kind::Opened(found)) => is_same(found, opening),
            Some(_) | None => false,
        };
        if is_own {
            return Ok(log);
        }
        let note = format!("{}: not a session of this batch; it is left unchanged", path.display());
        self.notes.lock().push(note);
        Ok(None)
    }

    /// Removes and returns the warnings since the last call.
    pub fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *self.notes.lock())
    }

    /// Resumes a conversation that was killed, or stopped by a signal or the budget.
    fn resume(
        &self,
        job: &BatchJob,
        prepared: &Prepared,
        path: &Path,
        log: Log,
        own: &Limits,
    ) -> Result<JobOutcome, Failure> {
        let past = fold(&log);
        let began = assemble::began(&log);
        let read = session::resume_read(log.survey, Mode::Normal)?;
        let past = if read.again { fold(&read.log) } else { past };
        let ResumedSession { log, repaired, writer, .. } = read;
        let limits = bounded(own, job.slice);
        let raised = past.limits.tokens != limits.tokens || past.limits.usd != limits.usd;
        let set = Limits { tokens: limits.tokens, usd: limits.usd, ..Limits::default() };
        let session = Session { files: log.survey.files, writer };
        let clock = assemble::clock(prepared.timeless, &past, began);
        let mut parts = parts(prepared, session, Opening::Resume(past, repaired), clock);
        parts.commands.extend(raised.then_some(Command::Limit { set }));
        self.play(job, prepared, path, parts, own)
    }

    /// Plays a conversation. If stopped, it leaves its session as a kill would leave it.
    fn play(
        &self,
        job: &BatchJob,
        prepared: &Prepared,
        path: &Path,
        parts: Parts,
        own: &Limits,
    ) -> Result<JobOutcome, Failure> {
        let mut stop = self.stop.clone();
        let (lost, stopped, is_over, no_room) = self.runtime.block_on(async {
            let mut conversation = host::assemble(parts);
            // without a socket, nobody can attach
            let _ = self.sockets.clone().map(|folder| conversation.open(folder, Owner::Program));
            let (holds, held) = oneshot::channel();
            if !self.adapts {
                conversation.witness = Some(Box::new(LossWitness(Some(holds))));
            }
            let host::RunningConversation { tail, commands, mut run } = conversation.start();
            drop((tail, commands));
            tokio::select! { biased;
                _ = stop.wait_for(|stop| *stop) => run.leave(Leave::Now),
                Ok(()) = held => run.leave(Leave::Now),
                _ = run.stopped() => {}
            }
            let end = run.stopped().await;
            let lost = self.unwanted_loss(end.state.lost_settings());
            (lost, end.stop.clone(), is_over(&end.state, own), no_room(&end.state))
        });
        if let Some(lost) = lost {
            return Ok(lost);
        }
        match stopped {
            Ok(Stopped::Left) => return Ok(JobOutcome::Stopped),
            Ok(Stopped::Ended | Stopped::HandedOver) => {}
            Err(why) => {
                let message = format!("{} could not be written: {why}", path.display());
                return Err(Failure::new(Exit::Session, message));
            }
        }
        let log = session::load(path)?;
        // another process may have ended it
        if !is_over && !self::is_over(&fold(&log), own) {
            return Ok(JobOutcome::NoBudget(no_room));
        }
        // nobody writes to it any more
        let _ = std::fs::remove_file(log.files.lock());
        let line = self.result(job, prepared, &log, own);
        line.map(|line| JobOutcome::Over(Box::new(line))).ok_or_else(|| {
            Failure::new(Exit::Failed, format!("{} stopped unfinished", path.display()))
        })
    }

    /// Returns the outcome of a conversation without a setting of its scenario, if the user did not accept that.
    fn unwanted_loss<'a>(
        &self,
        mut lost: impl Iterator<Item = &'a ModelAdapted>,
    ) -> Option<JobOutcome> {
        if self.adapts {
            return None;
        }
        let why = lost.next()?.sentence() + "; take it out of the scenario, or add --adapt";
        Some(JobOutcome::Impossible(self.lost.lock().get_or_insert(why).clone()))
    }

    fn result(
        &self,
        job: &BatchJob,
        prepared: &Prepared,
        log: &Log,
        own: &Limits,
    ) -> Option<ResultLine> {
        let path = log.files.log();
        let out = self.out.canonicalize().unwrap_or_else(|_| self.out.clone());
        let beside =
            path.strip_prefix(&out).or_else(|_| path.strip_prefix(&self.out)).unwrap_or(path);
        let session = beside.display().to_string();
        let subject = Subject {
            item: &job.item.id,
            line: job.item.line,
            content: &job.item.content,
            key: job.item.key.as_ref(),
            protocol: &prepared.arm.name,
            fingerprint: &prepared.arm.fingerprint,
            judge: prepared.arm.judge.as_deref(),
            session: &session,
            planned: prepared.arm.planned,
        };
        let mut line = line(subject, log.events())?;
        let at_default = own.tokens.is_some() && own.tokens == self.tokens_each;
        if at_default && line.reason == Some(StopReason::TokenLimit) {
            // a default limit must not influence the results
            line.outcome = ResultOutcome::Failed;
            line.error = own.tokens.map(|tokens| {
                format!(
                    "stopped by the default limit of {tokens} tokens; raise it with --max-tokens and --retry"
                )
            });
        }
        Some(line)
    }

    /// Returns the session path for attempt `number` (from 1) at a repetition of an item.
    fn path(&self, prepared: &Prepared, item: &BatchItem, number: u32) -> PathBuf {
        let BatchItem { id: item, repeat, .. } = item;
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let bare = item.len() <= NAME_MAX && item.chars().all(plain) && !item.starts_with('.');
        let name = if bare { item.clone() } else { digest(&[item]) };
        let repeat = if *repeat > 1 { format!("~r{repeat}") } else { String::new() };
        let number = if number > 1 { format!("~{number}") } else { String::new() };
        let folder = folder_name(&prepared.arm.name);
        self.out.join(SESSIONS).join(folder).join(format!("{name}{repeat}{number}.jsonl"))
    }
}

/// Holds a conversation after a call that lost a setting of its scenario, and reports that once.
struct LossWitness(Option<oneshot::Sender<()>>);

impl Witness for LossWitness {
    fn see(&mut self, _: &State, _: &Event) {}

    fn permit<'a>(&'a mut self, state: &'a State) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        let ends = |call| state.calls().all(|turn| turn.call != Some(call));
        if state.ended.is_some() || !state.lost_settings().any(|lost| ends(lost.call)) {
            return Box::pin(ready(()));
        }
        if let Some(holds) = self.0.take() {
            // nobody listens once the conversation is left
            let _ = holds.send(());
        }
        Box::pin(pending())
    }
}

impl JobRunner for Conversations {
    fn play(&self, job: &BatchJob) -> JobOutcome {
        self.converse(job).unwrap_or_else(|failure| JobOutcome::Impossible(failure.with_hint()))
    }
}

/// Returns the parts of a conversation.
fn parts(prepared: &Prepared, session: Session, start: Opening, clock: Clock) -> Parts {
    let (voices, tools) = (prepared.voices.clone(), prepared.tools.clone());
    let commands = prepared.commands.clone();
    Parts { commands, ..Parts::new(session, start, voices, tools, clock) }
}

fn fold(log: &Log) -> State {
    State::fold(log.events())
}

/// Returns true if two openings have the same scenario, including the item, and the same participants. Limits and seed
/// are ignored: they differ with the remaining budget and the command line.
fn is_same(found: &Opened, expected: &Opened) -> bool {
    let essence = |opened: &Opened| {
        let mut scenario = opened.scenario.clone();
        if let Some(scenario) = scenario.as_object_mut() {
            scenario.remove("limits");
        }
        json!([scenario, opened.participants, opened.rehearsed]).to_string()
    };
    // serialise and parse once, as the opening in the log was
    let read = serde_json::to_string(expected).and_then(|text| serde_json::from_str(&text));
    read.is_ok_and(|expected: Opened| essence(found) == essence(&expected))
}

/// Returns the limits of a conversation, reduced to its slice of the budget.
fn bounded(own: &Limits, slice: Slice) -> Limits {
    let usd = slice.usd.and_then(|usd| Usd::try_from(usd).ok());
    Limits {
        tokens: own.tokens.into_iter().chain(slice.tokens).min(),
        usd: own.usd.into_iter().chain(usd).min(),
        ..own.clone()
    }
}

/// Describes a limit that leaves no room for the first call of a conversation.
fn no_room(state: &State) -> Option<String> {
    let limit = state.limit.as_ref().filter(|limit| limit.value == 0)?;
    let words = |amount| limit.what.words(amount);
    Some(format!(
        "no call was made: the first one of a conversation needs up to {}, and it has {}",
        words(limit.next?),
        words(limit.limit)
    ))
}

/// Returns true if the conversation ended by itself, not by a signal or the budget of the batch.
fn is_over(state: &State, own: &Limits) -> bool {
    match state.ended.as_ref().map(|ended| ended.reason) {
        None | Some(StopReason::Signal) => false,
        Some(StopReason::TokenLimit) => state.limits.tokens == own.tokens,
        Some(StopReason::CostLimit) => state.limits.usd == own.usd,
        Some(_) => true,
    }
}
