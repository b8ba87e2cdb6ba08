//! Paced replay of a recorded session: the same [`Tail`] as of a live one, with the recorded timing, pieces included.
//!
//! A [`Transport`] is the handle of a player: play, pause, speed, steps, seeking. A jump hands over all past events at
//! once; the reader folds them from the beginning or from a cached state. A replay never runs, asks or writes anything,
//! whatever the recording contains.

mod recording;
mod speed;

pub use recording::{Recording, Spot};
pub use speed::Speed;

use super::{Feed, Records, Tail};
use crate::clock::Clock;
use crate::model::{Ms, Piece};
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::sync::Notify;

/// Default maximum of a wait, in milliseconds; longer ones are shortened.
pub const IDLE_LIMIT_MS: u64 = 3_000;
/// Maximum number of events shown in one go; a longer step forward is a jump.
const AT_ONCE: usize = 512;

/// Unit of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the next text: a piece, or the end of a turn.
    Text,
    /// Back to the end of the previous text.
    TextBack,
    /// To the end of the next turn.
    Utterance,
    /// Back to the end of the previous turn.
    UtteranceBack,
}

/// Position and settings of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayStatus {
    /// True while it plays, false while paused.
    pub playing: bool,
    /// Playback speed.
    pub speed: Speed,
    /// Current position.
    pub spot: Spot,
    /// Time of the position, on the session's clock.
    pub now: Ms,
    /// Time of the recording's end, on the session's clock.
    pub end: Ms,
    /// Maximum wait between two events, in milliseconds; `None` plays waits as recorded.
    pub idle_limit: Option<u64>,
}

/// Handle of a replay; clones control the same one.
#[derive(Clone)]
pub struct Transport {
    recording: Arc<Recording>,
    deck: Arc<Mutex<Deck>>,
    bell: Arc<Notify>,
}

/// State of the player.
struct Deck {
    recording: Arc<Recording>,
    feed: Feed,
    /// Clock of the viewer.
    base: Clock,
    /// Clock of the recording.
    clock: Clock,
    spot: Spot,
    /// Pieces of the next event.
    pieces: Vec<Piece>,
    /// Time of the last shown item, or the target of the last jump.
    last: Ms,
    playing: bool,
    speed: Speed,
    idle_limit: Option<u64>,
}

impl Transport {
    /// Returns a paused replay before the first event; `base` is the viewer's clock.
    pub fn new(records: impl Into<Records>, base: Clock) -> Transport {
        Transport::from_recording(Recording::new(records), base)
    }

    /// Returns a paused replay of a recording before its first event; `base` is the viewer's clock.
    pub fn from_recording(recording: Recording, base: Clock) -> Transport {
        let recording = Arc::new(recording);
        let begin = recording.records().first().map_or(Ms(0), |r| r.event.ms);
        let deck = Deck {
            recording: recording.clone(),
            feed: Feed::new(),
            clock: Clock::paced_over(&base, begin),
            base,
            spot: Spot::default(),
            pieces: recording.pieces(0),
            last: begin,
            playing: false,
            speed: Speed::RECORDED,
            idle_limit: Some(IDLE_LIMIT_MS),
        };
        Transport { recording, deck: Arc::new(Mutex::new(deck)), bell: Arc::default() }
    }

    /// Changes the deck and wakes the player, because the due time of its next event may have changed.
    fn change(&self, change: impl FnOnce(&mut Deck)) {
        change(&mut self.deck.lock());
        self.bell.notify_one();
    }

    /// Returns a reader that begins with the first event.
    pub fn tail(&self) -> Tail {
        self.deck.lock().feed.tail()
    }

    /// Returns the recorded clock of the session.
    pub fn clock(&self) -> Clock {
        self.deck.lock().clock.clone()
    }

    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// Returns the current position and settings.
    pub fn status(&self) -> ReplayStatus {
        let d = self.deck.lock();
        ReplayStatus {
            playing: d.playing,
            speed: d.speed,
            spot: d.spot,
            now: d.clock.now(),
            end: self.recording.end(),
            idle_limit: d.idle_limit,
        }
    }

    /// Plays from the current position; at the end, from the beginning.
    pub fn play(&self) {
        self.change(|d| {
            if d.next_moment().is_none() {
                d.go(Spot::default());
            }
            d.playing = true;
            d.pace();
        });
    }

    /// Pauses playback.
    pub fn pause(&self) {
        self.change(Deck::stop);
    }

    pub fn set_speed(&self, speed: Speed) {
        self.change(|d| {
            d.speed = speed;
            d.pace();
        });
    }

    /// Sets the maximum wait in milliseconds; `None` plays waits as recorded.
    pub fn set_idle_limit(&self, ms: Option<u64>) {
        self.change(|d| d.idle_limit = ms);
    }

