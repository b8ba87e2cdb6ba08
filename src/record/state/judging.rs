//! Votes and verdicts in progress: judgements, pending questions and results.

use super::{Batch, Conversation, RunState};
use crate::model::payload::{BatchOpened, TurnEnded};
use crate::model::*;
use crate::scenario::{Side, VerdictSpec};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A verdict in progress.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judging {
    /// The judged thread; true if the verdict is only interim, to check whether a side has already won.
    pub of: Option<(ThreadId, bool)>,
    /// Number of times that the judges were asked.
    pub asked: u32,
    /// All judgements so far, in order.
    pub judgements: Vec<Judgement>,
    /// Casting vote on a tie, if requested: the judge and the chosen side.
    pub casting: Option<(SeatId, Option<Text>)>,
    /// Sides of a tie that is left to the operator.
    pub tied: Vec<Text>,
    /// Side that the operator chose.
    pub chosen: Option<Text>,
    /// End of the conversation that follows, if any.
    pub ends: Option<EndCause>,
}

/// A judge's answer to a stop rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruling {
    /// Number of utterances at that time.
    pub at: u32,
    /// True if the answer was yes.
    pub yes: bool,
    /// The judge's reason.
    pub why: Text,
}

impl Conversation {
    /// Records that judges are asked.
    pub(super) fn convene(&mut self, thread: ThreadId, batch: &BatchOpened) {
        if let Some(JudgeTask::Verdict { interim, ends, rule, .. }) = batch.judge_task() {
            let judging = self.judging.get_or_insert_default();
            judging.of = Some((thread, interim));
            judging.asked += 1;
            let ends = ends.map(|(reason, text)| EndCause { reason, text, rule });
            judging.ends = judging.ends.take().or(ends);
        }
    }

    /// Applies a verdict. An interim verdict with a winner also sets the end of the conversation.
    pub(super) fn settle(&mut self, thread: ThreadId, verdict: &VerdictGiven) {
        let at = self.utterances;
        self.verdict = Some((verdict.clone(), at));
        if let Some(t) = self.threads.get_mut(&thread) {
            t.verdict = Some((verdict.clone(), at));
        }
        let ends = self.judging.take().and_then(|b| b.ends);
        let won = verdict.interim && verdict.winner.is_some() && thread == ThreadId::ROOT;
        let end = ends
            .or_else(|| won.then(|| EndCause::new(StopReason::Verdict, Some(verdict.how.clone()))));
        self.judging = end.map(|end| Judging { ends: Some(end), ..Judging::default() });
    }

    /// Applies the operator's decision on a tie, and continues.
    pub(super) fn choose_winner(&mut self, winner: &Text) {
        if let Some(judging) = &mut self.judging {
            judging.chosen = Some(winner.clone());
            self.run = RunState::Going;
            self.pause_why = None;
        }
    }

    /// Returns the sides of a tie that waits for the operator.
    pub fn waiting_tie(&self) -> Option<&[Text]> {
        if self.run != RunState::Paused {
            return None;
        }
        let judging = self.judging.as_ref()?;
        (!judging.tied.is_empty()).then_some(&judging.tied)
    }

    /// Returns the rules for judging a thread: the scenario's for the whole conversation, the phase's for a phase.
    pub fn verdict_spec(&self, thread: ThreadId) -> Option<&VerdictSpec> {
        match thread {
            ThreadId::ROOT => self.scenario.verdict.as_ref(),
            phase => self.phase_of(phase)?.judge.as_ref(),
        }
    }

    /// Returns the restriction on the messages that a judge sees; `None` without one.
    pub(super) fn judge_sees(&self, turn: &super::Turn) -> Option<Sees> {
        match self.batch_of(turn)?.spec.judge_task()? {
            JudgeTask::Verdict { .. } | JudgeTask::Casting => self.verdict_spec(turn.thread)?.sees,
            JudgeTask::Stop(_) => None,
        }
    }

    /// Applies the failure rule of a seat to a failed turn of any purpose.
    pub(super) fn fail(&mut self, turn: &super::Turn, e: &TurnEnded) {
        let unknown = || CallError::new(ErrorClass::Failed, "failed");
        let error = e.error.clone().unwrap_or_else(unknown);
        let why = format!("{}: {}", self.name_of(&turn.seat), error.text);
        // a seat without lines for a vote may still have lines to speak, and a scribe has spoken
        let is_asked = turn.purpose != Purpose::Result && error.class != ErrorClass::NoVoice;
        if turn.speaks() || is_asked {
            self.set_seat(&turn.seat, |s| s.failed = Some(error.clone()));
        }
        let then = match self.then(&turn.seat, error.class) {
            Then::Skip if self.attended && self.server_is_gone(turn, error.class) => {
                let provider = self.provider_of(&turn.seat).unwrap_or_default();
                self.pause_for(format!(
                    "no seat can reach {provider}: start the server, then use `retry`"
                ));
                return;
            }
            Then::Skip if self.attended && self.nobody_is_left(turn) => Then::Pause,
            then => then,
        };
        self.follow_rule(then, turn, why);
    }

