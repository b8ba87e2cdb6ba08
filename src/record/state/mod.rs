//! The state of a conversation: `apply(&Event)` is the only fold, all other functions are queries.
//!
//! The live screen, resume, replay and tests all use this value, built from the same events by the same code. It never
//! reads a clock, never decides what happens next (`engine` does) and changes only by events.

mod allowance;
mod answers;
mod apply;
mod asked;
mod commands;
mod context;
mod costs;
mod facts;
mod judging;
pub mod leave;
mod live;
mod losses;
mod memo;
mod news;
mod open;
mod pending;
mod permissions;
mod planned;
pub mod policies;
mod policy_state;
mod poll;
mod profile;
mod rates;
mod rename;
mod reopening;
mod reply;
mod rolled;
mod say;
mod scribing;
mod seen;
mod shows;
mod spent;
mod spoken;
mod stances;
mod summary;
mod table;
mod tools;
mod transcript;

pub use answers::Stated;
pub use commands::Ending;
pub use context::Kept;
pub use judging::{Judging, Ruling};
pub use live::Live;
pub use losses::{Losses, LostSeat};
pub use memo::{Asking, Chosen, FloorShare, Handled, Memo, SeatRequest, Task};
pub use news::{Announcement, Told};
pub use open::OpenMention;
pub use pending::{Note, PendingCommand};
pub use planned::{CALL_FAILED, Plan, PlannedStep, StepMessage, StepStates};
pub use policies::consensus::Coordination;
pub use policy_state::{AnswerMove, MoveKind, PastRuns, PlanState, PolicyState};
pub use poll::{BallotMove, Polled, Swing};
pub use profile::Known;
pub use rates::Rates;
pub use reopening::Since;
pub use reply::{PastTurn, Reply};
pub use rolled::{BuiltPrompt, Rolled, Rolls};
pub use scribing::Scribing;
pub use spent::{Reserve, Spent};
pub use summary::Summary;
pub use table::{Batch, Interrupted, LastTurn, Seat, Thread, Turn, UsedTool, Widened};
pub use transcript::{Digest, Entry, Labels, Version, Who, digest};

use crate::logged::Logged;
use crate::model::payload::{Ended, FloorGranted, Forked, LimitAt};
use crate::model::*;
use crate::scenario::Scenario;
use crate::shared::SharedList;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ops::Deref;
use std::sync::Arc;

/// State of the floor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunState {
    /// Turns are granted as the policy decides.
    #[default]
    Going,
    /// This number of turns is still granted, then it pauses.
    Stepping(u32),
    /// Pauses as soon as nobody speaks.
    Pausing,
    /// Nobody speaks, and no turn starts.
    Paused,
}

/// Running time of the conversation; pauses and waiting for a human do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Running {
    /// Milliseconds before `since`.
    pub total: u64,
    /// Start of the current period, if it is running.
    pub since: Option<Ms>,
}

/// State of a conversation. It is read as a [`Conversation`]; only [`State::apply`] changes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State(Conversation);

impl Deref for State {
    type Target = Conversation;

    fn deref(&self) -> &Conversation {
        &self.0
    }
}

impl State {
    /// Folds a whole log.
    pub fn fold(events: impl IntoIterator<Item: Logged>) -> State {
        let mut state = State::default();
        for event in events {
            state.apply(event.event());
        }
        state
    }

    /// Returns a copy without a pause and without holds, for looking ahead.
    pub fn unpaused(&self) -> State {
        let mut ahead = Conversation { run: RunState::Going, ..self.0.clone() };
        ahead.release(|_| true);
        State(ahead)
    }

    /// Applies one event.
    pub fn apply(&mut self, event: &Event) {
        self.0.apply(event);
    }
}