    /// Jumps to a position, forward or back; playback continues if it was on.
    pub fn seek(&self, to: Spot) {
        self.change(|d| d.go(to));
    }

    /// Jumps to a time of the session's clock, in milliseconds.
    pub fn seek_time(&self, ms: Ms) {
        let spot = self.recording.at(ms);
        self.change(|d| {
            d.go(spot);
            d.last = ms.min(d.recording.end());
            d.clock.set(d.last);
        });
    }

    /// Moves by one step; a text step pauses playback.
    pub fn step(&self, step: Step) {
        let recording = &self.recording;
        self.change(|d| {
            if matches!(step, Step::Text | Step::TextBack) {
                d.stop();
            }
            d.go(match step {
                Step::Text => recording.next_text(d.spot),
                Step::TextBack => recording.previous_text(d.spot),
                Step::Utterance => recording.next_utterance(d.spot),
                Step::UtteranceBack => recording.previous_utterance(d.spot),
            });
        });
    }

    /// Plays on request, as long as the future is polled.
    pub async fn run(&self) {
        loop {
            self.play_on().await;
            self.bell.notified().await;
        }
    }

    /// Plays from here to the end, then closes the tail.
    pub async fn play_through(&self) {
        self.change(|d| {
            d.playing = true;
            d.pace();
        });
        self.play_on().await;
        self.deck.lock().feed.close();
    }

    /// Plays until it is paused.
    async fn play_on(&self) {
        loop {
            let (wait, base) = {
                let mut deck = self.deck.lock();
                (deck.tick(), deck.base.clone())
            };
            // lets readers see each event as it comes
            tokio::task::yield_now().await;
            match wait {
                None => return,
                Some(0) => {}
                Some(ms) => tokio::select! {
                    () = base.advance(Some(base.now().plus(ms))) => {}
                    () = self.bell.notified() => {}
                },
            }
        }
    }
}

impl Deck {
    /// Returns the time of the next item, on the recording's clock; `None` at the end.
    fn next_moment(&self) -> Option<Ms> {
        match self.pieces.get(self.spot.pieces) {
            Some(piece) => Some(piece.at),
            None => self.recording.records().get(self.spot.events).map(|r| r.event.ms),
        }
    }

    fn pace(&self) {
        match (self.playing, self.speed) {
            (true, Speed::Percent(percent)) => self.clock.pace(percent),
            (true, Speed::Max) | (false, _) => self.clock.pace(0),
        }
    }

    fn stop(&mut self) {
        self.playing = false;
        self.pace();
    }

    /// Shows everything that is due; returns the milliseconds until the next event, `None` if paused.
    fn tick(&mut self) -> Option<u64> {
        if !self.playing {
            return None;
        }
        for _ in 0..AT_ONCE {
            let Some(due) = self.next_moment() else {
                self.stop();
                return None;
            };
            if let Speed::Percent(percent) = self.speed {
                let now = self.clock.now();
                // a wait longer than the maximum is over
                let patience = self.idle_limit.map_or(due, |limit| self.last.plus(limit)).min(due);
                if now < patience {
                    let wait = patience.since(now).saturating_mul(100);
                    return Some(wait.div_ceil(u64::from(percent)));
                }
            }
            if self.clock.now() < due {
                self.clock.set(due);
            }
            self.last = self.last.max(due);
            self.show_next();
        }
        Some(0)
    }

    fn show_next(&mut self) {
        if let Some(piece) = self.pieces.get(self.spot.pieces) {
            self.feed.piece(piece.clone());
            self.spot.pieces += 1;
        } else if let Some(record) = self.recording.records().get(self.spot.events) {
            self.feed.push(record);
            self.stand(self.spot.events + 1);
        }
    }

    /// Shows exactly the items before a position.
    fn go(&mut self, to: Spot) {
        let recording = self.recording.clone();
        let to = Spot { events: to.events.min(recording.records().len()), ..to };
        if to < self.spot || to.events > self.spot.events + AT_ONCE {
            self.feed.go(recording.past(to.events));
            self.stand(to.events);
        }
        if to.events > self.spot.events {
            let new = (self.spot.events..to.events).filter_map(|at| recording.records().get(at));
            self.feed.extend(new);
            self.stand(to.events);
        }
        while self.spot.pieces < to.pieces.min(self.pieces.len()) {
            self.show_next();
        }
        let piece = self.spot.pieces.checked_sub(1).and_then(|at| self.pieces.get(at));
        let event = || recording.records().get(to.events.checked_sub(1)?);
        let come = piece.map(|p| p.at).or_else(|| event().map(|r| r.event.ms));
        self.last = come.unwrap_or(self.last);
        self.clock.set(self.last);
    }

    /// Sets the position after this many events.
    fn stand(&mut self, events: usize) {
        self.spot = Spot::after(events);
        self.pieces = self.recording.pieces(events);
    }
}