    /// Requests a pause, unless the conversation is paused already.
    pub(in crate::state) fn pause_for(&mut self, why: String) {
        if self.run != RunState::Paused {
            self.run = RunState::Pausing;
            self.pause_why = Some(why.into());
        }
    }

    /// Returns the provider of a seat's model: the part of its name before the colon.
    fn provider_of(&self, seat: &str) -> Option<&str> {
        Some(self.seat(seat)?.spec.voice.as_model()?.name.split_once(':')?.0)
    }

    /// Returns whether the server of a failed turn refuses connections and all other seats depend on it too. Persons
    /// do not count: they need no server.
    fn server_is_gone(&self, turn: &super::Turn, class: ErrorClass) -> bool {
        if class != ErrorClass::Refused || !turn.speaks() {
            return false;
        }
        let Some(thread) = self.threads.get(&turn.thread) else { return false };
        let Some(provider) = self.provider_of(&turn.seat) else { return false };
        let is_person = |id: &SeatId| self.seat(id).is_some_and(|s| s.spec.voice.is_human());
        let mut able = thread.seats.iter().filter(|s| self.may_speak(s) && !is_person(s));
        able.all(|s| self.provider_of(s) == Some(provider))
    }

    fn name_of(&self, seat: &str) -> String {
        self.seat(seat).map_or(seat, |s| &s.spec.name).to_owned()
    }

    /// Applies the failure rule to a turn that failed after its first words; its text stays. A fallback speaks from the
    /// next turn on.
    pub(super) fn break_off(&mut self, turn: &super::Turn, e: &TurnEnded) {
        let Some(error) = &e.error else { return };
        let then = self.then(&turn.seat, error.class);
        if then == Then::Replace {
            self.replace(&turn.seat);
        }
        self.follow_rule(
            then,
            turn,
            format!("{} failed: {}", self.name_of(&turn.seat), error.text),
        );
    }

    /// Switches a seat to its next fallback, if there is one.
    pub(super) fn replace(&mut self, seat: &str) {
        let Some(replaced) = self.seat(seat).and_then(|s| s.spec.replaced()) else { return };
        let learnt = self.learnt(&replaced.voice);
        let spec = Arc::new(replaced);
        self.set_seat(seat, |s| {
            s.spec = spec.clone();
            (s.thinks, s.widened) = learnt;
        });
    }

    fn follow_rule(&mut self, then: Then, turn: &super::Turn, why: String) {
        match then {
            Then::Pause => {
                let way = "try again, or choose another model";
                let asks = self.attended && turn.speaks();
                // an operator has already seen the reason of the failure
                let why =
                    if asks { format!("{} failed; {way}", self.name_of(&turn.seat)) } else { why };
                self.pause_for(why);
            }
            Then::Stop => self.stopped_by = Some(why.into()),
            Then::Skip | Then::Replace => {}
        }
    }

    /// Returns whether every seat that may speak in the thread of a failed turn has failed since its last success. The
    /// cause is then a server, not a seat.
    fn nobody_is_left(&self, turn: &super::Turn) -> bool {
        if !turn.speaks() {
            return false;
        }
        let Some(thread) = self.threads.get(&turn.thread) else { return false };
        let mut able = thread.seats.iter().filter(|s| self.may_speak(s));
        able.all(|s| self.seat(s).is_some_and(|s| s.failed.is_some()))
    }

    /// Applies the end of a turn that is not an utterance: uses up a rehearsed line and applies a judge's answer.
    pub(super) fn answer(&mut self, turn: &super::Turn, e: &TurnEnded) {
        let line = turn.parameters.line;
        self.set_seat(&turn.seat, |s| s.lines.extend(line));
        if e.outcome == Outcome::Failed {
            self.fail(turn, e);
        }
        let batch = self.threads.get(&turn.thread).and_then(|t| t.batch.clone());
        if let Some(batch) = batch {
            self.judge(&batch, &turn.seat, e);
        }
    }

