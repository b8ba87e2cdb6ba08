//! Line format: an event as one JSON object with a fixed key order, closed by a checksum.
//!
//! Parses in two steps, first the envelope with raw data, then the typed data: unknown kinds must stay byte for byte,
//! and `serde(flatten)` was ten times slower. Neither the meaning nor the position of a line is checked here.
//!
//! JSON is escaped so that `cat` of a session cannot act on a terminal: serde_json escapes only the characters that JSON
//! requires and leaves DEL, C1, bidi controls, tags and line separators raw. The text itself is unchanged; the module
//! `text` decides which characters are shown.

use super::blobs::{self, Blob, Reference};
use super::error::SessionError;
use crate::model::event::Unknown;
use crate::model::{Event, Key, Kind, Ms, Seq, ThreadId, Wall};
use crate::text;
use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;
use unicode_general_category::{GeneralCategory, get_general_category};

/// Maximum length of a line with its newline, in bytes.
pub const LINE_MAX_BYTES: usize = 1024 * 1024;
/// Maximum length of a string in a line, in bytes; longer ones are stored outside the log.
pub const BLOB_OVER_BYTES: usize = 64 * 1024;
/// The same limit, in bytes, for a line that many escaped strings would make too long.
const CROWDED_OVER_BYTES: usize = 4 * 1024;
/// Maximum size of `seq`, `at`, `by` and the other keys around the data, in bytes.
pub(super) const ENVELOPE_BYTES: usize = 4 * 1024;
/// More brackets than this may nest deeper than serde_json parses (128 levels).
const BRACKETS_BEYOND_DOUBT: usize = 120;
/// `,"crc":"` + 8 digits + `"}`
pub(super) const TRAILER_BYTES: usize = 18;

const MILLISECONDS: DateTimePrinter = DateTimePrinter::new().precision(Some(3));

/// Major version of the file format; a file of a newer version is only read.
pub const FORMAT: u32 = 1;

/// An event together with its line, serialised once and shared by the file, the tails and `--format jsonl`.
#[derive(Debug)]
pub struct Record {
    pub event: Arc<Event>,
    /// Its line in the file, with the newline.
    pub line: String,
}

/// Serialises an event as its line, with the newline.
///
/// Strings of more than [`BLOB_OVER_BYTES`] are replaced by references; the writer stores them next to the log.
///
/// # Errors
/// [`SessionError::Unspeakable`] if the data is nested too deep to be parsed again, and
/// [`SessionError::LineTooLong`].
pub fn encode(event: &Event) -> Result<String, SessionError> {
    spell(event, json(&event.kind)?)
}

/// Serialises an event from its data as JSON.
fn spell(event: &Event, json: String) -> Result<String, SessionError> {
    let line = spell_data(event, &data(&event.kind, json)?);
    match line.len() {
        bytes if bytes > LINE_MAX_BYTES => Err(SessionError::LineTooLong { bytes }),
        _ => Ok(line),
    }
}

/// Serialises an event from its data as it is in the line.
fn spell_data(event: &Event, data: &str) -> String {
    let mut line = String::with_capacity(data.len() + 192);
    line.push_str("{\"seq\":");
    push_number(&mut line, event.seq.0);
    line.push_str(",\"at\":\"");
    MILLISECONDS
        .print_timestamp(&timestamp(event.at), &mut line)
        .expect("writing to a String cannot fail");
    line.push_str("\",\"ms\":");
    push_number(&mut line, event.ms.0);
    if !event.thread.is_root() {
        line.push_str(",\"in\":");
        push_number(&mut line, event.thread.0);
    }
    line.push_str(",\"by\":");
    push_string(&mut line, &event.by);
    if let Some(cause) = &event.cause {
        line.push_str(",\"cause\":");
        push_string(&mut line, cause);
    }
    line.push_str(",\"kind\":");
    push_string(&mut line, event.kind.name());
    line.push_str(",\"data\":");
    line.push_str(data);
    let crc = crc32c::crc32c(line.as_bytes());
    writeln!(line, ",\"crc\":\"{crc:08x}\"}}").expect("writing to a String cannot fail");
    line
}

/// Parses a line, with or without its newline. Blobs are replaced by a placeholder.
///
/// # Errors
/// [`SessionError::Checksum`] if the bytes are damaged, [`SessionError::LineTooLong`], and [`SessionError::Shape`] if
/// this version cannot parse intact bytes.
pub fn decode(line: &[u8]) -> Result<Event, SessionError> {
    Envelope::read(line)?.event(&mut missing)
}

