//! What an export leaves out unless somebody asks for it: whispers, and what was hidden.
//!
//! It is taken out of the events, before any format sees them, so that no format can forget it.

use crate::model::{Command, Event, Key, Kind, SteerLine};
use crate::session::{Record, Redaction, SessionError};
use crate::state::State;
use std::sync::Arc;

/// What stands in the place of words that were left out.
const LEFT_OUT: &str = "[left out]";

/// What is shown although it was not meant for everybody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reveal {
    /// The operator's words to one seat alone.
    pub whispers: bool,
    /// Utterances that were hidden in the end.
    pub hidden: bool,
}

/// Returns the events as an export tells them.
///
/// # Errors
/// As [`Redaction::apply`].
pub fn discreet(records: &[Arc<Record>], reveal: Reveal) -> Result<Vec<Arc<Record>>, SessionError> {
    let mut out = Redaction { mark: LEFT_OUT.into(), ..Redaction::default() };
    let events = || records.iter().map(|r| &r.event);
    if !reveal.whispers {
        out.commands = whispers(events());
    }
    if !reveal.hidden {
        let state = State::fold(events());
        let hidden = state.entries.iter().filter(|e| e.hidden.is_some());
        hidden.filter_map(|e| e.number).for_each(|number| out.add_utterance(records, number));
    }
    out.apply(records)
}

/// Returns the keys of all whispers, given or refused, and of what changed their words while they waited.
fn whispers<'a>(events: impl Iterator<Item = &'a Event>) -> std::collections::BTreeSet<Key> {
    let mut keys = std::collections::BTreeSet::new();
    let mut ids = Vec::new();
    for event in events {
        match &event.kind {
            Kind::CommandGiven(given) => match &given.line.command {
                Command::Whisper { .. } => {
                    keys.insert(given.key.clone());
                    ids.extend(given.line.id.clone());
                }
                Command::EditQueued { of, .. } if keys.contains(&**of) || ids.contains(of) => {
                    keys.insert(given.key.clone());
                }
                _ => {}
            },
            Kind::CommandRefused(refused) if refused.line["do"] == "whisper" => {
                keys.insert(refused.key.clone());
            }
            Kind::Receipt(receipt) if receipt.why.as_deref().is_some_and(spells_a_whisper) => {
                keys.insert(receipt.of.clone());
            }
            _ => {}
        }
    }
    keys
}

/// Whether a receipt of a line that was never due tells words that were not for everybody.
fn spells_a_whisper(why: &str) -> bool {
    let line = why.find('{').and_then(|at| SteerLine::parse(&why[at..]).ok());
    line.is_some_and(|line| line.command.is_private())
}
