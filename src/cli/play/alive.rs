//! Progress line while nothing is printed: the names of the awaited participants and the seconds since the oldest call,
//! the wait for a command, or the fault of the disk.
//!
//! On a terminal the line is replaced every second; in a pipe a new line is printed at most once a minute.

use crate::model::{Command, Event, Kind, Ms, SeatId, TurnId};
use crate::state::{RunState, State};
use std::collections::BTreeMap;

/// Minimum duration of a call before it is shown, in milliseconds.
const SHOWN_MS: u64 = 1_000;
/// Minimum interval between two lines in a pipe, in milliseconds.
const TOLD_MS: u64 = 60_000;

/// Reasons of a wait for a command.
const PAUSED: &str = "paused: waiting for commands on standard input";
const AT_LIMIT: &str = "at its limit: waiting for commands on standard input";
const HELD: &str =
    "held: the next turn starts within 60 s, or after {\"do\":\"hold\",\"on\":false}";

/// Calls in progress, derived from the events.
#[derive(Default)]
pub struct Alive {
    names: BTreeMap<SeatId, String>,
    turns: BTreeMap<TurnId, SeatId>,
    calls: BTreeMap<TurnId, Ms>,
    told: Option<Ms>,
    /// True if standard input gives commands.
    steered: bool,
    /// Reason and beginning of a wait for a command.
    held: Option<(&'static str, Ms)>,
    /// The fault of the disk, which is the only line while it lasts.
    disk: Option<String>,
}

impl Alive {
    /// Starts from the seats, running turns and wait of a state. `steered` is true if standard input gives commands.
    pub fn from_state(state: &State, steered: bool) -> Alive {
        let names = state.seats.iter().map(|s| (s.spec.id.clone(), s.spec.name.to_string()));
        let turns = state.turns.values().map(|turn| (turn.id, turn.seat.clone()));
        let (names, turns) = (names.collect(), turns.collect());
        let held = (state.run == RunState::Paused).then_some((PAUSED, Ms(0)));
        Alive { names, turns, steered, held, ..Alive::default() }
    }

    /// Applies an event that arrived at `now`.
    pub fn take(&mut self, event: &Event, now: Ms) {
        if let Kind::Opened(opened) = &event.kind {
            let names = opened.participants.iter().map(|p| (p.id.clone(), p.name.to_string()));
            self.names.extend(names);
        } else if let Kind::SeatJoined(joined) = &event.kind {
            let seat = &joined.participant;
            self.names.insert(seat.id.clone(), seat.name.to_string());
        } else if let Kind::FloorGranted(granted) = &event.kind {
            self.turns.insert(TurnId(event.seq.0), granted.participant.clone());
            if granted.number.is_some() {
                self.held = None;
            }
        } else if let Kind::CallStarted(call) = &event.kind {
            self.calls.insert(call.turn, now);
        } else if let Kind::TurnEnded(end) = &event.kind {
            self.turns.remove(&end.turn);
            self.calls.remove(&end.turn);
        }
        match &event.kind {
            Kind::CommandGiven(given) => match given.line.command {
                Command::Hold { on: true } => self.held = Some((HELD, now)),
                Command::Hold { on: false } => self.held = None,
                _ => {}
            },
            Kind::Paused(_) => self.held = Some((PAUSED, now)),
            Kind::LimitReached(_) => self.held = Some((AT_LIMIT, now)),
            Kind::Resumed(_) | Kind::Ended(_) => self.held = None,
            _ => {}
        }
    }

    /// Takes the wait for the disk for the next line. A new one is due at once.
    pub fn note_disk(&mut self, wait: Option<String>) {
        if wait.is_some() && self.disk.is_none() {
            self.told = None;
        }
        self.disk = wait.map(|wait| format!("{wait}; Ctrl-C stops"));
    }