/// Returns the placeholder for a missing blob.
pub(super) fn missing(blob: &Reference) -> String {
    format!("[{} bytes of text are missing here: blob {}]", blob.bytes, blob.name)
}

/// Returns the texts of a record that its line stores in blobs.
///
/// The line decides which texts these are, so that a line copied from another session finds the same blobs.
pub(super) fn blobs_of(record: &Record) -> serde_json::Result<Vec<Blob>> {
    let mut names = BTreeSet::new();
    let mut least = u64::MAX;
    blobs::put_back(&record.line, &mut |r| {
        names.insert(r.name.to_owned());
        least = least.min(r.bytes);
        String::new()
    });
    let over = usize::try_from(least).unwrap_or(usize::MAX).saturating_sub(1);
    let (_, mut blobs) = blobs::take_out(&record.event.kind.data()?, over);
    blobs.retain(|b| names.contains(&b.name));
    Ok(blobs)
}

impl Record {
    /// Serialises an event once; provider keys in it are removed from both forms.
    pub fn new(event: Event) -> Result<Record, SessionError> {
        let json = json(&event.kind)?;
        let clean = match text::without_keys(&json) {
            Cow::Borrowed(_) => None,
            Cow::Owned(clean) => Some(clean),
        };
        let Some(clean) = clean else {
            let line = spell(&event, json)?;
            return Ok(Record { event: Arc::new(event), line });
        };
        let name = event.kind.name();
        let raw = serde_json::from_str(&clean).map_err(unspeakable(&event.kind))?;
        let kind = Kind::read(name, raw).map_err(unspeakable(&event.kind))?;
        let event = Event { kind, ..event };
        let line = encode(&event)?;
        Ok(Record { event: Arc::new(event), line })
    }
}

impl Record {
    /// Returns the line with all texts in it that the file stores in blobs; such a line may be longer than a line of a
    /// file.
    pub fn whole_line(&self) -> Result<Cow<'_, str>, SessionError> {
        if !blobs::mentioned(&self.line) || matches!(self.event.kind, Kind::Unknown(_)) {
            return Ok(Cow::Borrowed(&self.line));
        }
        // without a limit nothing is replaced, but an object that looks like a reference is marked
        let (data, _) = blobs::take_out(&json(&self.event.kind)?, usize::MAX);
        Ok(Cow::Owned(spell_data(&self.event, &escaped(data))))
    }

    /// Reads a line as [`Record::whole_line`] returns it, with or without its newline.
    pub fn from_whole_line(line: &str) -> Result<Record, SessionError> {
        let line = line.trim_end_matches('\n');
        let text = checked_text(line.as_bytes())?;
        let envelope: Envelope<'_> = serde_json::from_str(text).map_err(SessionError::Shape)?;
        let event = envelope.event(&mut missing)?;
        if line.len() <= BLOB_OVER_BYTES {
            return Ok(Record { event: Arc::new(event), line: format!("{line}\n") });
        }
        let line = encode(&event)?;
        Ok(Record { event: Arc::new(event), line })
    }
}

fn unspeakable(kind: &Kind) -> impl Fn(serde_json::Error) -> SessionError {
    move |source| SessionError::Unspeakable { kind: kind.name().into(), source }
}

fn json(kind: &Kind) -> Result<String, SessionError> {
    kind.data().map_err(unspeakable(kind))
}

/// Returns the data as it is in the line.
fn data(kind: &Kind, json: String) -> Result<String, SessionError> {
    if matches!(kind, Kind::Unknown(_)) {
        return Ok(json);
    }
    if json.bytes().filter(|b| matches!(b, b'{' | b'[')).count() > BRACKETS_BEYOND_DOUBT {
        let raw = serde_json::from_str(&json).map_err(unspeakable(kind))?;
        Kind::read(kind.name(), raw).map_err(unspeakable(kind))?;
    }
    if json.len() <= BLOB_OVER_BYTES && !blobs::mentioned(&json) {
        return Ok(escaped(json));
    }
    let line = escaped(blobs::take_out(&json, BLOB_OVER_BYTES).0);
    if line.len() <= LINE_MAX_BYTES - ENVELOPE_BYTES {
        return Ok(line);
    }
    Ok(escaped(blobs::take_out(&json, CROWDED_OVER_BYTES).0))
}

fn escaped(json: String) -> String {
    match inert(&json) {
        Cow::Borrowed(_) => json,
        Cow::Owned(escaped) => escaped,
    }
}

