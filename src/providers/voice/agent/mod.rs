//! A program that speaks the Agent Client Protocol as a voice: one process per seat, for the whole conversation.
//!
//! Its session is opened with the first turn and kept. The prompt of a turn contains only new text: the role first, the
//! messages of the others since the last prompt, and the request. If an earlier message has changed, the agent gets the
//! whole conversation again. Its text is speech and its thoughts are reasoning. Its own tools and its plans are
//! reported, and its requests for permission wait for [`Voice::answered`].
//!
//! The agent gets no files, no terminal and no tool servers; a request for any of these is answered with "method not
//! found". A dropped turn is cancelled by the protocol, and its open requests are answered as cancelled. An agent that
//! does not end its turn within [`CANCEL_GRACE`] is killed. After a failure the process is ended, and the next turn
//! opens a new session with the conversation so far.

mod bearings;
mod fault;
mod known;
mod talk;
mod update;

pub use known::{KNOWN, KnownAgent};

use super::{CallFailure, CallRequest, Chunk, Out, Speaking, Voice};
use crate::model::agent::AgentContext;
use crate::model::{AgentSpec, CallId, Text};
use crate::spawn::{ChildEnvironment, Job};
use fault::AgentFault;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use talk::{Talk, TurnEnd};
use tokio::runtime::Handle;
use tokio::sync::{OwnedMutexGuard, mpsc};

/// Maximum time that an agent may take to end a cancelled turn.
pub const CANCEL_GRACE: Duration = Duration::from_secs(3);

/// Maximum time that an agent may take to open its session, in milliseconds.
const HANDSHAKE_MS: u64 = 20_000;

/// Maximum time that an agent may take to close its session at the end of the conversation.
const CLOSE_GRACE: Duration = Duration::from_secs(1);

/// Channel for the operator's answers to the requests of one call: number of the request, and true if it is granted.
type Answers = mpsc::UnboundedSender<(u32, bool)>;

/// An agent's process, and the session that its next process continues.
#[derive(Default)]
struct Held {
    talk: Option<Talk>,
    known: Option<AgentContext>,
    /// True once a process was started: before, the session is that of the log.
    begun: bool,
}

/// Voice of an agent in its seat.
pub struct Agent {
    spec: AgentSpec,
    /// Command, with full paths for the scenario's own files.
    command: Vec<String>,
    folder: PathBuf,
    environment: ChildEnvironment,
    talk: Arc<tokio::sync::Mutex<Held>>,
    waiting: Mutex<HashMap<CallId, Answers>>,
}

impl Agent {
    /// Creates an agent that works in a folder; its process starts with its first turn. Files named by its command are
    /// searched for in the scenario's folder.
    pub fn new(
        spec: AgentSpec,
        scenario: &Path,
        folder: PathBuf,
        environment: ChildEnvironment,
    ) -> Agent {
        let command = with_whole_paths(&spec.command, scenario);
        let talk = Arc::default();
        let waiting = Mutex::default();
        Agent { spec, command, folder, environment, talk, waiting }
    }

    fn job(&self) -> Job {
        Job {
            command: self.command.clone(),
            folder: self.folder.clone(),
            environment: self.environment.clone(),
            input: vec![],
        }
    }
}

/// Returns a command with full paths for the files in a folder, because its process works in another folder.
fn with_whole_paths(command: &[Text], folder: &Path) -> Vec<String> {
    let whole = |(place, word): (usize, &Text)| {
        let path = folder.join(&**word);
        // a program without a `/` is searched for in PATH
        let is_path = place > 0 || word.contains('/');
        if is_path && path.is_file() { path.display().to_string() } else { word.to_string() }
    };
    command.iter().enumerate().map(whole).collect()
}

impl Voice for Agent {
    fn speak(&self, ask: CallRequest, out: Out) -> Speaking {
        let (tx, answers) = mpsc::unbounded_channel();
        {
            let mut waiting = self.waiting.lock();
            waiting.retain(|_, answers| !answers.is_closed());
            waiting.insert(ask.call, tx);
        }
        let job = self.job();
        let talk = self.talk.clone();
        let name = self.spec.command.first().cloned().unwrap_or_default();
        let home = self.environment.get("HOME").map(|home| home.to_string_lossy().into_owned());
        Box::pin(async move {
            let mut turn = TurnAtWork(Some(talk.lock_owned().await));
            let end = spoken(turn.held(), job, &ask, &out, answers).await;
            let chunk = end.unwrap_or_else(|fault| {
                // the rest of the agent's output belongs to no turn
                turn.held().talk = None;
                let AgentFault(class, why) = fault.with_cure(&name, home.as_deref());
                Chunk::Failed(CallFailure::new(class, format!("agent `{name}` {why}")))
            });
            turn.0 = None;
            out.send(chunk).await;
        })
    }

    fn leave(&self) -> Speaking {
        let held = self.talk.clone();
        Box::pin(async move {
            // a turn that still runs is being cancelled
            if let Ok(mut held) = held.try_lock()
                && let Some(talk) = &mut held.talk
            {
                talk.close(CLOSE_GRACE).await;
            }
        })
    }

    fn answered(&self, call: CallId, request: u32, yes: bool) {
        let waiting = self.waiting.lock();
        if let Some(answers) = waiting.get(&call) {
            // a finished turn needs no answer
            let _ = answers.send((request, yes));
        }
    }
}

/// Runs one turn: in the open session, in the one of an earlier process, or in a new one.
async fn spoken(
    held: &mut Held,
    job: Job,
    ask: &CallRequest,
    out: &Out,
    mut answers: mpsc::UnboundedReceiver<(u32, bool)>,
) -> Result<Chunk, AgentFault> {
    let Held { talk, known, begun } = held;
    if !std::mem::replace(begun, true) {
        known.clone_from(&ask.agent);
    }
    if talk.as_mut().is_some_and(Talk::is_over) {
        *talk = None;
    }
    let mut resumed = false;
    let talk = match talk {
        Some(talk) => talk,
        None => {
            let folder = job.folder.clone();
            let begun = talk.insert(Talk::start(job)?);
            let opened = tokio::select! { biased;
                opened = begun.open(&folder, known.take()) => opened,
                () = out.wait(HANDSHAKE_MS) => Err(AgentFault::no_answer()),
            };
            resumed = opened?;
            begun
        }
    };
    // a crash in the turn leaves the context of the prompt before it; a session that crashed twice is given up
    *known = if resumed { None } else { talk.context() };
    let end = talk.turn(&ask.messages, out, &mut answers).await?;
    *known = talk.context();
    match end {
        TurnEnd::Done(done) => Ok(Chunk::Done(*done)),
        TurnEnd::Failed(class, why) => {
            Ok(Chunk::Failed(CallFailure::new(class, format!("the agent {why}"))))
        }
    }
}

/// A turn that holds its agent. If it is dropped before its end, it is cancelled before another turn gets the agent.
struct TurnAtWork(Option<OwnedMutexGuard<Held>>);

impl TurnAtWork {
    fn held(&mut self) -> &mut Held {
        self.0.as_mut().expect("a turn holds its agent until its end")
    }
}

impl Drop for TurnAtWork {
    fn drop(&mut self) {
        let Some(mut held) = self.0.take() else { return };
        let Some(mut talk) = held.talk.take() else { return };
        // without a runtime the program is exiting, and its children exit with it
        if let (true, Ok(runtime)) = (talk.works(), Handle::try_current()) {
            runtime.spawn(async move {
                if talk.cancel(CANCEL_GRACE).await {
                    held.talk = Some(talk);
                }
            });
        }
    }
}
