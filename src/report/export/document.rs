//! A conversation in its final state, for formats that need all of it at once.

use super::discretion::{LEFT_OUT, Private};
use super::{Spelling, Telling};
use crate::analysis::{self, Analysis, Cell, MomentKind, TimedTurn, TurnLog};
use crate::model::event::OPERATOR;
use crate::model::{Reveal, Seq, Text, Wall};
use crate::session::replay::Recording;
use crate::session::{
    self, PieceMatches, ReadProgress, Record, Records, Redaction, SessionError, Survey, Want,
};
use crate::state::{Entry, State};
use crate::text;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// Input of a format. Private content is already removed, except as `reveal` allows.
pub struct Document {
    /// Id of the session: its file name.
    pub id: String,
    /// Events as stored, which the formats never see.
    records: Records,
    /// Content to remove from the events.
    redaction: Redaction,
    /// Positions of that content in the pieces.
    matches: PieceMatches,
    /// True if nothing is removed and no line contains an API key.
    is_as_read: bool,
    /// Start of the session; `None` without events.
    pub began: Option<Wall>,
    /// State after the last event.
    pub state: State,
    /// Details that the state does not keep: timed turns and key events.
    pub turn_log: TurnLog,
    /// Private content that is included.
    pub reveal: Reveal,
    /// True if the steering log is left out of the narration.
    pub is_clean: bool,
    /// True if a page gets a player, which needs a script.
    pub has_player: bool,
    /// Address at which a page will be, and that of its picture; `None` if they are not known.
    pub addresses: Option<(String, String)>,
    /// Number of events written, for formats that iterate over them.
    pub progress: ReadProgress,
}

impl Document {
    /// Reads the document of a session. Its events stay in the file, and formats that need them read them again.
    ///
    /// # Errors
    /// See [`read`](session::read) and [`Redaction::apply`].
    pub fn read(
        path: &Path,
        reveal: Reveal,
        progress: &ReadProgress,
    ) -> Result<(Survey, Document), SessionError> {
        let (mut private, mut state, mut turn_log) =
            (Private::default(), State::default(), TurnLog::default());
        let mut keys = false;
        let survey = session::read(path, Want::All, progress, &mut |found| {
            keys |= !keys && found.has_keys();
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
        let id = survey.files.id();
        let began = survey.began;
        let is_as_read = redaction.is_empty() && !keys;
        let mut document = Document {
            id,
            records,
            redaction,
            matches,
            is_as_read,
            began,
            state,
            turn_log,
            reveal,
            is_clean: false,
            has_player: true,
            addresses: None,
            progress: ReadProgress::default(),
        };
        if !is_as_read {
            state = State::default();
            turn_log = TurnLog::default();
            for record in document.records() {
                let record = record?;
                state.apply(&record.event);
                turn_log.take(&record.event);
            }
            document.state = state;
            document.turn_log = turn_log;
        }
        Ok((survey, document))
    }

    /// Returns the events with their lines, in order.
    pub fn records(&self) -> impl Iterator<Item = Result<Arc<Record>, SessionError>> {
        let mut rebuilding = self.redaction.rebuilding(&self.matches);
        self.records
            .iter()
            .map(move |record| if self.is_as_read { Ok(record) } else { rebuilding.take(&record) })
    }

    /// Writes the text that `spell` returns for each event.
    pub(super) fn write_each(
        &self,
        out: &mut dyn Write,
        mut spell: impl FnMut(&Record) -> String,
    ) -> io::Result<()> {
        self.progress.begin(self.records.len() as u64);
        for record in self.records() {
            let record = record.map_err(io::Error::other)?;
            out.write_all(spell(&record).as_bytes())?;
            self.progress.step();
        }
        Ok(())
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

    /// Starts the narration of the conversation.
    pub(super) fn telling(&self) -> Telling {
        let telling = if self.reveal.hidden {
            Telling::with_hidden(&self.state)
        } else {
            Telling::without_hidden(&self.state)
        };
        if self.is_clean { telling.clean(&self.state) } else { telling }
    }

    /// Writes the narration from first to last in a format.
    pub(super) fn write_narration(&self, out: &mut dyn Write, spell: Spelling) -> io::Result<()> {
        let mut telling = self.telling();
        self.write_each(out, |record| telling.next(&record.event, spell))?;
        out.write_all(telling.rest().as_bytes())
    }

    /// Returns the title, safe for one line.
    pub fn title(&self) -> String {
        text::label(&self.state.shown_title()).into_owned()
    }

    /// Returns every visible message with its turn. A message counts as written when the next one is requested.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&Entry, Option<&TimedTurn>)> {
        let mut entries: Vec<&Entry> = self.state.entries.iter().collect();
        // turns of a simultaneous round end in any order
        entries.chunk_by_mut(|a, b| a.number.is_some() && b.number.is_some()).for_each(|turns| {
            turns.sort_by_key(|entry| entry.number);
        });
        let count = entries.len();
        self.progress.begin(count as u64);
        let entries = self.progress.through(entries.into_iter(), count);
        let shown = entries.filter(|e| self.reveal.hidden || e.hidden.is_none());
        shown.map(|e| (e, e.version().turn.and_then(|turn| self.turn_log.spent(turn))))
    }

    /// Returns the name of a message's author.
    pub(super) fn speaker(&self, entry: &Entry) -> String {
        entry.seat().map_or_else(|| OPERATOR.to_owned(), |id| analysis::name(&self.state, id))
    }
}

/// Writes the lines of the session, without private content.
pub fn jsonl(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    document.write_each(out, |record| record.line.clone())
}

/// Writes every message as comma-separated values, one row each.
pub fn csv(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"number,at_ms,participant,name,to,text,words,tokens_out,usd,cut\n")?;
    for (entry, spent) in document.entries() {
        let to: Vec<&str> = entry.to.iter().map(|s| &**s).collect();
        let number = |n: Option<String>| n.unwrap_or_default();
        let fields = [
            number(entry.number.map(|n| n.to_string())),
            number(spent.map(|s| s.granted.0.to_string())),
            entry.seat().map_or(OPERATOR.to_owned(), |s| s.to_string()),
            document.speaker(entry),
            to.join(" "),
            text::block(entry.text()).into_owned(),
            words_in(entry.text()),
            number(spent.and_then(|s| s.usage.as_ref()).map(|u| u.output.to_string())),
            number(spent.and_then(|s| s.cost).map(|c| c.to_string())),
            spent.filter(|s| s.why.is_some()).map_or(String::new(), |_| "cut".into()),
        ];
        let fields: Vec<String> = fields.iter().map(|f| super::figures::field(f)).collect();
        writeln!(out, "{}", fields.join(","))?;
        for whisper in &entry.version().whispers {
            let mut row = fields.clone();
            let words = text::block(&whisper.text).into_owned();
            let count = words_in(&words);
            for (column, value) in [(4, whisper.to.to_string()), (5, words), (6, count)] {
                if let Some(field) = row.get_mut(column) {
                    *field = super::figures::field(&value);
                }
            }
            // the cost of the turn is in the row of its public message
            row.iter_mut().skip(7).for_each(String::clear);
            writeln!(out, "{}", row.join(","))?;
        }
    }
    Ok(())
}

/// Returns the number of words, or nothing if they were left out.
fn words_in(text: &str) -> String {
    if text == LEFT_OUT { String::new() } else { text::word_count(text).to_string() }
}

/// Everything that was said, as JSON: a value at a time.
struct Said<'a>(&'a Document);

