//! The one place where a conversation is put together: session, feed, voices, clock and engine. It needs no terminal
//! and no options of `run`; every way to play a conversation, for a person or for a test, uses it.

use crate::cli::play::before::Before;
use crate::clock::{Clock, VIRTUAL_EPOCH, wall_now};
use crate::engine::{Engine, with_teams};
use crate::model::payload::{LogRepaired, Opened};
use crate::model::{Command, Key, Kind, Participant, SteerLine, Text, VoiceSpec, Wall};
use crate::session::{Feed, Session, SessionFiles, Survey, Tail};
use crate::state::State;
use crate::tool::Tools;
use crate::ui::ViewState;
use crate::ui::view::transcript::Transcript;
use crate::voice::Voices;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::time::Duration;

/// How long a full disk is waited for.
const DISK_PATIENCE: Duration = Duration::from_secs(30);

/// A conversation whose first event, or whose reopening, is appended.
pub struct Assembled {
    /// The engine, with its steering lines.
    pub engine: Engine,
    /// Its events from here on.
    pub tail: Tail,
    /// The state before them.
    pub past: State,
    /// The same as a screen shows it, where it was read for one, and where its reader is.
    pub told: Option<(Transcript, Option<ViewState>)>,
    /// The files of its session.
    pub files: SessionFiles,
    /// The session's clock.
    pub clock: Clock,
    /// Whether it is kept when the program ends.
    pub saved: bool,
}

/// How a conversation starts.
pub enum Opening {
    /// As a new conversation.
    Open(Box<Opened>),
    /// As a resume; a torn tail was set aside first, if there was one.
    Resume(State, Option<LogRepaired>),
    /// As a branch of a session.
    Fork {
        /// The state that the branch keeps of its parent.
        past: State,
        /// The id of the parent session.
        parent: Text,
        /// Another seed from here on.
        seed: Option<u64>,
        /// Whether it passes the end that would follow there.
        onward: bool,
    },
}

/// The parts of a conversation.
pub struct Parts {
    /// The session's file and its writer.
    pub session: Session,
    /// How it starts: new, resumed or as a branch.
    pub start: Opening,
    /// The earlier events, for readers of the feed.
    pub before: Before,
    /// What gives participants their words.
    pub voices: Arc<dyn Voices>,
    /// What runs the tools of its participants.
    pub tools: Arc<dyn Tools>,
    /// Its time, as [`clock`] returns it.
    pub clock: Clock,
    /// Whether an operator can be asked.
    pub attended: bool,
    /// Whether commands come from a program.
    pub steered: bool,
    /// Commands of the operator that are executed first.
    pub commands: Vec<Command>,
    /// Steering lines that wait for their trigger.
    pub lines: Vec<(Key, SteerLine)>,
    /// Whether the session is kept when the program ends.
    pub saved: bool,
}

/// Puts a conversation together and appends its first event.
pub fn assemble(parts: Parts) -> Assembled {
    let (events, told) = match parts.before {
        Before::Nothing => (vec![], None),
        Before::Events(events) => (events, None),
        Before::Told(transcript, view) => (vec![], Some((*transcript, view.map(|view| *view)))),
    };
    let feed = Feed::of(events);
    let tail = feed.tail();
    let Session { files, writer } = parts.session;
    let voices = with_teams(parts.voices, parts.tools.clone());
    let mut engine = Engine::new(writer, feed, parts.clock.clone(), voices);
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
    // the place in the log makes the keys of these commands others than those of an earlier start
    let place = past.next_seq;
    let commands = parts.commands.into_iter().enumerate();
    engine.steer(commands.map(|(n, verb)| (format!("{place}:start-{n}").into(), verb.into())));
    engine.steer(parts.lines);
    Assembled { engine, tail, past, told, files, clock: parts.clock, saved: parts.saved }
}

/// Returns whether no words take real time, so that the conversation can run on virtual time; a person's words take
/// real time only where they are `typed` during the run.
pub fn is_timeless<'a>(seats: impl IntoIterator<Item = &'a Participant>, typed: bool) -> bool {
    seats.into_iter().all(|seat| match &seat.voice {
        VoiceSpec::Lines { .. } => true,
        VoiceSpec::Team(team) => is_timeless(&team.participants, typed),
        VoiceSpec::Human { .. } => !typed,
        VoiceSpec::Model(model) => model.recording().is_some(),
        VoiceSpec::Script(_) | VoiceSpec::Agent(_) => false,
    })
}

/// Returns the clock of a conversation that continues from a state; virtual time continues from its beginning.
pub fn clock(virtual_time: bool, state: &State, began: Wall) -> Clock {
    if virtual_time { Clock::virtual_since(began, state.ms) } else { Clock::real(state.ms) }
}

/// Returns when a session on virtual time begins where two runs must be equal byte for byte: a seed was given, or the
/// environment names a `date`. Otherwise no made-up date gets into an archive.
pub fn fixed_epoch(virtual_time: bool, seed: Option<u64>, date: Option<Wall>) -> Option<Wall> {
    date.or(seed.map(|_| VIRTUAL_EPOCH)).filter(|_| virtual_time)
}

/// Returns when a session began, as its first line says.
pub fn began(log: &Survey) -> Wall {
    log.began.unwrap_or(VIRTUAL_EPOCH)
}

/// Returns an unpredictable number.
pub fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Returns what a new session is named after: a time and a number, which are the same each time where its beginning is
/// fixed.
pub fn naming(fixed: Option<Wall>, seed: u64) -> (Wall, u64) {
    fixed.map_or_else(|| (wall_now(), random()), |at| (at, seed))
}
