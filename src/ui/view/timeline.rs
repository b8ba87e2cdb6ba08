//! A recording at a glance: who spoke when, and marks to jump to.
//!
//! Made from the events once; it draws nothing and does not change.

use crate::model::*;
use crate::session::replay::{Recording, Spot};
use crate::state::State;
use crate::text;
use std::collections::HashMap;
use std::ops::Range;

/// The turns of one participant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// The participant's name, safe for one line.
    pub name: String,
    /// From when to when, each time.
    pub spoke: Vec<(Ms, Ms)>,
}

/// The kind of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A vote or a verdict was asked for.
    Vote,
    /// The operator spoke, or set a bookmark.
    You,
    /// A call or a turn failed.
    Error,
}

impl Sort {
    /// Every sort, in the order of the legend.
    pub const ALL: [Sort; 3] = [Sort::Vote, Sort::You, Sort::Error];

    /// Returns the mark's sign on the axis.
    pub fn sign(self) -> &'static str {
        match self {
            Sort::Vote => "v",
            Sort::You => "*",
            Sort::Error => "!",
        }
    }

    /// Returns the word for the mark in the legend.
    pub fn word(self) -> &'static str {
        match self {
            Sort::Vote => "vote",
            Sort::You => "you",
            Sort::Error => "error",
        }
    }
}

/// A place to jump to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its place: just after the event.
    pub spot: Spot,
    /// Its time in the recording.
    pub at: Ms,
    /// The kind of the mark.
    pub sort: Sort,
}

/// The lanes and marks of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// The time of the first event.
    pub begin: Ms,
    /// The time of the last event.
    pub end: Ms,
    /// A lane for each seat, in the order of the table.
    pub lanes: Vec<Lane>,
    /// The places, in order.
    pub marks: Vec<Mark>,
}

impl Timeline {
    /// Returns the timeline of a recording, from its events.
    pub fn of(recording: &Recording) -> Timeline {
        let (mut making, mut state) = (TimelineMaking::default(), State::default());
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

    /// Returns the columns in which a seat spoke.
    pub fn spans(&self, lane: &Lane, columns: usize) -> Vec<Range<usize>> {
        let span = |(from, to): &(Ms, Ms)| {
            self.column(*from, columns)..self.column(*to, columns).saturating_add(1)
        };
        lane.spoke.iter().map(span).collect()
    }

    /// Returns the first mark after a spot.
    pub fn next_mark(&self, spot: Spot) -> Option<&Mark> {
        self.marks.iter().find(|m| m.spot > spot)
    }

    /// Returns the last mark before a spot.
    pub fn previous_mark(&self, spot: Spot) -> Option<&Mark> {
        self.marks.iter().rev().find(|m| m.spot < spot)
    }
}

/// A timeline being made from the events of a recording, one after the other.
#[derive(Default)]
pub struct TimelineMaking {
    events: usize,
    /// The times of the first and the last event.
    span: Option<(Ms, Ms)>,
    granted: HashMap<TurnId, (SeatId, Ms)>,
    spoke: HashMap<SeatId, Vec<(Ms, Ms)>>,
    marks: Vec<Mark>,
}

impl TimelineMaking {
    /// Takes the next event in.
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
        let mark = |sort| Mark { spot: Spot::after(self.events), at: event.ms, sort };
        self.marks.extend(sort(&event.kind).map(mark));
    }

    /// Returns the timeline; `state` is the one after the last event.
    pub fn done(mut self, state: &State) -> Timeline {
        let (begin, end) = self.span.unwrap_or_default();
        let lanes = state.seats.iter().map(|s| Lane {
            name: text::name(&s.spec.name).into_owned(),
            spoke: self.spoke.remove(&s.spec.id).unwrap_or_default(),
        });
        Timeline { begin, end, lanes: lanes.collect(), marks: self.marks }
    }
}

/// Returns what makes an event worth jumping to, if anything does.
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

/// Returns a part of a time or a place; a file may name any time.
fn scaled(whole: u64, part: u64, of: u64) -> u64 {
    u64::try_from(u128::from(whole) * u128::from(part) / u128::from(of)).unwrap_or(u64::MAX)
}
