//! How calls start and turns end: the drafts that `react`, `advance` and `carry` share.

use crate::expr::Facts;
use crate::model::payload::{CallRetried, CallStarted, TurnEnded};
use crate::model::*;
use crate::reply;
use crate::state::{Live, State, Turn};
use crate::voice::{Done, Failure, rehearsed};
use serde_json::{Value, json};

/// Milliseconds before the second call of a turn; doubled for each further one.
const RETRY_WAIT_MS: u64 = 500;
/// The longest wait between two calls of a turn, in milliseconds.
const RETRY_WAIT_MAX_MS: u64 = 60_000;
/// How long a turn waits in all where servers ask for it, in milliseconds.
const ASKED_WAIT_MAX_MS: u64 = 60_000;

/// Orders the next call of a turn.
pub(super) fn start(state: &State, turn: &Turn) -> Draft {
    let seat = state.seat(&turn.seat).map(|s| &s.spec);
    let parameters = match seat.map(|s| &s.voice) {
        Some(VoiceSpec::Lines { lines, .. }) => {
            let spoken = state.seat(&turn.seat).map_or(&[][..], |s| &s.lines);
            let line = rehearsed::choose(lines, spoken, &Facts::new(state.turn_facts(turn)));
            line.map_or(Value::Null, |line| json!({ "line": line }))
        }
        _ => Value::Null,
    };
    let started = CallStarted {
        turn: turn.id,
        model: seat.map_or("".into(), |s| s.voice.label().into()),
        parameters,
        digest: crate::prompt::digest(&crate::prompt::build(state, turn)),
        left_out: 0,
    };
    draft(turn.thread, event::ENGINE, started.into())
}

/// An end of a turn with nothing but its outcome.
fn ended(turn: &Turn, now: Ms, outcome: Outcome) -> TurnEnded {
    TurnEnded {
        turn: turn.id,
        call: turn.call,
        purpose: turn.purpose,
        number: turn.number,
        outcome,
        text: "".into(),
        raw: None,
        think: None,
        message: None,
        structured: Value::Null,
        mentions: vec![],
        why: None,
        error: None,
        finish: None,
        usage: None,
        cost: None,
        first_piece_ms: turn.first_piece,
        took_ms: now.since(if turn.call.is_some() { turn.since } else { turn.granted }),
    }
}

fn by_seat(turn: &Turn, end: TurnEnded) -> Draft {
    draft(turn.thread, &turn.seat, Box::new(end).into())
}

fn mentions(state: &State, text: &str, by: Option<&SeatId>) -> Vec<SeatId> {
    let roster: Vec<&Participant> =
        state.seats.iter().filter(|s| !s.gone).map(|s| &*s.spec).collect();
    reply::mentions(text, by, &roster)
}

/// The seats that the operator's words name.
pub(super) fn named(state: &State, text: &str) -> Vec<SeatId> {
    mentions(state, text, None)
}

/// A turn that said what it had to say.
pub(super) fn said(live: &Live, turn: &Turn, now: Ms, done: &Done) -> Draft {
    let text = done.text.clone().unwrap_or_else(|| live.said(turn.id).into());
    let thought = live.thought(turn.id);
    by_seat(
        turn,
        TurnEnded {
            mentions: mentions(&live.state, &text, Some(&turn.seat)),
            text,
            think: (!thought.is_empty()).then(|| thought.into()),
            structured: done.structured.clone(),
            finish: done.finish.clone(),
            usage: done.usage.clone(),
            ..ended(turn, now, Outcome::Said)
        },
    )
}

/// The words of a person who has the floor.
pub(super) fn spoken(state: &State, turn: &Turn, text: &Text) -> Draft {
    let mentions = mentions(state, text, Some(&turn.seat));
    let end = TurnEnded { mentions, text: text.clone(), ..ended(turn, state.ms, Outcome::Said) };
    by_seat(turn, end)
}

/// A turn that was let go.
pub(super) fn passed(turn: &Turn, now: Ms) -> Draft {
    by_seat(turn, ended(turn, now, Outcome::Passed))
}

/// A turn that was stopped; what it had shown is kept.
pub(super) fn cut(live: &Live, turn: &Turn, now: Ms, why: CutWhy) -> Draft {
    let (said, thought) = (live.said(turn.id), live.thought(turn.id));
    let end = TurnEnded {
        mentions: mentions(&live.state, &said, Some(&turn.seat)),
        text: said.into(),
        think: (!thought.is_empty()).then(|| thought.into()),
        why: Some(why),
        ..ended(turn, now, Outcome::Cut)
    };
    by_seat(turn, end)
}

/// The same on a state that has no loose pieces behind it.
pub(super) fn cut_sealed(state: &State, turn: &Turn, why: CutWhy) -> Draft {
    let (said, thought) = (turn.said.as_str(), turn.thought.as_str());
    let end = TurnEnded {
        mentions: mentions(state, said, Some(&turn.seat)),
        text: said.into(),
        think: (!thought.is_empty()).then(|| thought.into()),
        why: Some(why),
        ..ended(turn, state.ms, Outcome::Cut)
    };
    by_seat(turn, end)
}

/// A call that failed: the turn keeps what was shown, or tries again, or fails.
pub(super) fn failed(live: &Live, turn: &Turn, now: Ms, failure: &Failure, shown: CutWhy) -> Draft {
    let error = CallError { class: failure.class, text: failure.text.clone() };
    if live.has_said(turn.id) {
        let mut draft = cut(live, turn, now, shown);
        if let Kind::TurnEnded(end) = &mut draft.kind {
            end.error = Some(error);
        }
        return draft;
    }
    let rule = live.state.seat(&turn.seat).map(|s| s.spec.on_failure.clone()).unwrap_or_default();
    match (turn.call, wait(turn, &rule, failure)) {
        (Some(call), Some(wait_ms)) => {
            let retried = CallRetried { turn: turn.id, call, error, wait_ms };
            draft(turn.thread, event::ENGINE, retried.into())
        }
        (Some(_) | None, _) => {
            let end = TurnEnded { error: Some(error), ..ended(turn, now, Outcome::Failed) };
            draft(turn.thread, event::ENGINE, Box::new(end).into())
        }
    }
}

/// Milliseconds until the next call of the turn, if there is one. A server that asks to be left alone is, for a minute
/// in all, and that costs no retry.
fn wait(turn: &Turn, rule: &FailureRule, failure: &Failure) -> Option<u64> {
    let doubled = RETRY_WAIT_MS.saturating_mul(1 << turn.calls.saturating_sub(1).min(16));
    if failure.class.asks_to_wait() {
        let wait = failure.retry_after_ms.unwrap_or(doubled);
        return (turn.waited.saturating_add(wait) <= ASKED_WAIT_MAX_MS).then_some(wait);
    }
    (failure.class.may_pass() && turn.retries < rule.retry)
        .then_some(doubled.min(RETRY_WAIT_MAX_MS))
}
