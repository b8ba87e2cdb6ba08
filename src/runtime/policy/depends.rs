//! Seats run when their dependencies are met: all ready seats run at once, until no seat is ready.
//!
//! A seat is ready if its dependencies are met, their conditions hold, it is below its limits, and at least one
//! dependency has a new message since the seat last ran; the last rule lets loops progress instead of repeat. A
//! person's message or a request in a reply's data (`requests: [{to, text}]`) wakes the seats that it names, regardless
//! of their dependencies; a person's answer wakes who asked. A condition that cannot be evaluated is false, with a warning. Values that a reply adds to
//! the context are folded by `state`, not here.

use super::{Decision, NextMove, Policy, View, requests};
use crate::expr::{Condition, Facts, unset_keys};
use crate::model::{After, Needs, Outcome, SeatId, Seq, StopReason, Text};
use crate::scenario::{PolicyRow, TakesPart};
use crate::state::policies::depends;
use crate::state::{Asking, Entry, Handled, Memo, PastTurn, Seat, SeatRequest, State};
use serde_json::{Map, Value, json};
use std::cell::{LazyCell, RefCell};
use std::collections::BTreeMap;

const ROW: PolicyRow = PolicyRow {
    name: depends::NAME,
    meaning: "Participants run in parallel when their dependencies have spoken and their conditions hold.",
    options: &[],
    takes_part: TakesPart::Turns("you have a seat and speak at the start"),
    traits: depends::TRAITS,
};

/// Policy `depends`; see the module.
pub(super) const POLICY: Policy = Policy { result, ..Policy::new(ROW, next) };

/// Number of runs of a seat without `max_utterances`.
const RUNS: usize = 1;

fn next(v: &View<'_>) -> Decision {
    let (asked, warnings) = asked(v);
    let look = Look::new(v);
    let ready: Vec<Ready> = v.able().filter_map(|seat| look.ready(seat, &asked)).collect();
    let faults = look.faults.take();
    if let Some(text) = requests::untold(v, &faults).or_else(|| requests::untold(v, &warnings)) {
        return v.warn(text);
    }
    let muted = |id: &&SeatId| v.state.seat(id).is_some_and(|s| s.muted && !s.gone);
    let mut held = v.thread.seats.iter().filter(muted);
    if ready.is_empty() && v.state.attended && held.any(|id| look.ready(id, &asked).is_some()) {
        return v.wait();
    }
    if ready.is_empty() {
        return v.end(if starved(v) { StopReason::Starved } else { StopReason::Completed });
    }
    let why: Vec<String> = ready.iter().map(|r| format!("{} {}", v.name(&r.seat), r.why)).collect();
    let seats: Vec<SeatId> = ready.iter().map(|r| r.seat.clone()).collect();
    let memo = memo(v, &ready, &asked);
    Decision {
        next: NextMove::Speak { seats, why: why.join("; ").into(), queue: vec![], round: None },
        memo,
    }
}

fn result(v: &View<'_>) -> Value {
    let runs = v.thread.state.runs().map_or(&[][..], |runs| &runs.all);
    let history: Vec<Value> = runs.iter().map(|run| run_result(v, runs, run)).collect();
    json!({"context": v.state.context, "history": history, "batches": v.thread.batches})
}

/// A seat that is ready to run.
struct Ready {
    seat: SeatId,
    why: String,
    /// Indices of the dependencies that make it run.
    by: Vec<usize>,
}

/// One check of all seats: conditions see the same facts, and their errors are collected.
struct Look<'v, 's, F: FnOnce() -> Facts> {
    v: &'v View<'s>,
    facts: LazyCell<Facts, F>,
    faults: RefCell<Vec<Text>>,
}

