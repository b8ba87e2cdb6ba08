//! The turn that the draft answers, and its changes.

use crate::ui::screen::Screen;
use crate::ui::view::composer::AnsweredTurn;

/// Returns the number of the turn that the draft answers: one that the person has chosen or reads, or the last one if
/// another has begun meanwhile. Commands and whispers answer none.
pub fn answered(screen: &Screen) -> Option<u32> {
    let view = &screen.view;
    let state = screen.transcript.state();
    let first = view.composer.area.lines().first()?;
    let free = !view.composer.is_empty() && screen.transcript.human_turn().is_none();
    if !free || state.ended.is_some() || first.starts_with('/') || first.starts_with("@@") {
        return None;
    }
    let reply = view.reply;
    let earlier = (reply.began > 0 && reply.began < state.numbers).then_some(reply.began);
    let number = if reply.fixed { reply.to } else { reply.to.or(earlier) };
    number.filter(|number| name(screen, *number).is_some())
}

/// Returns the name of the speaker of a turn that ended or runs; `None` if it failed or is hidden.
pub fn name(screen: &Screen, number: u32) -> Option<String> {
    let state = screen.transcript.state();
    let runs = state.turns.values().find(|turn| turn.number == Some(number));
    let said = || state.utterance(number).filter(|entry| entry.hidden.is_none());
    let seat = runs.map(|turn| &turn.seat).or_else(|| said()?.seat())?;
    Some(screen.transcript.name(seat))
}

/// Notes the turn that the person reads while writing, from the first character on.
pub(in crate::ui) fn note(screen: &mut Screen, was_empty: bool) {
    let numbers = screen.transcript.state().numbers;
    if was_empty {
        screen.view.reply = AnsweredTurn { began: numbers, ..AnsweredTurn::default() };
    }
    if screen.view.reply.fixed {
        return;
    }
    let reads = !screen.view.viewport.following();
    screen.view.reply.to = if reads { read(screen) } else { None };
}

/// Returns the number of the turn that is marked or read.
fn read(screen: &mut Screen) -> Option<u32> {
    let at = screen.reading();
    screen.transcript.number(at)
}

/// Chooses the turn before the one that the draft answers now, first the last one.
pub(in crate::ui) fn change(screen: &mut Screen) {
    let last = screen.transcript.state().numbers;
    let from = answered(screen).unwrap_or(last + 1);
    let before = (1..from).rev().find(|number| name(screen, *number).is_some());
    let to = before.or_else(|| (1..=last).rev().find(|number| name(screen, *number).is_some()));
    screen.view.reply = AnsweredTurn { to, fixed: true, ..screen.view.reply };
}

/// Drops the reference.
pub(in crate::ui) fn forget(screen: &mut Screen) {
    screen.view.reply = AnsweredTurn { to: None, fixed: true, ..screen.view.reply };
}
