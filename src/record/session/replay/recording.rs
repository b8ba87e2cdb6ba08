//! A recording in order of time: every event, and before each sealed `delta` its pieces with their own times.
//!
//! Events stay in their file. Memory holds only an index: the beginnings and ends of turns, and the times of calls, to
//! which the times of pieces are relative.

use crate::model::{CutWhy, Event, Kind, Ms, Piece, Purpose, Seq, TurnId, piece};
use crate::session::reader::{self, Survey};
use crate::session::tail::Past;
use crate::session::{Item, ReadProgress, Record, Records, SessionError, Want};
use std::path::Path;

/// Position in a recording: whole events, and pieces of the next event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// Number of events shown in full.
    pub events: usize,
    /// Number of shown pieces of the following `delta`.
    pub pieces: usize,
}

impl Spot {
    /// Returns the position after this many events.
    pub fn after(events: usize) -> Spot {
        Spot { events, pieces: 0 }
    }
}

/// The events of a session, with the arrival time of each piece.
#[derive(Debug)]
pub struct Recording {
    records: Records,
    index: RecordingIndex,
}

/// Distance between two entries of the time index, in events.
const STRIDE: usize = 64;

#[derive(Debug, Default)]
struct RecordingIndex {
    events: usize,
    /// Times of every [`STRIDE`]th event; they never decrease.
    times: Vec<Ms>,
    /// Time of the last event.
    end: Ms,
    /// Calls as (turn, event index, time), and grants of turns likewise.
    calls: Vec<(TurnId, usize, Ms)>,
    /// Step boundaries as (event index, kind).
    stops: Vec<(usize, Stop)>,
}

/// Kind of a step boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// Beginning of a turn, with its number.
    Granted(u32),
    /// End of a turn.
    Ended {
        /// Turn number.
        number: Option<u32>,
        /// True if it spoke to everyone.
        spoke: bool,
        /// True if a crash cut it, so that it is repeated.
        crashed: bool,
    },
    /// Other text is shown.
    Words,
}

impl RecordingIndex {
    fn take(&mut self, event: &Event) {
        let at = self.events;
        self.events += 1;
        self.end = event.ms;
        if at.is_multiple_of(STRIDE) {
            self.times.push(event.ms);
        }
        let stop = match &event.kind {
            Kind::FloorGranted(g) => {
                self.calls.push((TurnId(event.seq.0), at, event.ms));
                g.number.map(Stop::Granted)
            }
            Kind::CallStarted(c) => {
                self.calls.push((c.turn, at, event.ms));
                None
            }
            Kind::TurnEnded(e) => Some(Stop::Ended {
                number: e.number,
                spoke: e.purpose == Purpose::Speak,
                crashed: e.why == Some(CutWhy::Crash),
            }),
            Kind::Opened(_) | Kind::HumanSaid(_) | Kind::Ended(_) => Some(Stop::Words),
            _ => None,
        };
        self.stops.extend(stop.map(|stop| (at, stop)));
    }

    /// Returns the boundaries from an event index on.
    fn stops_from(&self, at: usize) -> &[(usize, Stop)] {
        self.stops.get(self.stops.partition_point(|(stop, _)| *stop < at)..).unwrap_or_default()
    }

    fn stops_before(&self, at: usize) -> &[(usize, Stop)] {
        self.stops.get(..self.stops.partition_point(|(stop, _)| *stop < at)).unwrap_or_default()
    }
}

fn ends_utterance(stop: &Stop) -> bool {
    matches!(stop, Stop::Ended { spoke: true, .. })
}

fn shows_words(stop: &Stop) -> bool {
    matches!(stop, Stop::Ended { .. } | Stop::Words)
}

impl Recording {
    /// Returns the recording of a session's events.
    pub fn new(records: impl Into<Records>) -> Recording {
        let records = records.into();
        let mut index = RecordingIndex::default();
        records.iter().for_each(|record| index.take(&record.event));
        Recording::with_index(records, index)
    }

    fn with_index(records: Records, mut index: RecordingIndex) -> Recording {
        index.calls.sort_unstable();
        Recording { records, index }
    }

    /// Reads the recording of a file, whose events stay there, and passes each of them to `each`.
    pub fn read(
        path: &Path,
        progress: &ReadProgress,
        each: &mut dyn FnMut(&Event),
    ) -> Result<(Survey, Recording), SessionError> {
        let mut index = RecordingIndex::default();
        let survey = reader::read(path, Want::All, progress, &mut |found| {
            index.take(found.event);
            each(found.event);
        })?;
        let records = survey.records();
        Ok((survey, Recording::with_index(records, index)))
    }

    /// Returns the first `events` events for a jump of a tail.
    pub(super) fn past(&self, events: usize) -> Past {
        Past::new(self.records.clone(), events)
    }

    /// Returns the events with their lines, in order.
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// Returns the time of its end, on the session's clock.
    pub fn end(&self) -> Ms {
        self.index.end
    }

    /// Returns the pieces sealed by the event at an index, none of them later than the event.
    pub(super) fn pieces(&self, at: usize) -> Vec<Piece> {
        self.records.get(at).map_or(vec![], |record| self.pieces_of(at, &record))
    }