    /// Returns the line for a terminal; `None` until a call takes long enough to be shown.
    pub fn line(&self, now: Ms) -> Option<String> {
        if self.disk.is_some() {
            return self.disk.clone();
        }
        let (line, since) = match (self.calls.values().min(), self.held) {
            (Some(since), _) => (self.words(now.since(*since)), *since),
            (None, Some((why, since))) if self.steered => (format!("{why}; Ctrl-C stops"), since),
            (None, _) => return None,
        };
        (now.since(since) >= SHOWN_MS).then_some(line)
    }

    /// Returns the line for a pipe at most once per interval; `None` otherwise.
    pub fn pipe_line(&mut self, now: Ms) -> Option<String> {
        if self.told.is_some_and(|told| now.since(told) < TOLD_MS) {
            return None;
        }
        let line = self.line(now)?;
        self.told = Some(now);
        Some(line)
    }

    fn words(&self, waited: u64) -> String {
        let name = |turn: &TurnId| {
            let seat = self.turns.get(turn)?;
            Some(self.names.get(seat).map_or(&**seat, String::as_str))
        };
        let names: Vec<&str> = self.calls.keys().filter_map(name).collect();
        let are = if names.len() == 1 { "is" } else { "are" };
        format!("{} {are} thinking, {} s; Ctrl-C stops", names.join(", "), waited / 1_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Seq, ThreadId, Wall};

    fn event(seq: u64, kind: &str, data: serde_json::Value) -> Event {
        let data = serde_json::value::to_raw_value(&data).unwrap();
        let kind = Kind::read(kind, &data).unwrap();
        let by = "engine".into();
        let thread = ThreadId::ROOT;
        Event { seq: Seq(seq), at: Wall(0), ms: Ms(0), thread, by, cause: None, kind }
    }

    #[test]
    fn awaited_participants_are_shown_soon_and_logged_rarely() {
        let mut alive = Alive::from_state(&State::default(), true);
        alive.names.insert("ada".into(), "Ada".into());
        let granted = serde_json::json!({"batch": 1, "participant": "ada", "number": 1});
        alive.take(&event(2, "floor.granted", granted), Ms(0));
        let call = serde_json::json!({"turn": 2, "model": "x:y", "parameters": {}, "digest": ""});
        alive.take(&event(3, "call.started", call), Ms(1_000));
        assert_eq!((alive.line(Ms(1_900)), alive.pipe_line(Ms(1_900))), (None, None));
        let words = |seconds: u64| Some(format!("Ada is thinking, {seconds} s; Ctrl-C stops"));
        assert_eq!(alive.line(Ms(13_500)), words(12));
        assert_eq!(alive.pipe_line(Ms(3_000)), words(2), "the first line is not late");
        assert_eq!(alive.pipe_line(Ms(62_000)), None, "not again so soon");
        assert_eq!(alive.pipe_line(Ms(63_000)), words(62));
        let end = serde_json::json!({"turn": 2, "purpose": "speak", "outcome": "said"});
        alive.take(&event(4, "turn.ended", end), Ms(130_000));
        assert_eq!((alive.line(Ms(200_000)), alive.pipe_line(Ms(300_000))), (None, None));
        let limit = serde_json::json!({"what": "utterances", "value": 1, "limit": 1});
        alive.take(&event(5, "limit.reached", limit), Ms(300_000));
        assert_eq!(alive.line(Ms(300_900)), None);
        let waits = alive.pipe_line(Ms(301_000)).unwrap();
        assert!(waits.starts_with("at its limit: waiting for commands on standard"), "{waits}");
        let hold = serde_json::json!({"key": "k", "do": "hold", "on": true, "targets": {}});
        alive.take(&event(6, "command.given", hold), Ms(300_000));
        let waits = alive.line(Ms(301_000)).unwrap();
        assert!(waits.starts_with("held: the next turn starts within 60 s"), "{waits}");
        let next = serde_json::json!({"batch": 6, "participant": "ada", "number": 2});
        alive.take(&event(7, "floor.granted", next), Ms(302_000));
        assert_eq!(alive.line(Ms(400_000)), None);
    }
}
