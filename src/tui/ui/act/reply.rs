//! Changes of the turn that the draft answers.

use crate::ui::screen::Screen;
use crate::ui::view::reply::{AnsweredTurn, answered, name};

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