/// A line with a valid checksum and unparsed data.
#[derive(Deserialize)]
pub(super) struct Envelope<'a> {
    pub seq: Seq,
    #[serde(borrow)]
    at: Cow<'a, str>,
    ms: Ms,
    #[serde(default, rename = "in")]
    thread: ThreadId,
    #[serde(borrow)]
    by: Cow<'a, str>,
    cause: Option<Key>,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    data: &'a RawValue,
}

impl<'a> Envelope<'a> {
    /// Verifies the checksum of a line and parses its envelope.
    pub(super) fn read(line: &'a [u8]) -> Result<Envelope<'a>, SessionError> {
        let text = checked(line)?;
        serde_json::from_str(text).map_err(SessionError::Shape)
    }

    /// Parses the data as well; `read` returns the text of a blob.
    pub(super) fn event(
        &self,
        read: &mut dyn FnMut(&Reference) -> String,
    ) -> Result<Event, SessionError> {
        let known = Kind::NAMES.contains(&&*self.kind);
        let kind = if known && blobs::mentioned(self.data.get()) {
            let whole = RawValue::from_string(blobs::put_back(self.data.get(), read));
            Kind::read(&self.kind, &whole.map_err(SessionError::Shape)?)
        } else {
            Kind::read(&self.kind, self.data)
        };
        self.with(kind.map_err(SessionError::Shape)?)
    }

    /// Returns pieces as an unknown kind, unless they need blobs; `None` for all other events.
    pub(super) fn pieces(&self) -> Option<Event> {
        let pieces = self.kind == "delta" && !blobs::mentioned(self.data.get());
        pieces.then(|| self.unread().ok()).flatten()
    }

    /// Returns the event with its data byte for byte, as an unknown kind.
    pub(super) fn unread(&self) -> Result<Event, SessionError> {
        let kind = (&*self.kind).into();
        let data = self.data.to_owned();
        self.with(Kind::Unknown(Unknown { kind, data }))
    }

    /// Returns the format version of a session's opening.
    pub(super) fn format(&self) -> Option<u64> {
        #[derive(Deserialize)]
        struct Opening {
            format: u64,
        }
        let opening = self.kind == "conversation.opened";
        let read = || serde_json::from_str::<Opening>(self.data.get()).ok();
        opening.then(read).flatten().map(|o| o.format)
    }

    fn with(&self, kind: Kind) -> Result<Event, SessionError> {
        let at: Timestamp =
            self.at.parse().map_err(|e| SessionError::Shape(serde::de::Error::custom(e)))?;
        Ok(Event {
            seq: self.seq,
            at: Wall(at.as_millisecond()),
            ms: self.ms,
            thread: self.thread,
            by: (&*self.by).into(),
            cause: self.cause.clone(),
            kind,
        })
    }
}

/// Returns the line as text without its newline if its checksum is valid.
pub(super) fn checked(line: &[u8]) -> Result<&str, SessionError> {
    // a conversion of newlines to those of Windows does not change the checksummed bytes
    let line = line.strip_suffix(b"\n").map_or(line, |l| l.strip_suffix(b"\r").unwrap_or(l));
    if line.len() >= LINE_MAX_BYTES {
        return Err(SessionError::LineTooLong { bytes: line.len() + 1 });
    }
    checked_text(line)
}

/// Returns a line of any length without its newline as text if its checksum is valid.
fn checked_text(line: &[u8]) -> Result<&str, SessionError> {
    let (body, trailer) = line
        .len()
        .checked_sub(TRAILER_BYTES)
        .and_then(|at| line.split_at_checked(at))
        .ok_or(SessionError::Checksum)?;
    let digits = trailer.strip_prefix(b",\"crc\":\"").and_then(|t| t.strip_suffix(b"\"}"));
    if !digits.is_some_and(|digits| spells(digits, crc32c::crc32c(body))) {
        return Err(SessionError::Checksum);
    }
    std::str::from_utf8(line).map_err(|e| SessionError::Shape(serde::de::Error::custom(e)))
}

/// Compares digit by digit, so that only the canonical form passes.
fn spells(digits: &[u8], crc: u32) -> bool {
    let digit = |place: u32| char::from_digit(crc >> (4 * place) & 0xf, 16);
    digits.iter().zip((0..8).rev()).all(|(d, place)| digit(place) == Some(char::from(*d)))
}

fn push_number(line: &mut String, number: u64) {
    write!(line, "{number}").expect("writing to a String cannot fail");
}

/// Clamps to jiff's range; the wall clock is for information only.
fn timestamp(at: Wall) -> Timestamp {
    Timestamp::from_millisecond(at.0).unwrap_or(if at.0 < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    })
}

