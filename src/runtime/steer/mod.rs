//! Steering lines: typed ones ([`mod@line`]), and those of files and stdin, which wait for their trigger.
//!
//! The engine asks between every `apply` and `advance`, so that "after utterance 3" can never come one grant too late.
//! A line whose key is in the log already is never returned again, so a steer file that is run twice repeats nothing.
//! `model` defines the form of a line, `engine` its effect.

pub mod line;
pub mod slash;

use crate::expr::{Condition, ExprError, Facts};
use crate::model::agent::{START, permission};
use crate::model::facts::{self, OF_CONVERSATION};
use crate::model::sentence::sentence_error;
use crate::model::{Command, Key, Ms, Seq, SteerLine, Text, Trigger, near};
use crate::state::{Live, State};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

sentence_error! {
    /// Fault of a condition, with a replacement if there is one.
    pub struct ConditionFault;
}

/// A waiting line with its key.
struct Waiting {
    key: Key,
    line: SteerLine,
    condition: Option<Condition>,
    warned: bool,
    /// For a breakpoint: the value of its condition at the last check; `None` before the first.
    held: Option<bool>,
    /// True if a breakpoint has acted.
    acted: bool,
}

/// A due line or a warning.
#[derive(Clone, Debug, PartialEq)]
pub enum Due {
    Line(Key, SteerLine),
    /// A condition that cannot be evaluated; reported once, and taken as false.
    Warning(Text),
}

/// All waiting lines.
#[derive(Default)]
pub struct Steering {
    waiting: Vec<Waiting>,
    /// `seq` of the state for which the conditions were last evaluated: only an event can change their values.
    evaluated: Option<Seq>,
}

/// An invalid line of a steer file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {number}: {why}")]
pub struct BadFileLine {
    /// Line number, from 1.
    pub number: usize,
    /// The fault, and the fix.
    pub why: String,
}

/// Returns the key of a line in a file: the digest of the line and its occurrence.
fn file_key(line: &str, seen: &mut HashMap<String, u32>) -> Key {
    let digest = Sha256::digest(line.as_bytes());
    let short: String = digest.iter().take(6).map(|b| format!("{b:02x}")).collect();
    let nth = seen.entry(short.clone()).or_default();
    *nth += 1;
    format!("{short}:{nth}").into()
}

/// Parses a steer file: one JSON object a line; empty lines and lines that begin with `#` are skipped.
///
/// # Errors
/// Every invalid line, with its number.
pub fn read_file(source: &str) -> Result<Vec<(Key, SteerLine)>, Vec<BadFileLine>> {
    let mut lines = Vec::new();
    let mut bad = Vec::new();
    let mut seen = HashMap::new();
    for (i, raw) in source.lines().enumerate() {
        let raw = raw.trim();
        if raw.is_empty() || raw.starts_with('#') {
            continue;
        }
        let key = file_key(raw, &mut seen);
        let line = SteerLine::parse(raw).map_err(|e| e.0).and_then(|line| {
            compiles(&line)?;
            starts_nothing(&line)?;
            Ok(line)
        });
        match line {
            Ok(line) => lines.push((key, line)),
            Err(why) => bad.push(BadFileLine { number: i + 1, why }),
        }
    }
    if bad.is_empty() { Ok(lines) } else { Err(bad) }
}

/// Rejects a line that allows a program to start: a file that adds a participant must not allow its program as well.
fn starts_nothing(line: &SteerLine) -> Result<(), String> {
    match &line.command {
        Command::Decide { tool, yes: true, .. } if tool.ends_with(&permission("", START)[..]) => {
            Err(format!("`decide {tool}` is for the screen, not for a file"))
        }
        _ => Ok(()),
    }
}

/// Compiles the condition of a line, if it has one.
fn compiled(line: &SteerLine) -> Result<Option<Condition>, ExprError> {
    match &line.trigger {
        Some(Trigger::When(when)) => Condition::compile(when).map(Some),
        Some(
            Trigger::After { .. } | Trigger::Said { .. } | Trigger::During { .. } | Trigger::At(_),
        )
        | None => Ok(None),
    }
}

/// Checks the condition of a line, if it has one: its syntax and its names.
///
/// # Errors
/// The fault of the condition, and a replacement.
pub fn compiles(line: &SteerLine) -> Result<(), ConditionFault> {
    let Some(Trigger::When(when)) = &line.trigger else { return Ok(()) };
    let told = |fault: ExprError, fix: Option<String>| {
        let fix = fix.map(|fix| format!("; {fix}")).unwrap_or_default();
        format!("`when`, {}: {fault}{fix}", fault.place(when))
    };
    let condition = Condition::compile(when).map_err(|fault| {
        let rest = when.get(fault.column..).unwrap_or_default();
        let word = rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next();
        let known = Some(fault.known).filter(|known| !known.is_empty());
        let fix = known.zip(word).map(|(known, word)| near::instead(word, known));
        told(fault, fix)
    })?;
    match condition.names().find(|(name, _)| !OF_CONVERSATION.contains(name)) {
        None => Ok(()),
        Some((name, column)) => {
            let fault = ExprError::new(facts::unknown(name, OF_CONVERSATION), column);
            Err(told(fault, Some(facts::instead(name, OF_CONVERSATION))).into())
        }
    }
}