/// Everything that a log contains, for reading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    /// `seq` of the next event.
    pub next_seq: Seq,
    /// Session time of the last event.
    pub ms: Ms,
    /// Seed of all random choices.
    pub seed: u64,
    /// True in the conversation of a team, whose last turn is its message to the table.
    pub is_team: bool,
    /// True if all participants are rehearsed.
    pub rehearsed: bool,
    /// The last fork that led to this session, if any.
    pub forked: Option<Forked>,
    /// True if an operator is present who can be asked.
    pub attended: bool,
    /// True if a program can send commands.
    pub steered: bool,
    /// Rules of readings that apply to the session.
    pub rules: u32,
    pub scenario: Scenario,
    /// Current title: the name from the last rename, else the requested topic, else the scenario's title; `None` before
    /// the conversation is opened.
    pub title: Option<Text>,
    /// Maximum number of concurrent calls.
    pub parallel: u32,
    /// Call rates of providers.
    pub rates: Rates,
    pub limits: Limits,
    /// All participants, including those that have left, in order of arrival.
    pub seats: Vec<Seat>,
    /// Number of participants at the start.
    pub founders: usize,
    /// True if any turn ever saw labels instead of names.
    pub labelled: bool,
    /// True if any participant ever whispered to another.
    pub whispered: bool,
    /// All threads, open and closed.
    pub threads: BTreeMap<ThreadId, Thread>,
    /// Running turns.
    pub turns: BTreeMap<TurnId, Turn>,
    /// The transcript, in order.
    pub entries: SharedList<Entry>,
    /// Number of ended utterances that count.
    pub utterances: u32,
    /// Number of the last granted utterance.
    pub numbers: u32,
    /// Commands that are not yet carried out.
    pub pending: BTreeMap<Seq, PendingCommand>,
    /// `seq` of the last command that was queued with no other event since; the commands up to it cannot proceed.
    pub waiting: Option<Seq>,
    /// Keys of all commands, given or refused, with the `seq` of their event.
    pub keys: HashMap<Key, Seq>,
    /// Ids of commands, with the `seq` of the command.
    pub ids: HashMap<Text, Seq>,
    /// Inverse of `ids`.
    pub named: BTreeMap<Seq, Text>,
    /// Guidance from the operator.
    pub notes: Vec<Note>,
    /// Operator messages that reached a turn and for which a receipt is due.
    pub deliveries: VecDeque<(Key, TurnId)>,
    /// Operator messages that no turn has seen yet: `seq` of the entry and key of the command.
    pub unheard: Vec<(Seq, Key)>,
    /// Data of each reply, in order.
    pub kept: Vec<Kept>,
    /// Merged data of all replies.
    pub context: Arc<Map<String, Value>>,
    /// Profile of the person.
    pub known: Known,
    /// State of the floor.
    pub run: RunState,
    /// Reason of the pause, unless the operator requested it.
    pub pause_why: Option<Text>,
    /// Running time so far.
    pub running: Running,
    /// Highest ratio of actual to estimated prompt tokens of each model, in thousandths.
    pub margins: BTreeMap<Text, u32>,
    /// Usage of ended turns.
    pub over: Spent,
    /// The limit that is reached.
    pub limit: Option<LimitAt>,
    /// Limits for which a warning was given, with their value at that time.
    pub near: BTreeSet<(Limit, u64)>,
    /// A requested end that is being carried out.
    pub ending: Option<Ending>,
    /// Failure that stops the conversation by its seat's rule.
    pub stopped_by: Option<Text>,
    /// The end, if the conversation has ended.
    pub ended: Option<Ended>,
    /// The end of the finished conversation that was reopened; `None` once something new is said. No model is called
    /// before.
    pub reopened_after: Option<Ended>,
    /// Start of the count for rules: the beginning, or the last time that the conversation continued after its own end.
    pub since: Since,
    /// Last ended speaking turn, which `retry` repeats.
    pub last: Option<LastTurn>,
    /// The verdict in progress, or the end that follows one.
    pub judging: Option<Judging>,
    /// The last verdict, with the number of utterances at that time.
    pub verdict: Option<(VerdictGiven, u32)>,
    /// The result in progress, or the end that follows one.
    pub scribing: Option<Scribing>,
    /// The last result, with the number of utterances at that time.
    pub result: Option<(ResultGiven, u32)>,
    /// The last vote.
    pub vote: Option<VoteClosed>,
    /// Number of votes.
    pub votes: u32,
    /// Closed polls of the scenario, in order.
    pub polls: Vec<Polled>,
    /// Number of the last turn that doubted an agreement or its own proposal.
    pub last_doubt: Option<u32>,
    /// Announcements of the host: results of votes and verdicts.
    pub news: Vec<Told>,
    pub summaries: Vec<Summary>,
    /// Last answers of judges to stop rules, by index of the rule.
    pub rulings: BTreeMap<u32, Ruling>,
    /// Stop rules that paused to ask the operator, with the number of utterances at that time.
    pub asked: BTreeMap<u32, u32>,
    /// Number of utterances skipped after failures.
    pub failed: u32,
    /// Number of commands that could not be executed.
    pub refused: u32,
    /// Tools that the operator allowed (true) or refused since the program started.
    pub tools_decided: BTreeMap<Text, bool>,
    /// Tools that the operator allowed for one use.
    pub tools_allowed_once: Vec<Text>,
    /// All warnings, in order.
    pub warnings: Vec<payload::Warning>,
    /// Changes to requests that servers asked for, in order.
    pub adapted: Vec<payload::ModelAdapted>,
    /// Bookmarks: `seq` and text.
    pub marks: Vec<(Seq, Option<Text>)>,
    /// Cache of prompt digests; not part of the log's content.
    pub rolls: Rolls,
}

