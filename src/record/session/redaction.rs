//! Removes the text of turns and commands, or a given text everywhere, from events.
//!
//! Works on events alone, for a rewritten file and for an export. Every event keeps its position, time and author; the
//! set of participants and turns never changes, but a participant may get another name.

use super::Record;
use super::error::SessionError;
use super::renaming::{Match, Renaming};
use crate::logged::Logged;
use crate::model::piece::{pack, unpack};
use crate::model::{Channel, Command, Event, Key, Kind, Ms, Piece, TurnId};
use crate::text;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// Keys whose values are names of participants, commands and outcomes; readers need them.
const NAMES: &[&str] = &crate::strings![
    "id" "participant" "seats" "queue" "key" "of" "who" "to" "mentions" "for" "purpose" "outcome"
    "is" "what" "reason" "kind" "class" "parent" "do" "policy"
];

/// The streams of a turn.
const CHANNELS: [Channel; 2] = [Channel::Say, Channel::Think];

/// Turns shorter than this many characters are not redacted where others repeat them: many people say `Yes.`.
const QUOTED_CHARS: usize = 12;

/// Contents to remove, and their replacement.
#[derive(Clone, Debug, Default)]
pub struct Redaction {
    /// Replacement of removed text.
    pub mark: String,
    /// Turns whose text, reasoning and data are removed.
    pub turns: BTreeSet<TurnId>,
    /// Turns whose whispers are removed, with every field that may contain them.
    pub whispered: BTreeSet<TurnId>,
    /// Turn numbers whose edited texts are removed.
    pub utterances: BTreeSet<u32>,
    /// Keys of commands whose texts are removed.
    pub commands: BTreeSet<Key>,
    /// Texts that are removed everywhere.
    pub texts: Vec<String>,
    /// Facts of the profile that are removed, with the replies that stated them.
    pub facts: BTreeSet<String>,
    /// Names that are replaced everywhere.
    pub names: Renaming,
}

/// Returns the top-level field of the profile that contains a field.
fn top(field: &str) -> &str {
    field.split('.').next().unwrap_or(field)
}

/// Matched texts and names in each stream of pieces.
#[derive(Clone, Debug, Default)]
pub struct PieceMatches(BTreeMap<(TurnId, Channel), Vec<Match>>);

/// Redacts a sequence of events.
pub struct Rebuilding<'a> {
    redaction: &'a Redaction,
    matches: &'a PieceMatches,
    /// The texts, escaped as in a JSON string.
    spelled: Vec<String>,
    /// Current offset in each open stream, in bytes.
    at: BTreeMap<(TurnId, Channel), usize>,
}

impl Rebuilding<'_> {
    /// Returns the redacted record; the same one if nothing is removed.
    pub fn take(&mut self, record: &Arc<Record>) -> Result<Arc<Record>, SessionError> {
        if self.redaction.is_empty() {
            return without_keys(record);
        }
        let mut event = Event::clone(&record.event);
        self.redaction.take_words(&mut event.kind, self.matches, &mut self.at);
        self.redaction.take_text(&mut event, &self.spelled)?;
        if let Kind::TurnEnded(end) = &event.kind {
            // no more pieces of the turn follow
            for channel in CHANNELS {
                self.at.remove(&(end.turn, channel));
            }
        }
        if event == *record.event { without_keys(record) } else { Record::new(event).map(Arc::new) }
    }
}

/// Returns a record without API keys, including keys that were unknown when the line was written.
fn without_keys(record: &Arc<Record>) -> Result<Arc<Record>, SessionError> {
    match text::without_keys(&record.line) {
        Cow::Borrowed(_) => Ok(record.clone()),
        Cow::Owned(_) => Record::new(Event::clone(&record.event)).map(Arc::new),
    }
}