impl<'v, 's> Look<'v, 's, Box<dyn FnOnce() -> Facts + 'v>> {
    fn new(v: &'v View<'s>) -> Self {
        let facts: Box<dyn FnOnce() -> Facts + 'v> =
            Box::new(|| Facts::new(v.state.facts(|_| true)));
        Look { v, facts: LazyCell::new(facts), faults: RefCell::default() }
    }

    fn ready(&self, id: &SeatId, asked: &[SeatRequest]) -> Option<Ready> {
        let seat = self.v.state.seat(id)?;
        let had = || runs(self.v).iter().filter(|r| r.reply.seat == *id && spoke(r)).count();
        match seat.spec.max_utterances {
            // turns in other phases do not count here
            None if had() >= RUNS && !answered(self.v).any(|a| a.seat == *id) => return None,
            Some(most) if seat.since_reopening() >= most => return None,
            None | Some(_) => {}
        }
        let ready = |why: String, by| Some(Ready { seat: id.clone(), why, by });
        let runs = &seat.spec.runs;
        let again = failed_before(self.v, id);
        let memo = &self.v.thread.memo;
        let ran = memo.ran.as_ref().and_then(|ran| ran.get(id).copied());
        let last = if again { None } else { ran };
        let meets: Vec<bool> = runs.after.iter().map(|after| self.meets(id, after)).collect();
        let fresh = |after: &After| {
            said(self.v, &after.participant).is_some_and(|seq| last.is_none_or(|last| seq > last))
        };
        let edges = if again { None } else { memo.edges.as_ref() };
        let edges = edges.and_then(|edges| edges.get(id)).map_or(&[][..], Vec::as_slice);
        let live = |(at, after): (usize, &After)| {
            (meets[at] && fresh(after) && edges.get(at).is_none_or(|ran| *ran < after.max))
                .then_some(at)
        };
        let by: Vec<usize> = runs.after.iter().enumerate().filter_map(live).collect();
        if let Some(asked) = asked.iter().find(|a| a.seat == *id) {
            return ready(format!("requested by {}", self.v.name(&asked.by)), by);
        }
        let enough = match runs.needs {
            Needs::All => meets.iter().all(|met| *met),
            Needs::Any => true,
        };
        if enough && !by.is_empty() {
            let names: Vec<&str> =
                by.iter().map(|at| self.v.name(&runs.after[*at].participant)).collect();
            return ready(format!("runs after {}", names.join(" and ")), by);
        }
        let starts = last.is_none() && runs.starts.unwrap_or(runs.after.is_empty());
        let starts = starts && !is_addressed(self.v);
        if starts { ready("begins".into(), vec![]) } else { None }
    }

    fn meets(&self, id: &SeatId, after: &After) -> bool {
        let holds = |when: &Text| {
            if let Some(unset) = unset_keys(when, &self.facts) {
                let text =
                    format!("`{id}` after `{}`: when = \"{when}\": {unset}", after.participant);
                self.faults.borrow_mut().push(text.into());
            }
            let condition = Condition::compile(when).and_then(|c| c.holds(&self.facts));
            condition.unwrap_or_else(|fault| {
                let text = format!(
                    "`{id}` does not run after `{}`: when = \"{when}\", {}: {fault}",
                    after.participant,
                    fault.place(when)
                );
                self.faults.borrow_mut().push(text.into());
                false
            })
        };
        said(self.v, &after.participant).is_some() && after.when.as_ref().is_none_or(holds)
    }
}

/// Returns the runs that count: those since the conversation last continued after an end.
fn runs<'a>(v: &View<'a>) -> &'a [PastTurn] {
    v.thread.state.runs().and_then(|runs| runs.all.get(runs.before..)).unwrap_or_default()
}

/// Returns whether the last run of a seat failed before the conversation was reopened; it is retried then.
fn failed_before(v: &View<'_>, id: &SeatId) -> bool {
    let last = runs(v).iter().rev().find(|r| r.reply.seat == *id);
    let reopened = v.state.since.reopened;
    last.is_some_and(|r| !spoke(r) && reopened.is_some_and(|seq| r.reply.turn.0 < seq.0))
}

/// Returns whether the exchange after an end is addressed to seats that a person names; other seats do not start then.
fn is_addressed(v: &View<'_>) -> bool {
    let since = v.state.since.seq;
    let names = |e: &Entry| {
        e.seq > since && person(v, e).is_some() && !(e.mentions.is_empty() && e.to.is_empty())
    };
    let begun = v.thread.memo.begun == Some(true);
    since > Seq(0) && !begun && v.entries().any(names)
}

