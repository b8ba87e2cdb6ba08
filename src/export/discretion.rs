//! What an export leaves out by default: whispers, and what was hidden.
//!
//! It is removed from the events, before any format sees them, so that no format can forget it.

use crate::model::{BatchId, Command, Event, Key, Kind, Participant, SeatId, SteerLine, TurnId};
use crate::session::{Record, Redaction, SessionError};
use crate::state::State;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The text that replaces words that were left out.
const LEFT_OUT: &str = "[left out]";

/// Private content that an export shows all the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reveal {
    /// Words to one seat alone, of the operator or of another seat.
    pub whispers: bool,
    /// Utterances that were hidden in the end.
    pub hidden: bool,
}

/// Returns the events as an export may use them.
///
/// # Errors
/// As [`Redaction::apply`].
pub fn discreet(records: &[Arc<Record>], reveal: Reveal) -> Result<Vec<Arc<Record>>, SessionError> {
    let mut out = Redaction { mark: LEFT_OUT.into(), ..Redaction::default() };
    let events = || records.iter().map(|r| &r.event);
    if !reveal.whispers {
        out.commands = whispers(events());
        out.add_whispers(records, whisperers(records));
        out.turns.extend(summaries_of_whispers(events()));
    }
    if !reveal.hidden {
        let state = State::fold(events());
        let hidden = state.entries.iter().filter(|e| e.hidden.is_some());
        hidden.filter_map(|e| e.number).for_each(|number| out.add_utterance(records, number));
    }
    out.apply(records)
}

/// Returns the turns in which a participant whispered, or began to: what came before a retry is in the pieces alone.
fn whisperers(records: &[Arc<Record>]) -> BTreeSet<TurnId> {
    let mut seats: BTreeSet<SeatId> = BTreeSet::new();
    let state = State::fold(records.iter().map(|r| &r.event));
    let mut may = |seat: &Participant| {
        if !seat.reply.to.is_empty() {
            seats.insert(seat.id.clone());
        }
    };
    state.seats.iter().for_each(|s| may(&s.spec));
    for record in records {
        if let Kind::Opened(opened) = &record.event.kind {
            opened.participants.iter().for_each(&mut may);
        }
    }
    let mut said: BTreeMap<TurnId, String> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for record in records.iter().filter(|_| !seats.is_empty() || state.whispered) {
        match &record.event.kind {
            Kind::FloorGranted(g) if seats.contains(&g.participant) => {
                said.insert(TurnId(record.event.seq.0), String::new());
            }
            Kind::Delta(delta) => {
                for run in &delta.pieces {
                    said.entry(run.0).and_modify(|text| text.push_str(&run.2));
                }
            }
            Kind::TurnEnded(end) => {
                let all =
                    said.remove(&end.turn).map(|text| text + end.raw.as_deref().unwrap_or(""));
                let began = all.is_some_and(|text| text.to_lowercase().contains("whisper"));
                if began || !end.whispers.is_empty() {
                    found.insert(end.turn);
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns the turns that summed up the conversation for the receiver of a whisper: the summary may repeat it.
fn summaries_of_whispers<'a>(events: impl Iterator<Item = &'a Event>) -> BTreeSet<TurnId> {
    let mut told: BTreeSet<SeatId> = BTreeSet::new();
    let mut batches: BTreeSet<BatchId> = BTreeSet::new();
    let mut turns = BTreeSet::new();
    for event in events {
        match &event.kind {
            Kind::CommandGiven(given) => {
                if let Command::Whisper { to, .. } = &given.line.command {
                    told.insert(to.clone());
                }
            }
            Kind::TurnEnded(end) => told.extend(end.whispers.iter().map(|w| w.to.clone())),
            Kind::BatchOpened(batch)
                if batch.summary_task().is_some_and(|task| told.contains(&task.viewer)) =>
            {
                batches.insert(BatchId(event.seq.0));
            }
            Kind::FloorGranted(grant) if batches.contains(&grant.batch) => {
                turns.insert(TurnId(event.seq.0));
            }
            _ => {}
        }
    }
    turns
}

/// Returns the keys of all whispers, given or refused, and of what changed their words while they waited.
fn whispers<'a>(events: impl Iterator<Item = &'a Event>) -> BTreeSet<Key> {
    let mut keys = BTreeSet::new();
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

/// Returns whether a receipt of a line that was never due contains private words.
fn spells_a_whisper(why: &str) -> bool {
    let line = why.find('{').and_then(|at| SteerLine::parse(&why[at..]).ok());
    line.is_some_and(|line| line.command.is_private())
}