impl Conversation {
    /// Returns the title on one line, cut at a word if it is long.
    pub fn shown_title(&self) -> Text {
        const LONGEST: usize = 100;
        let whole = self.title.as_deref().unwrap_or_default();
        let line: Vec<&str> = whole.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
        let line = line.join(" ");
        let Some((end, _)) = line.char_indices().nth(LONGEST) else { return line.into() };
        let cut = line[..end].rfind(' ').unwrap_or(end);
        format!("{}…", line[..cut].trim_end_matches([',', ';', ':', ' '])).into()
    }

    pub fn seat(&self, id: &str) -> Option<&Seat> {
        self.seats.iter().find(|s| s.spec.id == id)
    }

    /// Returns the seats that take part, with their indices: all but templates of executors.
    pub fn cast(&self) -> impl Iterator<Item = (usize, &Seat)> {
        self.seats.iter().enumerate().filter(|(_, seat)| !self.is_template(&seat.spec.id))
    }

    /// Returns whether the participants have different models, so that a name alone does not say which one speaks.
    pub fn has_several_models(&self) -> bool {
        let mut models = self.cast().filter_map(|(_, seat)| seat.spec.voice.as_model());
        let first = models.next().map(|model| &model.name);
        models.any(|model| Some(&model.name) != first)
    }

    /// Returns the consequence of a turn that finally fails: a pause if only a person can fix the cause and an operator
    /// is present, else the seat's rule.
    pub fn then(&self, id: &str, class: ErrorClass) -> Then {
        let rule = self.seat(id).map_or(Then::Skip, |s| s.spec.on_failure.then);
        if self.attended && class.needs_a_hand() { Then::Pause } else { rule }
    }

