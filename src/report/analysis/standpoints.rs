//! Positions over time as data of a chart: votes and stated answers, one lane per participant.
//!
//! A position holds until its participant states another one. Nothing is interpreted.

use super::positions::closed;
use super::{Analysis, stances};
use crate::model::{SeatId, Text};
use crate::text;
use std::collections::BTreeMap;

/// Positions over time, one lane per participant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standpoints {
    /// Every position ever held, safe for one line, in the order of first mention.
    pub choices: Vec<String>,
    /// Positions of each participant with at least one, by seat, in order.
    pub lanes: Vec<(SeatId, Vec<Stand>)>,
    /// Numbers of the turns after which votes were closed.
    pub votes: Vec<u32>,
    /// First and last turn of the chart.
    pub span: (u32, u32),
}

/// A position, from the turn that stated it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stand {
    /// Number of the turn, or of the turn before a closed vote.
    pub at: u32,
    /// Index of the choice; `None` is an abstention.
    pub choice: Option<usize>,
}

impl Standpoints {
    /// Returns the position at a turn: the last one stated up to it.
    pub fn at(stands: &[Stand], utterance: u32) -> Option<Stand> {
        stands.iter().rev().find(|s| s.at <= utterance).copied()
    }

    /// Returns the index of a choice, ignoring differences in spelling.
    pub fn place(&self, choice: &str) -> Option<usize> {
        self.choices.iter().position(|known| spelled(known) == spelled(choice))
    }

    /// Returns the mark of a choice: a letter, as long as there are letters.
    pub fn sign(choice: Option<usize>) -> char {
        match choice {
            None => '?',
            Some(place) => u8::try_from(place).map_or(OTHER, |place| match place {
                0..26 => char::from(b'A' + place),
                26.. => OTHER,
            }),
        }
    }
}

/// Mark of choices without a letter of their own.
const OTHER: char = '+';

/// Returns the positions of all participants; empty if nobody voted or answered in a readable form.
pub fn standpoints(analysis: &Analysis<'_>) -> Standpoints {
    let votes = closed(analysis);
    let mut said = BTreeMap::new();
    let mut choices = Choices::default();
    for (now, _) in stances(analysis) {
        let at = now.number.unwrap_or(0);
        // a vote is closed after the turn, so it sorts after it
        said.insert((at, 0, said.len()), (now.participant.clone(), Some(now.stance.clone())));
    }
    for (after, vote) in &votes {
        for ballot in &vote.ballots {
            let place = (*after, 1, said.len());
            said.insert(place, (ballot.seat.clone(), ballot.choice.clone()));
        }
    }
    let mut by_seat: BTreeMap<SeatId, Vec<Stand>> = BTreeMap::new();
    for ((at, _, _), (seat, choice)) in said {
        let choice = choice.map(|choice| choices.place(&choice));
        by_seat.entry(seat).or_default().push(Stand { at, choice });
    }
    let seats = analysis.state.seats.iter().map(|s| &s.spec.id);
    let lanes: Vec<_> = seats.filter_map(|id| by_seat.remove_entry(id)).collect();
    let numbers = || analysis.utterances().filter_map(|(entry, _)| entry.number);
    let stood = || lanes.iter().flat_map(|(_, stands)| stands.iter().map(|s| s.at));
    let first = numbers().chain(stood()).min().unwrap_or(0);
    let last = numbers().chain(stood()).max().unwrap_or(0);
    let votes = votes.into_iter().map(|(after, _)| after).collect();
    Standpoints { choices: choices.shown, lanes, votes, span: (first, last) }
}

/// Returns the canonical spelling of a choice.
fn spelled(choice: &str) -> String {
    text::line(choice).trim().to_lowercase()
}

/// Collects every position once, whatever its spelling.
#[derive(Default)]
struct Choices {
    shown: Vec<String>,
    places: BTreeMap<String, usize>,
}

impl Choices {
    fn place(&mut self, choice: &Text) -> usize {
        let shown = &mut self.shown;
        *self.places.entry(spelled(choice)).or_insert_with(|| {
            shown.push(text::line(choice).trim().to_owned());
            shown.len() - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_has_a_sign() {
        let signs = [None, Some(0), Some(25), Some(26), Some(1_000)].map(Standpoints::sign);
        assert_eq!(signs, ['?', 'A', 'Z', '+', '+']);
    }
}
