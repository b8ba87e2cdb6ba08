//! The conversation as it stands: `apply(&Event)` is the only fold, everything else here is a question to it.
//!
//! Live screen, resume, replay and tests all hold this one value, built from the same events by the same code. It
//! never looks at a clock, never decides what happens next (that is `engine`) and never changes but by an event.

mod allowance;
mod answers;
mod apply;
mod asked;
mod commands;
mod consensus;
mod context;
mod costs;
mod facts;
mod finished;
mod held;
mod judging;
mod live;
mod moves;
mod news;
mod open;
mod permissions;
mod plan;
mod planned;
mod profile;
mod rates;
mod rename;
mod reopening;
mod rolled;
mod say;
mod seen;
mod shows;
mod spent;
mod spoken;
mod summary;
mod table;
mod tools;
mod transcript;

pub use answers::Stated;
pub use asked::{Asking, CHOSEN, EDGES, REQUESTS};
pub use commands::{Ending, Note, PendingCommand};
pub use consensus::{Coordination, FROM, STEP, TIED, WITHDRAWN};
pub use context::Kept;
pub use finished::{Finished, Sieve};
pub use judging::{Judging, Ruling};
pub use live::Live;
pub use moves::{AnswerMove, MoveKind};
pub use news::{Announcement, Told};
pub use open::OpenMention;
pub use plan::{CLARIFIES, CLOSES, DOES, EXECUTES, PLANS, PLANS_AGAIN};
pub use planned::{CALL_FAILED, Plan, PlannedStep, StepMessage};
pub use profile::Known;
pub use rates::Rates;
pub use reopening::Since;
pub use rolled::{BuiltPrompt, Rolled, Rolls};
pub use spent::{Reserve, Spent};
pub use summary::Summary;
pub use table::{Batch, Interrupted, LastTurn, PastTurn, Reply, Seat, Thread, Turn};
pub use tools::UsedTool;
pub use transcript::{Digest, Entry, Labels, Version, Who, digest};

use crate::model::payload::{Ended, FloorGranted, Forked, LimitAt};
use crate::model::*;
use crate::scenario::{DEPENDS, Scenario};
use crate::shared::SharedList;
use serde_json::{Map, Value};
use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ops::Deref;
use std::sync::Arc;

/// Whether the floor moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunState {
    /// Turns are granted as the policy decides.
    #[default]
    Going,
    /// It moves for so many grants more, then it pauses.
    Stepping(u32),
    /// It pauses as soon as nobody speaks.
    Pausing,
    /// Nobody speaks, and no turn starts.
    Paused,
}

/// How long the conversation has really run: paused time and time spent waiting for a human do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Running {
    /// Milliseconds up to `since`.
    pub total: u64,
    /// Since when it has been running, if it is.
    pub since: Option<Ms>,
}

/// The conversation as it stands. It is read as a [`Conversation`]; nothing but [`State::apply`] changes it.
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
    pub fn fold(events: impl IntoIterator<Item: Borrow<Event>>) -> State {
        let mut state = State::default();
        for event in events {
            state.apply(event.borrow());
        }
        state
    }

    /// Returns it as if nothing paused it, for looking ahead.
    pub fn unpaused(&self) -> State {
        State(Conversation { run: RunState::Going, ..self.0.clone() })
    }

    /// Takes one event in.
    pub fn apply(&mut self, event: &Event) {
        self.0.apply(event);
    }
}

