//! Conversations started by clients, each on its own task and with its own session file.
//!
//! Results are read from the session, so that a restarted server has them too. A conversation that stopped with its
//! server continues when a client waits for it.

use super::attended::Attended;
use super::bounds::Bounds;
use super::claims::{Claim, claim};
use super::open::Interest;
use super::values::GivenName;
use crate::cli::args::{ModelOptions, SteerSource};
use crate::cli::commands::resume;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::play::door;
use crate::cli::play::next::{Resume, Setup};
use crate::cli::play::opening::open_for_output;
use crate::cli::saved_id::SavedId;
use crate::export::Seen;
use crate::host::Leave;
use crate::model::{Command, Participant, Reveal};
use crate::own_file::{OwnFile, create_folder};
use crate::session::{ReadProgress, holder};
use futures::future::join_all;
use parking_lot::Mutex;
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// Folder of the notes on conversations, in the data folder: a file per session and a file per key.
const FOLDER: &str = "mcp";

/// All conversations of a server.
pub struct Jobs {
    /// The bounds of clients.
    pub bounds: Arc<Bounds>,
    /// The models that the server was started with.
    pub models: ModelOptions,
    all: Mutex<BTreeMap<String, Arc<Attended>>>,
    /// Held while a conversation starts: one at a time, so that each gets its share of the budget.
    starting: Mutex<()>,
    /// True once the server ends: nothing starts any more.
    leaving: AtomicBool,
    folder: PathBuf,
    tasks: Mutex<Vec<JoinHandle<()>>>,
    /// The runtime of all conversations.
    pub runtime: Handle,
}

/// Reads a session by its id, as clients may see it.
///
/// # Errors
/// When there is no such session, or it cannot be read.
pub fn read(id: &str, context: &Context) -> Result<Seen, Failure> {
    let path = context.paths.sessions().join(format!("{id}.jsonl"));
    if !path.is_file() {
        let hint = "`status` lists the running conversations";
        return Err(Failure::usage(format!("no session `{id}`"), hint));
    }
    Ok(Seen::read(&path, Reveal::default(), &ReadProgress::default())?)
}

impl Jobs {
    /// Returns a server's conversations, of which none runs yet.
    pub fn new(bounds: Bounds, models: ModelOptions, context: &Context, runtime: &Handle) -> Jobs {
        Jobs {
            bounds: Arc::new(bounds),
            models,
            all: Mutex::default(),
            starting: Mutex::default(),
            leaving: AtomicBool::default(),
            folder: context.paths.data.join(FOLDER),
            tasks: Mutex::default(),
            runtime: runtime.clone(),
        }
    }

    /// Returns a conversation that was started here.
    pub fn get(&self, id: &SavedId) -> Option<Arc<Attended>> {
        self.all.lock().get(id.as_str()).cloned()
    }

    /// Returns all that run.
    pub fn running(&self) -> Vec<Arc<Attended>> {
        self.all.lock().values().filter(|job| job.runs()).cloned().collect()
    }

    /// Returns the number of conversations that may still start.
    fn places(&self) -> usize {
        self.bounds.running.saturating_sub(self.running().len())
    }

    /// Starts a conversation, unless one with the same key was started before, by this process or another one.
    pub fn start(
        &self,
        key: Option<&GivenName>,
        arguments: &Value,
        context: &Context,
        begin: impl FnOnce(usize) -> Result<Setup, Failure>,
    ) -> Result<Arc<Attended>, Failure> {
        let _one = self.starting.lock();
        create_folder(&self.folder).map_err(|e| self.unwritable(&e))?;
        let claimed = key.map(|key| claim(&self.folder, key, arguments)).transpose();
        let free = match claimed.map_err(|e| self.unwritable(&e))? {
            Some(Claim::Taken(id)) => return self.going(&id, context),
            Some(Claim::Differs) => {
                let message = "this key was used for another conversation";
                return Err(Failure::usage(message, "choose another key"));
            }
            Some(Claim::Free(free)) => Some(free),
            None => None,
        };
        let job = self.begun(context, begin)?;
        let kept = self.remember(&job.id);
        kept.and_then(|()| free.map_or(Ok(()), |free| free.keep(&job.id))).map_err(|e| {
            job.leave(Leave::End);
            self.unwritable(&e)
        })?;
        Ok(job)
    }

