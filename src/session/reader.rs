//! Reads a whole session and says what is wrong with it; changes nothing.
//!
//! A line counts when its checksum holds. What does not is skipped up to the next line that does, and reported with
//! its bytes; only what follows the last whole line is a torn tail, the usual trace of a crash. Mending is `repair`'s.

use super::alone::{self, RawLine};
use super::blobs::{Reference, name_of};
use super::codec::{Envelope, LINE_MAX_BYTES, decode, missing};
use super::error::SessionError;
use super::fault::LogFault;
use super::files::SessionFiles;
use super::{FORMAT, Record};
use crate::model::{Event, Seq};
use crate::untrusted;
use std::fs::{File, Metadata};
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The longest session that is read, in bytes.
pub const SESSION_MAX_BYTES: u64 = 4 * 1024 * 1024 * 1024;
/// How much text beside a log is read for one session, in bytes: a small file must not name gigabytes.
const BLOBS_MAX_BYTES: u64 = 256 * 1024 * 1024;
/// A line further ahead of the one before it than this many events is none of this session's.
pub(super) const GAP_MAX: u64 = 100_000;

/// With what every line begins.
const LINE_START: &[u8] = b"{\"seq\":";

/// A session as read.
#[derive(Debug)]
pub struct Log {
    /// Whose it is.
    pub files: SessionFiles,
    /// The whole lines in order, with what they mean.
    pub records: Vec<Arc<Record>>,
    /// What is wrong, a torn tail apart.
    pub faults: Vec<LogFault>,
    /// The bytes after the last whole line.
    pub torn: Option<Range<u64>>,
    /// Whether the last whole line lacks its newline, and nothing else.
    pub unterminated: bool,
    /// The length of the file in bytes.
    pub len: u64,
    /// What the system said of the file before it was read.
    pub(super) file: Option<Metadata>,
}

impl Log {
    /// Returns whether the session may be continued, once a torn tail is set aside.
    pub fn can_append(&self) -> bool {
        !self.faults.iter().any(LogFault::forbids_writing)
    }

    /// Returns whether the file is still the one that was read, as far as its length and the time of its last change say.
    pub(super) fn is_current(&self, file: &Metadata) -> bool {
        let same = |read: &Metadata| {
            read.len() == file.len()
                && read.modified().is_ok_and(|at| file.modified().is_ok_and(|now| now == at))
        };
        self.file.as_ref().is_some_and(same)
    }

    /// Returns the last event.
    pub fn last(&self) -> Option<&Event> {
        self.records.last().map(|r| &r.event)
    }
}

/// Returns the paths of a file that proves to be a session, before anything is made beside it.
///
/// # Errors
/// [`SessionError::NotASession`], or what kept it from being read.
pub fn proven(path: &Path) -> Result<SessionFiles, SessionError> {
    let files = SessionFiles::of_existing(path)?;
    let mut first = Vec::new();
    let read = open(&files)
        .map(BufReader::new)?
        .take(LINE_MAX_BYTES as u64 + 1)
        .read_until(b'\n', &mut first);
    read.map_err(SessionError::io("read", path))?;
    // where the first line is damaged, any other proves it
    if decode(first.strip_suffix(b"\n").unwrap_or(&first)).is_ok() {
        Ok(files)
    } else {
        Ok(read_files(files)?.files)
    }
}

/// Opens a log for reading.
pub(super) fn open(files: &SessionFiles) -> Result<File, SessionError> {
    let path = files.log();
    untrusted::open(path).map_err(|e| match e.kind() {
        ErrorKind::InvalidInput => SessionError::NotASession { path: path.to_owned() },
        _ => SessionError::io("open", path)(e),
    })
}

/// Reads a session, whoever writes it meanwhile.
///
/// # Errors
/// [`SessionError::Io`], [`SessionError::NotASession`] or [`SessionError::TooLarge`]; damage is not an error but a
/// part of what is returned.
pub fn read(path: &Path) -> Result<Log, SessionError> {
    read_files(SessionFiles::of_existing(path)?)
}

fn read_files(files: SessionFiles) -> Result<Log, SessionError> {
    let file = open(&files)?;
    read_open(files, &file).map(|(log, _)| log)
}