    /// Returns the voice of a message if it differs from the voice that the seat joined with.
    pub fn unlike_seated<'a>(&self, seat: &str, spoke: &'a str) -> Option<&'a str> {
        let seated = self.seat(seat).is_none_or(|s| *s.seated == *spoke);
        (!seated && !spoke.is_empty()).then_some(spoke)
    }

    /// Returns the voices of a seat: its first one, others that spoke for it, and its present one.
    pub fn voices(&self, seat: &Seat) -> String {
        let present = seat.spec.voice.label();
        let spoke = self.entries.iter().filter(|entry| entry.seat() == Some(&seat.spec.id));
        let spoke = spoke.map(|entry| &*entry.version().model).filter(|voice| !voice.is_empty());
        let mut all = vec![&*seat.seated];
        for voice in spoke.chain([&*present]) {
            if !all.contains(&voice) {
                all.push(voice);
            }
        }
        all.join(", then ")
    }

    /// Returns whether a seat may be granted the floor: present, not muted, within its budget, below its own limit.
    pub fn may_speak(&self, id: &str) -> bool {
        self.seat(id).is_some_and(|s| !s.gone && !s.muted && !s.broke && !self.silent(s))
    }

    /// Returns whether a seat may be asked for something; limits apply only to speaking.
    pub fn may(&self, purpose: Purpose, id: &str) -> bool {
        match purpose {
            Purpose::Speak => self.may_speak(id),
            Purpose::Pick
            | Purpose::Bid
            | Purpose::Vote
            | Purpose::Judge
            | Purpose::Summarise
            | Purpose::Result => self.seat(id).is_some_and(|s| !s.gone && !s.muted),
        }
    }

    fn silent(&self, seat: &Seat) -> bool {
        let cap = seat.spec.max_utterances.into_iter().chain(self.limits.per_seat).min();
        let speaking = || self.turns.values().filter(|t| t.speaks() && t.seat == seat.spec.id);
        cap.is_some_and(|cap| seat.since_reopening() + speaking().count() as u32 >= cap)
    }

    /// Returns the changes to requests that lost a setting of the scenario.
    pub fn lost_settings(&self) -> impl Iterator<Item = &payload::ModelAdapted> {
        self.adapted.iter().filter(|adapted| adapted.loses)
    }

    /// Returns the running turns that are calls, as opposed to humans who have the floor.
    pub fn calls(&self) -> impl Iterator<Item = &Turn> {
        self.turns.values().filter(|t| !self.waits_for_human(t))
    }

    /// Returns whether a turn waits for a person.
    pub fn waits_for_human(&self, turn: &Turn) -> bool {
        self.seat(&turn.seat).is_some_and(|s| s.spec.voice.is_human())
    }

    /// Returns whether a turn waits for a person for whom the operator speaks; a person with a link speaks for themselves.
    pub fn waits_for_operator(&self, turn: &Turn) -> bool {
        self.seat(&turn.seat).is_some_and(|s| s.spec.voice.is_operators())
    }

    /// Returns whether a turn waits for a person with a link.
    pub fn waits_for_link(&self, turn: &Turn) -> bool {
        self.seat(&turn.seat).is_some_and(|s| s.spec.voice.has_link())
    }

    pub fn running_in(&self, thread: ThreadId) -> impl Iterator<Item = &Turn> {
        self.turns.values().filter(move |t| t.thread == thread)
    }

    /// Returns the threads that are not closed.
    pub fn open_threads(&self) -> impl DoubleEndedIterator<Item = &Thread> {
        self.threads.values().filter(|t| t.closed.is_none())
    }

    /// Returns the open threads without open child threads, which are the active ones.
    pub fn leaves(&self) -> impl Iterator<Item = &Thread> {
        self.open_threads().filter(|t| !self.open_threads().any(|c| c.parent == Some(t.id)))
    }

    /// Returns the seats of a batch that are still due a turn, in order. A seat whose turn a crash interrupted gets it
    /// again, even if muted since.
    pub fn owed<'a>(&'a self, batch: &'a Batch) -> impl Iterator<Item = &'a SeatId> {
        let gone = |s: &str| self.seat(s).is_none_or(|s| s.gone);
        batch.owed().filter(move |s| {
            let crashed = batch.interrupted.get(*s).is_some_and(|i| !i.by_hand);
            self.may(batch.spec.purpose, s) || (crashed && !gone(s))
        })
    }

    /// Returns whether a batch still has seats to ask or turns to wait for.
    pub fn is_open(&self, batch: &Batch) -> bool {
        !batch.running.is_empty() || self.owed(batch).next().is_some()
    }

    /// Returns the running turn of a call.
    pub fn turn_of(&self, call: CallId) -> Option<&Turn> {
        self.turns.values().find(|t| t.call == Some(call))
    }

    /// Returns the turn that a grant starts; `None` without a batch that it could belong to.
    pub fn granted(&self, seq: Seq, ms: Ms, thread: ThreadId, g: &FloorGranted) -> Option<Turn> {
        let batch = self.threads.get(&thread)?.batch.as_ref()?;
        let interrupted = batch.interrupted.get(&g.participant);
        // share the seat's id instead of copying it for every turn
        let seat = self.seat(&g.participant).map_or(&g.participant, |seat| &seat.spec.id).clone();
        Some(Turn {
            batch: Some(batch.id),
            number: g.number,
            horizon: batch.horizon,
            first_call: interrupted.and_then(|i| i.first_call),
            replaces: batch.spec.replaces,
            part: if batch.spec.continues {
                batch.spec.replaces.and_then(|turn| self.words_of(turn))
            } else {
                None
            },
            before: batch.spec.replaces.and_then(|turn| self.spoken(turn)?.before),
            notes: g.notes.clone(),
            act: g.act.clone(),
            tools: interrupted.map(|i| i.tools.clone()).unwrap_or_default(),
            summarises: batch.spec.summary_task(),
            ..Turn::granted(seq, ms, thread, seat, batch.spec.purpose)
        })
    }

    /// Returns the entry of a turn; `None` if it has none or is hidden.
    pub fn shown_entry(&self, turn: TurnId) -> Option<&Entry> {
        let by = |e: &&Entry| e.version().turn == Some(turn) && e.hidden.is_none();
        self.entries.iter().rev().find(by)
    }

    pub fn utterance(&self, number: u32) -> Option<&Entry> {
        self.entries.iter().rev().find(|e| e.number == Some(number))
    }

    /// Returns a pseudorandom number that depends only on the seed, a position and a salt.
    ///
    /// The position is an ordinal of the conversation (a round, a thread's ordinal), never a `seq`: a crash adds lines,
    /// so that a `seq` would give other numbers after a resume.
    pub fn dice(&self, place: u64, salt: &str) -> u64 {
        dice(self.seed, place, salt)
    }
}

/// Returns a pseudorandom number from a seed, a position and a salt.
pub fn dice(seed: u64, place: u64, salt: &str) -> u64 {
    let mut h = seed ^ place.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for b in salt.bytes() {
        h = (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01B3);
    }
    h ^= h >> 31;
    h = h.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    h ^ (h >> 29)
}

impl Running {
    /// Returns the running time at a moment, in milliseconds.
    pub fn at(&self, now: Ms) -> u64 {
        self.total.saturating_add(self.since.map_or(0, |s| now.since(s)))
    }

    fn set(&mut self, running: bool, now: Ms) {
        match (self.since, running) {
            (Some(since), false) => {
                self.total = self.total.saturating_add(now.since(since));
                self.since = None;
            }
            (None, true) => self.since = Some(now),
            (Some(_), true) | (None, false) => {}
        }
    }
}
