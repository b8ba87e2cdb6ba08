//! Checks of each line of a session whether it is in its place, and passes on its content.
//!
//! A line counts when its checksum is right. Other lines are skipped up to the next one that counts, and recorded with
//! their bytes; only what follows the last whole line is a torn tail.

use super::alone::{LineBlock, LineMeaning};
use super::blobs::{Reference, name_of};
use super::codec::{Envelope, missing};
use super::error::SessionError;
use super::fault::LogFault;
use super::files::SessionFiles;
use super::{FORMAT, Record};
use crate::model::{Event, Kind, Seq, Wall};
use crate::text;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// The most text outside a log that is read for one session, in bytes: a small file must not name gigabytes.
const BLOBS_MAX_BYTES: u64 = 256 * 1024 * 1024;
/// A line whose number is further ahead than this does not belong to the session.
pub(super) const GAP_MAX: u64 = 100_000;

/// With what every line begins.
const LINE_START: &[u8] = b"{\"seq\":";

/// An event as it is found in a file.
pub struct Found<'a> {
    /// The place of its line in the file, in bytes.
    pub at: u64,
    /// Its line, perhaps with its newline.
    line: &'a [u8],
    /// The event as the program uses it.
    pub event: &'a Arc<Event>,
}

impl Found<'_> {
    /// Returns whether its line has a key that this program knows.
    pub fn has_keys(&self) -> bool {
        let line = String::from_utf8_lossy(self.line);
        matches!(text::without_keys(&line), std::borrow::Cow::Owned(_))
    }

    /// Returns it with its line.
    pub fn record(self) -> Arc<Record> {
        // a correct checksum means that the line is text
        let line = String::from_utf8_lossy(self.line);
        let text = line.strip_suffix('\n').map_or(&*line, |l| l.strip_suffix('\r').unwrap_or(l));
        let mut line = String::with_capacity(text.len() + 1);
        line.push_str(text);
        line.push('\n');
        Arc::new(Record { event: self.event.clone(), line })
    }
}

/// Where an event begins in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileMark {
    /// How many events come before it.
    pub(super) events: usize,
    /// Its number.
    pub(super) seq: Seq,
    /// The place of its line, in bytes.
    pub(super) at: u64,
}

