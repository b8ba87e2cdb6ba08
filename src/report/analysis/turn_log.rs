//! Details that the state does not keep: every ended turn with its calls, and the key events in between.

use crate::model::ballot::{VerdictGiven, VoteClosed};
use crate::model::payload::{LimitAt, TurnEnded};
use crate::model::{CommandGiven, *};
use crate::shared::{SharedList, SharedMap};
use crate::state::Entry;
use crate::text::word_count;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// Collects data for figures, event by event.
#[derive(Clone, Debug, Default)]
pub struct TurnLog {
    /// Ended turns, in order.
    pub turns: SharedList<TimedTurn>,
    /// Retries, warnings and commands of the operator, in order.
    pub moments: Vec<Moment>,
    /// Rounds in which batches were opened, with the `seq` of the batch, in order.
    pub rounds: SharedList<(Seq, ThreadId, u32)>,
    /// The latest batch with one call for the bids of several seats.
    joint_bids: Option<BatchId>,
    /// Times of the first and of the last event.
    span: Option<(Ms, Ms)>,
    paused_ms: u64,
    paused: Option<Ms>,
    running: BTreeMap<TurnId, Running>,
    places: SharedMap<usize>,
    tools: BTreeMap<(SeatId, Text), ToolUses>,
    /// Interned ids and model names.
    words: BTreeSet<Text>,
}

/// An ended turn, reduced to the data of figures.
#[derive(Clone, Debug)]
pub struct TimedTurn {
    /// `seq` of its end.
    pub seq: Seq,
    /// Turn number, or that of the turn before it.
    pub number: u32,
    /// The participant.
    pub seat: SeatId,
    /// True if the participant's model bid for several seats.
    pub for_all: bool,
    /// Time of the grant.
    pub granted: Ms,
    /// Time of the end.
    pub ended: Ms,
    /// Called models, the last one last; empty for a person.
    pub models: Box<[Text]>,
    /// Number of retries.
    pub retries: u32,
    pub purpose: Purpose,
    pub outcome: Outcome,
    /// Cause of a cut.
    pub why: Option<CutWhy>,
    /// Text of a failure.
    pub error: Option<Text>,
    /// The model's reasoning.
    pub think: Option<Text>,
    /// Tokens used by all its calls.
    pub usage: Option<Box<Usage>>,
    /// Cost of all its calls in dollars; `None` if not priced.
    pub cost: Option<Usd>,
    /// Milliseconds from the start of the last call to its first piece.
    pub first_piece_ms: Option<u64>,
    /// Duration of the last call in milliseconds; for a human, of the whole turn.
    pub took_ms: u64,
    /// Text of the turn, shared with the transcript.
    text: Text,
    /// Number of words, computed on first use.
    counted: OnceLock<u32>,
}

impl TimedTurn {
    /// Returns the number of words; counted once.
    fn words(&self) -> u32 {
        *self.counted.get_or_init(|| word_count(&self.text))
    }

    /// Returns the number of words of an entry; `spent` is the turn that spoke it, if known.
    pub fn words_of(entry: &Entry, spent: Option<&TimedTurn>) -> u32 {
        match spent {
            Some(turn) if turn.text == *entry.text() => turn.words(),
            _ => word_count(entry.text()),
        }
    }
}

/// A key event.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Its `seq`.
    pub seq: Seq,
    /// Time on the session's clock.
    pub ms: Ms,
    /// Number of the turn before it.
    pub after: u32,
    /// Kind of the event, with its data.
    pub what: MomentKind,
}

/// Kind of a key event.
#[derive(Clone, Debug)]
pub enum MomentKind {
    /// A command of the operator.
    Command(Arc<CommandGiven>),
    /// A call failed and was retried.
    Retried(TurnId, Text),
    /// A limit was reached.
    Limit(LimitAt),
    /// A vote was closed.
    Vote(Box<VoteClosed>),
    /// The judges gave a verdict.
    Verdict(Box<VerdictGiven>),
    /// The conversation ended, for this reason.
    Ended(StopReason),
    /// The events before it come from this parent session.
    Forked(Text),
}

/// Use of one tool by one participant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolUses {
    /// Number of requests.
    pub asked: u64,
    /// Number of failed or stopped calls.
    pub failed: u64,
    /// Number of refused requests.
    pub refused: u64,
    /// Total duration in milliseconds.
    pub ms: u64,
}

#[derive(Clone, Debug)]
struct Running {
    seat: SeatId,
    for_all: bool,
    granted: Ms,
    models: Vec<Text>,
    retries: u32,
}

impl TurnLog {
    /// Returns the tokens used up to the end of each turn.
    pub fn tokens_so_far(&self) -> Vec<u64> {
        self.so_far(|turn| turn.usage.as_ref().map_or(0, |usage| usage.tokens()))
    }

    /// Returns the cost up to the end of each turn, in billionths of a dollar.
    pub fn cost_so_far(&self) -> Vec<u64> {
        self.so_far(|turn| turn.cost.map_or(0, |usd| usd.0))
    }

    fn so_far(&self, figure: impl Fn(&TimedTurn) -> u64) -> Vec<u64> {
        let add = |sum: &mut u64, turn: &TimedTurn| {
            *sum = sum.saturating_add(figure(turn));
            Some(*sum)
        };
        self.turns.iter().scan(0, add).collect()
    }