    /// Applies a judge's answer.
    fn judge(&mut self, batch: &Batch, seat: &SeatId, e: &TurnEnded) {
        let text = |key: &str| e.structured[key].as_str().map(Text::from);
        match batch.spec.judge_task() {
            Some(JudgeTask::Stop(rule)) => {
                let yes = text("choice").is_some_and(|c| &*c == "yes");
                let why = text("why").unwrap_or_else(|| "".into());
                self.rulings.insert(rule, Ruling { at: self.utterances, yes, why });
            }
            Some(JudgeTask::Casting) => {
                let casting = Some((seat.clone(), text("choice")));
                self.judging.get_or_insert_default().casting = casting;
            }
            Some(JudgeTask::Verdict { time, swapped, labels, .. }) => {
                let place = |name: &str| batch.spec.options.iter().position(|o| **o == *name);
                let side =
                    |name: Text| place(&name).and_then(|i| labels.get(i).cloned()).unwrap_or(name);
                let scores = e.structured["scores"].as_object().into_iter().flatten();
                let scores =
                    scores.filter_map(|(s, n)| Some((side(s.as_str().into()), n.as_f64()?)));
                let unanswered = e.structured["unanswered"].as_object().into_iter().flatten();
                let unanswered = unanswered.filter_map(|(s, point)| {
                    Some((side(s.as_str().into()), point.as_str()?.into()))
                });
                let decided_by = e.structured["decided_by"].as_array().into_iter().flatten();
                let decided_by = decided_by.filter_map(|n| u32::try_from(n.as_u64()?).ok());
                // a judge may invent a number
                let said = 1..=self.utterances;
                let decided_by = decided_by.filter(|n| said.contains(n));
                let real = |n| if swapped { self.number_in_reverse(n) } else { n };
                let decided_by: Vec<u32> = decided_by.map(real).collect();
                let winner = text("winner").or_else(|| text("answer")).map(side);
                let of_prompt = e.structured.get("answer").is_some();
                let unread = || match &e.error {
                    Some(error) => error.text.clone(),
                    None if of_prompt => e.text.clone(),
                    None => "".into(),
                };
                let judgement = Judgement {
                    judge: seat.clone(),
                    turn: e.turn,
                    time,
                    swapped,
                    winner,
                    scores: scores.collect(),
                    why: text("why").unwrap_or_else(unread),
                    unanswered: unanswered.collect(),
                    decided_by,
                };
                self.judging.get_or_insert_default().judgements.push(judgement);
            }
            None => {}
        }
    }

    /// Records the answer in a reply: the last reply counts for agreement, the last answer is the seat's position.
    pub(super) fn keep_answer(&mut self, turn: &super::Turn, e: &TurnEnded) {
        let answer = answer(&e.structured);
        let stands = answer.clone().map(|words| PositionRecorded {
            participant: turn.seat.clone(),
            turn: turn.id,
            number: turn.number,
            words,
            confidence: e.structured["confidence"].as_f64(),
            ..PositionRecorded::default()
        });
        let stands = self.position_of(turn, e).or(stands);
        self.count_missing(turn, e);
        self.set_seat(&turn.seat, |s| {
            s.answer = answer;
            s.stands = stands.or(s.stands.take());
        });
    }

    /// Returns a position that is not yet recorded.
    pub fn unrecorded_position(&self) -> Option<&PositionRecorded> {
        let moved = |s: &&super::Seat| match (&s.stands, s.positions.last()) {
            (Some(now), Some(before)) => !now.says_as(before) || now.replaces(before),
            (now, None) => now.is_some(),
            (None, Some(_)) => false,
        };
        self.seats.iter().find(moved).and_then(|s| s.stands.as_ref())
    }

    /// Returns the share of speaking seats, from 0 to 1, whose last utterance gave the most frequent answer; seats
    /// without an answer agree with nobody.
    pub fn agreement(&self) -> f64 {
        let table = || self.seats.iter().filter(|s| !s.gone && s.spec.speaks);
        let mut counts: BTreeMap<&Text, u32> = BTreeMap::new();
        for answer in table().filter_map(|s| s.answer.as_ref()) {
            *counts.entry(answer).or_default() += 1;
        }
        let most = counts.into_values().max().unwrap_or(0);
        f64::from(most) / (table().count().max(1) as f64)
    }

