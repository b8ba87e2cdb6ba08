//! Figures over a conversation: who spoke when, what it cost, who voted alike, who named whom, what was
//! said twice.
//!
//! A [`TurnLog`] takes the events beside the fold and keeps what the fold forgets; a [`Analysis`] looks at both, live or
//! from a file alike. Every figure is a [`Table`] that says what it counts, so that a screen, a page and a file show
//! the same numbers. Nothing here judges what was said, and nothing is guessed: what nobody counted has no number.

mod cost;
mod divergence;
mod events;
mod floor;
mod mentions;
mod positions;
mod repetition;
mod shares;
mod speed;
mod stances;
mod standpoints;
mod table;
mod turn_log;

pub use divergence::divergence;
pub use mentions::named;
pub use positions::last_vote;
pub use repetition::{Repetition, repetitions};
pub use shares::{Share, shares};
pub use stances::stances;
pub use standpoints::{Stand, Standpoints, standpoints};
pub use table::{Cell, Column, Table};
pub use turn_log::{Moment, MomentKind, TimedTurn, TurnLog};

use crate::model::event::OPERATOR;
use crate::model::{Event, SeatId, Seq};
use crate::state::{Entry, State};
use crate::text;

/// A page of figures on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FigurePage {
    /// Who had the floor, how long.
    #[default]
    Floor,
    /// What it cost, and how fast it came.
    Cost,
    /// Who stood where.
    Positions,
    /// What happened.
    Events,
}

impl FigurePage {
    /// Every page, in the order of their numbers.
    pub const ALL: [FigurePage; 4] =
        [FigurePage::Floor, FigurePage::Cost, FigurePage::Positions, FigurePage::Events];

    /// Returns the heading.
    pub fn name(self) -> &'static str {
        match self {
            FigurePage::Floor => "floor",
            FigurePage::Cost => "cost",
            FigurePage::Positions => "positions",
            FigurePage::Events => "events",
        }
    }
}

/// Makes a figure.
pub type Figure = fn(&Analysis<'_>) -> Table;

/// Every figure with its page, in the order in which they are shown.
pub const FIGURES: &[(FigurePage, Figure)] = &[
    (FigurePage::Floor, shares::table),
    (FigurePage::Floor, floor::table),
    (FigurePage::Cost, cost::table),
    (FigurePage::Cost, speed::table),
    (FigurePage::Positions, positions::decisions),
    (FigurePage::Positions, positions::positions),
    (FigurePage::Positions, stances::table),
    (FigurePage::Positions, positions::alike),
    (FigurePage::Positions, mentions::table),
    (FigurePage::Positions, repetition::table),
    (FigurePage::Events, events::table),
];

/// A conversation that is looked at.
#[derive(Clone, Copy)]
pub struct Analysis<'a> {
    /// The fold.
    pub state: &'a State,
    /// What it does not keep.
    pub turn_log: &'a TurnLog,
    /// Only what happened from here on is counted.
    pub from: Seq,
}

impl<'a> Analysis<'a> {
    /// Returns every figure.
    pub fn tables(&self) -> Vec<Table> {
        FIGURES.iter().map(|(_, figure)| figure(self)).collect()
    }

    /// Returns the utterances that count, each in the version that counts and with the turn that spoke it.
    pub fn utterances(&self) -> impl Iterator<Item = (&'a Entry, Option<&'a TimedTurn>)> {
        let (entries, turn_log, from) = (&self.state.entries, self.turn_log, self.from);
        let counted = entries.iter().filter(move |e| e.number.is_some() && e.version().seq >= from);
        counted.map(|e| (e, e.version().turn.and_then(|turn| turn_log.spent(turn))))
    }

    /// Returns what happened beside the words.
    fn moments(&self) -> impl Iterator<Item = &'a Moment> {
        let from = self.from;
        self.turn_log.moments.iter().filter(move |m| m.seq >= from)
    }

    /// Returns the turns that are over.
    fn turns(&self) -> impl Iterator<Item = &'a TimedTurn> {
        let from = self.from;
        self.turn_log.turns.iter().filter(move |t| t.seq >= from)
    }
}

/// Folds a log into what a study needs.
pub fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> (State, TurnLog) {
    let (mut state, mut turn_log) = (State::default(), TurnLog::default());
    for event in events {
        state.apply(event);
        turn_log.take(event);
    }
    (state, turn_log)
}

/// Returns the name of a seat, safe for one line, with its id where the name alone could be somebody else's.
pub fn name(state: &State, id: &SeatId) -> String {
    let Some(seat) = state.seat(id) else { return text::name(id).into_owned() };
    let shown = text::name(&seat.spec.name).into_owned();
    let same = |other: &str| text::name(other).trim().eq_ignore_ascii_case(shown.trim());
    let twin = state.seats.iter().any(|s| s.spec.id != *id && same(&s.spec.name));
    if twin || same(OPERATOR) { format!("{shown} (seat {id})") } else { shown }
}

/// Returns a sum that holds at the largest number: a file may say anything.
fn total(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0, u64::saturating_add)
}

/// Returns who said something.
fn speaker(state: &State, entry: &Entry) -> String {
    entry.seat().map_or_else(|| OPERATOR.to_owned(), |seat| name(state, seat))
}
