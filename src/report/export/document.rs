//! A conversation in its final state, for formats that need all of it at once.

use super::visible::{LEFT_OUT, Seen};
use super::{Spelling, Telling};
use crate::analysis::{self, Cell, MomentKind, TimedTurn};
use crate::model::Text;
use crate::model::event::OPERATOR;
use crate::session::{ReadProgress, Record};
use crate::state::Entry;
use crate::text;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::ops::Deref;

/// Input of a format.
pub struct Document {
    /// Id of the session: its file name.
    pub id: String,
    seen: Seen,
    /// True if the steering log is left out of the narration.
    pub is_clean: bool,
    /// True if a page gets a player, which needs a script.
    pub has_player: bool,
    /// Address at which a page will be, and that of its picture; `None` if they are not known.
    pub addresses: Option<(String, String)>,
    /// Number of events written, for formats that iterate over them.
    pub progress: ReadProgress,
}

impl Deref for Document {
    type Target = Seen;

    fn deref(&self) -> &Seen {
        &self.seen
    }
}

impl From<Seen> for Document {
    fn from(seen: Seen) -> Document {
        Document {
            id: seen.id(),
            seen,
            is_clean: false,
            has_player: true,
            addresses: None,
            progress: ReadProgress::default(),
        }
    }
}

impl Document {
    /// Writes the text that `spell` returns for each event.
    pub(super) fn write_each(
        &self,
        out: &mut dyn Write,
        mut spell: impl FnMut(&Record) -> String,
    ) -> io::Result<()> {
        self.progress.begin(self.len() as u64);
        for record in self.records() {
            let record = record.map_err(io::Error::other)?;
            out.write_all(spell(&record).as_bytes())?;
            self.progress.step();
        }
        Ok(())
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
    use crate::model::Reveal;
    use std::path::Path;

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
            let seen = Seen::read(path, Reveal::default(), &ReadProgress::default()).unwrap();
            let mut document = Document::from(seen);
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
