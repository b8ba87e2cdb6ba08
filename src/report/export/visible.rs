//! Sessions as exports and clients get them: by default without whispers, notes to some seats, and hidden utterances.
//!
//! Private content is removed from the events before any format or client sees them, so that none can forget it. It is
//! collected while the events are read; a second pass is needed only if there is any.

use super::{Spelling, Telling};
use crate::analysis::{Analysis, TurnLog};
use crate::logged::Logged;
use crate::model::contract::WHISPER;
use crate::model::{
    BatchId, Command, Event, Key, Kind, Participant, Reveal, SeatId, Seq, SteerLine, TurnId,
    VoiceSpec,
};
use crate::session::replay::Recording;
use crate::session::{
    self, PieceMatches, ReadProgress, Record, Records, Redaction, SessionError, Survey, Want,
};
use crate::state::State;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// The text that replaces words that were left out.
pub(super) const LEFT_OUT: &str = "[left out]";

/// A saved conversation as its readers see it: without whispers, notes to some seats and hidden utterances, unless they
/// are revealed. Exports and clients get a session in this form alone.
pub struct Seen {
    /// Files and faults of the session.
    pub survey: Survey,
    /// State after the last event.
    pub state: State,
    /// Details that the state does not keep: timed turns and key events.
    pub turn_log: TurnLog,
    /// Private content that is included.
    pub reveal: Reveal,
    /// Events as stored.
    records: Records,
    /// Content to remove from the events.
    redaction: Redaction,
    /// Positions of that content in the pieces.
    matches: PieceMatches,
    /// True if nothing is removed and no line contains an API key.
    is_as_read: bool,
}

impl Seen {
    /// Reads a session. Its events stay in the file; each iteration reads them again.
    ///
    /// # Errors
    /// See [`read`](session::read) and [`Redaction::apply`].
    pub fn read(
        path: &Path,
        reveal: Reveal,
        progress: &ReadProgress,
    ) -> Result<Seen, SessionError> {
        let mut private = Private::default();
        let mut state = State::default();
        let mut turn_log = TurnLog::default();
        let mut has_keys = false;
        let survey = session::read(path, Want::All, progress, &mut |found| {
            has_keys |= !has_keys && found.has_keys();
            private.take(found.event);
            state.apply(found.event);
            turn_log.take(found.event);
        })?;
        let records = survey.records();
        let redaction = private.redaction(&state, &records, reveal);
        let matches = if redaction.is_empty() {
            PieceMatches::default()
        } else {
            redaction.matches(records.iter())
        };
        let is_as_read = redaction.is_empty() && !has_keys;
        let seen =
            Seen { survey, state, turn_log, reveal, records, redaction, matches, is_as_read };
        if is_as_read {
            return Ok(seen);
        }
        let mut state = State::default();
        let mut turn_log = TurnLog::default();
        for record in seen.records() {
            let record = record?;
            state.apply(&record.event);
            turn_log.take(&record.event);
        }
        Ok(Seen { state, turn_log, ..seen })
    }

    /// Returns the id of the session.
    pub fn id(&self) -> String {
        self.survey.files.id()
    }

    /// Returns the number of events.
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns the events with their lines, in order.
    pub fn records(&self) -> impl Iterator<Item = Result<Arc<Record>, SessionError>> {
        self.rebuilt(self.records.iter())
    }

    fn rebuilt(
        &self,
        records: impl Iterator<Item = Arc<Record>>,
    ) -> impl Iterator<Item = Result<Arc<Record>, SessionError>> {
        let mut rebuilding = self.redaction.rebuilding(&self.matches);
        records
            .map(move |record| if self.is_as_read { Ok(record) } else { rebuilding.take(&record) })
    }

    /// Returns a recording of the events.
    pub fn recording(&self) -> Result<Recording, SessionError> {
        Ok(if self.is_as_read {
            Recording::new(self.records.clone())
        } else {
            Recording::new(self.records().collect::<Result<Vec<_>, _>>()?)
        })
    }

    /// Returns the analysis of the conversation.
    pub fn analysis(&self) -> Analysis<'_> {
        Analysis { state: &self.state, turn_log: &self.turn_log, from: Seq(0) }
    }

    /// Returns the narration of the conversation in a format.
    pub fn narration(&self, spell: Spelling) -> Result<String, SessionError> {
        let mut telling = Telling::without_hidden(&self.state);
        let mut text = String::new();
        for record in self.records() {
            text.push_str(&telling.next(&record?.event, spell));
        }
        Ok(text + &telling.rest())
    }
}

/// The events without pieces.
impl<'a> IntoIterator for &'a Seen {
    type Item = Arc<Record>;
    type IntoIter = Box<dyn Iterator<Item = Arc<Record>> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        // an event that was rebuilt once can be rebuilt again
        Box::new(self.rebuilt(self.records.skim()).map_while(Result::ok))
    }
}

/// Private content of a conversation, collected event by event.
#[derive(Debug, Default)]
struct Private {
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
    // the marker counts in any case at the beginning of a line, and in capitals behind a blank
    let marker = |text: &str| {
        let mut begins = 0;
        let at = text.split_inclusive('\n').find_map(|line| {
            let words = line.trim_start_matches(|c: char| !c.is_alphanumeric());
            let begin = begins + line.len() - words.len();
            begins += line.len();
            let word = words.get(..WHISPER.len())?;
            word.eq_ignore_ascii_case(WHISPER).then_some(begin)
        });
        at.into_iter().chain(text.find(WHISPER)).min()
    };
    let whispers = paragraphs.filter_map(|text| Some(text.get(marker(text)?..)?.trim().to_owned()));
    whispers.collect()
}

impl Private {
    /// Processes an event.
    fn take(&mut self, event: &Event) {
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
    fn redaction(self, state: &State, records: &Records, reveal: Reveal) -> Redaction {
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

/// Returns true if a steering line, which may be invalid, is for some seats only, or was refused because it may be.
fn is_private_line(line: &Value) -> bool {
    let addresses = |key: &str| {
        let text = line[key].as_str().unwrap_or_default();
        text.replace(['＠', '﹫'], "@").contains("@@") || text.to_lowercase().contains("whisper")
    };
    match line["do"].as_str() {
        Some("whisper") => true,
        Some("note") if line.get("to").is_some_and(|to| *to != Value::Array(vec![])) => true,
        _ => addresses("text") || addresses("question"),
    }
}

/// Returns true if the receipt of a line that was never due contains private text.
fn spells_a_whisper(why: &str) -> bool {
    let line = why.find('{').and_then(|at| SteerLine::parse(&why[at..]).ok());
    line.is_some_and(|line| line.command.is_private())
}
