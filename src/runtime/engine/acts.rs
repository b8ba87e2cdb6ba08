//! Choice of an act: a turn of a guided debate without another task gets one, so that debates move.
//!
//! The choice depends on the transcript, the seed and the number of the turn, so that a resume repeats it. No seat gets
//! the same act twice in a row, and none the act of the speaker before it.

use crate::model::*;
use crate::prompt::{self, ActRoom};
use crate::reply;
use crate::scenario::Phase;
use crate::state::{Entry, State, Turn};

/// Minimum number of own messages before a seat is asked to give something up.
const CONCEDES_AFTER: usize = 2;
/// Number of own acts after which a seat may be asked for another case.
const BETWEEN_CASES: usize = 2;

/// Returns the act of a turn; `None` if it has another task.
pub(super) fn choose(state: &State, turn: &Turn) -> Option<TurnAct> {
    let seat = state.seat(&turn.seat)?;
    let own = state.visible(turn).filter(|e| e.seat() == Some(&turn.seat)).count();
    let reads = seat.spec.voice.reads_as_a_model();
    if own == 0 || !reads || state.layout_of(&seat.spec) == Layout::Small {
        return None;
    }
    let room = prompt::act_room(state, turn);
    let act = |kind| TurnAct { kind, to: None };
    if let Some(kind) = doubt(state, turn, room) {
        return Some(act(kind));
    }
    if room != ActRoom::Any {
        return None;
    }
    let told = seat.acts.iter().rev().take(BETWEEN_CASES).any(|act| act.kind == ActKind::Case);
    let question =
        not_asked(state, turn).map(|to| TurnAct { kind: ActKind::Question, to: Some(to) });
    let case = (!told).then(|| act(ActKind::Case));
    let concession = (own >= CONCEDES_AFTER).then(|| act(ActKind::Concession));
    let stands = state.poles().is_none()
        || seat.spec.side.is_some()
        || state
            .positions(seat)
            .last()
            .is_some_and(|position| position.at.is_some_and(|at| at != 0));
    let cost = stands.then(|| act(ActKind::Cost));
    let possible = [question, case, cost, concession].into_iter().flatten();
    let recent = [seat.acts.last(), act_before(state, turn)];
    let recent: Vec<ActKind> = recent.into_iter().flatten().map(|act| act.kind).collect();
    let mut possible: Vec<TurnAct> = possible.filter(|act| !recent.contains(&act.kind)).collect();
    let drawn = state.dice(u64::from(turn.number.unwrap_or_default()), "act");
    let most = possible.len() as u64;
    (most > 0).then(|| possible.swap_remove((drawn % most) as usize))
}

/// Returns the doubt that is due in a turn: against an agreement, at most once a round, or once against the own
/// proposal, in the first turn with room after half of them. Before judges it begins with
/// the first seat of a round, and all others of the round get the same.
fn doubt(state: &State, turn: &Turn, room: ActRoom) -> Option<ActKind> {
    let seat = state.seat(&turn.seat)?;
    let number = turn.number?;
    let mut able =
        state.threads.get(&turn.thread)?.seats.iter().filter(|seat| state.may_speak(seat));
    let round = u32::try_from(able.clone().count()).unwrap_or(u32::MAX);
    let doubts = |act: &TurnAct| act.kind.is_doubt();
    let in_progress = state.turns.values().any(|turn| turn.act.as_ref().is_some_and(doubts));
    if room == ActRoom::Nothing || in_progress || state.ending.is_some() {
        return None;
    }
    let in_round = state.last_doubt.is_some_and(|last| number.saturating_sub(last) < round);
    if prompt::compares(state) && able.next() != Some(&turn.seat) {
        let others = state.seats.iter().filter(|other| other.spec.id != turn.seat);
        let of_others =
            others.filter_map(|other| other.acts.last()).find(|act| act.kind.is_doubt());
        return if in_round { of_others.map(|act| act.kind) } else { None };
    }
    let twice = seat.acts.last().is_some_and(|act| act.kind == ActKind::Doubt);
    if state.nearly_agrees() && !in_round && !twice {
        return Some(ActKind::Doubt);
    }
    let (first, last) = match state.limits.utterances.or_else(|| length_of_phases(state)) {
        Some(limit) => (limit / 2 + 1, limit.saturating_mul(2) / 3),
        None => (round.saturating_mul(2).saturating_add(1), round.saturating_mul(3)),
    };
    let place = state.utterances + 1;
    // without room in this span, it is due later
    let due = state.last_doubt.is_none() && place >= first && first <= last;
    (due && (room != ActRoom::Beside || place >= last)).then_some(ActKind::Premortem)
}

/// Returns the number of turns in all phases; `None` without phases, and if one may be left out or end early.
fn length_of_phases(state: &State) -> Option<u32> {
    let phases = &state.scenario.phases;
    let is_fixed = phases.iter().all(|p| p.when.is_none() && p.shows.until.is_none());
    let turns = |p: &Phase| p.rounds().saturating_mul(u32::try_from(p.who.len()).unwrap_or(0));
    let turns = phases.iter().map(turns).fold(0, u32::saturating_add);
    (is_fixed && turns > 0).then_some(turns)
}

/// Returns the latest act of the participant who spoke last.
fn act_before<'a>(state: &'a State, turn: &Turn) -> Option<&'a TurnAct> {
    let last = state.visible(turn).rev().find_map(Entry::seat)?;
    state.seat(last)?.acts.last()
}

/// Returns the participant who spoke last among those to whom the seat has not put a question.
fn not_asked(state: &State, turn: &Turn) -> Option<SeatId> {
    let roster = prompt::at_table(state);
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
