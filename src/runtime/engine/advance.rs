//! The engine's own next step: at most one event per call, so that a kill between two lines never leaves half a
//! decision.

use super::drafts::{batch, close, grant, warn_once};
use super::{
    drafts, effects, execute, judging, permissions, profile, result, steps, stops, summary, tools,
    turns, verdict,
};
use crate::model::event::{ENGINE, LimitNear, LimitReached};
use crate::model::payload::{BatchOpened, LimitAt, Paused};
use crate::model::*;
use crate::policy::{self, Decision, NextMove, View};
use crate::prompt;
use crate::state::{Ending, Memo, RunState, Seat, State, Thread, Turn};

/// Number of rounds in which every turn failed, or all but those of one seat, after which a thread is closed.
const FAILED_ROUNDS: usize = 3;

/// Returns the one event that follows from the state alone; `None` if an input is needed first.
pub fn advance(state: &State) -> Option<Draft> {
    if state.threads.is_empty() {
        return None;
    }
    execute::next(state).or_else(|| {
        if state.ended.is_some() {
            return None;
        }
        state
            .unrecorded_position()
            .map(|stated| draft(ThreadId::ROOT, ENGINE, stated.clone().into()))
            .or_else(|| profile::next(state))
            .or_else(|| give_up(state))
            .or_else(|| ending(state))
            .or_else(|| tools::next(state))
            .or_else(|| permissions::next(state))
            .or_else(|| if pauses(state) { execute::before_pause(state) } else { None })
            .or_else(|| pause(state))
            .or_else(|| {
                if state.run == RunState::Paused {
                    return None;
                }
                call(state).or_else(|| floor(state))
            })
    })
}

/// Cuts a turn that waits for a retry if no more retries will be granted, or if its seat was muted meanwhile.
fn give_up(state: &State) -> Option<Draft> {
    let waits = |turn: &&Turn| {
        let held = || state.held_by_rate(turn, state.ms).is_some();
        turn.call.is_none() && (turn.retry_at.is_some() || held())
    };
    let is_muted = |turn: &&Turn| state.seat(&turn.seat).is_some_and(|seat| seat.muted);
    if let Some(turn) = state.calls().filter(waits).find(is_muted) {
        return Some(turns::cut_sealed(state, turn, CutWhy::Operator));
    }
    let turn = state.calls().find(waits)?;
    turns::gives_up(state).then(|| turns::cut_sealed(state, turn, CutWhy::Timeout))
}

/// Returns the next step of the floor: limits, stops, grants, decisions.
fn floor(state: &State) -> Option<Draft> {
    if state.stopped_by.is_some() {
        return None;
    }
    if state.ending == Some(Ending::Now) {
        return judging::grant(state);
    }
    // a speaker who had the floor when the pause was requested finishes first, even if a crash interrupted the turn, unless
    // a person is back
    if let Some(again) = interrupted(state) {
        return Some(again);
    }
    if pauses(state) {
        return None;
    }
    if let Some(again) = superseded(state) {
        return Some(again);
    }
    if let Some(asked) = judging::grant(state) {
        return Some(asked);
    }
    if judging::sits(state) || state.reopened_after.is_some() {
        return None;
    }
    if state.limit.is_some() {
        return result::at_limit(state);
    }
    if let Some(Ending::FinalRound(left)) = &state.ending {
        return final_word(state, left);
    }
    judging::before(state)
        .or_else(|| settled(state))
        .or_else(|| limits(state))
        .or_else(|| stops::stop(state))
        .or_else(|| state.open_threads().rev().find_map(|thread| step(state, thread)))
}