/// Everything a log says, for reading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    /// The place of the next event.
    pub next_seq: Seq,
    /// The session's time at the last event.
    pub ms: Ms,
    /// The seed of all dice.
    pub seed: u64,
    /// Whether the whole cast is rehearsed.
    pub rehearsed: bool,
    /// Which session it branched off last, if it did.
    pub forked: Option<Forked>,
    /// Whether somebody is there who can be asked.
    pub attended: bool,
    /// Whether commands can come from a program.
    pub steered: bool,
    /// What it is made of.
    pub scenario: Scenario,
    /// The title as it is now, once it was opened: as somebody renamed it, else the topic that was asked for, else the
    /// scenario's.
    pub title: Option<Text>,
    /// How many calls may run at once.
    pub parallel: u32,
    /// How many calls providers take in a while.
    pub rates: Rates,
    /// The bounds as they are now.
    pub limits: Limits,
    /// Who sits or sat at the table, in order of arrival.
    pub seats: Vec<Seat>,
    /// How many of them were there from the beginning.
    pub founders: usize,
    /// Whether anybody ever spoke who saw labels instead of names.
    pub labelled: bool,
    /// Whether any participant ever whispered to another.
    pub whispered: bool,
    /// Every thread ever opened.
    pub threads: BTreeMap<ThreadId, Thread>,
    /// The turns that run now.
    pub turns: BTreeMap<TurnId, Turn>,
    /// What was said, in order.
    pub entries: SharedList<Entry>,
    /// Ended utterances that count.
    pub utterances: u32,
    /// The number of the last utterance granted.
    pub numbers: u32,
    /// Commands that are not yet carried out.
    pub pending: BTreeMap<Seq, PendingCommand>,
    /// The command up to which all wait, as long as nothing else happens.
    pub waiting: Option<Seq>,
    /// Keys of all commands, given or refused, with the place of their event.
    pub keys: HashMap<Key, Seq>,
    /// The `id`s that commands carried.
    pub ids: HashMap<Text, Seq>,
    /// The same the other way round.
    pub named: BTreeMap<Seq, Text>,
    /// The operator's guidance.
    pub notes: Vec<Note>,
    /// Words that reached a turn, for which a receipt is due.
    pub deliveries: VecDeque<(Key, TurnId)>,
    /// Placed words that no turn has seen yet: the place of the entry and the key of the command.
    pub unheard: Vec<(Seq, Key)>,
    /// What each reply as data has left behind, in order.
    pub kept: Vec<Kept>,
    /// What all of them have left behind together.
    pub context: Arc<Map<String, Value>>,
    /// What is known of the person.
    pub known: Known,
    /// Whether the floor moves.
    pub run: RunState,
    /// Why it pauses, where that was not asked for by the operator.
    pub pause_why: Option<Text>,
    /// How long it has really run.
    pub running: Running,
    /// By how much prompts had more tokens than a token for four bytes, in thousandths: the most of each model.
    pub margins: BTreeMap<Text, u32>,
    /// What turns that are over have used.
    pub over: Spent,
    /// The limit that holds.
    pub limit: Option<LimitAt>,
    /// Limits that a warning was given for, at the value they had.
    pub near: BTreeSet<(Limit, u64)>,
    /// An end that was asked for and is being carried out.
    pub ending: Option<Ending>,
    /// A failure after which its seat's rule stops the conversation.
    pub stopped_by: Option<Text>,
    /// How it ended.
    pub ended: Option<Ended>,
    /// From where its rules count: the beginning, or the last time that its own end was passed.
    pub since: Since,
    /// The last speaking turn that is over: what `retry` speaks again.
    pub last: Option<LastTurn>,
    /// The verdict that is being found, or that an end waits for.
    pub judging: Option<Judging>,
    /// The last verdict, and how many utterances there were then.
    pub verdict: Option<(VerdictGiven, u32)>,
    /// The last vote.
    pub vote: Option<VoteClosed>,
    /// How many votes there were.
    pub votes: u32,
    /// What the host told the table: what came of votes and verdicts.
    pub news: Vec<Told>,
    /// What was summed up of the talk.
    pub summaries: Vec<Summary>,
    /// What judges last answered to stop rules, by the place of the rule.
    pub rulings: BTreeMap<u32, Ruling>,
    /// The stop rules that asked, with how many utterances there were then.
    pub asked: BTreeMap<u32, u32>,
    /// Utterances skipped after failures.
    pub failed: u32,
    /// The tools that the operator allowed, or refused, since the program started.
    pub tools_decided: BTreeMap<Text, bool>,
    /// The tools that the operator allowed for one use.
    pub tools_allowed_once: Vec<Text>,
    /// The warnings that were given, in order.
    pub warnings: Vec<payload::Warning>,
    /// Bookmarks: after which entry, and what they say.
    pub marks: Vec<(Seq, Option<Text>)>,
    /// How far the digests of prompts have been rolled: no part of what the log says.
    pub rolls: Rolls,
}

