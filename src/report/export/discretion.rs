//! Content that an export leaves out by default: whispers, notes to some seats, and hidden utterances.
//!
//! It is removed from the events before any format sees them, so that no format can forget it. Private content is
//! collected while the events are read; a second pass is needed only if there is any.

use crate::logged::Logged;
use crate::model::contract::WHISPER;
use crate::model::{
    BatchId, Command, Event, Key, Kind, Participant, Reveal, SeatId, SteerLine, TurnId, VoiceSpec,
};
use crate::session::{PieceMatches, ReadProgress, Record, Records, Redaction, SessionError};
use crate::state::State;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The text that replaces words that were left out.
pub(super) const LEFT_OUT: &str = "[left out]";

/// Returns the events without private content.
pub fn discreet(records: &[Arc<Record>], reveal: Reveal) -> Result<Vec<Arc<Record>>, SessionError> {
    let mut private = Private::default();
    let mut state = State::default();
    for record in records {
        private.take(&record.event);
        state.apply(&record.event);
    }
    private.redaction(&state, &records.to_vec().into(), reveal).apply(records)
}

/// The events of a session without private content and without pieces. Each iteration reads them again.
pub struct DiscreetRecords {
    records: Records,
    redaction: Redaction,
    matches: PieceMatches,
    /// Number of events read, over all iterations.
    progress: ReadProgress,
}

impl DiscreetRecords {
    /// Prepares the events of a session after `private` and `state` have processed all of them. Each iteration advances
    /// `progress` by the number of events.
    pub fn new(
        records: Records,
        private: Private,
        state: &State,
        reveal: Reveal,
        progress: &ReadProgress,
    ) -> Result<DiscreetRecords, SessionError> {
        let redaction = private.redaction(state, &records, reveal);
        let matches = PieceMatches::default();
        let progress = progress.clone();
        let all = DiscreetRecords { records, redaction, matches, progress };
        if !all.redaction.is_empty() {
            all.rebuilt().try_for_each(|record| record.map(drop))?;
        }
        Ok(all)
    }

    fn rebuilt(&self) -> impl Iterator<Item = Result<Arc<Record>, SessionError>> {
        let mut rebuilding = self.redaction.rebuilding(&self.matches);
        self.records.skim().map(move |record| rebuilding.take(&record))
    }
}

impl<'a> IntoIterator for &'a DiscreetRecords {
    type Item = Arc<Record>;
    type IntoIter = Box<dyn Iterator<Item = Arc<Record>> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        // an event that was rebuilt once can be rebuilt again
        let records = self.rebuilt().map_while(Result::ok);
        Box::new(self.progress.through(records, self.records.len()))
    }
}

/// Private content of a conversation, collected event by event.
#[derive(Clone, Debug, Default)]
pub struct Private {
    /// Keys of whispers and notes to some seats, accepted or refused, and of commands that changed whispers while they
    /// were queued.
    commands: BTreeSet<Key>,
    /// Values of `id` in these commands.
    ids: Vec<crate::model::Text>,
    /// Seats that could whisper at the start.
    whisperers: BTreeSet<SeatId>,
    /// Rehearsed lines that are whispers, also to somebody who is not there.
    rehearsed: Vec<String>,
    /// True if a participant whispered.
    whispered: bool,
}

fn may_whisper(seat: &Participant) -> bool {
    !seat.reply.to.is_empty()
}

/// Returns the paragraphs of rehearsed lines from the marker of a whisper on.
fn rehearsed_whispers(seat: &Participant) -> Vec<String> {
    let VoiceSpec::Lines { lines, .. } = &seat.voice else { return vec![] };
    let paragraphs = lines.iter().flat_map(|line| line.text.split("\n\n"));
    let whispers =
        paragraphs.filter_map(|text| Some(text[text.find(WHISPER)?..].trim().to_owned()));
    whispers.collect()
}