/// Returns the end that the last allowed turn leads to: it takes precedence over the limit.
fn settled(state: &State) -> Option<Draft> {
    let most = state.limits.get(Limit::Utterances)?;
    if state.used(Limit::Utterances, state.ms) < most || !state.turns.is_empty() {
        return None;
    }
    stops::due(state).or_else(|| {
        let root = state.threads.get(&ThreadId::ROOT).filter(|root| root.closed.is_none())?;
        let owed = root.batch.as_ref().is_some_and(|batch| state.is_open(batch));
        if owed || state.open_threads().any(|thread| thread.id != root.id) {
            return None;
        }
        let policy = policy::find(&root.spec.policy)?;
        let decision = (policy.next)(&View { state, thread: root });
        match decision.next {
            NextMove::End(reason @ (StopReason::Completed | StopReason::Consensus)) => {
                Some(end(state, root, reason, decision.memo))
            }
            _ => None,
        }
    })
}

/// Cuts a turn that has to start again because its policy has new information for it.
fn superseded(state: &State) -> Option<Draft> {
    let busy = |thread: &&Thread| thread.batch.as_ref().is_some_and(|b| !b.running.is_empty());
    state.open_threads().filter(busy).find_map(|thread| {
        let policy = policy::find(&thread.spec.policy)?;
        let turn = state.turns.get(&(policy.supersedes)(&View { state, thread })?)?;
        Some(turns::cut_sealed(state, turn, CutWhy::Superseded))
    })
}

fn pauses(state: &State) -> bool {
    matches!(state.run, RunState::Pausing | RunState::Stepping(0))
}

/// Pauses the conversation once no call runs; a person keeps the floor during the pause.
fn pause(state: &State) -> Option<Draft> {
    let quiet = state.calls().next().is_none() && interrupted(state).is_none();
    (pauses(state) && quiet).then(|| {
        let why = state.pause_why.clone();
        draft(ThreadId::ROOT, ENGINE, Paused { why, ..Paused::default() }.into())
    })
}

/// Returns a due end: requested, forced by a failure, or reached by the root's policy.
fn ending(state: &State) -> Option<Draft> {
    let root = state.threads.get(&ThreadId::ROOT)?;
    let quiet = state.turns.is_empty();
    let late = || execute::late(state).next();
    let first = |reason| late().or_else(|| steps::before_end(state, reason).into_iter().next());
    let end = |cause: EndCause| first(cause.reason).or_else(|| result::conclude(state, cause));
    let at_once = |cause: EndCause| first(cause.reason).or_else(|| Some(drafts::end(state, cause)));
    match (&state.ending, &state.stopped_by, &root.closed) {
        (Some(Ending::AtOnce), _, _) => at_once(StopReason::Operator.into()),
        (Some(Ending::Now), _, _) => end(StopReason::Operator.into()),
        (Some(Ending::FinalRound(left)), _, _) => {
            let spoken = !left.iter().any(|s| state.may_speak(s));
            let over = quiet && spoken && !root.batch.as_ref().is_some_and(|b| state.is_open(b));
            if over { end(StopReason::Operator.into()) } else { None }
        }
        (None, Some(why), _) if quiet => {
            at_once(EndCause::new(StopReason::Failure, Some(why.clone())))
        }
        (None, None, _)
            if let Some(cause) = judged(state).or_else(|| result::end_in_progress(state)) =>
        {
            end(cause)
        }
        (None, None, Some(closed)) if quiet => {
            let failed = closed.reason.is_failure();
            end(EndCause::new(closed.reason, failed.then(|| failures(state)).flatten()))
        }
        (None, _, _) => None,
    }
}

/// Returns the reason why no seat can speak: each failure once, with the seats that it affects.
fn failures(state: &State) -> Option<Text> {
    let mut told: Vec<(&Text, Vec<&str>)> = vec![];
    for seat in &state.seats {
        let Some(error) = &seat.failed else { continue };
        match told.iter_mut().find(|(text, _)| *text == &error.text) {
            Some((_, seats)) => seats.push(&seat.spec.id),
            None => told.push((&error.text, vec![&seat.spec.id])),
        }
    }
    let told: Vec<String> =
        told.iter().map(|(text, seats)| format!("{}: {text}", seats.join(", "))).collect();
    (!told.is_empty()).then(|| told.join("; ").into())
}