impl Conversation {
    /// Returns what it is called where there is one line for it: a long topic is cut at a word.
    pub fn shown_title(&self) -> Text {
        const LONGEST: usize = 100;
        let whole = self.title.as_deref().unwrap_or_default();
        let line: Vec<&str> = whole.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
        let line = line.join(" ");
        let Some((end, _)) = line.char_indices().nth(LONGEST) else { return line.into() };
        let cut = line[..end].rfind(' ').unwrap_or(end);
        format!("{}…", line[..cut].trim_end_matches([',', ';', ':', ' '])).into()
    }

    /// Returns a seat by its id.
    pub fn seat(&self, id: &str) -> Option<&Seat> {
        self.seats.iter().find(|s| s.spec.id == id)
    }

    /// Returns what follows when a turn of a seat fails for good: a failure that only a person can mend is asked about
    /// where somebody is there.
    pub fn then(&self, id: &str, class: ErrorClass) -> Then {
        let rule = self.seat(id).map_or(Then::Skip, |s| s.spec.on_failure.then);
        if self.attended && class.needs_a_hand() { Then::Pause } else { rule }
    }

    /// Returns the voice of some words where it is not the one that their seat was seated with.
    pub fn unlike_seated<'a>(&self, seat: &str, spoke: &'a str) -> Option<&'a str> {
        let seated = self.seat(seat).is_none_or(|s| *s.seated == *spoke);
        (!seated && !spoke.is_empty()).then_some(spoke)
    }

    /// Returns whether a seat may be granted the floor: present, not muted, below its own limit.
    pub fn may_speak(&self, id: &str) -> bool {
        self.seat(id).is_some_and(|s| !s.gone && !s.muted && !s.broke && !self.silent(s))
    }

    /// Returns whether a seat may be asked for something: what is no speech counts against no limit of it.
    pub fn may(&self, purpose: Purpose, id: &str) -> bool {
        match purpose {
            Purpose::Speak => self.may_speak(id),
            Purpose::Pick | Purpose::Bid | Purpose::Vote | Purpose::Judge | Purpose::Summarise => {
                self.seat(id).is_some_and(|s| !s.gone && !s.muted)
            }
        }
    }

    fn silent(&self, seat: &Seat) -> bool {
        let cap = seat.spec.max_utterances.into_iter().chain(self.limits.per_seat).min();
        let speaking = || self.turns.values().filter(|t| t.speaks() && t.seat == seat.spec.id);
        cap.is_some_and(|cap| seat.since_reopening() + speaking().count() as u32 >= cap)
    }

    /// Returns the running turns whose voice is a call, as opposed to a human who has the floor.
    pub fn calls(&self) -> impl Iterator<Item = &Turn> {
        self.turns.values().filter(|t| !self.waits_for_human(t))
    }

    /// Returns whether a turn waits for a person.
    pub fn waits_for_human(&self, turn: &Turn) -> bool {
        self.seat(&turn.seat).is_some_and(|s| s.spec.voice.is_human())
    }

    /// Returns the running turns of one thread.
    pub fn running_in(&self, thread: ThreadId) -> impl Iterator<Item = &Turn> {
        self.turns.values().filter(move |t| t.thread == thread)
    }

    /// Returns the threads that are not closed.
    pub fn open_threads(&self) -> impl DoubleEndedIterator<Item = &Thread> {
        self.threads.values().filter(|t| t.closed.is_none())
    }

    /// Returns the open threads that have no open thread inside: where people talk now.
    pub fn leaves(&self) -> impl Iterator<Item = &Thread> {
        self.open_threads().filter(|t| !self.open_threads().any(|c| c.parent == Some(t.id)))
    }

    /// Returns the seats of a batch that are still to be granted their turn, in order. One that a crash cut is owed it
    /// even if it was muted meanwhile: it had the floor before.
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

    /// Returns the turn that a call belongs to, while it runs.
    pub fn turn_of(&self, call: CallId) -> Option<&Turn> {
        self.turns.values().find(|t| t.call == Some(call))
    }

    /// Returns the turn that a grant makes at a place; none where no batch is there that it could belong to.
    pub fn granted(&self, seq: Seq, ms: Ms, thread: ThreadId, g: &FloorGranted) -> Option<Turn> {
        let batch = self.threads.get(&thread)?.batch.as_ref()?;
        let interrupted = batch.interrupted.get(&g.participant);
        // the seat's own id is in memory once, not once a turn
        let seat = self.seat(&g.participant).map_or(&g.participant, |seat| &seat.spec.id).clone();
        Some(Turn {
            batch: Some(batch.id),
            number: g.number,
            horizon: batch.horizon,
            first_call: interrupted.and_then(|i| i.first_call),
            replaces: batch.spec.replaces,
            part: batch
                .spec
                .replaces
                .filter(|_| batch.spec.continues)
                .and_then(|turn| self.words_of(turn)),
            before: batch.spec.replaces.and_then(|turn| self.spoken(turn)?.before),
            notes: g.notes.clone(),
            tools: interrupted.map(|i| i.tools.clone()).unwrap_or_default(),
            summarises: batch.spec.summary_task(),
            ..Turn::granted(seq, ms, thread, seat, batch.spec.purpose)
        })
    }

    /// Returns the entry of an utterance by its number.
    pub fn utterance(&self, number: u32) -> Option<&Entry> {
        self.entries.iter().rev().find(|e| e.number == Some(number))
    }

    /// Returns how far a limit has come at a moment, in the limit's unit.
    pub fn used(&self, limit: Limit, now: Ms) -> u64 {
        match limit {
            Limit::Utterances => u64::from(self.utterances),
            Limit::Rounds => u64::from(
                self.threads.get(&ThreadId::ROOT).map_or(0, |t| t.round.saturating_sub(1)),
            ),
            Limit::Seconds => self.running.at(now) / 1000,
            Limit::Batches => u64::from(self.finished_batches()),
            Limit::Tokens => self.spent().usage.tokens(),
            Limit::Usd => self.spent().usd.0,
        }
    }

    /// Returns how many batches of the whole talk's policy are over.
    pub fn finished_batches(&self) -> u32 {
        let Some(root) = self.threads.get(&ThreadId::ROOT) else { return 0 };
        let open = |b: &&Batch| b.spec.requester == Requester::Policy && self.is_open(b);
        root.batches - root.batch.iter().filter(open).count() as u32
    }

    /// Returns what conditions know as `turn_count`: finished batches where seats depend on one another, else ended
    /// utterances.
    pub fn turn_count(&self) -> u32 {
        self.turn_count_after(Since::default())
    }

    fn turn_count_after(&self, since: Since) -> u32 {
        match &*self.scenario.policy.name {
            DEPENDS => self.finished_batches().saturating_sub(since.batches),
            _ => self.utterances.saturating_sub(since.utterances),
        }
    }

    /// Returns a number that depends on the seed, a place and a salt alone.
    ///
    /// The place is an ordinal of the conversation (a round, a thread's ordinal), never a `seq`: a crash adds lines,
    /// and dice that a crash can turn are not dice that a resume can repeat.
    pub fn dice(&self, place: u64, salt: &str) -> u64 {
        dice(self.seed, place, salt)
    }
}

/// Returns the number that a seed, a place and a salt make.
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
    /// Returns the running milliseconds at a moment.
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