impl Private {
    /// Processes an event.
    pub fn take(&mut self, event: &Event) {
        match &event.kind {
            Kind::Opened(opened) => {
                let may = opened.participants.iter().filter(|seat| may_whisper(seat));
                for seat in may {
                    self.whisperers.insert(seat.id.clone());
                    self.rehearsed.extend(rehearsed_whispers(seat));
                }
            }
            Kind::TurnEnded(end) => self.whispered |= !end.whispers.is_empty(),
            Kind::CommandGiven(given) => match &given.line.command {
                Command::Whisper(_) => {
                    self.commands.insert(given.key.clone());
                    self.ids.extend(given.line.id.clone());
                }
                note @ Command::Note { .. } if note.is_private() => {
                    self.commands.insert(given.key.clone());
                }
                Command::EditQueued { of, .. }
                    if self.commands.contains(&**of) || self.ids.contains(of) =>
                {
                    self.commands.insert(given.key.clone());
                }
                _ => {}
            },
            Kind::CommandRefused(refused) if is_private_line(&refused.line) => {
                self.commands.insert(refused.key.clone());
            }
            Kind::Receipt(receipt)
                if is_private_line(&receipt.line)
                    || receipt.why.as_deref().is_some_and(spells_a_whisper) =>
            {
                self.commands.insert(receipt.of.clone());
            }
            _ => {}
        }
    }

    /// Returns the redaction of the conversation; `state` is the one after its last event.
    pub(super) fn redaction(self, state: &State, records: &Records, reveal: Reveal) -> Redaction {
        let mut out = Redaction { mark: LEFT_OUT.into(), ..Redaction::default() };
        if !reveal.whispers {
            let now = state.seats.iter().map(|s| &s.spec).filter(|seat| may_whisper(seat));
            let seats = now.map(|seat| seat.id.clone()).chain(self.whisperers).collect();
            if self.whispered || !self.commands.is_empty() {
                out.turns.extend(summaries_of_whispers(records.iter()));
            }
            out.commands = self.commands;
            out.texts = self.rehearsed;
            if self.whispered {
                out.add_whispers(records.iter(), BTreeSet::new());
            }
            out.whispered = whisperers(records, &seats, self.whispered);
        }
        if !reveal.hidden {
            let all = || state.entries.iter().filter(|e| e.hidden.is_some());
            out.commands.extend(all().filter_map(|e| e.of.clone()));
            let hidden: BTreeSet<u32> = all().filter_map(|e| e.number).collect();
            if !hidden.is_empty() {
                out.add_utterances(records.iter(), &hidden);
            }
        }
        out
    }
}

/// Returns the turns in which a participant whispered, or started to. Text from before a retry exists only in the
/// pieces.
fn whisperers(records: &Records, seats: &BTreeSet<SeatId>, whispered: bool) -> BTreeSet<TurnId> {
    let mut said: BTreeMap<TurnId, String> = BTreeMap::new();
    let mut found = BTreeSet::new();
    if seats.is_empty() && !whispered {
        return found;
    }
    for record in records.iter() {
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

/// Returns the turns that summarised the conversation for the receiver of a whisper: the summary may repeat it.
fn summaries_of_whispers(events: impl Iterator<Item: Logged>) -> BTreeSet<TurnId> {
    let mut told: BTreeSet<SeatId> = BTreeSet::new();
    let mut batches: BTreeSet<BatchId> = BTreeSet::new();
    let mut turns = BTreeSet::new();
    for event in events {
        let event = event.event();
        match &event.kind {
            Kind::CommandGiven(given) => match &given.line.command {
                Command::Whisper(words) => _ = told.insert(words.to().clone()),
                Command::Note { to, .. } => told.extend(to.iter().cloned()),
                _ => {}
            },
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

/// Returns true if a steering line, which may be invalid, is for some seats only.
fn is_private_line(line: &Value) -> bool {
    match line["do"].as_str() {
        Some("whisper") => true,
        Some("note") => line.get("to").is_some_and(|to| *to != Value::Array(vec![])),
        _ => false,
    }
}

/// Returns true if the receipt of a line that was never due contains private text.
fn spells_a_whisper(why: &str) -> bool {
    let line = why.find('{').and_then(|at| SteerLine::parse(&why[at..]).ok());
    line.is_some_and(|line| line.command.is_private())
}
