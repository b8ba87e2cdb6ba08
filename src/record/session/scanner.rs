//! Checks the position of each line of a session, and passes its event on.
//!
//! A line is valid if its checksum is right. Invalid lines are skipped up to the next valid one and recorded with their
//! byte range; only bytes after the last whole line are a torn tail.

use super::blobs::{Reference, name_of};
use super::codec::{Envelope, missing};
use super::error::{LogFault, SessionError};
use super::files::SessionFiles;
use super::lines::seq_of_pieces;
use super::{FORMAT, Record};
use crate::model::{Event, Seq, Wall};
use crate::text;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// Maximum bytes of blobs read for one session: a small file must not name gigabytes.
const BLOBS_MAX_BYTES: u64 = 256 * 1024 * 1024;
/// A line whose number is further ahead than this does not belong to the session.
pub(super) const GAP_MAX: u64 = 100_000;

/// Beginning of every line.
const LINE_START: &[u8] = b"{\"seq\":";

/// An event in a file.
pub struct Found<'a> {
    /// Its line, with or without its newline.
    line: &'a [u8],
    /// The parsed event.
    pub event: &'a Arc<Event>,
}

impl Found<'_> {
    /// Returns whether its line contains a known API key.
    pub fn has_keys(&self) -> bool {
        let line = String::from_utf8_lossy(self.line);
        matches!(text::without_keys(&line), std::borrow::Cow::Owned(_))
    }

    /// Returns the event with its line.
    pub fn record(self) -> Arc<Record> {
        // a valid checksum implies that the line is text
        let line = String::from_utf8_lossy(self.line);
        let text = line.strip_suffix('\n').map_or(&*line, |l| l.strip_suffix('\r').unwrap_or(l));
        let mut line = String::with_capacity(text.len() + 1);
        line.push_str(text);
        line.push('\n');
        Arc::new(Record { event: self.event.clone(), line })
    }
}

/// Position of an event in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileMark {
    /// Number of events before it.
    pub(super) events: usize,
    /// Its number.
    pub(super) seq: Seq,
    /// Offset of its line, in bytes.
    pub(super) at: u64,
}

/// Receives each event of a session.
pub(super) type Each<'a> = &'a mut dyn FnMut(Found<'_>);

/// Minimum distance between two marks, in bytes.
const MARK_BYTES: u64 = 64 * 1024;

/// Events that a reader passes on. Every checksum is verified in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Want {
    /// All of them.
    #[default]
    All,
    /// All of them, with pieces as an unknown kind.
    UnreadPieces,
    /// All but pieces, because `turn.ended` repeats their text.
    Turns,
}

/// Scans a session line by line and passes its events on.
#[derive(Clone, Default)]
pub(super) struct Scanner {
    pub(super) want: Want,
    blobs: Blobs,
    pub(super) files: SessionFiles,
    pub(super) faults: Vec<LogFault>,
    /// Number of the next event; `None` accepts any.
    next: Option<Seq>,
    pub(super) began: Option<Wall>,
    pub(super) last: Option<Seq>,
    pub(super) latest: Option<Wall>,
    /// Positions of some events in the file.
    pub(super) marks: Vec<FileMark>,
    /// Number of accepted events.
    pub(super) events: usize,
    /// Number of scanned bytes.
    pub(super) len: usize,
    /// Bytes that are not a line; they are damage once a whole line follows.
    pub(super) torn: Option<Range<usize>>,
    pub(super) unterminated: bool,
}

impl Scanner {
    /// Returns a scanner at the beginning of a session; `files` locates blobs.
    pub(super) fn new(files: SessionFiles) -> Scanner {
        Scanner {
            blobs: Blobs { folder: files.blobs(), budget: BLOBS_MAX_BYTES },
            files,
            next: Some(Seq(0)),
            ..Scanner::default()
        }
    }

    /// Returns a scanner that accepts any first event.
    pub(super) fn anywhere(files: SessionFiles) -> Scanner {
        Scanner { next: None, ..Scanner::new(files) }
    }

    /// Returns a scanner that starts at a position in the file.
    pub(super) fn at(mark: FileMark, files: SessionFiles) -> Scanner {
        let len = usize::try_from(mark.at).unwrap_or(usize::MAX);
        Scanner { next: Some(mark.seq), events: mark.events, len, ..Scanner::new(files) }
    }

    /// Scans the next lines; only the last may lack its newline.
    pub(super) fn take(&mut self, mut rest: &[u8], each: Each<'_>) {
        while !rest.is_empty() {
            let len = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            let (line, after) = rest.split_at_checked(len).unwrap_or((rest, &[]));
            self.line(self.len, line, each);
            self.len += len;
            rest = after;
        }
    }

    /// Scans the bytes between two newlines.
    fn line(&mut self, at: usize, line: &[u8], each: Each<'_>) {
        if self.want == Want::Turns
            && let Some(seq) = seq_of_pieces(line)
        {
            if self.belongs(at, line, seq) {
                self.count(at as u64, seq);
            }
            return;
        }
        match Envelope::read(line) {
            Ok(envelope) => self.enveloped(at, line, &envelope, each),
            Err(SessionError::Shape(e)) => self.unread(at, line, &e.to_string()),
            Err(_) => self.damaged(at, line, each),
        }
    }

