//! Commands from files and stdin: lines that wait for their moment.
//!
//! The engine asks between every `apply` and `advance`, so that "after utterance 3" can never come one grant too late.
//! A line whose key the log already has is never handed out again: a steer file run twice repeats nothing. Spelling is
//! `model`'s; what a line does is `engine`'s.

use crate::expr::{Condition, Facts};
use crate::model::{Key, Ms, Seq, SteerLine, Text, Trigger};
use crate::state::{Live, State};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// A line that waits, with its key.
struct Waiting {
    key: Key,
    line: SteerLine,
    condition: Option<Condition>,
    warned: bool,
}

/// What is due.
#[derive(Clone, Debug, PartialEq)]
pub enum Due {
    /// A line whose moment has come.
    Line(Key, SteerLine),
    /// A condition that cannot be evaluated; said once, and taken as false.
    Warning(Text),
}

/// All lines that wait.
#[derive(Default)]
pub struct Steering {
    waiting: Vec<Waiting>,
    /// The state that the conditions were last evaluated on: only an event can change what they say.
    evaluated: Option<Seq>,
}

/// A line of a steer file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {number}: {why}")]
pub struct BadFileLine {
    /// The line's number, from 1.
    pub number: usize,
    /// What is wrong, and the way out.
    pub why: String,
}

/// Returns the keys of a file's lines: the digest of the line and its occurrence.
fn file_key(line: &str, seen: &mut HashMap<String, u32>) -> Key {
    let digest = Sha256::digest(line.as_bytes());
    let short: String = digest.iter().take(6).map(|b| format!("{b:02x}")).collect();
    let nth = seen.entry(short.clone()).or_default();
    *nth += 1;
    format!("{short}:{nth}").into()
}

/// Reads a steer file: one JSON object a line; empty lines and lines that begin with `#` are left out.
///
/// # Errors
/// Every bad line, with its number.
pub fn read_file(source: &str) -> Result<Vec<(Key, SteerLine)>, Vec<BadFileLine>> {
    let (mut lines, mut bad, mut seen) = (Vec::new(), Vec::new(), HashMap::new());
    for (i, raw) in source.lines().enumerate() {
        let raw = raw.trim();
        if raw.is_empty() || raw.starts_with('#') {
            continue;
        }
        let key = file_key(raw, &mut seen);
        let line = SteerLine::parse(raw).map_err(|e| e.0).and_then(|line| {
            compiled(&line).map_err(|fault| format!("`when`: {fault}"))?;
            Ok(line)
        });
        match line {
            Ok(line) => lines.push((key, line)),
            Err(why) => bad.push(BadFileLine { number: i + 1, why }),
        }
    }
    if bad.is_empty() { Ok(lines) } else { Err(bad) }
}

/// Compiles the condition of a line, if it has one.
///
/// # Errors
/// What is wrong with the condition.
pub fn compiled(line: &SteerLine) -> Result<Option<Condition>, crate::expr::Fault> {
    match &line.trigger {
        Some(Trigger::When(when)) => Condition::compile(when).map(Some),
        Some(Trigger::After { .. } | Trigger::During { .. } | Trigger::At(_)) | None => Ok(None),
    }
}

/// Checks that the condition of a line compiles, if it has one.
///
/// # Errors
/// What is wrong with the condition.
pub fn compiles(line: &SteerLine) -> Result<(), crate::expr::Fault> {
    compiled(line).map(drop)
}

impl Steering {
    /// Adds a line that waits for its moment; one whose condition does not compile never comes.
    pub fn push(&mut self, key: Key, line: SteerLine) {
        let condition = compiled(&line).ok().flatten();
        self.waiting.push(Waiting { key, line, condition, warned: false });
        self.evaluated = None;
    }

    /// Returns whether no line waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Returns the first line whose moment has come.
    pub fn due(&mut self, live: &Live, now: Ms) -> Option<Due> {
        if self.waiting.is_empty() {
            return None;
        }
        let state = &live.state;
        self.waiting.retain(|w| !state.keys.contains_key(&w.key));
        let fresh = self.evaluated != Some(state.next_seq);
        self.evaluated = Some(state.next_seq);
        let mut facts = None;
        for i in 0..self.waiting.len() {
            if fresh && facts.is_none() && self.waiting[i].condition.is_some() {
                let conditions = || self.waiting.iter().filter_map(|w| w.condition.as_ref());
                let asks = |name: &str| conditions().any(|c| c.uses(name));
                facts = Some(Facts::new(state.facts(asks)));
            }
            let w = &mut self.waiting[i];
            let due = match (&w.line.trigger, &w.condition) {
                (None, _) => true,
                (Some(Trigger::At(ms)), _) => now >= Ms(*ms),
                (Some(Trigger::After { utterance }), _) => has_ended(state, *utterance),
                (Some(Trigger::During { utterance, words }), _) => is_at(live, *utterance, *words),
                (Some(Trigger::When(_)), condition) => {
                    match condition.as_ref().zip(facts.as_ref()).map(|(c, facts)| c.holds(facts)) {
                        Some(Ok(holds)) => holds,
                        Some(Err(fault)) if !w.warned => {
                            w.warned = true;
                            let text = format!("steering condition: {fault}");
                            return Some(Due::Warning(text.into()));
                        }
                        Some(Err(_)) | None => false,
                    }
                }
            };
            if due {
                let w = self.waiting.remove(i);
                // what it does may make another condition true before the next event
                self.evaluated = None;
                return Some(Due::Line(w.key, w.line));
            }
        }
        None
    }

    /// Lets all lines go that still wait, as nothing can make them due any more.
    pub fn give_up(&mut self, state: &State) -> Vec<(Key, SteerLine)> {
        let left = self.waiting.drain(..).filter(|w| !state.keys.contains_key(&w.key));
        left.map(|w| (w.key, w.line)).collect()
    }

    /// Returns the next moment at which time alone makes a line due.
    pub fn wake(&self) -> Option<Ms> {
        let moments = self.waiting.iter().filter_map(|w| match w.line.trigger {
            Some(Trigger::At(ms)) => Some(Ms(ms)),
            Some(Trigger::After { .. } | Trigger::During { .. } | Trigger::When(_)) | None => None,
        });
        moments.min()
    }
}

/// Whether utterance N is over: granted, and nobody speaks it.
fn has_ended(state: &State, number: u32) -> bool {
    let owed = |t: &crate::state::Thread| {
        let batch = t.batch.as_ref();
        batch.is_some_and(|b| b.interrupted.values().any(|i| i.number == Some(number)))
    };
    number <= state.numbers
        && !state.turns.values().any(|t| t.number == Some(number))
        && !state.open_threads().any(owed)
}

/// Whether utterance N is being spoken and has shown so many words.
fn is_at(live: &Live, number: u32, words: u32) -> bool {
    let turn = live.state.turns.values().find(|t| t.number == Some(number));
    turn.is_some_and(|t| words == 0 || live.said(t.id).split_whitespace().count() >= words as usize)
}
