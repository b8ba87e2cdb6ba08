//! A conversation in its final state, for formats that are not written from first to last.

use super::narrate::told;
use super::{Narrator, Reveal, Spelling, discreet};
use crate::analysis::{self, Analysis, Cell, TimedTurn, TurnLog};
use crate::model::event::OPERATOR;
use crate::model::{Seq, Text, TurnId};
use crate::session::{Log, Record, SessionError};
use crate::state::{Entry, State};
use crate::text;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// What a format is made from; what `reveal` does not name is already left out.
pub struct Document {
    /// The session's id, which is its file name.
    pub id: String,
    /// Its events with their lines, in order.
    pub records: Vec<Arc<Record>>,
    /// The state after the last event.
    pub state: State,
    /// What the state does not keep: timed turns and key events.
    pub turn_log: TurnLog,
    /// Private content that is shown all the same.
    pub reveal: Reveal,
}

impl Document {
    /// Returns the document of a session.
    ///
    /// # Errors
    /// As [`discreet`].
    pub fn new(log: &Log, reveal: Reveal) -> Result<Document, SessionError> {
        let records = discreet(&log.records, reveal)?;
        let (state, turn_log) = analysis::fold(records.iter().map(|r| &r.event));
        Ok(Document { id: log.files.id(), records, state, turn_log, reveal })
    }

    /// Returns it as something to look at.
    pub fn study(&self) -> Analysis<'_> {
        Analysis { state: &self.state, turn_log: &self.turn_log, from: Seq(0) }
    }

    /// Returns a narrator for the conversation.
    pub(super) fn narrator(&self) -> Narrator {
        let mut narrator = match self.reveal.hidden {
            true => Narrator::default(),
            false => Narrator::leaving_out(&self.state),
        };
        narrator.title = Some(self.state.shown_title());
        narrator
    }

    /// Returns the narration from first to last, spelled by a format.
    pub(super) fn told(&self, spell: Spelling) -> String {
        told(self.records.iter().map(|r| &r.event), self.narrator(), spell)
    }

    /// Returns the title, safe for one line.
    pub fn title(&self) -> String {
        text::label(&self.state.shown_title()).into_owned()
    }

    /// Returns everything that was said and is not hidden, with its turn.
    fn entries(&self) -> impl Iterator<Item = (&Entry, Option<&TimedTurn>)> {
        let shown = self.state.entries.iter().filter(|e| self.reveal.hidden || e.hidden.is_none());
        shown.map(|e| (e, e.version().turn.and_then(|turn| self.turn_log.spent(turn))))
    }

    fn speaker(&self, entry: &Entry) -> String {
        entry.seat().map_or_else(|| OPERATOR.to_owned(), |id| analysis::name(&self.state, id))
    }
}

/// Returns the lines of the session, as its file has them.
pub fn jsonl(document: &Document) -> String {
    document.records.iter().map(|r| r.line.as_str()).collect()
}

/// Returns everything that was said as comma-separated values, one row each.
pub fn csv(document: &Document) -> String {
    let mut out = "number,at_ms,participant,name,to,text,words,tokens_out,usd,cut\n".to_owned();
    for (entry, spent) in document.entries() {
        let to: Vec<&str> = entry.to.iter().map(|s| &**s).collect();
        let end = spent.map(|s| &s.end);
        let number = |n: Option<String>| n.unwrap_or_default();
        let fields = [
            number(entry.number.map(|n| n.to_string())),
            number(spent.map(|s| s.granted.0.to_string())),
            entry.seat().map_or(OPERATOR.to_owned(), |s| s.to_string()),
            document.speaker(entry),
            to.join(" "),
            text::block(entry.text()).into_owned(),
            text::word_count(entry.text()).to_string(),
            number(end.and_then(|e| e.usage.as_ref()).map(|u| u.output.to_string())),
            number(end.and_then(|e| e.cost).map(|c| c.to_string())),
            end.filter(|e| e.why.is_some()).map_or(String::new(), |_| "cut".into()),
        ];
        let fields: Vec<String> = fields.iter().map(|f| super::figures::field(f)).collect();
        out.push_str(&format!("{}\n", fields.join(",")));
        for whisper in &entry.version().whispers {
            let mut row = fields.clone();
            let words = text::block(&whisper.text).into_owned();
            let count = text::word_count(&words).to_string();
            for (column, value) in [(4, whisper.to.to_string()), (5, words), (6, count)] {
                if let Some(field) = row.get_mut(column) {
                    *field = super::figures::field(&value);
                }
            }
            // the cost of the turn is beside its public words
            row.iter_mut().skip(7).for_each(String::clear);
            out.push_str(&format!("{}\n", row.join(",")));
        }
    }
    out
}

/// Returns everything as one JSON object: who, what, and the analysis.
pub fn json(document: &Document) -> String {
    let state = &document.state;
    let line = |t: &Text| text::line(t).into_owned();
    let participants: Vec<Value> = state
        .seats
        .iter()
        .map(|s| json!({"id": line(&s.spec.id.0), "name": line(&s.spec.name), "role": s.spec.role.as_ref().map(line),
                        "voice": text::line(&s.spec.voice.label())}))
        .collect();
    let thoughts: HashMap<TurnId, &Text> = document
        .turn_log
        .turns
        .iter()
        .filter_map(|t| Some((t.end.turn, t.end.think.as_ref()?)))
        .collect();
    let said: Vec<Value> = document
        .entries()
        .map(|(entry, spent)| {
            let thought = entry.version().turn.and_then(|turn| thoughts.get(&turn));
            json!({
                "number": entry.number,
                "participant": entry.seat().map_or(OPERATOR, |s| s),
                "name": document.speaker(entry),
                "to": entry.to,
                "at_ms": spent.map(|s| s.granted),
                "floor_ms": spent.map(|s| s.ended.since(s.granted)),
                "text": text::block(entry.text()),
                "whispers": entry.version().whispers,
                "reasoning": thought.map(|t| text::block(t)),
                "mentions": entry.mentions,
                "alternatives": entry.versions.len(),
                "edited": entry.edited.is_some(),
                "cut": entry.version().cut,
                "usage": spent.and_then(|s| s.end.usage.as_ref()),
                "usd": spent.and_then(|s| s.end.cost),
            })
        })
        .collect();
    let whole = json!({
        "session": document.id,
        "title": document.title(),
        "topic": state.scenario.topic.as_ref().map(line),
        "rehearsed": state.rehearsed,
        "participants": participants,
        "said": said,
        "ended": state.ended.as_ref().map(|e| json!({"reason": e.reason, "settled": e.settled})),
        "lasted_ms": document.turn_log.lasted(),
        "paused_ms": document.turn_log.paused(),
        "figures": super::figures::json(&document.study().tables()),
    });
    format!("{whole:#}\n")
}

/// Returns how long it took, in words.
pub(super) fn lasted(document: &Document) -> String {
    Cell::At(document.turn_log.lasted()).shown()
}