/// Takes each event of a session.
pub(super) type Each<'a> = &'a mut dyn FnMut(Found<'_>);

/// Bytes between two places of the file that are kept in mind, at least.
const MARK_BYTES: u64 = 64 * 1024;

/// A session being read, line by line; what it has read it hands on.
#[derive(Clone)]
pub(super) struct Scanner {
    blobs: Blobs,
    pub(super) files: SessionFiles,
    pub(super) faults: Vec<LogFault>,
    /// The number of the next event; none while any is accepted.
    next: Option<Seq>,
    pub(super) began: Option<Wall>,
    pub(super) last: Option<Seq>,
    pub(super) latest: Option<Wall>,
    /// Places of events in the file, here and there.
    pub(super) marks: Vec<FileMark>,
    /// How many events have been accepted.
    pub(super) events: usize,
    /// How many bytes have been scanned.
    pub(super) len: usize,
    /// Bytes that are no line; damage only once a whole line follows.
    pub(super) torn: Option<Range<usize>>,
    pub(super) unterminated: bool,
}

impl Scanner {
    /// Returns a scanner without any events; `files` is where long texts are.
    pub(super) fn new(files: SessionFiles) -> Scanner {
        Scanner {
            blobs: Blobs { folder: files.blobs(), budget: BLOBS_MAX_BYTES },
            files,
            faults: vec![],
            next: Some(Seq(0)),
            began: None,
            last: None,
            latest: None,
            marks: vec![],
            events: 0,
            len: 0,
            torn: None,
            unterminated: false,
        }
    }

    /// Returns one that begins with whatever event comes first.
    pub(super) fn anywhere(files: SessionFiles) -> Scanner {
        Scanner { next: None, ..Scanner::new(files) }
    }

    /// Returns a scanner that continues with an event at a place in the file.
    pub(super) fn at(mark: FileMark, files: SessionFiles) -> Scanner {
        let len = usize::try_from(mark.at).unwrap_or(usize::MAX);
        Scanner { next: Some(mark.seq), events: mark.events, len, ..Scanner::new(files) }
    }

    /// Scans the next lines.
    pub(super) fn take(&mut self, block: &LineBlock, each: Each<'_>) {
        let mut rest = block.bytes.as_slice();
        for line in &block.lines {
            let (bytes, after) = rest.split_at_checked(line.len).unwrap_or((rest, &[]));
            match &line.says {
                LineMeaning::Event(event) => self.whole(self.len, bytes, event, each),
                LineMeaning::Pieces(seq) => self.pass(self.len, bytes, *seq),
                LineMeaning::Nothing => self.line(self.len, bytes, each),
            }
            self.len += line.len;
            rest = after;
        }
    }

    /// Scans the bytes between two newlines whose content the block does not say.
    fn line(&mut self, at: usize, line: &[u8], each: Each<'_>) {
        match Envelope::read(line) {
            Ok(envelope) => self.enveloped(at, line, &envelope, each),
            Err(SessionError::Shape(e)) => self.unread(at, line, &e.to_string()),
            Err(_) => self.damaged(at, line, each),
        }
    }

    /// Takes bytes that are no line. Where a newline was lost, whole lines are in there all the same.
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

    /// A whole line follows, so what went before it was not a torn tail.
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

    /// Returns whether an event of a whole line may stand here, and says what is missing before it.
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

    fn is_of_format(&mut self, format: u64) {
        if format > u64::from(FORMAT) {
            self.faults.push(LogFault::Newer { format });
        }
    }

    /// Takes a whole line that says by itself what it means.
    fn whole(&mut self, at: usize, line: &[u8], event: &Arc<Event>, each: Each<'_>) {
        if !self.belongs(at, line, event.seq) {
            return;
        }
        if let (Seq(0), Kind::Opened(opened)) = (event.seq, &event.kind) {
            self.is_of_format(u64::from(opened.format));
        }
        self.hand_on(at, line, event, each);
    }

    /// Skips a whole line of pieces that the caller does not need.
    fn pass(&mut self, at: usize, line: &[u8], seq: Seq) {
        if self.belongs(at, line, seq) {
            self.count(at as u64, seq);
        }
    }

    /// Takes a whole line that needs the texts beside the log, or that this version cannot read.
    fn enveloped(&mut self, at: usize, line: &[u8], envelope: &Envelope, each: Each<'_>) {
        if !self.belongs(at, line, envelope.seq) {
            return;
        }
        if envelope.seq.0 == 0
            && let Some(format) = envelope.format()
        {
            self.is_of_format(format);
        }
        if let Some(event) = self.event(at, line, envelope) {
            self.hand_on(at, line, &Arc::new(event), each);
        }
    }

    fn hand_on(&mut self, at: usize, line: &[u8], event: &Arc<Event>, each: Each<'_>) {
        let at = at as u64;
        self.began = self.began.or(Some(event.at));
        self.latest = Some(event.at);
        self.count(at, event.seq);
        each(Found { at, line, event });
    }

    fn count(&mut self, at: u64, seq: Seq) {
        if self.marks.last().is_none_or(|mark| at - mark.at >= MARK_BYTES) {
            self.marks.push(FileMark { events: self.events, seq, at });
        }
        self.events += 1;
        self.last = Some(seq);
        self.next = Some(seq.next());
    }

    /// Reads a line with the texts outside the log, or keeps it unread.
    fn event(&mut self, at: usize, line: &[u8], envelope: &Envelope) -> Option<Event> {
        let seq = envelope.seq;
        let (blobs, faults) = (&mut self.blobs, &mut self.faults);
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
        // an envelope that cannot be read either was reported a line above
        event.ok()
    }
}

/// The texts beside a log.
#[derive(Clone)]
struct Blobs {
    folder: PathBuf,
    budget: u64,
}

impl Blobs {
    fn read(&mut self, reference: &Reference) -> Option<String> {
        self.budget = self.budget.checked_sub(reference.bytes)?;
        let path = self.folder.join(reference.name);
        // length and kind first: the file may be anything by now
        let there = path.metadata().ok()?;
        if !there.is_file() || there.len() != reference.bytes {
            return None;
        }
        let text = std::fs::read_to_string(path).ok()?;
        (name_of(text.as_bytes()) == reference.name).then_some(text)
    }
}

/// Splits bytes before every beginning of a line but the first.
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