/// Returns the end for which a verdict is being reached.
fn judged(state: &State) -> Option<EndCause> {
    state.judging.as_ref()?.ends.clone()
}

/// Starts the call of a granted turn; a turn that waits for a retry is woken by time instead.
fn call(state: &State) -> Option<Draft> {
    let due = |t: &&Turn| t.call.is_none() && t.retry_at.is_none() && !t.waits_for_tools();
    let held = state.calls().filter(due).find_map(|t| state.held_by_rate(t, state.ms));
    let told = held.and_then(|(_, provider, rate)| {
        let text = format!("calls to {provider} are limited to {rate}; waiting");
        warn_once(state, text.into())
    });
    if told.is_some() {
        return told;
    }
    let turn = state.calls().filter(due).find(|t| state.held_by_rate(t, state.ms).is_none())?;
    let doubt = prompt::doubt(state, turn);
    if let (true, Some(why)) = (state.scenario.strict, &doubt) {
        return Some(turns::cannot_ask(state, turn, why.as_str().into()));
    }
    let doubts = doubt.into_iter().chain(turns::line_faults(state, turn));
    let told = doubts.into_iter().find_map(|doubt| warn_once(state, doubt.into()));
    told.or_else(|| Some(turns::start(state, turn)))
}

fn limits(state: &State) -> Option<Draft> {
    // elapsed time is detected by `react`, which knows the current time; a resume after that starts with this check
    Limit::ALL.into_iter().find_map(|what| {
        let limit = state.limits.get(what)?;
        let value = state.used(what, state.ms);
        let at = LimitAt { what, value, limit, next: None };
        if value >= limit {
            let quiet = !state.turns.values().any(Turn::speaks);
            return quiet.then(|| draft(ThreadId::ROOT, ENGINE, LimitReached(at).into()));
        }
        let near = value >= effects::near_mark(limit) && !state.near.contains(&(what, limit));
        near.then(|| draft(ThreadId::ROOT, ENGINE, LimitNear(at).into()))
    })
}

/// Returns the next step of a thread.
fn step(state: &State, thread: &Thread) -> Option<Draft> {
    if let Some(batch) = &thread.batch
        && let Some(seat) = state.owed(batch).next()
    {
        return grant(state, thread, batch, seat);
    }
    if is_held(state, thread) {
        return None;
    }
    let overlaps = policy::find(&thread.spec.policy).is_some_and(|policy| policy.overlaps);
    let busy = state.running_in(thread.id).next().is_some()
        || !overlaps && state.open_threads().any(|c| c.parent == Some(thread.id));
    if busy {
        return None;
    }
    if let Some(reason) = stalled(state, thread) {
        return Some(close(state, thread, reason));
    }
    if let Some((seat, key)) = thread.floor.as_ref().filter(|(s, _)| state.may_speak(s)) {
        let why = "you gave the floor".into();
        let batch = batch(Requester::Operator, Purpose::Speak, vec![seat.clone()], why);
        let batch = own_turn(state, thread, batch);
        return Some(summary::before(state, thread, batch).because(key));
    }
    if let Some(seat) = stopped_early(state, thread) {
        let why = "goes on where you cut in".into();
        let batch = batch(Requester::Operator, Purpose::Speak, vec![seat.clone()], why);
        return Some(summary::before(state, thread, batch));
    }
    decide(state, thread)
}

/// Returns a seat whose rehearsed line was cut in early: it answers and goes on, after the seat that the host named. So no
/// line answers words that nobody heard.
fn stopped_early<'a>(state: &State, thread: &'a Thread) -> Option<&'a SeatId> {
    let mut here = state.entries.iter().rev().filter(|e| e.thread == thread.id);
    let last = here.find(|e| e.seat().is_some() || !e.mentions.is_empty())?;
    let goes_on = |seat: &&SeatId| {
        state.may_speak(seat)
            && state.line_cut(seat).is_some()
            && (last.seat().is_some() || last.mentions.contains(seat))
    };
    thread.seats.iter().find(goes_on)
}