    /// Returns whether a swap test also reverses the order of the messages: only simultaneous rounds can be reversed. In
    /// other debates it swaps the labels of the sides.
    pub fn swaps_order(&self) -> bool {
        let said: Vec<&super::Entry> = self.entries.iter().filter(|e| e.number.is_some()).collect();
        let topic = self.scenario.topic.as_deref().unwrap_or_default();
        let sides = self.scenario.verdict.iter().flat_map(|spec| &spec.sides);
        let is_typed = sides.filter_map(|side| side.argues.as_ref()).any(|a| topic.contains(&**a));
        !is_typed
            && !said.is_empty()
            && said.chunk_by(|a, b| a.is_beside(b)).all(|round| round.len() > 1)
    }

    /// Returns whether a turn is the second judgement of a swap test.
    pub fn is_judged_again(&self, turn: &super::Turn) -> bool {
        let task = self.batch_of(turn).and_then(|batch| batch.spec.judge_task());
        matches!(task, Some(JudgeTask::Verdict { swapped: true, .. }))
    }

    /// Returns the template of the whole request of a turn that gives a verdict.
    pub fn judge_prompt(&self, turn: &super::Turn) -> Option<&Text> {
        match self.batch_of(turn)?.spec.judge_task()? {
            JudgeTask::Verdict { .. } => self.verdict_spec(turn.thread)?.prompt.as_ref(),
            JudgeTask::Casting | JudgeTask::Stop(_) => None,
        }
    }

    /// Returns the rules of the verdict, if a turn is its second judgement.
    fn swapped_spec(&self, turn: &super::Turn) -> Option<&VerdictSpec> {
        if self.is_judged_again(turn) { self.verdict_spec(turn.thread) } else { None }
    }

    /// Returns the topic for a turn: in a second judgement, with the sides exchanged.
    pub fn topic_for(&self, turn: &super::Turn) -> Option<&Text> {
        let swapped = self.swapped_spec(turn).and_then(|spec| spec.swapped_topic.as_ref());
        swapped.or(self.scenario.topic.as_ref()).or(self.title.as_ref())
    }

    /// Returns the item for a turn: in a second judgement, with the fields of the sides exchanged.
    pub(super) fn item_for(&self, turn: &super::Turn) -> Cow<'_, Map<String, Value>> {
        let item = &self.scenario.item;
        match self.swapped_spec(turn) {
            Some(spec) => Cow::Owned(spec.exchanged(item)),
            None => Cow::Borrowed(item),
        }
    }

    /// Returns the number of a message in the prompt of a turn: a second judgement reads each round in reverse, and counts
    /// as it reads.
    pub fn number_for(&self, turn: &super::Turn, number: u32) -> u32 {
        if self.is_judged_again(turn) { self.number_in_reverse(number) } else { number }
    }

    /// Returns the number of the message in the mirrored place of the same simultaneous round.
    fn number_in_reverse(&self, number: u32) -> u32 {
        let said: Vec<&super::Entry> = self.entries.iter().filter(|e| e.number.is_some()).collect();
        let mut rounds = said.chunk_by(|a, b| a.is_beside(b));
        let round = rounds.find(|round| round.iter().any(|e| e.number == Some(number)));
        let numbers = || round.into_iter().flatten().filter_map(|entry| entry.number);
        let ends = numbers().min().zip(numbers().max());
        ends.map_or(number, |(first, last)| first + last - number)
    }

    /// Returns the side of a seat, as judges see it next to the name.
    pub fn side_of(&self, turn: &super::Turn, seat: &SeatId) -> Option<&Text> {
        match self.batch_of(turn)?.spec.judge_task()? {
            JudgeTask::Verdict { .. } | JudgeTask::Casting => {
                let sides = &self.verdict_spec(turn.thread)?.sides;
                let on = |s: &&Side| s.seats.iter().any(|id| **id == *seat.0) && *s.name != *seat.0;
                sides.iter().find(on).map(|s| &s.name)
            }
            JudgeTask::Stop(_) => None,
        }
    }

    /// Returns the name under which a judge sees a seat, if it replaces the seat's own.
    pub(super) fn judged_as(&self, turn: &super::Turn, seat: &SeatId) -> Option<Text> {
        match self.batch_of(turn)?.spec.judge_task()? {
            JudgeTask::Verdict { seats, .. } => seats.get(seat).cloned(),
            JudgeTask::Stop(_) | JudgeTask::Casting => None,
        }
    }
}

/// Returns the answer in structured data, for measuring agreement.
pub(super) fn answer(structured: &Value) -> Option<Text> {
    let found = ["choice", "answer"].iter().map(|key| &structured[*key]).find(|v| !v.is_null())?;
    match found {
        Value::String(text) => Some(text.trim().to_lowercase().into()),
        Value::Number(_) | Value::Bool(_) => Some(found.to_string().into()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
