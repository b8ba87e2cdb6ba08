//! Speakers over time in a live conversation, like the lanes of a recording but up to now.
//!
//! Only the latest stretch of a long conversation is shown, so that a lane costs no more than its visible turns.

use crate::analysis::TimedTurn;
use crate::model::{Ms, Outcome, Purpose};
use crate::ui::view::row::Aside;
use crate::ui::view::transcript::Transcript;
use std::ops::Range;

/// Maximum duration of a column, in milliseconds.
const COLUMN_MS: u64 = 4_000;

/// Time span that the lanes show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lanes {
    /// Time of the first column.
    pub begin: Ms,
    /// Time after the last column.
    pub end: Ms,
    /// Turns, latest first: index of the seat, start and end.
    spoke: Vec<(usize, Ms, Ms)>,
    /// Moments: index of the seat that moved, or `None` for a vote, a result or a failure; and the time.
    moments: Vec<(Option<usize>, Ms)>,
    columns: usize,
}

impl Lanes {
    /// Returns the latest time span that fits into `columns` columns.
    pub fn latest(transcript: &Transcript, now: Ms, columns: usize) -> Lanes {
        let log = &transcript.turn_log.turns;
        let running = transcript.speaking();
        let running: Vec<_> =
            running.map(|t| (transcript.seat_place(&t.seat), t.granted, now)).collect();
        let first = log.first().map(|turn| turn.granted).or(running.first().map(|turn| turn.1));
        let first = first.unwrap_or(now);
        // the lanes do not scroll while nobody speaks
        let last = log.iter().map(|turn| turn.ended).next_back().unwrap_or(first);
        let end = if running.is_empty() { last } else { now };
        let longest = COLUMN_MS.saturating_mul(columns as u64);
        let begin = Ms(end.0.saturating_sub(longest).max(first.0));
        let over = log.iter().rev().take_while(|turn| turn.ended >= begin);
        // a failed call said nothing
        let spoke =
            |turn: &&TimedTurn| turn.purpose == Purpose::Speak && turn.outcome != Outcome::Failed;
        let over = over.filter(spoke);
        let over = over.map(|turn| (transcript.seat_place(&turn.seat), turn.granted, turn.ended));
        let spoke = running.into_iter().chain(over).collect();
        let moments = transcript.asides().rev().take_while(|row| row.at >= begin);
        let moments = moments.filter_map(|row| match row.aside {
            Aside::Moved { place, .. } => Some((Some(place), row.at)),
            Aside::Failure | Aside::Vote(_) | Aside::Verdict(_) | Aside::Result(_) => {
                Some((None, row.at))
            }
            Aside::Note | Aside::Limit | Aside::Step(_) => None,
        });
        let moments = moments.collect();
        Lanes { begin, end, spoke, moments, columns }
    }

    /// Returns the columns of the moments of a seat, or of those of the whole table.
    pub fn moments(&self, of: Option<usize>) -> impl Iterator<Item = usize> {
        let own = self.moments.iter().filter(move |(place, _)| *place == of);
        own.map(|(_, at)| self.column(*at))
    }

    /// Returns the columns in which the seat at an index spoke.
    pub fn spans(&self, place: usize) -> impl Iterator<Item = Range<usize>> {
        let of = self.spoke.iter().filter(move |(by, ..)| *by == place);
        of.map(|(_, from, to)| self.column(*from)..self.column(*to) + 1)
    }

    fn column(&self, at: Ms) -> usize {
        let length = u128::from(self.end.since(self.begin).max(1));
        let last = self.columns.saturating_sub(1) as u128;
        let since = u128::from(at.since(self.begin)).min(length);
        usize::try_from(since * last / length).unwrap_or(0)
    }
}