/// Returns the batch of a floor as the turn of its seat if the policy would give it the same turn; an additional turn
/// otherwise.
fn own_turn(state: &State, thread: &Thread, batch: BatchOpened) -> BatchOpened {
    let Some(policy) = policy::find(&thread.spec.policy) else { return batch };
    let Decision { next, memo } = (policy.next)(&View { state, thread });
    let begins = |round: Option<u32>| round.is_some_and(|r| r > thread.round.max(1));
    match next {
        NextMove::Speak { seats, queue, round, .. } if seats == batch.seats => {
            let over = round.zip(state.limits.rounds).is_some_and(|(round, most)| round > most)
                || begins(round)
                    && until(state, thread)
                        .or_else(|| verdict::after_round(state, thread))
                        .is_some();
            if over { batch } else { BatchOpened { round, queue, memo: memo.to_json(), ..batch } }
        }
        _ => batch,
    }
}

/// Returns whether the operator holds the next turn of a thread. Plans go on, and so does a step that was asked for.
fn is_held(state: &State, thread: &Thread) -> bool {
    let planned = state.plan_thread(thread.id).is_some();
    let steps = matches!(state.run, RunState::Stepping(_));
    !planned && !steps && state.holds().next().is_some()
}

/// Grants a seat the turn that a crash interrupted, before any other decision: limits reached since did not stop it
/// then either.
fn interrupted(state: &State) -> Option<Draft> {
    state.threads.values().find_map(|thread| {
        let batch = thread.batch.as_ref()?;
        let crashed = |s: &SeatId| batch.interrupted.get(s).is_some_and(|i| !i.by_hand);
        let seat = state.owed(batch).find(|s| crashed(s))?;
        grant(state, thread, batch, seat)
    })
}

/// Returns the reason why a thread makes no progress: every seat that could speak passed, or failed until a person
/// helps, or the thread's decisions have no effect, or one seat talks alone because all others fail.
fn stalled(state: &State, thread: &Thread) -> Option<StopReason> {
    let able = || thread.seats.iter().filter(|s| state.may_speak(s));
    let all = |what: &dyn Fn(&SeatId) -> bool| able().next().is_some() && able().all(what);
    if all(&|s| thread.passed.contains(s)) {
        return Some(StopReason::AllPassed);
    }
    let failed = |s: &SeatId| state.seat(s).and_then(|s| s.failed.as_ref());
    if all(&|s| failed(s).is_some_and(|e| e.class.needs_a_hand())) {
        return Some(StopReason::Failure);
    }
    let idle = thread.idle_decisions as usize;
    let seats = thread.seats.len();
    let hopeless = idle >= FAILED_ROUNDS * seats && all(&|s| failed(s).is_some());
    let ends = hopeless || idle > 2 * seats + 6 || is_alone(state, thread);
    ends.then_some(StopReason::Failure)
}

/// Returns whether only one seat of a discussion still speaks, and had the last words since the conversation was opened
/// or a person spoke, because all others fail.
fn is_alone(state: &State, thread: &Thread) -> bool {
    let able = thread.seats.iter().filter(|s| state.may_speak(s)).filter_map(|s| state.seat(s));
    let fails = |s: &&Seat| s.failed.is_some() && s.failures as usize >= FAILED_ROUNDS;
    let (failing, speaking): (Vec<&Seat>, Vec<&Seat>) = able.partition(fails);
    let [alone] = speaking[..] else { return false };
    let traits = thread.traits();
    let discusses = traits.debates && !traits.needs_operator && !alone.spec.voice.is_human();
    let since = state.since.reopened.unwrap_or_default();
    let here = state.entries.iter().rev().filter(|e| e.thread == thread.id && e.seq > since);
    let own = here.take(FAILED_ROUNDS).filter(|e| e.seat() == Some(&alone.spec.id));
    discusses && !failing.is_empty() && own.count() == FAILED_ROUNDS
}