    /// Notes that a session was started by this server.
    fn remember(&self, id: &str) -> io::Result<()> {
        let mut file = OwnFile::create_new(&self.folder.join(format!("{id}.json")))?;
        writeln!(file, "{}", json!({"session": id}))
    }

    fn unwritable(&self, e: &io::Error) -> Failure {
        let message = format!("cannot write in {}: {e}", self.folder.display());
        Failure::new(Exit::Session, message)
    }

    /// Returns a conversation of this server or an earlier one, going on where it was stopped.
    ///
    /// # Errors
    /// When none was started by that name, or it cannot go on.
    pub fn going_on(&self, id: &SavedId, context: &Context) -> Result<Arc<Attended>, Failure> {
        let _one = self.starting.lock();
        self.going(id, context)
    }

    fn going(&self, id: &SavedId, context: &Context) -> Result<Arc<Attended>, Failure> {
        if let Some(job) = self.get(id) {
            return Ok(job);
        }
        if !self.folder.join(format!("{id}.json")).is_file() {
            let message = format!("no conversation `{id}` was started by this server");
            return Err(Failure::usage(message, "`result` reads any other session"));
        }
        let path = context.paths.sessions().join(format!("{id}.jsonl"));
        let Seen { survey, state, .. } = read(id.as_str(), context)?;
        if state.ended.is_some() || state.is_finished() || holder(&survey.files).is_some() {
            return Ok(Arc::new(Attended::past(survey.files, &self.runtime)));
        }
        let has_caller = state.seats.iter().any(|s| s.spec.voice.is_human());
        self.bounds.admit(state.seats.iter().map(|s| &*s.spec))?;
        let models = ModelOptions { model: None, is_client: true, ..self.models.clone() };
        self.begun(context, |places| {
            let opened = open_for_output(&path)?;
            let seats: Vec<&Participant> = state.seats.iter().map(|s| &*s.spec).collect();
            let budget = self.bounds.reserve(&seats, &state.limits, &state, places)?;
            let commands = vec![Command::Limit { set: budget.limits.clone() }];
            let mut resume = Resume { path, commands, ..Resume::default() };
            resume.play.headless = true;
            resume.play.models = models;
            // the caller's words take their time, as they did before
            resume.play.steer = has_caller.then_some(SteerSource::Caller);
            let setup = resume::start(&resume, opened, context)?;
            Ok(Setup { budget: Some(budget), ..setup })
        })
    }

    fn begun(
        &self,
        context: &Context,
        begin: impl FnOnce(usize) -> Result<Setup, Failure>,
    ) -> Result<Arc<Attended>, Failure> {
        if self.leaving.load(Ordering::SeqCst) {
            return Err(Failure::new(Exit::Terminated, "the server ends"));
        }
        if self.running().len() >= self.bounds.running {
            let message = format!("{} conversations run already", self.bounds.running);
            let fix = "wait for one of them to end, or raise mcp.max_running in the settings";
            return Err(Failure::usage(message, fix));
        }
        let setup = begin(self.places())?;
        let sockets = door::folder(context);
        let (job, task) = Attended::start(setup, self.bounds.seconds, sockets, &self.runtime);
        // its session can be read as soon as anybody knows its id
        job.begins();
        self.tasks.lock().push(task);
        self.all.lock().insert(job.id.clone(), job.clone());
        if self.leaving.load(Ordering::SeqCst) {
            job.leave(Leave::Now);
        }
        Ok(job)
    }

    /// Leaves everything that runs as a kill would leave it, written to the last event. Nothing starts afterwards.
    pub fn leave(&self) {
        self.leaving.store(true, Ordering::SeqCst);
        for job in self.running() {
            job.leave(Leave::Now);
        }
        let tasks: Vec<JoinHandle<()>> = self.tasks.lock().drain(..).collect();
        // a task that panicked has nothing more to write
        self.runtime.block_on(join_all(tasks));
    }
}

/// A call of a tool.
pub struct ToolCall<'a> {
    /// The conversations that were started here.
    pub jobs: &'a Jobs,
    /// Folders and settings.
    pub context: &'a Context,
    /// The arguments as the client sent them.
    pub arguments: &'a JsonObject,
    /// True if the caller takes the conversation as a task, so that the call does not wait for its end.
    pub as_task: bool,
    /// Passes on the number of turns; returns whether the caller still waits.
    pub tell: &'a dyn Fn(u32) -> Interest,
}