impl Redaction {
    /// Adds turns: every version, every edit, and their whole texts in other messages that repeat them.
    pub fn add_utterances(
        &mut self,
        events: impl IntoIterator<Item: Logged>,
        numbers: &BTreeSet<u32>,
    ) {
        self.utterances.extend(numbers);
        for event in events {
            let event = event.event();
            match &event.kind {
                Kind::FloorGranted(g) if g.number.is_some_and(|n| numbers.contains(&n)) => {
                    self.turns.insert(TurnId(event.seq.0));
                }
                Kind::ProfileUpdated(p) if p.turn.is_some_and(|t| self.turns.contains(&t)) => {
                    self.facts.extend(p.changed.iter().map(|c| top(&c.field).to_owned()));
                }
                Kind::TurnEnded(end) if self.turns.contains(&end.turn) => {
                    // plans and step results are passed on in parts, and rehearsed lines have the closing line
                    let parts = text::strings(&end.structured);
                    let said =
                        [&*end.text].into_iter().chain(parts).chain(end.closing_line.as_deref());
                    let said = said.map(str::trim).filter(|s| s.chars().count() >= QUOTED_CHARS);
                    self.texts.extend(said.map(str::to_owned));
                }
                _ => {}
            }
        }
    }

    /// Adds the whispers of some turns, and every other occurrence of them, such as in rehearsed lines.
    pub fn add_whispers(
        &mut self,
        events: impl IntoIterator<Item: Logged>,
        turns: BTreeSet<TurnId>,
    ) {
        for event in events {
            let Kind::TurnEnded(end) = &event.event().kind else { continue };
            let texts = end.whispers.iter().map(|w| w.text.trim());
            let texts = texts.filter(|text| text.chars().count() >= QUOTED_CHARS);
            self.texts.extend(texts.map(str::to_owned));
        }
        self.whispered.extend(turns);
    }

    /// Returns the redacted records; unchanged ones are shared.
    ///
    /// # Errors
    /// As [`Record::new`], and [`SessionError::Shape`] if an event would be unreadable.
    pub fn apply(&self, records: &[Arc<Record>]) -> Result<Vec<Arc<Record>>, SessionError> {
        let matches = self.matches(records.iter().cloned());
        let mut rebuilding = self.rebuilding(&matches);
        records.iter().map(|record| rebuilding.take(record)).collect()
    }

    /// Returns whether nothing but API keys is removed.
    pub fn is_empty(&self) -> bool {
        let Redaction { mark: _, turns, whispered, utterances, commands, texts, facts, names } =
            self;
        let turns = turns.is_empty() && whispered.is_empty() && utterances.is_empty();
        let texts = texts.is_empty() && names.is_empty();
        turns && commands.is_empty() && texts && facts.is_empty()
    }

    /// Starts a redaction of events in order, from the first one on.
    pub fn rebuilding<'a>(&'a self, matches: &'a PieceMatches) -> Rebuilding<'a> {
        let spelled = self.texts.iter().map(|text| {
            let json = Value::from(text.as_str()).to_string();
            json.get(1..json.len() - 1).unwrap_or_default().to_owned()
        });
        Rebuilding { redaction: self, matches, spelled: spelled.collect(), at: BTreeMap::new() }
    }

