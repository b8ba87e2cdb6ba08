//! Jumps by round, by phase and by speaker.

use crate::model::ThreadId;
use crate::ui::act::navigate;
use crate::ui::action::Direction;
use crate::ui::screen::Screen;
use crate::ui::view::transcript::RowView;

/// Moves to the next turn of the selected participant, otherwise of the speaker of the current message.
pub(in crate::ui) fn speaker(screen: &mut Screen, way: Direction) {
    let at = screen.reading();
    let transcript = &screen.transcript;
    let selected = screen.view.selected.and_then(|place| transcript.state().seats.get(place));
    let read = || (0..=at).rev().find_map(|at| transcript.speaker_of(at));
    let Some(who) = selected.map(|seat| &seat.spec.id).or_else(read) else {
        screen.view.notice = Some("no turns yet".into());
        return;
    };
    let by = |row: &usize| transcript.speaker_of(*row) == Some(who);
    let to = match way {
        Direction::Up => (0..at).rev().find(by),
        Direction::Down => (at + 1..transcript.len()).find(by),
    };
    let name = transcript.name(who);
    let end = if way == Direction::Up { "earlier" } else { "later" };
    go(screen, to, None, || format!("{name} has no {end} turn"));
}

/// Moves to the start of the next round; backwards to the start of this one, then of the one before.
pub(in crate::ui) fn round(screen: &mut Screen, way: Direction) {
    // a turn belongs to the round of the batch in which it was granted
    let transcript = &screen.transcript;
    let rounds = &transcript.turn_log.rounds;
    let of = |turn: u64| {
        let at = rounds.partition_point(|(seq, ..)| seq.0 <= turn);
        at.checked_sub(1).map(|at| (rounds[at].1, rounds[at].2))
    };
    let group = |row: usize| match transcript.shown(row)? {
        RowView::Words(entry, _) => of(entry.versions.first()?.turn?.0),
        RowView::Speaking(turn) => of(turn.id.0),
        RowView::Aside(..) => None,
    };
    let groups: Vec<Option<(ThreadId, u32)>> = (0..transcript.len()).map(group).collect();
    if groups.iter().any(Option::is_some) {
        among(screen, way, &groups, |(_, round)| format!("round {round}"))
    } else {
        screen.view.notice = Some("no rounds are counted here".into())
    }
}

/// Moves to the start of the next phase; backwards to the start of this one, then of the one before.
pub(in crate::ui) fn phase(screen: &mut Screen, way: Direction) {
    let transcript = &screen.transcript;
    let group = |row: usize| match transcript.shown(row)? {
        RowView::Words(entry, _) => entry.number.map(|_| entry.thread),
        RowView::Speaking(turn) => Some(turn.thread),
        RowView::Aside(..) => None,
    };
    let groups: Vec<Option<ThreadId>> = (0..transcript.len()).map(group).collect();
    let first = groups.iter().flatten().next().copied();
    if groups.iter().flatten().all(|thread| Some(*thread) == first) {
        screen.view.notice = Some("one phase so far".into());
        return;
    }
    let names: Vec<(ThreadId, String)> = transcript
        .state()
        .threads
        .values()
        .map(|thread| (thread.id, crate::text::label(&thread.spec.name).into_owned()))
        .collect();
    let name = |id: ThreadId| {
        let name = names.iter().find(|(thread, _)| *thread == id).map(|(_, name)| name.clone());
        format!("phase {}", name.unwrap_or_default())
    };
    among(screen, way, &groups, name);
}

/// Moves to the start of the next or previous group.
fn among<G: Copy + PartialEq>(
    screen: &mut Screen,
    way: Direction,
    groups: &[Option<G>],
    name: impl Fn(G) -> String,
) {
    let at = screen.reading().min(groups.len().saturating_sub(1));
    let here = groups[..=at].iter().rev().flatten().next().copied();
    let begins = |row: &usize| {
        let before = groups[..*row].iter().rev().flatten().next();
        groups[*row].is_some() && before != groups[*row].as_ref()
    };
    let to = match way {
        Direction::Up => (0..at).rev().find(begins),
        Direction::Down => (at + 1..groups.len()).find(|row| groups[*row] != here && begins(row)),
    };
    let told = to.and_then(|row| groups[row]).map(name);
    let end = if way == Direction::Up { "the first" } else { "the last" };
    go(screen, to, told, || format!("this is {end} one"));
}

/// Moves to a row and shows its group, or reports why it cannot.
fn go(screen: &mut Screen, to: Option<usize>, told: Option<String>, none: impl Fn() -> String) {
    match to {
        Some(to) => {
            navigate::unfold(screen, to);
            screen.read(|t, transcript, look| t.select(transcript, look, to));
            screen.view.notice = told;
        }
        None => screen.view.notice = Some(none()),
    }
}
