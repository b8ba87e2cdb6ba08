//! Parts of a conversation, and the conversation before it runs.

use super::running::{CLOSED, Leave, Run, RunningConversation, run};
use crate::clock::Clock;
use crate::engine::{Engine, Input, Owner, Witness};
use crate::live::server::{self, LiveOpening, LiveServer};
use crate::model::payload::{LogRepaired, Opened};
use crate::model::{Command, Key, Kind, Seq, SteerLine, Text};
use crate::session::{Durable, Feed, Record, Session, SessionFiles, Tail};
use crate::state::State;
use crate::tool::Tools;
use crate::voice::Voices;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// Maximum time to wait for space on a full disk.
const DISK_PATIENCE: Duration = Duration::from_secs(30);
/// Maximum number of commands that wait for the engine.
const COMMANDS_WAITING: usize = 1024;

/// Start of a conversation: new, resumed or branched.
pub enum Opening {
    /// A new conversation.
    Open(Box<Opened>),
    /// A resumed session, with the repair if a torn tail was set aside first.
    Resume(State, Option<LogRepaired>),
    /// A branch of a session.
    Fork {
        /// State that the branch inherits from its parent.
        past: State,
        /// Id of the parent session.
        parent: Text,
        /// New seed from the branch on.
        seed: Option<u64>,
        /// True if the branch continues past the end that would follow at that point.
        onward: bool,
    },
}

/// Parts of a conversation.
pub struct Parts {
    /// File of the session and its writer.
    pub session: Session,
    /// Start of the conversation: new, resumed or branched.
    pub start: Opening,
    /// Earlier events, for readers of the feed.
    pub before: Vec<Arc<Record>>,
    /// Voices of the participants.
    pub voices: Arc<dyn Voices>,
    /// True if models speak at reading speed, because a person watches and asked for it.
    pub at_reading_pace: bool,
    /// Tools of the participants.
    pub tools: Arc<dyn Tools>,
    /// Clock of the conversation.
    pub clock: Clock,
    /// True if an operator can be asked.
    pub attended: bool,
    /// True if a program sends commands.
    pub steered: bool,
    /// Operator commands to execute first.
    pub commands: Vec<Command>,
    /// Steering lines that wait for their triggers.
    pub lines: Vec<(Key, SteerLine)>,
    /// True if the session is kept when the program ends.
    pub saved: bool,
}

impl Parts {
    /// Returns the parts of a saved conversation without an operator, commands and readers of its past.
    pub fn new(
        session: Session,
        start: Opening,
        voices: Arc<dyn Voices>,
        tools: Arc<dyn Tools>,
        clock: Clock,
    ) -> Parts {
        Parts {
            session,
            start,
            before: vec![],
            voices,
            at_reading_pace: false,
            tools,
            clock,
            attended: false,
            steered: false,
            commands: vec![],
            lines: vec![],
            saved: true,
        }
    }
}

/// A conversation whose opening or reopening is appended, and whose engine does not run yet.
pub struct Assembled {
    engine: Engine,
    orders: mpsc::Receiver<Input>,
    server: Option<LiveServer>,
    /// Events from here on.
    pub tail: Tail,
    /// State before those events.
    pub past: State,
    /// Sends commands to the engine, which assumes an operator while a sender exists.
    pub commands: mpsc::Sender<Input>,
    pub files: SessionFiles,
    /// Clock of the session.
    pub clock: Clock,
    /// True if the session is kept when the program ends.
    pub saved: bool,
    /// Observer of the events from here on, which can hold the conversation.
    pub witness: Option<Box<dyn Witness>>,
}

impl Assembled {
    pub(super) fn new(parts: Parts) -> Assembled {
        let feed = Feed::from_records(parts.before);
        let tail = feed.tail();
        let Session { files, writer } = parts.session;
        let mut engine = Engine::new(writer, feed, parts.clock.clone(), parts.voices);
        engine.patience = Some(DISK_PATIENCE);
        engine.attended = parts.attended;
        engine.steered = parts.steered;
        engine.tools = parts.tools;
        let past = match parts.start {
            Opening::Open(opened) => {
                engine.open(*opened);
                State::default()
            }
            Opening::Resume(past, repaired) => {
                engine.resume(past.clone(), repaired.map(Kind::from).into_iter().collect());
                past
            }
            Opening::Fork { past, parent, seed, onward } => {
                engine.fork(past.clone(), parent, seed, onward);
                past
            }
        };
        // the position in the log keeps these keys distinct from those of an earlier start
        let place = past.next_seq;
        let first = parts.commands.into_iter().enumerate();
        engine.steer(first.map(|(n, verb)| (format!("{place}:start-{n}").into(), verb.into())));
        engine.steer(parts.lines);
        let (commands, orders) = mpsc::channel(COMMANDS_WAITING);
        Assembled {
            engine,
            orders,
            server: None,
            tail,
            past,
            commands,
            files,
            clock: parts.clock,
            saved: parts.saved,
            witness: None,
        }
    }

    /// Returns the state after the first event of this run.
    pub fn state(&self) -> &State {
        &self.engine.live.state
    }

    /// Returns the `seq` of the opening, reopening or branching.
    pub fn since(&self) -> Seq {
        Seq(self.state().next_seq.0.saturating_sub(1))
    }

    /// Returns another reader of the events, from the first one that is kept.
    pub fn another_tail(&self) -> Tail {
        self.engine.tail()
    }

    /// Returns a receiver of the write progress of the disk.
    pub fn durable(&self) -> watch::Receiver<Durable> {
        self.engine.durable()
    }

    /// Opens a socket for clients in a folder. An unsaved conversation lacks a name, and virtual time ends at once:
    /// those take no clients. Only Linux lists processes, so that those that a conversation started are recognised.
    pub fn open(&mut self, folder: PathBuf, owner: Owner) -> io::Result<()> {
        if cfg!(target_os = "linux") && self.saved && !self.clock.is_virtual() {
            let (server, guests) = server::open(LiveOpening {
                folder,
                files: self.files.clone(),
                tail: self.engine.tail(),
                past: self.past.clone(),
                durable: self.engine.durable(),
                owner,
            })?;
            self.engine.guests = Some(guests);
            self.server = Some(server);
        }
        Ok(())
    }

    /// Returns the reason why nobody can attach.
    pub fn closed(&self) -> Option<&'static str> {
        self.server.is_none().then_some(CLOSED)
    }

    /// Runs the engine on a task of the current runtime.
    pub fn start(self) -> RunningConversation {
        let running = self.hold();
        running.run.begin();
        running
    }

    /// Returns the conversation as [`start`](Assembled::start) does, but it does not run before [`Run::begin`].
    pub fn hold(self) -> RunningConversation {
        let Assembled { mut engine, orders, server, tail, commands, witness, .. } = self;
        engine.witness = witness;
        let lock = engine.lock_file();
        let (leave, wanted) = watch::channel(Leave::Held);
        let task = tokio::spawn(run(engine, orders, wanted));
        RunningConversation { tail, commands, run: Run::new(leave, task, server, lock) }
    }
}