    /// Scans invalid bytes, which may contain whole lines if a newline was lost.
    fn damaged(&mut self, mut at: usize, line: &[u8], each: Each<'_>) {
        for part in split_before_starts(line) {
            let newline_hurt = part.split_last().map_or(part, |(_, most)| most);
            if let Ok(envelope) = Envelope::read(part) {
                self.enveloped(at, part, &envelope, each);
            } else if let Ok(envelope) = Envelope::read(newline_hurt) {
                self.enveloped(at, newline_hurt, &envelope, each);
                self.hurt(at + newline_hurt.len()..at + part.len());
            } else {
                self.hurt(at..at + part.len());
            }
            at += part.len();
        }
    }

    fn hurt(&mut self, bytes: Range<usize>) {
        let start = self.torn.as_ref().map_or(bytes.start, |torn| torn.start);
        self.torn = Some(start..bytes.end);
    }

    /// Records invalid bytes as damage, because a whole line follows.
    fn settle(&mut self, line: &[u8]) {
        self.unterminated = !line.ends_with(b"\n");
        if let Some(torn) = self.torn.take() {
            self.faults.push(LogFault::Damaged { bytes: wide(&torn) });
        }
    }

    fn unread(&mut self, at: usize, line: &[u8], why: &str) {
        self.settle(line);
        let bytes = wide(&(at..at + line.len()));
        self.faults.push(LogFault::Unread { bytes, why: why.to_owned() });
    }

    /// Returns whether an event may be at this position, and records missing events before it.
    fn belongs(&mut self, at: usize, line: &[u8], seq: Seq) -> bool {
        self.settle(line);
        let next = self.next.map_or(seq.0, |next| next.0);
        if seq.0 < next || seq.0 - next > GAP_MAX {
            let bytes = wide(&(at..at + line.len()));
            self.faults.push(LogFault::Misplaced { bytes, seq });
            return false;
        }
        if seq.0 > next {
            self.faults.push(LogFault::Missing { seq: next..seq.0 });
        }
        true
    }

    /// Accepts a whole line.
    fn enveloped(&mut self, at: usize, line: &[u8], envelope: &Envelope, each: Each<'_>) {
        if !self.belongs(at, line, envelope.seq) {
            return;
        }
        if envelope.seq.0 == 0
            && let Some(format) = envelope.format()
            && format > u64::from(FORMAT)
        {
            self.faults.push(LogFault::Newer { format });
        }
        if let Some(event) = self.event(at, line, envelope) {
            self.began = self.began.or(Some(event.at));
            self.latest = Some(event.at);
            self.count(at as u64, event.seq);
            each(Found { line, event: &Arc::new(event) });
        }
    }

    fn count(&mut self, at: u64, seq: Seq) {
        if self.marks.last().is_none_or(|mark| at - mark.at >= MARK_BYTES) {
            self.marks.push(FileMark { events: self.events, seq, at });
        }
        self.events += 1;
        self.last = Some(seq);
        self.next = Some(seq.next());
    }

    /// Parses a line with its blobs, or keeps it unparsed.
    fn event(&mut self, at: usize, line: &[u8], envelope: &Envelope) -> Option<Event> {
        if self.want == Want::UnreadPieces
            && let Some(pieces) = envelope.pieces()
        {
            return Some(pieces);
        }
        let seq = envelope.seq;
        let blobs = &mut self.blobs;
        let faults = &mut self.faults;
        let mut read = |reference: &Reference| {
            blobs.read(reference).unwrap_or_else(|| {
                faults.push(LogFault::Blob { seq, name: reference.name.to_owned() });
                missing(reference)
            })
        };
        let event = envelope.event(&mut read).or_else(|e| {
            self.unread(at, line, &e.to_string());
            envelope.unread()
        });
        // an envelope that cannot be parsed either was reported above
        event.ok()
    }
}

/// The blobs of a log.
#[derive(Clone, Default)]
struct Blobs {
    folder: PathBuf,
    budget: u64,
}

impl Blobs {
    fn read(&mut self, reference: &Reference) -> Option<String> {
        self.budget = self.budget.checked_sub(reference.bytes)?;
        let path = self.folder.join(reference.name);
        // check length and type first: the file may have been replaced
        let there = path.metadata().ok()?;
        if !there.is_file() || there.len() != reference.bytes {
            return None;
        }
        let text = std::fs::read_to_string(path).ok()?;
        (name_of(text.as_bytes()) == reference.name).then_some(text)
    }
}

/// Splits bytes before every beginning of a line except the first.
fn split_before_starts(bytes: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let mut rest = bytes;
    while let Some(at) =
        rest.windows(LINE_START.len()).skip(1).position(|w| w == LINE_START).map(|at| at + 1)
    {
        let (part, after) = rest.split_at_checked(at).unwrap_or((rest, &[]));
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    parts
}

pub(super) fn wide(range: &Range<usize>) -> Range<u64> {
    range.start as u64..range.end as u64
}