    /// Removes the text of a turn or a command from an event, including pieces.
    fn take_words(
        &self,
        kind: &mut Kind,
        matches: &PieceMatches,
        at: &mut BTreeMap<(TurnId, Channel), usize>,
    ) {
        match kind {
            Kind::TurnEnded(end) if self.turns.contains(&end.turn) => {
                if !end.text.is_empty() {
                    end.text = (&*self.mark).into();
                }
                end.raw = None;
                end.think = None;
                end.closing_line = None;
                end.structured = Value::Null;
                end.whispers.clear();
            }
            Kind::TurnEnded(end) if self.whispered.contains(&end.turn) => {
                end.raw = None;
                end.think = None;
                end.whispers.clear();
            }
            Kind::PositionRecorded(recorded) if self.turns.contains(&recorded.turn) => {
                recorded.words = (&*self.mark).into();
                recorded.quote = None;
            }
            // the words may be of a turn or a message that goes
            Kind::PositionRecorded(recorded) => recorded.quote = None,
            Kind::ProfileUpdated(updated) => {
                updated.profile.retain(|field, _| !self.facts.contains(field));
                updated.changed.retain(|c| !self.facts.contains(top(&c.field)));
            }
            Kind::Delta(delta) => {
                let mut pieces = unpack(&delta.pieces, Ms(0));
                for piece in &mut pieces {
                    let stream = (piece.turn, piece.channel);
                    let begin = at.entry(stream).or_default();
                    let span = *begin..*begin + piece.text.len();
                    *begin = span.end;
                    if self.turns.contains(&piece.turn) || self.whispered.contains(&piece.turn) {
                        piece.text = "".into();
                    } else if let Some(found) = matches.0.get(&stream) {
                        Self::cut(piece, &span, found);
                    }
                }
                let rebuilt = pack(&pieces, Ms(0));
                if rebuilt.iter().map(|r| &r.2).ne(delta.pieces.iter().map(|r| &r.2)) {
                    delta.pieces = rebuilt;
                }
            }
            Kind::CommandGiven(given) => {
                let edits = matches!(&given.line.command, Command::Edit { utterance, .. } if self.utterances.contains(utterance));
                if edits || self.commands.contains(&given.key) {
                    let mark = || (&*self.mark).into();
                    match &mut Arc::make_mut(given).line.command {
                        Command::Whisper(words) => *words = words.clone().with_text(mark()),
                        Command::Note { text, .. }
                        | Command::Say { text, .. }
                        | Command::CutIn { text, .. }
                        | Command::Edit { text, .. }
                        | Command::EditQueued { text, .. } => *text = mark(),
                        _ => {}
                    }
                }
            }
            // older sessions put the whole line into the receipt
            Kind::Receipt(receipt) if self.commands.contains(&receipt.of) => {
                let line = receipt.why.as_ref().and_then(|why| why.split_once(": {"));
                if let Some((why, _)) = line {
                    receipt.why = Some(format!("{why}: {}", self.mark).into());
                }
                if let Some(words) = receipt.line.get_mut("text") {
                    *words = self.mark.as_str().into();
                }
            }
            Kind::CommandRefused(refused) if self.commands.contains(&refused.key) => {
                for key in ["text", "question"] {
                    if let Some(words) = refused.line.get_mut(key) {
                        *words = self.mark.as_str().into();
                    }
                }
            }
            _ => {}
        }
    }

    /// Replaces matches in a piece that covers a range of its stream, at the start of each match.
    fn cut(piece: &mut Piece, span: &Range<usize>, found: &[Match]) {
        let mut text = String::new();
        for (i, c) in piece.text.char_indices() {
            let place = span.start + i;
            match found.iter().find(|f| f.range.contains(&place)) {
                Some(f) if f.range.start == place => text.push_str(&f.by),
                Some(_) => {}
                None => text.push(c),
            }
        }
        if text != *piece.text {
            piece.text = text.into();
        }
    }

    /// Finds the texts and names in streams of pieces; a text may span several pieces.
    pub fn matches(&self, records: impl Iterator<Item = Arc<Record>>) -> PieceMatches {
        let mut matches = PieceMatches::default();
        let mut streams: BTreeMap<(TurnId, Channel), String> = BTreeMap::new();
        let mut find = |stream, all: String| {
            let mut found: Vec<Match> = Vec::new();
            for (at, text) in self.texts.iter().flat_map(|text| all.match_indices(text.as_str())) {
                found.push(Match { range: at..at + text.len(), by: self.mark.clone() });
            }
            found.extend(self.names.find(&all));
            if !found.is_empty() {
                matches.0.insert(stream, found);
            }
        };
        if !(self.texts.is_empty() && self.names.is_empty()) {
            for record in records {
                match &record.event.kind {
                    Kind::Delta(delta) => {
                        for run in &delta.pieces {
                            streams.entry((run.0, run.1)).or_default().push_str(&run.2);
                        }
                    }
                    // no more pieces of the turn follow
                    Kind::TurnEnded(end) => {
                        for stream in CHANNELS.map(|c| (end.turn, c)) {
                            streams.remove(&stream).into_iter().for_each(|all| find(stream, all));
                        }
                    }
                    _ => {}
                }
            }
        }
        streams.into_iter().for_each(|(stream, all)| find(stream, all));
        matches
    }

