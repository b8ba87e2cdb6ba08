//! What a phase shows its speakers of one another: whose words, and under which names.

use super::{Entry, State, Turn};
use crate::model::*;
use crate::scenario::Phase;
use std::collections::{BTreeMap, BTreeSet};

impl State {
    /// Returns the phase that a thread plays.
    pub fn phase_of(&self, thread: ThreadId) -> Option<&Phase> {
        let place = self.threads.get(&thread)?.spec.about["phase"].as_u64()?;
        self.scenario.phases.get(usize::try_from(place).ok()?.checked_sub(1)?)
    }

    /// Returns how the phase of a turn shows its speakers to one another, where the turn is to speak in one.
    pub fn shows(&self, turn: &Turn) -> Option<&Shows> {
        self.phase_of(turn.thread).filter(|_| turn.speaks()).map(|phase| &phase.shows)
    }

    /// Returns whose words a turn sees: as its phase says, else its seat, else everybody's.
    pub fn sees(&self, turn: &Turn) -> Sees {
        let seat = || self.seat(&turn.seat).filter(|_| turn.speaks())?.spec.sees;
        self.shows(turn).and_then(|s| s.sees).or_else(seat).unwrap_or(Sees::All)
    }

    /// Returns which of its peers' words a turn sees that it might see.
    pub(super) fn chosen<'a>(
        &'a self,
        turn: &Turn,
        sees: Sees,
        might: impl DoubleEndedIterator<Item = &'a Entry>,
    ) -> BTreeSet<Seq> {
        let beside = |seat: &SeatId| self.beside(turn).contains(seat);
        let mut might: Vec<&Entry> = might.filter(|e| e.seat().is_some()).collect();
        if matches!(sees, Sees::LastRound | Sees::OthersLast | Sees::Answers) {
            might.reverse();
        }
        let mut met: BTreeSet<&SeatId> = BTreeSet::new();
        let mut chosen = BTreeSet::new();
        for entry in might {
            let Some(seat) = entry.seat() else { continue };
            let own = *seat == turn.seat;
            let first = met.insert(seat);
            let seen = match sees {
                Sees::All => true,
                Sees::Question => false,
                Sees::Own => own,
                Sees::LastRound => first,
                Sees::OthersLast | Sees::Opening => own || first,
                Sees::Answers => own || first && entry.version().answer.is_some(),
                Sees::Neighbours => own || beside(seat),
            };
            if seen {
                chosen.insert(entry.seq);
            }
        }
        chosen
    }

    /// The two who sit beside the seat of a turn, in the order of its thread.
    fn beside(&self, turn: &Turn) -> Vec<SeatId> {
        let Some(thread) = self.threads.get(&turn.thread) else { return vec![] };
        let seats: Vec<&SeatId> =
            thread.seats.iter().filter(|s| self.seat(s).is_some_and(|s| !s.gone)).collect();
        let Some(at) = seats.iter().position(|s| **s == turn.seat) else { return vec![] };
        let n = seats.len();
        vec![seats[(at + 1) % n].clone(), seats[(at + n - 1) % n].clone()]
    }

    /// Returns the labels under which a turn sees the seats of its talk, its own among them; none where names are shown.
    pub fn labels(&self, turn: &Turn) -> BTreeMap<SeatId, Text> {
        let docket = self
            .seats
            .iter()
            .filter_map(|s| Some((s.spec.id.clone(), self.judged_as(turn, &s.spec.id)?)));
        let judged: BTreeMap<SeatId, Text> = docket.collect();
        let anonymous = self.shows(turn).map_or(Anonymous::Off, |s| s.anonymous);
        let thread = self.threads.get(&turn.thread);
        let round = thread.map_or(0, |t| t.ordinal * 1_000_003 + u64::from(t.round));
        let (place, viewer) = match anonymous {
            Anonymous::Off => return judged,
            Anonymous::Stable => (0, ""),
            Anonymous::PerRound => (round, ""),
            Anonymous::PerViewer => (0, &*turn.seat.0),
        };
        let mut seats: Vec<&SeatId> = self.seats.iter().map(|s| &s.spec.id).collect();
        seats.sort_by_cached_key(|seat| self.dice(place, &format!("label {viewer} {seat}")));
        let label = |n: usize| match u8::try_from(n) {
            Ok(n) if n < 26 => format!("Speaker {}", char::from(b'A' + n)),
            Ok(_) | Err(_) => format!("Speaker {}", n + 1),
        };
        seats.into_iter().enumerate().map(|(n, s)| (s.clone(), label(n).into())).collect()
    }
}