    fn pieces_of(&self, at: usize, record: &Record) -> Vec<Piece> {
        let Kind::Delta(d) = &record.event.kind else { return vec![] };
        let calls = &self.index.calls;
        // the last call of the turn before the pieces
        let base = d.pieces.first().and_then(|run| {
            let before = calls.partition_point(|(turn, call, _)| (*turn, *call) < (run.0, at));
            calls.get(before.checked_sub(1)?).filter(|(turn, ..)| *turn == run.0)
        });
        let mut pieces = piece::unpack(&d.pieces, base.map_or(Ms(0), |(.., ms)| *ms));
        pieces.iter_mut().for_each(|p| p.at = p.at.min(record.event.ms));
        pieces
    }

    /// Returns all items of a tail in order, with their times.
    pub fn moments(&self) -> impl Iterator<Item = (Ms, Item)> {
        self.records.iter().enumerate().flat_map(|(at, record)| {
            let pieces = self.pieces_of(at, &record).into_iter();
            let pieces = pieces.map(|piece| (piece.at, Item::Piece(piece)));
            pieces.chain([(record.event.ms, Item::Event(record))])
        })
    }

    /// Returns the position at a time of the session's clock.
    pub fn at(&self, ms: Ms) -> Spot {
        let before = self.index.times.partition_point(|time| *time <= ms).saturating_sub(1);
        let later = |at: &usize| self.records.get(*at).is_none_or(|record| record.event.ms > ms);
        let events = (before * STRIDE..).find(later).unwrap_or_default();
        let pieces = self.pieces(events).iter().take_while(|p| p.at <= ms).count();
        Spot { events, pieces }
    }

    /// Returns the position after an event.
    pub fn after_event(&self, seq: Seq) -> Spot {
        // numbers have no gaps except at damaged lines
        let most = usize::try_from(seq.0).unwrap_or(usize::MAX).saturating_add(1);
        let later = |at: &usize| self.records.get(at - 1).is_some_and(|r| r.event.seq > seq);
        let mut events = most.min(self.records.len());
        while events > 0 && later(&events) {
            events -= 1;
        }
        Spot::after(events)
    }

    /// Returns the beginning of a turn: its grant of the floor.
    pub fn utterance(&self, number: u32) -> Option<Spot> {
        let begins = |(_, stop): &&(usize, Stop)| *stop == Stop::Granted(number);
        self.index.stops.iter().find(begins).map(|(at, _)| Spot::after(at + 1))
    }

    /// Returns the end of a turn, its last version before the next number; 0 is before the first turn.
    pub fn after(&self, number: u32) -> Option<Spot> {
        if number == 0 {
            return (!self.records.is_empty()).then_some(Spot::after(1));
        }
        let mut end = None;
        for (at, stop) in &self.index.stops {
            match stop {
                Stop::Ended { number: Some(ended), crashed: false, .. } if *ended == number => {
                    end = Some(Spot::after(at + 1));
                }
                Stop::Granted(granted) if *granted > number && end.is_some() => break,
                _ => {}
            }
        }
        end
    }

    /// Returns the end of the first turn that ends after a position; the end of the recording if none exists.
    pub(super) fn next_utterance(&self, from: Spot) -> Spot {
        let next = self.index.stops_from(from.events).iter().find(|(_, stop)| ends_utterance(stop));
        Spot::after(next.map_or(self.records.len(), |(at, _)| at + 1))
    }

    /// Returns the end of the last turn that ended before a position; the first event if none exists.
    pub(super) fn previous_utterance(&self, from: Spot) -> Spot {
        let before = self.index.stops_before(from.events).iter().rev();
        let mut ends = before.filter(|(_, stop)| ends_utterance(stop));
        let found = ends.find(|(at, _)| Spot::after(at + 1) < from);
        Spot::after(found.map_or(1, |(at, _)| at + 1))
    }

    /// Returns the position one text further: a piece, or an event that shows text.
    pub(super) fn next_text(&self, from: Spot) -> Spot {
        if from.pieces < self.pieces(from.events).len() {
            return Spot { pieces: from.pieces + 1, ..from };
        }
        let stop = self.index.stops_from(from.events).iter().find(|(_, stop)| shows_words(stop));
        let end = stop.map_or(self.records.len(), |(at, _)| at + 1);
        let mut between = from.events + 1..end;
        match between.find(|at| !self.pieces(*at).is_empty()) {
            Some(at) => Spot { events: at, pieces: 1 },
            None => Spot::after(end),
        }
    }

    /// Returns the position one text back.
    pub(super) fn previous_text(&self, from: Spot) -> Spot {
        if from.pieces > 1 {
            return Spot { pieces: from.pieces - 1, ..from };
        }
        let mut stops = self.index.stops_before(from.events).iter().rev();
        let mut words = stops.find(|(_, stop)| shows_words(stop));
        // the last shown text is the one to undo
        let mut over = from.pieces == 0;
        for at in (0..from.events).rev() {
            let pieces = self.pieces(at).len();
            let shows_words = words.is_some_and(|(stop, _)| *stop == at);
            if shows_words {
                words = stops.find(|(_, stop)| self::shows_words(stop));
            }
            let stop = match (pieces, shows_words) {
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
}