    /// Removes the texts from every string of an event, except pieces and names, and renames.
    fn take_text(&self, event: &mut Event, spelled: &[String]) -> Result<(), SessionError> {
        if let Some(by) = self.names.replace(&event.by) {
            event.by = by.into();
        }
        let nothing = self.texts.is_empty() && self.names.is_empty();
        if nothing || matches!(event.kind, Kind::Delta(_)) {
            return Ok(());
        }
        let json = event.kind.data().map_err(SessionError::Shape)?;
        // the data of an unknown kind may escape a text differently
        let known = !matches!(event.kind, Kind::Unknown(_));
        let has_text = spelled.iter().any(|text| json.contains(text));
        if known && !has_text && self.names.is_empty() {
            return Ok(());
        }
        let mut data: Value = serde_json::from_str(&json).map_err(SessionError::Shape)?;
        let found = |any, text: &String| replace(&mut data, text, &self.mark) | any;
        let removed = self.texts.iter().fold(false, found);
        let renamed = self.names.rename(&mut data);
        if renamed || removed {
            let raw = RawValue::from_string(data.to_string()).map_err(SessionError::Shape)?;
            event.kind = Kind::read(event.kind.name(), &raw).map_err(SessionError::Shape)?;
        }
        // a reader ignores an unknown key, so a renamed field would be lost
        let kept = || serde_json::from_str::<Value>(&event.kind.data()?);
        if renamed && kept().map_err(SessionError::Shape)? != data {
            let clash = serde::de::Error::custom("the name is also a key of the format");
            return Err(SessionError::Shape(clash));
        }
        Ok(())
    }
}

