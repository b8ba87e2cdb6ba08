//! Failed turns in the transcript: one row for each participant, with the number of failures since its last message.

use crate::analysis::name;
use crate::model::*;
use crate::state::State;
use crate::text;
use crate::ui::view::row::Id;
use std::collections::{HashMap, HashSet};

/// Rows of failed turns.
#[derive(Clone, Default)]
pub struct FailedRows {
    /// Latest row of each participant whose last turn failed, and the number of failures.
    latest: HashMap<SeatId, (Id, u32)>,
    retries: HashMap<TurnId, Vec<Id>>,
    /// Rows that are not shown any more.
    replaced: HashSet<Id>,
}

impl FailedRows {
    /// Applies an event and returns the turn and the text of the row for a failed turn, which replaces the rows of the
    /// earlier failures. The consequence is not in it: a card may offer another one.
    pub fn take(&mut self, event: &Event, state: &State) -> Option<(TurnId, String)> {
        let end = match &event.kind {
            Kind::CallRetried(retry) => {
                self.retries.entry(retry.turn).or_default().push(Id::Event(event.seq));
                return None;
            }
            Kind::TurnEnded(end) if end.purpose == Purpose::Speak => end,
            _ => return None,
        };
        let retries = self.retries.remove(&end.turn).unwrap_or_default();
        let seat = state.spoken(end.turn).map(|spoken| spoken.seat)?;
        if end.outcome != Outcome::Failed {
            self.latest.remove(&seat);
            return None;
        }
        let row = Id::Turn(end.turn);
        let (before, times) = match self.latest.insert(seat.clone(), (row, 1)) {
            Some((before, times)) => (Some(before), times + 1),
            None => (None, 1),
        };
        self.latest.insert(seat.clone(), (row, times));
        self.replaced.extend(retries.into_iter().chain(before));
        let why = end.error.as_ref().map_or("no reason given", |error| &*error.text);
        let failed = failed_times(times as usize);
        let told = format!("{} {failed}: {why}", name(state, &seat));
        Some((end.turn, text::label(&told).into_owned()))
    }

    /// Returns the participants whose last turns failed, and the number of these turns.
    pub fn in_a_row(&self) -> impl Iterator<Item = (&SeatId, u32)> {
        self.latest.iter().map(|(seat, (_, times))| (seat, *times))
    }

    /// Returns whether a row is not shown any more.
    pub fn is_replaced(&self, id: Id) -> bool {
        self.replaced.contains(&id)
    }
}

/// Describes a number of failures; empty for none.
pub fn failed_times(failures: usize) -> String {
    match failures {
        0 => String::new(),
        1 => "failed".into(),
        2 => "failed twice".into(),
        more => format!("failed {more} times"),
    }
}