impl Serialize for Said<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Said(document) = self;
        to.collect_seq(document.entries().map(|(entry, spent)| {
            json!({
                "number": entry.number,
                "participant": entry.seat().map_or(OPERATOR, |s| s),
                "name": document.speaker(entry),
                "to": entry.to,
                "at_ms": spent.map(|s| s.granted),
                "floor_ms": spent.map(|s| s.ended.since(s.granted)),
                "text": text::block(entry.text()),
                "whispers": entry.version().whispers,
                "reasoning": spent.and_then(|s| s.think.as_ref()).map(|t| text::block(t)),
                "mentions": entry.mentions,
                "alternatives": entry.versions.len(),
                "edited": entry.edited.is_some(),
                "cut": entry.version().cut,
                "voice": text::line(&entry.version().model),
                "usage": spent.and_then(|s| s.usage.as_ref()),
                "usd": spent.and_then(|s| s.cost),
            })
        }))
    }
}

/// Writes the conversation as one JSON object: participants, messages and analysis.
pub fn json(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    let state = &document.state;
    let line = |t: &Text| text::line(t).into_owned();
    let participants: Vec<Value> = state
        .seats
        .iter()
        .map(|s| json!({"id": line(&s.spec.id.0), "name": line(&s.spec.name), "role": s.spec.role.as_ref().map(line),
                        "voice": text::line(&state.voices(s))}))
        .collect();
    let mut pretty = serde_json::Serializer::pretty(&mut *out);
    let mut whole = pretty.serialize_map(None)?;
    whole.serialize_entry("session", &document.id)?;
    whole.serialize_entry("title", &document.title())?;
    whole.serialize_entry("topic", &state.scenario.topic.as_ref().map(line))?;
    whole.serialize_entry("rehearsed", &state.rehearsed)?;
    whole.serialize_entry("result", &state.result.as_ref().map(|(result, _)| result))?;
    whole.serialize_entry("participants", &participants)?;
    whole.serialize_entry("said", &Said(document))?;
    let verdicts = document.turn_log.moments.iter().filter_map(|moment| match &moment.what {
        MomentKind::Verdict(verdict) => Some(&**verdict),
        _ => None,
    });
    whole.serialize_entry("verdicts", &verdicts.collect::<Vec<_>>())?;
    let ended = state.ended.as_ref().map(|e| json!({"reason": e.reason, "settled": e.settled}));
    whole.serialize_entry("ended", &ended)?;
    whole.serialize_entry("lasted_ms", &document.turn_log.lasted())?;
    whole.serialize_entry("paused_ms", &document.turn_log.paused())?;
    let analysis = document.analysis();
    whole.serialize_entry("figures", &super::figures::EachTable(|| analysis.each()))?;
    whole.end()?;
    out.write_all(b"\n")
}

/// Returns the duration as text.
pub(super) fn lasted(document: &Document) -> String {
    Cell::At(document.turn_log.lasted()).shown()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::{FORMATS, Spell};

    /// A sink that records the progress of the export at each write.
    struct Looks(ReadProgress, Vec<u64>);

    impl Write for Looks {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1.push(self.0.percent());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn every_format_says_how_far_it_is() {
        let path = Path::new(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../record/assets/sessions/example-rehearsed.jsonl"
        ));
        for format in FORMATS {
            let Spell::Document(spell) = format.spell else { continue };
            let (_, mut document) =
                Document::read(path, Reveal::default(), &ReadProgress::default()).unwrap();
            let mut looks = Looks(ReadProgress::default(), vec![]);
            document.progress = looks.0.clone();
            spell(&document, &mut looks).unwrap();
            let Looks(progress, percents) = looks;
            assert!(percents.is_sorted(), "{}: {percents:?}", format.name);
            assert!(
                percents.iter().any(|at| (10..90).contains(at)),
                "{}: {percents:?}",
                format.name
            );
            assert_eq!(progress.percent(), 100, "{}", format.name);
        }
    }
}