/// Returns whether a run produced text.
fn spoke(run: &PastTurn) -> bool {
    !run.reply.text.trim().is_empty()
}

/// Returns the `seq` of a seat's last message in this thread.
fn said(v: &View<'_>, seat: &SeatId) -> Option<Seq> {
    let since = v.state.since.seq;
    let mut spoken = v.entries().rev().take_while(|e| e.seq >= since);
    spoken.find(|e| e.number.is_some() && e.seat() == Some(seat)).map(|e| e.seq)
}

/// Returns the open requests (kept in the memo, from people since, and in the data of the last batch) and the text of
/// the warnings for refused ones.
fn asked(v: &View<'_>) -> (Vec<SeatRequest>, Vec<Text>) {
    let mut asked = requests::kept(v);
    let heard = v.thread.memo.heard.unwrap_or_default().max(v.state.since.seq);
    for entry in v.entries().filter(|e| e.seq > heard) {
        let Some(by) = person(v, entry) else { continue };
        let named = entry.mentions.iter().chain(&entry.to);
        let named = named.filter(|seat| entry.granted.as_ref() != Some(seat));
        asked.extend(named.map(|seat| SeatRequest {
            seat: seat.clone(),
            by: by.clone(),
            text: None,
        }));
    }
    let (requested, refused) = requests::read(v, v.uncounted().map_or(&[][..], |b| &b.ended[..]));
    asked.extend(requested);
    asked.extend(answered(v));
    (asked, refused)
}

/// Returns the seats whose question a person answered in the last batch: they run once more, with the answer.
fn answered<'a>(v: &View<'a>) -> impl Iterator<Item = SeatRequest> {
    let questions = v.thread.memo.requests.as_ref();
    let ended = v.uncounted().map_or(&[][..], |batch| &batch.ended[..]);
    let said = ended.iter().filter(|reply| reply.outcome == Outcome::Said);
    let persons = said.filter(|reply| v.state.seat(&reply.seat).is_some_and(is_person));
    persons.flat_map(move |reply| {
        let asked = questions.and_then(|questions| questions.get(&reply.seat));
        let by = reply.seat.0.clone();
        asked.into_iter().flatten().map(move |asking| SeatRequest {
            seat: asking.by.clone(),
            by: by.clone(),
            text: None,
        })
    })
}

fn is_person(seat: &Seat) -> bool {
    seat.spec.voice.is_human() || seat.spec.stands_in
}

/// Returns the person who wrote an entry: the operator, a human seat, or a seat whose voice replaces a human; `None`
/// for other seats.
fn person(v: &View<'_>, entry: &Entry) -> Option<Text> {
    match entry.seat() {
        None => Some("the operator".into()),
        Some(id) => is_person(v.state.seat(id)?).then(|| id.0.clone()),
    }
}

fn memo(v: &View<'_>, ready: &[Ready], asked: &[SeatRequest]) -> Memo {
    let heard = v.last_entry().map_or(Seq(0), |e| e.seq);
    let mut memo = v.memo();
    let ran = memo.ran.get_or_insert_default();
    let edges = memo.edges.get_or_insert_default();
    for run in ready {
        ran.insert(run.seat.clone(), heard);
        let count = v.state.seat(&run.seat).map_or(0, |s| s.spec.runs.after.len());
        let fired = edges.entry(run.seat.clone()).or_default();
        fired.resize(count, 0);
        for (at, fired) in fired.iter_mut().enumerate() {
            *fired = fired.saturating_add(u32::from(run.by.contains(&at)));
        }
    }
    let runs = |a: &SeatRequest| ready.iter().any(|r| r.seat == a.seat);
    let mut requests: BTreeMap<SeatId, Vec<Asking>> = BTreeMap::new();
    for asked in asked.iter().filter(|a| runs(a)) {
        requests.entry(asked.seat.clone()).or_default().extend(requests::asking(asked));
    }
    // seats named later in the exchange speak too, in addition to the seats that started by themselves
    let begun = memo.begun == Some(true) || !is_addressed(v);
    memo.begun = (begun && v.state.since.seq > Seq(0)).then_some(true);
    memo.asked = Some(asked.iter().filter(|a| !runs(a)).cloned().collect());
    memo.requests = Some(requests);
    memo.heard = Some(heard);
    memo.counted = v.thread.asked.as_ref().map(|batch| Handled::Batch(batch.id));
    memo
}

