//! A recording in order of time: every event, and before each sealed `delta` its pieces as they came.

use crate::model::{CutWhy, Kind, Ms, Piece, Purpose, TurnId, piece};
use crate::session::tail::Past;
use crate::session::{Item, Record};
use std::collections::HashMap;
use std::sync::Arc;

/// How much of a recording is shown: whole events, and pieces of the event that comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// Events that are shown in full.
    pub events: usize,
    /// Pieces of the following `delta` that are shown.
    pub pieces: usize,
}

impl Spot {
    /// Returns the spot after this many events.
    pub fn after(events: usize) -> Spot {
        Spot { events, pieces: 0 }
    }
}

/// The events of a session, with the arrival time of each piece.
#[derive(Debug)]
pub struct Recording {
    records: Arc<[Arc<Record>]>,
    /// Of each `delta`: the start of the call that its times count from.
    bases: Vec<Ms>,
}

impl Recording {
    /// Returns the recording of a session's events.
    pub fn new(records: Vec<Arc<Record>>) -> Recording {
        let mut calls: HashMap<TurnId, Ms> = HashMap::new();
        let base = |record: &Arc<Record>| {
            let event = &record.event;
            match &event.kind {
                Kind::FloorGranted(_) => _ = calls.insert(TurnId(event.seq.0), event.ms),
                Kind::CallStarted(c) => _ = calls.insert(c.turn, event.ms),
                Kind::Delta(d) => {
                    return d.pieces.first().and_then(|run| calls.get(&run.0)).copied();
                }
                _ => {}
            }
            None
        };
        let bases = records.iter().map(base).map(Option::unwrap_or_default).collect();
        Recording { records: records.into(), bases }
    }

    /// Returns the first `events` events, as a tail hands them out.
    pub(super) fn past(&self, events: usize) -> Past {
        Past::new(self.records.clone(), events)
    }

    /// Returns the events with their lines, in order.
    pub fn records(&self) -> &[Arc<Record>] {
        &self.records
    }

    /// Returns when it ends, on the session's clock.
    pub fn end(&self) -> Ms {
        self.records.last().map_or(Ms(0), |r| r.event.ms)
    }

    /// Returns the pieces that the event at an index seals, none of them later than the event.
    pub(super) fn pieces(&self, at: usize) -> Vec<Piece> {
        let (Some(record), Some(base)) = (self.records.get(at), self.bases.get(at)) else {
            return vec![];
        };
        match &record.event.kind {
            Kind::Delta(d) => {
                let mut pieces = piece::unpack(&d.pieces, *base);
                pieces.iter_mut().for_each(|p| p.at = p.at.min(record.event.ms));
                pieces
            }
            _ => vec![],
        }
    }

    /// Returns everything in order with the time at which it came, as a tail hands it out.
    pub fn moments(&self) -> impl Iterator<Item = (Ms, Item)> {
        self.records.iter().enumerate().flat_map(|(at, record)| {
            let pieces = self.pieces(at).into_iter().map(|piece| (piece.at, Item::Piece(piece)));
            pieces.chain([(record.event.ms, Item::Event(record.clone()))])
        })
    }

    /// Returns the spot at a time of the session's clock.
    pub fn at(&self, ms: Ms) -> Spot {
        let events = self.records.partition_point(|r| r.event.ms <= ms);
        let pieces = self.pieces(events).iter().take_while(|p| p.at <= ms).count();
        Spot { events, pieces }
    }

    /// Returns where an utterance begins: its floor is granted.
    pub fn utterance(&self, number: u32) -> Option<Spot> {
        let begins = |r: &Arc<Record>| matches!(&r.event.kind, Kind::FloorGranted(g) if g.number == Some(number));
        self.records.iter().position(begins).map(|at| Spot::after(at + 1))
    }

    /// Returns the end of an utterance, the last time it was spoken before the next number; 0 is before the first.
    pub fn after(&self, number: u32) -> Option<Spot> {
        if number == 0 {
            return (!self.records.is_empty()).then_some(Spot::after(1));
        }
        let mut end = None;
        for (at, record) in self.records.iter().enumerate() {
            match &record.event.kind {
                Kind::TurnEnded(e) if e.number == Some(number) && e.why != Some(CutWhy::Crash) => {
                    end = Some(Spot::after(at + 1));
                }
                Kind::FloorGranted(g) if g.number > Some(number) && end.is_some() => break,
                _ => {}
            }
        }
        end
    }

    /// Returns the end of the first utterance that ends after a spot; the last spot of all if none does.
    pub(super) fn next_utterance(&self, from: Spot) -> Spot {
        let mut behind = (from.events..self.records.len()).filter(|at| self.ends_utterance(*at));
        Spot::after(behind.next().map_or(self.records.len(), |at| at + 1))
    }

    /// Returns the end of the last utterance that ended before a spot; the first event if none did.
    pub(super) fn previous_utterance(&self, from: Spot) -> Spot {
        let mut before = (0..from.events).rev().filter(|at| self.ends_utterance(*at));
        let found = before.find(|at| Spot::after(at + 1) < from);
        Spot::after(found.map_or(1, |at| at + 1))
    }

    /// Returns the spot one text further: a piece, or an event that shows words.
    pub(super) fn next_text(&self, from: Spot) -> Spot {
        if from.pieces < self.pieces(from.events).len() {
            return Spot { pieces: from.pieces + 1, ..from };
        }
        for at in from.events..self.records.len() {
            if at > from.events && !self.pieces(at).is_empty() {
                return Spot { events: at, pieces: 1 };
            }
            if self.shows_words(at) {
                return Spot::after(at + 1);
            }
        }
        Spot::after(self.records.len())
    }

    /// Returns the spot one text before.
    pub(super) fn previous_text(&self, from: Spot) -> Spot {
        if from.pieces > 1 {
            return Spot { pieces: from.pieces - 1, ..from };
        }
        // the text that is shown last is the one to go back over
        let mut over = from.pieces == 0;
        for at in (0..from.events).rev() {
            let pieces = self.pieces(at).len();
            let stop = match (pieces, self.shows_words(at)) {
                (0, false) => continue,
                (0, true) => Spot::after(at + 1),
                (_, _) => Spot { events: at, pieces: pieces - usize::from(over) },
            };
            let itself = over && pieces <= 1;
            over = false;
            if !itself {
                return stop;
            }
        }
        Spot::after(1)
    }

    fn ends_utterance(&self, at: usize) -> bool {
        let kind = self.records.get(at).map(|r| &r.event.kind);
        matches!(kind, Some(Kind::TurnEnded(e)) if e.purpose == Purpose::Speak)
    }

    fn shows_words(&self, at: usize) -> bool {
        let kind = self.records.get(at).map(|r| &r.event.kind);
        matches!(
            kind,
            Some(Kind::Opened(_) | Kind::TurnEnded(_) | Kind::HumanSaid(_) | Kind::Ended(_))
        )
    }
}
