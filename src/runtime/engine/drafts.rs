//! Drafts that several deciders make: batches, grants, ends, warnings. Callers decide when to make them.

use super::{acts, goals, money};
use crate::model::event::{ENGINE, LimitNear, LimitReached};
use crate::model::payload::{BatchOpened, Ended, FloorGranted, ThreadClosed, Warning};
use crate::model::*;
use crate::policy;
use crate::state::{Batch, State, Thread};
use serde_json::{Value, json};

/// Returns a batch with a requester, a purpose, seats and a reason, and defaults for all other fields.
pub(super) fn batch(
    requester: Requester,
    purpose: Purpose,
    seats: Vec<SeatId>,
    why: Text,
) -> BatchOpened {
    BatchOpened { requester, purpose, seats, why, ..BatchOpened::default() }
}

/// Grants the floor to a seat of a batch, or returns the limit that the grant would exceed; `None` while the seat has
/// to wait.
pub(super) fn grant(state: &State, thread: &Thread, batch: &Batch, seat: &SeatId) -> Option<Draft> {
    let speaks = batch.spec.purpose == Purpose::Speak;
    let is_retry = batch.spec.replaces.is_some();
    let calls = state.calls().count() as u32;
    let human = state.seat(seat).is_some_and(|s| s.spec.voice.is_human());
    // a person has one turn at a time across all threads
    let holds = state.turns.values().any(|t| t.seat == *seat);
    if holds || (!human && calls >= state.parallel.max(1)) {
        return None;
    }
    let speaking = state.turns.values().filter(|t| t.speaks() && t.replaces.is_none()).count();
    let full = |max: u32| state.utterances + speaking as u32 >= max;
    let again = batch.interrupted.get(seat);
    if speaks
        && !is_retry
        && again.is_none_or(|again| again.by_hand)
        && state.ending.is_none()
        && state.limits.utterances.is_some_and(full)
    {
        return None;
    }
    let number = match again {
        Some(again) => again.number,
        None if !speaks => None,
        None if is_retry => batch.spec.replaces.and_then(|turn| state.spoken(turn)?.number),
        None => Some(state.numbers + 1),
    };
    let notes = match again {
        Some(again) => again.notes.clone(),
        None if speaks => {
            state.notes.iter().filter(|n| n.lives_for(seat, thread)).map(|n| n.id).collect()
        }
        None => vec![],
    };
    let participant = seat.clone();
    let granted = FloorGranted { batch: batch.id, participant, number, notes, act: None };
    let act = state
        .granted(state.next_seq, state.ms, thread.id, &granted)
        .and_then(|turn| acts::choose(state, &turn));
    let granted = FloorGranted { act, ..granted };
    if let Some(at) = money::in_the_way(state, thread.id, &granted) {
        // the warning about a limit always comes before the limit itself
        if !state.near.contains(&(at.what, at.limit)) {
            return Some(draft(ThreadId::ROOT, ENGINE, LimitNear(at).into()));
        }
        // running turns may use less than their reservation; a reached limit is reported once, even if a turn is owed
        // since a crash
        let holds = state.limit.is_some();
        return (calls == 0 && !holds)
            .then(|| draft(ThreadId::ROOT, ENGINE, LimitReached(at).into()));
    }
    Some(draft(thread.id, ENGINE, granted.into()))
}

/// Returns the end of a thread, with its result.
pub(super) fn close(state: &State, thread: &Thread, reason: StopReason) -> Draft {
    let closed = ThreadClosed { reason, result: policy::result(state, thread) };
    draft(thread.id, ENGINE, closed.into())
}

/// Returns the end of the conversation, with its result.
pub(super) fn end(state: &State, cause: EndCause) -> Draft {
    let EndCause { reason, text, rule } = cause;
    let root = state.threads.get(&ThreadId::ROOT);
    let answered = state.answered();
    let text = text.or_else(|| Some(answered.as_ref()?.describe().into()));
    let text = joined([text, idle_seats(state, reason)]);
    let made = answered.and_then(|answered| serde_json::to_value(answered).ok());
    let result = made.or_else(|| root.map(|root| policy::result(state, root))).unwrap_or_default();
    let other = || goals::outcome(state).or_else(|| verdict_of(state));
    let result = if result.is_null() { other().unwrap_or_default() } else { result };
    let lossy = !state.losses_at(reason).is_empty();
    let unclear = reason == StopReason::Consensus && state.could_be_changed();
    let settled = reason.settled() && !lossy && !unclear;
    let ended = Ended { reason, settled, lossy, text, rule, result };
    draft(ThreadId::ROOT, ENGINE, ended.into())
}

/// Returns the verdict on everything that was said, as a result.
fn verdict_of(state: &State) -> Option<Value> {
    let (verdict, _) = state.verdict.as_ref().filter(|(_, at)| *at == state.utterances)?;
    Some(json!({"winner": verdict.winner, "how": verdict.how, "scores": verdict.scores}))
}

/// Returns the seats that never ran, each with the reason, if the conversation ended with nothing left to run.
fn idle_seats(state: &State, reason: StopReason) -> Option<Text> {
    if !matches!(reason, StopReason::Completed | StopReason::Verdict | StopReason::Starved) {
        return None;
    }
    let idle = policy::never_ran(state);
    let each: Vec<String> = idle.iter().map(|n| format!("`{}` ({})", n.seat, n.why)).collect();
    (!each.is_empty()).then(|| format!("never ran: {}", each.join(", ")).into())
}

/// Joins the non-empty parts of an end's text.
pub(super) fn joined(parts: [Option<Text>; 2]) -> Option<Text> {
    let parts: Vec<Text> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; ").into())
}

/// Returns a warning, unless the same one was given before.
pub(super) fn warn_once(state: &State, warning: Warning) -> Option<Draft> {
    let same = |w: &Warning| match warning.about {
        Some(about) => w.about == Some(about),
        None => w.text == warning.text,
    };
    let given = state.warnings.iter().any(same);
    (!given).then(|| draft(ThreadId::ROOT, ENGINE, warning.into()))
}
