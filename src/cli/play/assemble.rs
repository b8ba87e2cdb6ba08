//! Assembles a conversation from its session, feed, voices, clock and engine: for `run`, `fork`, `resume` and `batch`,
//! and through them for the start screen and `mcp`. The past is read and folded once and passed on.
//!
//! It needs neither a terminal nor the options of `run`. Scripted tests (`testing::run`) and teams (`engine::team`)
//! have engines whose session is not saved (`engine/unsaved.rs`).

use crate::cli::error::{Exit, Failure};
use crate::clock::{Clock, VIRTUAL_EPOCH, wall_now};
use crate::engine::{Engine, Input, with_teams};
use crate::model::payload::{LogRepaired, Opened};
use crate::model::{CallRate, Command, Key, Kind, Participant, SteerLine, Text, VoiceSpec, Wall};
use crate::scenario::Loaded;
use crate::session::{FORMAT, Feed, Record, Session, SessionFiles, Survey, Tail};
use crate::state::State;
use crate::tool::Tools;
use crate::ui::ViewState;
use crate::ui::view::transcript::Transcript;
use crate::voice::Voices;
use crate::voice::reading::ReadingPace;
use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::future::pending;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// A session after reading and folding.
pub struct OpenedSession {
    /// Facts about its file.
    pub survey: Survey,
    /// State after its last event.
    pub past: State,
    /// The past in the form that its reader needs.
    pub before: Before,
}

/// The past, for a reader that follows the conversation from here on.
#[derive(Default)]
pub enum Before {
    /// No history; new events only.
    #[default]
    Nothing,
    /// Earlier events, in order.
    Events(Vec<Arc<Record>>),
    /// The transcript, and the reader's position if its end was already on the screen.
    Transcript(Box<Transcript>, Option<Box<ViewState>>),
}

/// Maximum time to wait for space on a full disk.
const DISK_PATIENCE: Duration = Duration::from_secs(30);

/// A conversation whose opening or reopening is appended.
pub struct Assembled {
    /// The engine, loaded with its steering lines.
    pub engine: Engine,
    /// Events from here on.
    pub tail: Tail,
    /// State before those events.
    pub past: State,
    /// Transcript of the past and the reader's position in it, if the session was read for a screen.
    pub told: Option<(Transcript, Option<ViewState>)>,
    /// Files of the session.
    pub files: SessionFiles,
    /// Clock of the session.
    pub clock: Clock,
    /// True if the session is kept when the program ends.
    pub saved: bool,
}

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
    pub before: Before,
    /// Voices of the participants.
    pub voices: Arc<dyn Voices>,
    /// True if models speak at reading speed, because a person watches and asked for it.
    pub at_reading_pace: bool,
    /// Tools of the participants.
    pub tools: Arc<dyn Tools>,
    /// Clock of the conversation, as returned by [`clock`].
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

/// Assembles a conversation and appends its first event.
pub fn assemble(parts: Parts) -> Assembled {
    let (events, told) = match parts.before {
        Before::Nothing => (vec![], None),
        Before::Events(events) => (events, None),
        Before::Transcript(transcript, view) => {
            (vec![], Some((*transcript, view.map(|view| *view))))
        }
    };
    let feed = Feed::from_records(events);
    let tail = feed.tail();
    let Session { files, writer } = parts.session;
    let mut voices = with_teams(parts.voices, parts.tools.clone());
    if parts.at_reading_pace {
        voices = Arc::new(ReadingPace(voices));
    }
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
    // the position in the log keeps these keys distinct from those of an earlier start
    let place = past.next_seq;
    let commands = parts.commands.into_iter().enumerate();
    engine.steer(commands.map(|(n, verb)| (format!("{place}:start-{n}").into(), verb.into())));
    engine.steer(parts.lines);
    Assembled { engine, tail, past, told, files, clock: parts.clock, saved: parts.saved }
}

/// Returns true if no reply takes real time, so that the conversation can run on virtual time. A person takes real time
/// only if their messages are `typed` during the run.
pub fn is_timeless<'a>(seats: impl IntoIterator<Item = &'a Participant>, typed: bool) -> bool {
    seats.into_iter().all(|seat| match &seat.voice {
        VoiceSpec::Lines { .. } => true,
        VoiceSpec::Team(team) => is_timeless(&team.participants, typed),
        VoiceSpec::Human { link, .. } => !typed && !link,
        VoiceSpec::Model(model) => model.recording().is_some(),
        VoiceSpec::Script(_) | VoiceSpec::Http(_) | VoiceSpec::Agent(_) => false,
    })
}

/// Returns the clock of a conversation that continues from a state. Virtual time counts from the start of the session.
pub fn clock(virtual_time: bool, state: &State, began: Wall) -> Clock {
    if virtual_time { Clock::virtual_since(began, state.ms) } else { Clock::real(state.ms) }
}

/// Returns the fixed start of a session on virtual time if two runs must be equal byte for byte: with a seed, or with a
/// `date` in the environment. Otherwise no made-up date gets into an archive.
pub fn fixed_epoch(virtual_time: bool, seed: Option<u64>, date: Option<Wall>) -> Option<Wall> {
    if virtual_time { date.or(seed.map(|_| VIRTUAL_EPOCH)) } else { None }
}

/// Returns the start of a session as recorded in its first line.
pub fn began(log: &Survey) -> Wall {
    log.began.unwrap_or(VIRTUAL_EPOCH)
}

/// Returns an unpredictable number.
pub fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Returns the time and the number that a new session is named after. Both are reproducible if its start is fixed.
pub fn naming(fixed: Option<Wall>, seed: u64) -> (Wall, u64) {
    fixed.map_or_else(|| (wall_now(), random()), |at| (at, seed))
}

/// The seed of a rehearsal on virtual time that names none.
pub const REHEARSAL_SEED: u64 = 0;

/// Returns the first event of a conversation.
pub fn opened(
    loaded: Loaded,
    rates: BTreeMap<Text, CallRate>,
    seed: u64,
    attended: bool,
) -> Result<Opened, Failure> {
    let scenario = serde_json::to_value(&loaded.scenario)
        .map_err(|e| Failure::new(Exit::Failed, format!("cannot write the scenario: {e}")))?;
    Ok(Opened {
        format: FORMAT,
        program: concat!("colloquium ", env!("CARGO_PKG_VERSION")).into(),
        seed,
        rehearsed: loaded.is_rehearsed(),
        scenario,
        participants: loaded.participants,
        parallel: loaded.parallel,
        rates,
        attended,
        steered: false,
        rules: 1,
    })
}

/// Returns the first event of a conversation that is only planned.
pub fn rehearsal(loaded: Loaded) -> Result<Opened, Failure> {
    opened(loaded, BTreeMap::new(), REHEARSAL_SEED, true)
}

/// Maximum number of commands queued for the engine; nobody types faster than that.
pub const COMMANDS_WAITING: usize = 64;

/// Forwards commands to the engine. Never returns, so that the engine's input stays open as long as the reader exists.
pub async fn hand_over(mut given: mpsc::Receiver<(Key, SteerLine)>, inputs: mpsc::Sender<Input>) {
    while let Some((key, line)) = given.recv().await {
        // a finished engine ignores commands; the reader shows that the conversation ended
        let _ = inputs.send(Input::Command { key, line }).await;
    }
    pending().await
}