/// Returns JSON with every character of the classes Cc, Cf, Zl, Zp and every noncharacter as a `\u` escape.
///
/// Such characters occur only inside JSON strings, so the structure never changes.
pub fn inert(json: &str) -> Cow<'_, str> {
    // most lines are ASCII: one vectorised pass, no table look-up
    if json.bytes().all(|b| b < 0x7f) || !json.chars().any(acts) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + json.len() / 4);
    for c in json.chars() {
        if acts(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").expect("writing to a String cannot fail");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Appends text as an escaped JSON string.
pub(super) fn push_string(out: &mut String, text: &str) {
    if text.bytes().all(|b| (0x20..0x7f).contains(&b) && b != b'"' && b != b'\\') {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        let json = serde_json::Value::from(text).to_string();
        out.push_str(&inert(&json));
    }
}

fn acts(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    let noncharacter = matches!(c, '\u{fdd0}'..='\u{fdef}') || u32::from(c) & 0xfffe == 0xfffe;
    noncharacter
        || matches!(
            get_general_category(c),
            GeneralCategory::Control
                | GeneralCategory::Format
                | GeneralCategory::LineSeparator
                | GeneralCategory::ParagraphSeparator
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::event::ENGINE;
    use crate::model::payload::{TurnEnded, Warning};
    use crate::model::{CutWhy, Outcome, Purpose, ReadBy, TurnId, Usage, Usd};

    fn event(kind: impl Into<Kind>) -> Event {
        Event {
            seq: Seq(17),
            at: Wall(1_795_293_065_123),
            ms: Ms(381_220),
            thread: ThreadId(9),
            by: "bob".into(),
            cause: Some("3c1f:1".into()),
            kind: kind.into(),
        }
    }

    fn turn(text: &str) -> TurnEnded {
        TurnEnded {
            turn: TurnId(12),
            call: None,
            purpose: Purpose::Speak,
            number: Some(3),
            outcome: Outcome::Cut,
            text: text.into(),
            whispers: vec![],
            raw: Some(text.into()),
            think: Some(text.into()),
            act: None,
            closing_line: Some(text.into()),
            message: None,
            structured: serde_json::json!({"x": 0.1}),
            read: ReadBy::Plain,
            mentions: vec!["ada".into()],
            why: Some(CutWhy::CutIn),
            error: None,
            finish: None,
            skipped: 0,
            model: None,
            agent: None,
            usage: Some(Usage { input: 3, output: 4, ..Usage::default() }),
            cost: Some(Usd(123_400)),
            first_piece_ms: None,
            took_ms: 5,
        }
    }

    #[test]
    fn a_line_is_spelled_as_the_page_says() {
        let warning = Warning { text: "a\u{202e}b\n".into(), about: None };
        assert_eq!(
            encode(&event(warning.clone())).unwrap(),
            "{\"seq\":17,\"at\":\"2026-11-21T20:31:05.123Z\",\"ms\":381220,\"in\":9,\"by\":\"bob\",\
     \"cause\":\"3c1f:1\",\"kind\":\"warning\",\"data\":{\"text\":\"a\\u202eb\\n\"},\"crc\":\"5b7a2a01\"}\n"
        );
        let plain = Event {
            seq: Seq(0),
            at: Wall(0),
            ms: Ms(0),
            thread: ThreadId::ROOT,
            by: ENGINE.into(),
            cause: None,
            kind: warning.into(),
        };
        let line = encode(&plain).unwrap();
        assert!(line.starts_with(
            r#"{"seq":0,"at":"1970-01-01T00:00:00.000Z","ms":0,"by":"engine","kind":"warning","#
        ));
        assert_eq!(decode(line.as_bytes()).unwrap(), plain);
        assert_eq!(decode(line.trim_end().as_bytes()).unwrap(), plain);
    }

    #[test]
    fn an_event_reads_back_equal() {
        for text in ["", "Grüße 🙂", "\u{0}\u{7f}\u{85}\u{2028}\u{e0001}\u{10ffff}", "\"\\/"] {
            let event = event(Box::new(turn(text)));
            assert_eq!(decode(encode(&event).unwrap().as_bytes()).unwrap(), event);
        }
    }

    #[test]
    fn an_unknown_kind_stays_byte_for_byte() {
        let body = r#"{"seq":4,"at":"2026-11-21T20:31:05.000Z","ms":1,"by":"x","kind":"mood.shifted","data":{"b" : [1.50, "é"],"a":{"blob":"x"}}"#;
        let line = format!("{body},\"crc\":\"{:08x}\"}}\n", crc32c::crc32c(body.as_bytes()));
        let event = decode(line.as_bytes()).unwrap();
        assert_eq!(event.kind.name(), "mood.shifted");
        assert_eq!(encode(&event).unwrap(), line);
    }

    #[test]
    fn long_texts_go_beside_the_log() {
        let long = "wörter ".repeat(20_000);
        let event = event(Box::new(turn(&long)));
        let record = Record::new(event.clone()).unwrap();
        let line = &record.line;
        assert!(line.len() < 1_000, "{} bytes", line.len());
        let blobs = blobs_of(&record).unwrap();
        let back = Envelope::read(line.as_bytes()).unwrap().event(&mut |r| {
            blobs.iter().find(|b| b.name == r.name).map(|b| b.text.clone()).unwrap()
        });
        assert_eq!(back.unwrap(), event);
        let Kind::TurnEnded(without) = decode(line.as_bytes()).unwrap().kind else { panic!() };
        assert!(without.text.starts_with("[160000 bytes of text are missing here: blob "));
    }

    #[test]
    fn texts_that_escape_to_six_times_their_length_still_fit() {
        let nasty = "\u{1}".repeat(BLOB_OVER_BYTES);
        let event = event(Box::new(turn(&nasty)));
        let record = Record::new(event).unwrap();
        assert!(record.line.len() < LINE_MAX_BYTES);
        assert_eq!(blobs_of(&record).unwrap().len(), 4);
    }

    #[test]
    fn unreadable_values_are_not_written() {
        let nested = |depth: usize| {
            let json = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            let mut turn = turn("");
            turn.structured = serde_json::from_str(&json).unwrap();
            encode(&event(Box::new(turn)))
        };
        decode(nested(100).unwrap().as_bytes()).unwrap();
        assert!(matches!(nested(127), Err(SessionError::Unspeakable { .. })));
        let many = Warning { text: "x".into(), about: None };
        let mut crowd = event(many);
        crowd.by = "x".repeat(LINE_MAX_BYTES).into();
        assert!(matches!(encode(&crowd), Err(SessionError::LineTooLong { .. })));
    }

    #[test]
    fn no_flipped_bit_goes_unnoticed() {
        let line = encode(&event(Box::new(turn("Grüße")))).unwrap();
        let mut bytes = line.trim_end().as_bytes().to_vec();
        let mut flips = 0;
        for at in 0..bytes.len() {
            for bit in 0..8 {
                bytes[at] ^= 1 << bit;
                decode(&bytes).expect_err("a flipped bit");
                bytes[at] ^= 1 << bit;
                flips += 1;
            }
        }
        println!("{flips} of {flips} flipped bits noticed");
    }

    #[test]
    fn a_line_that_is_too_long_says_its_bytes_and_a_time_out_of_range_is_the_nearest() {
        let line = [vec![b'x'; LINE_MAX_BYTES], b"\n".to_vec()].concat();
        let Err(SessionError::LineTooLong { bytes }) = checked(&line) else { panic!("too long") };
        assert_eq!(bytes, LINE_MAX_BYTES + 1);
        assert_eq!(timestamp(Wall(i64::MIN)), Timestamp::MIN);
        assert_eq!(timestamp(Wall(i64::MAX)), Timestamp::MAX);
    }

    #[test]
    fn every_character_survives_and_control_characters_are_escaped() {
        let all: Vec<char> = ('\0'..=char::MAX).collect();
        let mut longer = 0;
        for some in all.chunks(4096) {
            let text: String = some.iter().collect();
            let json = serde_json::to_string(&text).unwrap();
            let inert = inert(&json);
            assert_eq!(serde_json::from_str::<String>(&inert).unwrap(), text);
            assert_eq!(inert.chars().find(|c| acts(*c)), None);
            longer += usize::from(inert.len() > json.len());
        }
        println!("{} characters read back", all.len());
        assert!(longer > 5, "DEL, C1, bidi, tags, noncharacters of all planes: {longer}");
    }

    #[test]
    fn real_language_stays_as_it_is() {
        for text in ["Grüße", "שלום", "ไทย", "日本語", "🙂🏽", "naïve \\ \"quoted\""]
        {
            let json = serde_json::to_string(text).unwrap();
            assert!(matches!(inert(&json), Cow::Borrowed(_)), "{text}");
        }
        assert_eq!(inert("\"a\u{202e}\u{e0001}\u{7f}\""), r#""a\u202e\udb40\udc01\u007f""#);
    }
}