/// Returns whether a seat never ran because one of its dependencies was lost.
fn starved(v: &View<'_>) -> bool {
    idle(v).any(|seat| seat.spec.runs.after.iter().any(|a| is_lost(v, &a.participant)))
}

/// Returns the seats of the thread that never ran.
fn idle<'a>(v: &View<'a>) -> impl Iterator<Item = &'a Seat> {
    let state = v.state;
    let runs = runs(v);
    let seats = v.thread.seats.iter().filter_map(|id| state.seat(id));
    seats.filter(|s| !s.gone && !runs.iter().any(|r| r.reply.seat == s.spec.id))
}

/// Returns whether a seat has no message and will not produce one: it failed, was skipped or cut before the first word,
/// is muted, or has left.
fn is_lost(v: &View<'_>, id: &SeatId) -> bool {
    let last = runs(v).iter().rev().find(|r| r.reply.seat == *id);
    let failed = last.is_some_and(|r| matches!(r.reply.outcome, Outcome::Failed | Outcome::Cut));
    let away = v.state.seat(id).is_some_and(|s| s.gone || s.muted);
    said(v, id).is_none() && (away || failed)
}

/// A seat that never ran, and the reason.
pub struct NeverRan {
    pub seat: SeatId,
    /// The reason, for people.
    pub why: String,
    /// True if a seat that it depends on produced no result.
    pub starved: bool,
}

/// Returns the seats under `depends` that never ran.
pub fn never_ran(state: &State) -> Vec<NeverRan> {
    let threads = state.threads.values().filter(|t| &*t.spec.policy == ROW.name);
    threads.flat_map(|thread| never_ran_in(&View { state, thread })).collect()
}

fn never_ran_in(v: &View<'_>) -> Vec<NeverRan> {
    let look = Look::new(v);
    let reason = |seat: &Seat| {
        let after = &seat.spec.runs.after;
        let seat = seat.spec.id.clone();
        if let Some(lost) = after.iter().find(|a| is_lost(v, &a.participant)) {
            let why = format!("`{}` gave no result", lost.participant);
            return NeverRan { seat, why, starved: true };
        }
        let spoke = |a: &&After| said(v, &a.participant).is_some();
        let unmet = after.iter().filter(spoke).find(|a| !look.meets(&seat, a));
        let why = match (unmet.and_then(|a| a.when.as_ref()), after.iter().find(|a| !spoke(a))) {
            (Some(when), _) => format!("its condition was never true: {when}"),
            (None, Some(waits)) => format!("it waits for `{}`", waits.participant),
            (None, None) => "it had no turn".to_owned(),
        };
        NeverRan { seat, why, starved: false }
    };
    idle(v).map(reason).collect()
}

/// Returns one run for the result: its new input, its output and its duration.
fn run_result(v: &View<'_>, runs: &[PastTurn], run: &PastTurn) -> Value {
    let output = |r: &PastTurn| v.state.output(&r.reply);
    let before = runs.iter().filter(|r| r.batch < run.batch && r.reply.seat == run.reply.seat);
    let last = before.map(|r| r.batch).max().unwrap_or(0);
    let after = v.state.seat(&run.reply.seat).map_or(&[][..], |s| &s.spec.runs.after[..]);
    let input: Map<String, Value> = after
        .iter()
        .filter_map(|a| {
            let news = |r: &&PastTurn| {
                let told = r.reply.seat == a.participant && r.reply.outcome == Outcome::Said;
                told && (last..run.batch).contains(&r.batch)
            };
            Some((a.participant.to_string(), output(runs.iter().rev().find(news)?)))
        })
        .collect();
    json!({
        "participant": run.reply.seat,
        "batch": run.batch,
        "outcome": run.reply.outcome,
        "input": if input.is_empty() { json!({"topic": v.state.scenario.topic}) } else { json!(input) },
        "output": output(run),
        "error": run.error,
        "started": run.started.0 as f64 / 1000.0,
        "seconds": run.took_ms as f64 / 1000.0,
    })
}