/// Reads a session from its open file; also returns the bytes.
pub(super) fn read_open(
    files: SessionFiles,
    mut file: &File,
) -> Result<(Log, Vec<u8>), SessionError> {
    let path = files.log().to_owned();
    let io = |e| SessionError::io("read", &path)(e);
    let metadata = file.metadata().map_err(io)?;
    let len = metadata.len();
    if len > SESSION_MAX_BYTES {
        return Err(SessionError::TooLarge { path, bytes: len });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
    file.read_to_end(&mut bytes).map_err(io)?;
    let rescue = files.rescue();
    let mut log = read_bytes(files, &bytes);
    log.file = Some(metadata);
    if log.records.is_empty() && !may_be_torn_opening(&bytes) {
        return Err(SessionError::NotASession { path });
    }
    if rescue.exists() {
        log.faults.push(LogFault::Rescue { path: rescue });
    }
    Ok((log, bytes))
}

/// Reads what a file holds; `files` tells where long texts lie.
pub fn read_bytes(files: SessionFiles, bytes: &[u8]) -> Log {
    let mut reader = Reader::new(files);
    reader.take(bytes);
    reader.finish()
}

/// Reads what a rescue file of a session holds; it begins wherever the session's own file was last synced.
pub(super) fn read_rescue(files: &SessionFiles, bytes: &[u8]) -> Log {
    let mut reader = Reader { next: None, ..Reader::new(files.clone()) };
    reader.take(bytes);
    reader.finish()
}

/// Returns whether bytes without a whole line can be the beginning of a session that a crash left behind.
fn may_be_torn_opening(bytes: &[u8]) -> bool {
    let start = b"{\"seq\":0,\"at\":\"";
    bytes.starts_with(start) || start.starts_with(bytes) || bytes.iter().all(|b| *b == 0)
}

/// A session being read, line by line.
#[derive(Clone)]
pub struct Reader {
    blobs: Blobs,
    files: SessionFiles,
    records: Vec<Arc<Record>>,
    faults: Vec<LogFault>,
    /// The place of the next event; none while any would do.
    next: Option<Seq>,
    /// How many bytes were taken.
    len: usize,
    /// Bytes that are no line; damage only once a whole line follows.
    torn: Option<Range<usize>>,
    unterminated: bool,
}

impl Reader {
    /// Returns a reader that has seen nothing; `files` tells where long texts lie.
    pub fn new(files: SessionFiles) -> Reader {
        Reader {
            blobs: Blobs { folder: files.blobs(), budget: BLOBS_MAX_BYTES },
            files,
            records: vec![],
            faults: vec![],
            next: Some(Seq(0)),
            len: 0,
            torn: None,
            unterminated: false,
        }
    }

    /// Takes the next bytes: any number of lines, of which only the session's last may lack its newline.
    pub fn take(&mut self, bytes: &[u8]) {
        for line in alone::read(bytes) {
            let len = line.bytes.len();
            self.line(self.len, line);
            self.len += len;
        }
    }

    /// Returns the events that were read so far.
    pub(super) fn records(&self) -> &[Arc<Record>] {
        &self.records
    }

    /// Returns what was read, once nothing more comes.
    pub fn finish(self) -> Log {
        Log {
            files: self.files,
            records: self.records,
            faults: self.faults,
            torn: self.torn.map(|torn| wide(&torn)),
            unterminated: self.unterminated,
            len: self.len as u64,
            file: None,
        }
    }

    /// Takes what lies between two newlines.
    fn line(&mut self, at: usize, line: RawLine<'_>) {
        match line.envelope {
            Ok(envelope) => self.whole(at, line.bytes, envelope, line.record),
            Err(SessionError::Shape(e)) => self.unread(at, line.bytes, &e.to_string()),
            Err(_) => self.damaged(at, line.bytes),
        }
    }

    /// Takes bytes that are no line. Where a newline was lost, whole lines are in there all the same.
    fn damaged(&mut self, mut at: usize, line: &[u8]) {
        for part in split_before_starts(line) {
            let newline_hurt = part.split_last().map_or(part, |(_, most)| most);
            if let Ok(envelope) = Envelope::read(part) {
                self.whole(at, part, envelope, None);
            } else if let Ok(envelope) = Envelope::read(newline_hurt) {
                self.whole(at, newline_hurt, envelope, None);
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

    /// Takes a whole line, with its record where that could be made of the line alone.
    fn whole(&mut self, at: usize, line: &[u8], envelope: Envelope, record: Option<Arc<Record>>) {
        self.settle(line);
        let seq = envelope.seq;
        let next = self.next.map_or(seq.0, |next| next.0);
        if seq.0 < next || seq.0 - next > GAP_MAX {
            let bytes = wide(&(at..at + line.len()));
            self.faults.push(LogFault::Misplaced { bytes, seq });
            return;
        }
        if seq.0 > next {
            self.faults.push(LogFault::Missing { seq: next..seq.0 });
        }
        if seq.0 == 0
            && let Some(format) = envelope.format()
            && format > u64::from(FORMAT)
        {
            self.faults.push(LogFault::Newer { format });
        }
        if let Some(record) = record.or_else(|| self.record(at, line, &envelope)) {
            self.records.push(record);
            self.next = Some(seq.next());
        }
    }

    /// Makes the record of a line that needs the texts beside the log, or that this version cannot read.
    fn record(&mut self, at: usize, line: &[u8], envelope: &Envelope) -> Option<Arc<Record>> {
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
        event.ok().map(|event| envelope.record(event))
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

fn wide(range: &Range<usize>) -> Range<u64> {
    range.start as u64..range.end as u64
}