/// Replaces a text in all strings of a value; returns whether it occurred.
fn replace(value: &mut Value, text: &str, mark: &str) -> bool {
    match value {
        Value::String(s) if s.contains(text) => {
            *s = s.replace(text, mark);
            true
        }
        Value::Array(list) => list.iter_mut().fold(false, |any, v| replace(v, text, mark) | any),
        Value::Object(map) => {
            let named = |key: &str| NAMES.contains(&key);
            let fields = map.iter_mut().filter(|(key, _)| !named(key));
            let mut any = fields.fold(false, |any, (_, v)| replace(v, text, mark) | any);
            if map.keys().any(|key| key.contains(text)) {
                let pairs = std::mem::take(map).into_iter();
                *map = pairs.map(|(key, v)| (key.replace(text, mark), v)).collect();
                any = true;
            }
            any
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::payload::{CommandRefused, Delta, FloorGranted, Receipt};
    use crate::model::{Event, PositionRecorded, Seq, ThreadId, Wall};
    use serde_json::json;

    fn record(seq: u64, kind: impl Into<Kind>) -> Arc<Record> {
        let at = Wall(0);
        let ms = Ms(seq);
        let by = "ada".into();
        let thread = ThreadId::ROOT;
        let event = Event { seq: Seq(seq), at, ms, thread, by, cause: None, kind: kind.into() };
        Arc::new(Record::new(event).unwrap())
    }

    fn ended(turn: u64, said: Value) -> Kind {
        let mut data =
            json!({"turn": turn, "purpose": "speak", "outcome": "said", "text": "Aloud."});
        data.as_object_mut().unwrap().extend(said.as_object().unwrap().clone());
        Kind::TurnEnded(serde_json::from_value(data).unwrap())
    }

    fn lines(redaction: &Redaction, records: &[Arc<Record>]) -> Vec<String> {
        redaction.apply(records).unwrap().iter().map(|r| r.line.clone()).collect()
    }

    #[test]
    fn a_whisper_goes_with_all_that_may_hold_it_and_nothing_else() {
        let secret = "the key lies under the mat";
        let said = json!({"raw": format!("{secret} 1"), "think": "hm, the mat", "whispers": [{"to": "bo", "text": secret}]});
        let records = [record(0, ended(5, said.clone())), record(1, ended(6, json!({"raw": "x"})))];
        let mut redaction = Redaction { mark: "[gone]".into(), ..Redaction::default() };
        redaction.add_whispers(records[..1].iter().cloned(), BTreeSet::from([TurnId(5)]));
        let left = lines(&redaction, &records);
        assert!(!left[0].contains("mat") && left[0].contains("Aloud."), "{}", left[0]);
        assert_eq!(left[1], records[1].line);
    }

    #[test]
    fn a_position_goes_with_the_reply_that_stated_it() {
        let position = |turn: u64| {
            let data = json!({"participant": "ada", "turn": turn, "stance": "leave the city"});
            serde_json::from_value::<PositionRecorded>(data).unwrap()
        };
        let records = [record(0, position(5)), record(1, position(6))];
        let mut redaction = Redaction { mark: "[gone]".into(), ..Redaction::default() };
        redaction.turns.insert(TurnId(5));
        let left = lines(&redaction, &records);
        assert!(left[0].contains("\"stance\":\"[gone]\""), "{}", left[0]);
        assert_eq!(left[1], records[1].line);
    }

    #[test]
    fn the_words_of_a_refused_command_go_by_its_key() {
        let refused = |key: &str| CommandRefused {
            key: key.into(),
            line: json!({"do": "whisper", "text": "psst"}),
            id: None,
            why: "nobody".into(),
        };
        let records = [record(0, refused("a:1")), record(1, refused("a:2"))];
        let mut redaction = Redaction { mark: "[gone]".into(), ..Redaction::default() };
        redaction.commands.insert("a:1".into());
        let late = json!({"of": "a:1", "is": "too_late", "line": {"do": "note", "text": "psst"}});
        let late = record(2, serde_json::from_value::<Receipt>(late).unwrap());
        assert!(!lines(&redaction, &[late]).concat().contains("psst"));
        let left = lines(&redaction, &records);
        assert!(left[0].contains("[gone]") && !left[0].contains("psst"), "{}", left[0]);
        assert_eq!(left[1], records[1].line);
    }

    #[test]
    fn data_reply_is_removed_from_its_readers() {
        let part = "paint the hull of the boat before noon";
        let floor = json!({"batch": 0, "participant": "ada", "number": 1, "notes": []});
        let floor: FloorGranted = serde_json::from_value(floor).unwrap();
        let told = json!({"structured": {"steps": [{"goal": part}]}});
        let records = [
            record(0, floor),
            record(1, ended(0, told)),
            record(2, ended(9, json!({"text": format!("As I was told: {part}.")}))),
        ];
        let mut redaction = Redaction { mark: "[gone]".into(), ..Redaction::default() };
        redaction.add_utterances(records.iter().cloned(), &[1].into());
        let left = lines(&redaction, &records).concat();
        assert!(!left.contains("hull") && left.contains("As I was told: [gone]."), "{left}");
    }

    #[test]
    fn a_text_goes_from_names_of_data_pieces_and_old_receipts_too() {
        let text = "the mat by the door";
        let said = json!({"structured": {text: 1, "a": [text]}, "text": format!("Under {text}!")});
        let receipt =
            json!({"of": "a:1", "is": "too_late", "why": "too late: {\"text\": \"psst\"}"});
        let receipt: Receipt = serde_json::from_value(receipt).unwrap();
        let turn = TurnId(5);
        let channel = Channel::Say;
        let parts = ["Under the mat", " by the door", "!"];
        let piece = |text: &&str| Piece { turn, channel, text: (*text).into(), at: Ms(0) };
        let pieces: Vec<Piece> = parts.iter().map(piece).collect();
        let delta = Delta { pieces: pack(&pieces, Ms(0)) };
        let records = [record(0, ended(5, said)), record(1, receipt), record(2, delta)];
        let mut redaction = Redaction { mark: "[gone]".into(), ..Redaction::default() };
        redaction.commands.insert("a:1".into());
        redaction.texts.push(text.into());
        let left = lines(&redaction, &records);
        assert!(!left[0].contains("mat") && left[0].contains("Under [gone]!"), "{}", left[0]);
        assert!(left[1].contains("too late: [gone]"), "{}", left[1]);
        assert!(left[2].contains("Under [gone]!"), "{}", left[2]);
    }
}
