//! Input of every table: the state, the log of turns, and the start of the analysed part.

use super::turn_log::{Moment, TimedTurn, TurnLog};
use crate::model::event::OPERATOR;
use crate::model::{SeatId, Seq};
use crate::state::{Entry, Seat, State};
use crate::text;

/// A conversation under analysis.
#[derive(Clone, Copy)]
pub struct Analysis<'a> {
    /// State at the end of the analysed part.
    pub state: &'a State,
    /// Details that the state does not keep: timed turns and key events.
    pub turn_log: &'a TurnLog,
    /// First event that counts.
    pub from: Seq,
}

impl<'a> Analysis<'a> {
    /// Returns the turns that count, each in its chosen version, with the timed turn of that version.
    pub fn utterances(&self) -> impl Iterator<Item = (&'a Entry, Option<&'a TimedTurn>)> {
        let entries = &self.state.entries;
        let turn_log = self.turn_log;
        let from = self.from;
        let counted = entries.iter().filter(move |e| e.number.is_some() && e.version().seq >= from);
        counted.map(|e| (e, e.version().turn.and_then(|turn| turn_log.spent(turn))))
    }

    /// Returns the key events.
    pub(super) fn moments(&self) -> impl Iterator<Item = &'a Moment> {
        let from = self.from;
        self.turn_log.moments.iter().filter(move |m| m.seq >= from)
    }

    /// Returns the ended turns.
    pub(super) fn turns(&self) -> impl Iterator<Item = &'a TimedTurn> {
        let from = self.from;
        self.turn_log.turns.iter().filter(move |t| t.seq >= from)
    }

    /// Returns the turns that asked a model: by the name of each participant with any, those of one call for the bids
    /// of several, and all as `total`.
    pub(super) fn asked(&self) -> Vec<(String, Vec<&'a TimedTurn>)> {
        let all: Vec<&TimedTurn> = self.turns().filter(|t| !t.models.is_empty()).collect();
        let of = |seat: &Seat| {
            let own = all.iter().copied().filter(|t| t.seat == seat.spec.id && !t.for_all);
            (name(self.state, &seat.spec.id), own.collect())
        };
        let mut asked: Vec<(String, Vec<&TimedTurn>)> = self.state.seats.iter().map(of).collect();
        asked.push(("bids of all".into(), all.iter().copied().filter(|t| t.for_all).collect()));
        asked.retain(|(_, own)| !own.is_empty());
        asked.push(("total".into(), all));
        asked
    }
}

/// Name of the operator in tables, which only the operator reads.
pub(super) const YOU: &str = "you";

/// Returns the name of a participant, safe for one line, with its id if the name is ambiguous.
pub fn name(state: &State, id: &SeatId) -> String {
    let Some(seat) = state.seat(id) else { return text::name(id).into_owned() };
    let shown = text::name(&seat.spec.name).into_owned();
    let same = |other: &str| text::name(other).trim().eq_ignore_ascii_case(shown.trim());
    let twin = state.seats.iter().any(|s| s.spec.id != *id && same(&s.spec.name));
    // the operator is `you` in a narration
    let posed = same(OPERATOR) || same("you") && !seat.spec.voice.is_human();
    if twin || posed { format!("{shown} (participant {id})") } else { shown }
}

/// Returns a saturating sum: a file may contain any numbers.
pub(super) fn total(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0, u64::saturating_add)
}

/// Returns the name of an entry's author.
pub(super) fn speaker(state: &State, entry: &Entry) -> String {
    entry.seat().map_or_else(|| YOU.to_owned(), |seat| name(state, seat))
}
