//! Timeline of a recording: speakers over time, and marks to jump to.
//!
//! Computed once from the events; it does not change and draws nothing.

use crate::analysis::{PoleMoveKind, Standing};
use crate::model::*;
use crate::session::replay::{Recording, Spot};
use crate::state::State;
use crate::text;
use crate::ui::theme::glyphs::Glyphs;
use std::collections::HashMap;
use std::mem::discriminant;
use std::ops::Range;

/// Turns of one participant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// Name of the participant, safe for one line.
    pub name: String,
    /// Start and end of each turn.
    pub spoke: Vec<(Ms, Ms)>,
}

/// Kind of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Another place of a participant, by the index of its seat.
    Move(usize),
    /// Start of a vote or verdict.
    Vote,
    /// A message or bookmark of the operator.
    You,
    /// A failed call or turn.
    Error,
}

impl Sort {
    /// All kinds, in the order of the legend.
    pub const ALL: [Sort; 4] = [Sort::Move(0), Sort::Vote, Sort::You, Sort::Error];

    /// Returns the symbol on the axis.
    pub fn sign(self, glyphs: &Glyphs) -> &'static str {
        match self {
            Sort::Move(_) => glyphs.moment,
            Sort::Vote => "v",
            Sort::You => "*",
            Sort::Error => "!",
        }
    }

    /// Returns whether two marks have the same sign.
    pub fn is_same(self, other: Sort) -> bool {
        discriminant(&self) == discriminant(&other)
    }

    /// Returns the word in the legend.
    pub fn word(self) -> &'static str {
        match self {
            Sort::Move(_) => "move",
            Sort::Vote => "vote",
            Sort::You => "you",
            Sort::Error => "error",
        }
    }
}

/// A position to jump to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Position just after the event.
    pub spot: Spot,
    /// Time in the recording.
    pub at: Ms,
    /// Kind of the mark.
    pub sort: Sort,
}

/// Lanes and marks of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// Time of the first event.
    pub begin: Ms,
    /// Time of the last event.
    pub end: Ms,
    /// One lane per seat, in seat order.
    pub lanes: Vec<Lane>,
    /// Marks in order.
    pub marks: Vec<Mark>,
}

impl Timeline {
    /// Computes the timeline of a recording.
    pub fn new(recording: &Recording) -> Timeline {
        let mut making = TimelineMaking::default();
        let mut state = State::default();
        for record in recording.records().iter() {
            making.take(&record.event);
            if !matches!(record.event.kind, Kind::Delta(_)) {
                state.apply(&record.event);
            }
        }
        making.done(&state)
    }

    /// Returns the column of a time, out of `columns` columns.
    pub fn column(&self, at: Ms, columns: usize) -> usize {
        let length = self.end.since(self.begin).max(1);
        let last = columns.saturating_sub(1) as u64;
        scaled(at.since(self.begin).min(length), last, length) as usize
    }

    /// Returns the time of a column, out of `columns` columns.
    pub fn moment(&self, column: usize, columns: usize) -> Ms {
        let last = columns.saturating_sub(1).max(1) as u64;
        self.begin.plus(scaled(self.end.since(self.begin), (column as u64).min(last), last))
    }

    /// Returns the turns in order: the index of the seat, and the columns in which it spoke.
    pub fn turns(&self, columns: usize) -> Vec<(usize, Range<usize>)> {
        let lanes = self.lanes.iter().enumerate();
        let mut turns: Vec<(Ms, usize, Ms)> = lanes
            .flat_map(|(place, lane)| lane.spoke.iter().map(move |(from, to)| (*from, place, *to)))
            .collect();
        turns.sort_unstable();
        let span = |(from, place, to)| {
            (place, self.column(from, columns)..self.column(to, columns).saturating_add(1))
        };
        turns.into_iter().map(span).collect()
    }
}

/// Builder of a [`Timeline`], fed with the events of a recording in order.
#[derive(Default)]
pub struct TimelineMaking {
    events: usize,
    /// Times of the first and the last event.
    span: Option<(Ms, Ms)>,
    granted: HashMap<TurnId, (SeatId, Ms)>,
    spoke: HashMap<SeatId, Vec<(Ms, Ms)>>,
    marks: Vec<Mark>,
    /// Position and time of each statement of a position.
    stated: HashMap<TurnId, (Spot, Ms)>,
}

impl TimelineMaking {
    /// Adds the next event.
    pub fn take(&mut self, event: &Event) {
        self.events += 1;
        self.span = Some((self.span.map_or(event.ms, |(begin, _)| begin), event.ms));
        if let Kind::FloorGranted(g) = &event.kind {
            self.granted.insert(TurnId(event.seq.0), (g.participant.clone(), event.ms));
        }
        if let Kind::TurnEnded(e) = &event.kind
            && let Some((seat, since)) = self.granted.remove(&e.turn)
            && e.purpose == Purpose::Speak
        {
            self.spoke.entry(seat).or_default().push((since, event.ms));
        }
        if let Kind::PositionRecorded(position) = &event.kind {
            self.stated.insert(position.turn, (Spot::after(self.events), event.ms));
        }
        let mark = |sort| Mark { spot: Spot::after(self.events), at: event.ms, sort };
        self.marks.extend(sort(&event.kind).map(mark));
    }

    /// Returns the timeline; `state` is the state after the last event.
    pub fn done(mut self, state: &State) -> Timeline {
        let (begin, end) = self.span.unwrap_or_default();
        let moves = Standing::new(state).map(|standing| standing.moves()).unwrap_or_default();
        for moved in moves.iter().filter(|moved| moved.kind == PoleMoveKind::Place) {
            if let Some((spot, at)) = self.stated.get(&moved.now.turn) {
                self.marks.push(Mark { spot: *spot, at: *at, sort: Sort::Move(moved.place) });
            }
        }
        self.marks.sort_by_key(|mark| mark.spot);
        let lanes = state.seats.iter().map(|s| Lane {
            name: text::name(&s.spec.name).into_owned(),
            spoke: self.spoke.remove(&s.spec.id).unwrap_or_default(),
        });
        Timeline { begin, end, lanes: lanes.collect(), marks: self.marks }
    }
}

/// Returns the kind of mark for an event; `None` for most events.
fn sort(kind: &Kind) -> Option<Sort> {
    match kind {
        Kind::BatchOpened(b) if matches!(b.purpose, Purpose::Vote | Purpose::Judge) => {
            Some(Sort::Vote)
        }
        Kind::HumanSaid(_) => Some(Sort::You),
        Kind::CommandGiven(given) if matches!(given.line.command, Command::Mark { .. }) => {
            Some(Sort::You)
        }
        Kind::CallRetried(_) => Some(Sort::Error),
        Kind::TurnEnded(e) if e.outcome == Outcome::Failed => Some(Sort::Error),
        _ => None,
    }
}

/// Returns `whole * part / of`, saturating; the times in a file may be arbitrarily large.
fn scaled(whole: u64, part: u64, of: u64) -> u64 {
    u64::try_from(u128::from(whole) * u128::from(part) / u128::from(of)).unwrap_or(u64::MAX)
}
