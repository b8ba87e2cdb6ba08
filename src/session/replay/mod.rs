//! Paced replay of a recorded session: the same [`Tail`] as of a live one, fed as things came then, pieces included.
//!
//! A [`Transport`] is the handle of a player: play, pause, speed, steps, seeking. A jump back or far ahead hands over
//! the past as a whole; whether a reader folds it from the beginning or from a state that it kept is up to the reader,
//! and so is what the events mean. Replay never runs, asks or writes anything, whatever the recording says.

mod recording;
mod speed;

pub use recording::{Recording, Spot};
pub use speed::Speed;

use super::{Feed, Records, Tail};
use crate::clock::Clock;
use crate::model::{Ms, Piece};
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::Notify;

/// Waits longer than this are shortened to it by default, in milliseconds.
pub const IDLE_LIMIT_MS: u64 = 3_000;
/// The most events that are shown in one go; a longer step forward is a jump.
const AT_ONCE: usize = 512;

/// The distance of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the next text: a piece, or the end of a turn.
    Text,
    /// Back to the end of the text before.
    TextBack,
    /// To the end of the next utterance.
    Utterance,
    /// Back to the end of an utterance before.
    UtteranceBack,
}

/// The position and settings of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayStatus {
    /// Whether it plays; false is paused.
    pub playing: bool,
    /// The speed of playback.
    pub speed: Speed,
    /// How much of the recording is shown.
    pub spot: Spot,
    /// The time of that position, on the session's clock.
    pub now: Ms,
    /// The time of the recording's end, on the same clock.
    pub end: Ms,
    /// The longest wait between two events, in milliseconds; none is as recorded.
    pub idle_limit: Option<u64>,
}

/// The handle of a replay; its copies handle the same one.
#[derive(Clone)]
pub struct Transport {
    recording: Arc<Recording>,
    deck: Arc<Mutex<Deck>>,
    bell: Arc<Notify>,
}

/// The player's state.
struct Deck {
    recording: Arc<Recording>,
    feed: Feed,
    /// The viewer's clock.
    base: Clock,
    /// The recording's clock.
    clock: Clock,
    spot: Spot,
    /// The pieces of the event that comes next.
    pieces: Vec<Piece>,
    /// The time of the last thing shown, or the target of the last jump.
    last: Ms,
    playing: bool,
    speed: Speed,
    idle_limit: Option<u64>,
}

impl Transport {
    /// Returns a paused replay before the first of some events; `base` is the viewer's clock.
    pub fn new(records: impl Into<Records>, base: Clock) -> Transport {
        Transport::of(Recording::new(records), base)
    }

    /// Returns a paused replay of a recording before its first event; `base` is the viewer's clock.
    pub fn of(recording: Recording, base: Clock) -> Transport {
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

    fn deck(&self) -> MutexGuard<'_, Deck> {
        self.deck.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Changes the deck and wakes the player, because its next event may be due at another time.
    fn change(&self, change: impl FnOnce(&mut Deck)) {
        change(&mut self.deck());
        self.bell.notify_one();
    }

    /// Returns a reader that begins with the first event.
    pub fn tail(&self) -> Tail {
        self.deck().feed.tail()
    }

    /// Returns the session's clock as it was then.
    pub fn clock(&self) -> Clock {
        self.deck().clock.clone()
    }

    /// Returns the recording that it plays.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// Returns the current position and settings.
    pub fn standing(&self) -> ReplayStatus {
        let d = self.deck();
        ReplayStatus {
            playing: d.playing,
            speed: d.speed,
            spot: d.spot,
            now: d.clock.now(),
            end: self.recording.end(),
            idle_limit: d.idle_limit,
        }
    }

    /// Plays on from here; at the end, from the beginning.
    pub fn play(&self) {
        self.change(|d| {
            if d.next_moment().is_none() {
                d.go(Spot::default());
            }
            d.playing = true;
            d.pace();
        });
    }

    /// Pauses playback where it is.
    pub fn pause(&self) {
        self.change(Deck::stop);
    }

    /// Plays from here on at a speed.
    pub fn set_speed(&self, speed: Speed) {
        self.change(|d| {
            d.speed = speed;
            d.pace();
        });
    }

    /// Shortens waits to this many milliseconds; none plays them as recorded.
    pub fn set_idle_limit(&self, ms: Option<u64>) {
        self.change(|d| d.idle_limit = ms);
    }

    /// Jumps to a spot, forward or back; playback continues if it was on.
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

    /// Moves by one step; a step of a text pauses playback.
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

    /// Plays, whenever it is to, for as long as it is awaited.
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
        self.deck().feed.close();
    }

    /// Plays until it is paused.
    async fn play_on(&self) {
        loop {
            let (wait, base) = {
                let mut deck = self.deck();
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
    /// Returns when the next thing came, on the recording's clock; none at the end.
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

    /// Shows everything that is due; returns the milliseconds until the next event, none if it is paused.
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
                // a wait that was long enough is over
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

    /// Shows exactly what is before a spot.
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