    /// Adds an event.
    pub fn take(&mut self, event: &Event) {
        let begin = self.span.map_or(event.ms, |(begin, _)| begin);
        self.span = Some((begin, event.ms));
        match &event.kind {
            Kind::FloorGranted(g) => {
                let seat = SeatId(self.once(&g.participant.0));
                let for_all = self.joint_bids == Some(g.batch);
                let turn = Running { seat, for_all, granted: event.ms, models: vec![], retries: 0 };
                self.running.insert(TurnId(event.seq.0), turn);
            }
            Kind::CallStarted(c) => {
                let model = self.once(&c.model);
                self.running.entry(c.turn).and_modify(|turn| turn.models.push(model));
            }
            Kind::CallRetried(r) => {
                if let Some(turn) = self.running.get_mut(&r.turn) {
                    turn.retries += 1;
                }
                self.remember(event, MomentKind::Retried(r.turn, r.error.text.clone()));
            }
            Kind::TurnEnded(end) => self.end(event, end),
            Kind::BatchOpened(batch) => {
                if batch.purpose == Purpose::Bid && !batch.options.is_empty() {
                    self.joint_bids = Some(BatchId(event.seq.0));
                }
                self.rounds.extend(batch.round.map(|round| (event.seq, event.thread, round)));
            }
            Kind::Paused(_) => self.paused = self.paused.or(Some(event.ms)),
            Kind::Resumed(_) => {
                let since = self.paused.take();
                let lasted = since.map_or(0, |since| event.ms.since(since));
                self.paused_ms = self.paused_ms.saturating_add(lasted);
            }
            Kind::CommandGiven(given) => self.remember(event, MomentKind::Command(given.clone())),
            Kind::LimitReached(limit) => self.remember(event, MomentKind::Limit(limit.0.clone())),
            Kind::Ended(ended) => self.remember(event, MomentKind::Ended(ended.reason)),
            Kind::VoteClosed(vote) => {
                self.remember(event, MomentKind::Vote(Box::new(vote.clone())))
            }
            Kind::VerdictGiven(verdict) => {
                self.remember(event, MomentKind::Verdict(Box::new(verdict.clone())));
            }
            Kind::Forked(forked) => self.remember(event, MomentKind::Forked(forked.parent.clone())),
            Kind::ToolReturned(r) => {
                let uses = self.uses(r.turn, &r.tool);
                uses.asked += 1;
                uses.ms = uses.ms.saturating_add(r.took_ms);
                match r.is {
                    ToolOutcome::Done => {}
                    ToolOutcome::Failed | ToolOutcome::Interrupted => uses.failed += 1,
                    ToolOutcome::Refused => uses.refused += 1,
                }
            }
            Kind::AgentTool(used) => {
                let uses = self.uses(used.turn, &used.sort);
                uses.asked += 1;
                uses.failed += u64::from(&*used.status != "completed");
            }
            Kind::PermissionAnswered(a) if !a.yes => {
                // the tool of a request is `seat/kind`
                let sort = a.tool.rsplit('/').next().unwrap_or_default();
                self.uses(a.turn, &sort.into()).refused += 1;
            }
            _ => {}
        }
    }

    /// Returns the interned copy of a text.
    fn once(&mut self, word: &Text) -> Text {
        if !self.words.contains(word) {
            self.words.insert(word.clone());
        }
        self.words.get(word).unwrap_or(word).clone()
    }

    fn uses(&mut self, turn: TurnId, tool: &Text) -> &mut ToolUses {
        let seat = self.running.get(&turn).map(|turn| turn.seat.clone());
        self.tools.entry((seat.unwrap_or_else(|| "".into()), tool.clone())).or_default()
    }

    /// Returns the use of tools, by participant and tool.
    pub fn tools(&self) -> &BTreeMap<(SeatId, Text), ToolUses> {
        &self.tools
    }

    /// Returns the number of recorded turns and key events; it grows whenever a figure changes.
    pub fn happened(&self) -> usize {
        self.turns.len() + self.moments.len()
    }

    /// Returns an ended turn.
    pub fn spent(&self, turn: TurnId) -> Option<&TimedTurn> {
        self.places.get(turn.0).and_then(|i| self.turns.get(*i))
    }

    /// Returns the milliseconds from the first event to the last.
    pub fn lasted(&self) -> u64 {
        self.span.map_or(0, |(begin, last)| last.since(begin))
    }

    /// Returns the paused milliseconds among them.
    pub fn paused(&self) -> u64 {
        let now = self.paused.zip(self.span).map_or(0, |(since, (_, last))| last.since(since));
        self.paused_ms.saturating_add(now)
    }

    fn remember(&mut self, event: &Event, what: MomentKind) {
        let after = self.after();
        self.moments.push(Moment { seq: event.seq, ms: event.ms, after, what });
    }

    /// Returns the number of the last ended turn.
    fn after(&self) -> u32 {
        self.turns.last().map_or(0, |t| t.number)
    }

    fn end(&mut self, event: &Event, end: &TurnEnded) {
        let Some(turn) = self.running.remove(&end.turn) else { return };
        self.places.insert(end.turn.0, self.turns.len());
        self.turns.push(TimedTurn {
            seq: event.seq,
            number: end.number.unwrap_or(self.after()),
            seat: turn.seat,
            for_all: turn.for_all,
            granted: turn.granted,
            ended: event.ms,
            models: turn.models.into(),
            retries: turn.retries,
            purpose: end.purpose,
            outcome: end.outcome,
            why: end.why,
            error: end.error.as_ref().map(|error| error.text.clone()),
            think: end.think.clone(),
            usage: end.usage.clone().map(Box::new),
            cost: end.cost,
            first_piece_ms: end.first_piece_ms,
            took_ms: end.took_ms,
            text: end.text.clone(),
            counted: OnceLock::new(),
        });
    }
}
