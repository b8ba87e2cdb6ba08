//! What every table is made from: the state, the log of turns, and the place from which things count.

use super::turn_log::{Moment, TimedTurn, TurnLog};
use crate::model::event::OPERATOR;
use crate::model::{SeatId, Seq};
use crate::state::{Entry, State};
use crate::text;

/// A conversation under analysis.
#[derive(Clone, Copy)]
pub struct Analysis<'a> {
    /// The state at the end of what is analysed.
    pub state: &'a State,
    /// What the state does not keep: timed turns and key events.
    pub turn_log: &'a TurnLog,
    /// Only what happened from here on is counted.
    pub from: Seq,
}

impl<'a> Analysis<'a> {
    /// Returns the utterances that count, each in the version that counts and with the turn that spoke it.
    pub fn utterances(&self) -> impl Iterator<Item = (&'a Entry, Option<&'a TimedTurn>)> {
        let (entries, turn_log, from) = (&self.state.entries, self.turn_log, self.from);
        let counted = entries.iter().filter(move |e| e.number.is_some() && e.version().seq >= from);
        counted.map(|e| (e, e.version().turn.and_then(|turn| turn_log.spent(turn))))
    }

    /// Returns the key events besides the words.
    pub(super) fn moments(&self) -> impl Iterator<Item = &'a Moment> {
        let from = self.from;
        self.turn_log.moments.iter().filter(move |m| m.seq >= from)
    }

    /// Returns the turns that are over.
    pub(super) fn turns(&self) -> impl Iterator<Item = &'a TimedTurn> {
        let from = self.from;
        self.turn_log.turns.iter().filter(move |t| t.seq >= from)
    }
}

/// Returns the name of a seat, safe for one line, with its id where the name alone is ambiguous.
pub fn name(state: &State, id: &SeatId) -> String {
    let Some(seat) = state.seat(id) else { return text::name(id).into_owned() };
    let shown = text::name(&seat.spec.name).into_owned();
    let same = |other: &str| text::name(other).trim().eq_ignore_ascii_case(shown.trim());
    let twin = state.seats.iter().any(|s| s.spec.id != *id && same(&s.spec.name));
    if twin || same(OPERATOR) { format!("{shown} (participant {id})") } else { shown }
}

/// Returns a sum that saturates: a file may hold any numbers.
pub(super) fn total(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0, u64::saturating_add)
}

/// Returns the name of an entry's author.
pub(super) fn speaker(state: &State, entry: &Entry) -> String {
    entry.seat().map_or_else(|| OPERATOR.to_owned(), |seat| name(state, seat))
}