fn decide(state: &State, thread: &Thread) -> Option<Draft> {
    let Some(policy) = policy::find(&thread.spec.policy) else {
        return Some(close(state, thread, StopReason::Failure));
    };
    let decision = (policy.next)(&View { state, thread });
    match decision.next {
        NextMove::Wait => None,
        NextMove::Warn(text) => warn_once(state, text.to_string().into()),
        NextMove::Record(kind) => Some(draft(thread.id, ENGINE, *kind)),
        NextMove::End(reason) => Some(end(state, thread, reason, decision.memo)),
        NextMove::Open(spec) => verdict::after_round(state, thread)
            .or_else(|| Some(draft(thread.id, ENGINE, (*spec).into()))),
        NextMove::Ask { purpose, seats, why, question, options } => {
            let batch = BatchOpened {
                memo: decision.memo.to_json(),
                question: Some(question),
                options,
                ..batch(Requester::Policy, purpose, seats, why)
            };
            Some(summary::before(state, thread, batch))
        }
        NextMove::Speak { round, .. } if round.is_some_and(|r| r > thread.round.max(1)) => {
            let ends = until(state, thread).or_else(|| verdict::after_round(state, thread));
            ends.or_else(|| speak(state, thread, decision))
        }
        NextMove::Speak { .. } => speak(state, thread, decision),
    }
}

/// Returns the end of a thread, with the result that follows from the memo of its last decision.
fn end(state: &State, thread: &Thread, reason: StopReason, memo: Memo) -> Draft {
    verdict::close(state, &Thread { memo: memo.into(), ..thread.clone() }, reason)
}

/// Returns the end of a phase whose condition is true after a round, or a warning if the condition cannot be evaluated.
fn until(state: &State, thread: &Thread) -> Option<Draft> {
    let when = state.phase_of(thread.id)?.shows.until.as_ref()?;
    match stops::holds(state, when) {
        Ok(true) => Some(verdict::close(state, thread, StopReason::Condition)),
        Ok(false) => None,
        Err(why) => {
            let phase = &thread.spec.name;
            warn_once(state, format!("[[phase]] {phase}: until = \"{when}\"{why}").into())
        }
    }
}

/// Returns the batch that a policy asks for, or the round limit if the batch would exceed it.
fn speak(state: &State, thread: &Thread, decision: Decision) -> Option<Draft> {
    let NextMove::Speak { seats, why, queue, round } = decision.next else { return None };
    if let (Some(round), Some(limit)) = (round, state.limits.rounds)
        && round > limit
    {
        let value = u64::from(round - 1);
        let limit = u64::from(limit);
        let at = LimitAt { what: Limit::Rounds, value, limit, next: None };
        return Some(draft(ThreadId::ROOT, ENGINE, LimitReached(at).into()));
    }
    let batch = BatchOpened {
        round,
        queue,
        rearmed: stops::rearmed(state),
        memo: decision.memo.to_json(),
        ..batch(Requester::Policy, Purpose::Speak, seats, why)
    };
    Some(summary::before(state, thread, batch))
}

/// Runs the last round: one seat after the other, in the root.
fn final_word(state: &State, left: &[SeatId]) -> Option<Draft> {
    let root = state.threads.get(&ThreadId::ROOT)?;
    if let Some(batch) = &root.batch
        && let Some(seat) = state.owed(batch).next()
    {
        return grant(state, root, batch, seat);
    }
    if !state.turns.is_empty() {
        return None;
    }
    let seat = left.iter().find(|s| state.may_speak(s))?;
    let why = "a final word".into();
    let batch = batch(Requester::Operator, Purpose::Speak, vec![seat.clone()], why);
    Some(summary::before(state, root, batch))
}
