//! Choice of an act: a turn of a guided debate without another task gets one, so that debates move.
//!
//! The choice depends on the transcript, the seed and the number of the turn, so that a resume repeats it. No seat gets
//! the same act twice in a row, and none the act of the speaker before it.

use super::words;
use crate::model::*;
use crate::prompt;
use crate::reply;
use crate::state::{Entry, State, Turn};

/// Minimum number of own messages before a seat is asked to give something up.
const CONCEDES_AFTER: usize = 2;
/// Number of own acts after which a seat may be asked for another case.
const BETWEEN_CASES: usize = 2;

/// Returns the act of a turn; `None` if it has another task.
pub(super) fn choose(state: &State, turn: &Turn) -> Option<TurnAct> {
    let seat = state.seat(&turn.seat)?;
    let own = state.visible(turn).filter(|e| e.seat() == Some(&turn.seat)).count();
    if own == 0 || !seat.spec.voice.reads_as_a_model() || !prompt::has_room_for_act(state, turn) {
        return None;
    }
    let act = |kind| TurnAct { kind, to: None };
    if let Some(doubt) = agrees(state).then(|| act(ActKind::Doubt))
        && seat.acts.last() != Some(&doubt)
    {
        return Some(doubt);
    }
    let told = seat.acts.iter().rev().take(BETWEEN_CASES).any(|act| act.kind == ActKind::Case);
    let question =
        not_asked(state, turn).map(|to| TurnAct { kind: ActKind::Question, to: Some(to) });
    let case = (!told).then(|| act(ActKind::Case));
    let concession = (own >= CONCEDES_AFTER).then(|| act(ActKind::Concession));
    let possible = [question, case, Some(act(ActKind::Cost)), concession].into_iter().flatten();
    let recent = [seat.acts.last(), act_before(state, turn)];
    let recent: Vec<ActKind> = recent.into_iter().flatten().map(|act| act.kind).collect();
    let mut possible: Vec<TurnAct> = possible.filter(|act| !recent.contains(&act.kind)).collect();
    let drawn = state.dice(u64::from(turn.number.unwrap_or_default()), "act");
    let most = possible.len() as u64;
    (most > 0).then(|| possible.swap_remove((drawn % most) as usize))
}

/// Returns the latest act of the participant who spoke last.
fn act_before<'a>(state: &'a State, turn: &Turn) -> Option<&'a TurnAct> {
    let last = state.visible(turn).rev().find_map(Entry::seat)?;
    state.seat(last)?.acts.last()
}

/// Returns true if all speakers stated the same position last.
fn agrees(state: &State) -> bool {
    let speakers = state.seats.iter().filter(|s| !s.gone && s.spec.speaks);
    let stances: Vec<_> = speakers.map(|seat| seat.stances.last()).collect();
    match stances.split_first() {
        Some((Some(first), others)) => {
            let same = |other: &Option<&StanceRecorded>| other.is_some_and(|o| is_same(first, o));
            !others.is_empty() && others.iter().all(same)
        }
        _ => false,
    }
}

/// Returns true if two positions are at the same place between the poles, or without poles are worded alike.
fn is_same(one: &StanceRecorded, other: &StanceRecorded) -> bool {
    match (one.at, other.at) {
        (Some(one), Some(other)) => one == other,
        _ => one.stance == other.stance,
    }
}

/// Returns the participant who spoke last among those to whom the seat has not put a question.
fn not_asked(state: &State, turn: &Turn) -> Option<SeatId> {
    let roster = words::present(state);
    let place = state.heard_to(turn);
    let own = state.visible(turn).filter(|e| e.seat() == Some(&turn.seat));
    let texts = own.filter_map(|e| e.text_at(place));
    let asked: Vec<SeatId> = texts
        .flat_map(|text| reply::questions(text, Some(&turn.seat), &roster))
        .map(|question| question.to)
        .collect();
    let others = state.visible(turn).rev().filter_map(Entry::seat);
    let mut others = others.filter(|seat| **seat != turn.seat && state.may_speak(seat));
    others.find(|seat| !asked.contains(seat)).cloned()
}