impl Steering {
    /// Adds a line; one whose condition does not compile never becomes due.
    pub fn push(&mut self, key: Key, line: SteerLine) {
        let condition = compiled(&line).ok().flatten();
        self.waiting.push(Waiting {
            key,
            line,
            condition,
            warned: false,
            held: None,
            acted: false,
        });
        self.evaluated = None;
    }

    /// Returns the first line that is due.
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
                (Some(Trigger::Said { participant }), _) => last_of(state, participant).is_some(),
                (Some(Trigger::During { utterance, words }), _) => is_at(live, *utterance, *words),
                (Some(Trigger::When(_)), condition) => {
                    match condition.as_ref().zip(facts.as_ref()).map(|(c, facts)| c.holds(facts)) {
                        Some(Ok(holds)) => holds,
                        Some(Err(fault)) if !w.warned => {
                            w.warned = true;
                            let text = format!("steering condition: {fault}");
                            return Some(Due::Warning(text.into()));
                        }
                        // without a check the value is unchanged
                        None => w.held.unwrap_or(false),
                        Some(Err(_)) => false,
                    }
                }
            };
            if w.line.every {
                let Some(key) = due_again(state, w, due) else { continue };
                let line = w.line.clone();
                let id = w.key.clone();
                w.acted = true;
                self.evaluated = None;
                debug_assert!(key != id, "each time has a key of its own");
                return Some(Due::Line(key, line));
            }
            if due {
                let w = self.waiting.remove(i);
                // its effect may make another condition true before the next event
                self.evaluated = None;
                return Some(Due::Line(w.key, w.line));
            }
        }
        None
    }

    /// Drops all waiting lines, because nothing can make them due any more.
    pub fn give_up(&mut self, state: &State) -> Vec<(Key, SteerLine)> {
        let fired = |w: &Waiting| w.acted || state.keys.contains_key(&w.key) || times(state, w) > 0;
        let left = self.waiting.drain(..).filter(|w| !fired(w));
        left.map(|w| (w.key, w.line)).collect()
    }

    /// Returns the next time at which a line becomes due by time alone.
    pub fn wake(&self) -> Option<Ms> {
        let moments = self.waiting.iter().filter_map(|w| match w.line.trigger {
            Some(Trigger::At(ms)) => Some(Ms(ms)),
            Some(
                Trigger::After { .. }
                | Trigger::Said { .. }
                | Trigger::During { .. }
                | Trigger::When(_),
            )
            | None => None,
        });
        moments.min()
    }
}

/// Returns the number of times a breakpoint has acted, according to the log.
fn times(state: &State, w: &Waiting) -> usize {
    let begins = format!("{}/", w.key.0);
    if w.line.every { state.keys.keys().filter(|k| k.0.starts_with(&begins)).count() } else { 0 }
}

/// Returns the key of a breakpoint's next action if it is due: its condition has just become true, or the participant
/// has spoken since. A breakpoint that acted before a resume counts as still true.
fn due_again(state: &State, w: &mut Waiting, holds: bool) -> Option<Key> {
    if let Some(Trigger::Said { participant }) = &w.line.trigger {
        let key: Key = format!("{}/{}", w.key.0, last_of(state, participant)?).into();
        return (!state.keys.contains_key(&key)).then_some(key);
    }
    let times = times(state, w);
    let held = w.held.replace(holds).unwrap_or(times > 0);
    (holds && !held).then(|| format!("{}/{}", w.key.0, times + 1).into())
}

/// Returns the number of a participant's last ended turn.
fn last_of(state: &State, seat: &str) -> Option<u32> {
    let spoken = state.entries.iter().rev().filter(|e| e.seat().is_some_and(|s| **s == *seat));
    spoken.filter_map(|e| e.number).next().filter(|n| has_ended(state, *n))
}

/// Returns whether turn N has ended: granted, and no longer in progress.
fn has_ended(state: &State, number: u32) -> bool {
    let owed = |t: &crate::state::Thread| {
        let batch = t.batch.as_ref();
        batch.is_some_and(|b| b.interrupted.values().any(|i| i.number == Some(number)))
    };
    number <= state.numbers
        && !state.turns.values().any(|t| t.number == Some(number))
        && !state.open_threads().any(owed)
}

/// Returns whether turn N is in progress and has shown this many words.
fn is_at(live: &Live, number: u32, words: u32) -> bool {
    let turn = live.state.turns.values().find(|t| t.number == Some(number));
    turn.is_some_and(|t| words == 0 || live.said(t.id).split_whitespace().count() >= words as usize)
}
