//! Reads a whole session and reports its faults; changes nothing.
//!
//! A line is valid if its checksum is right. Invalid lines are skipped up to the next valid one and reported with their
//! byte range; only bytes after the last whole line are a torn tail, the usual trace of a crash. `repair` repairs.

use super::Record;
use super::archive::{Archive, Part};
use super::codec::{LINE_MAX_BYTES, decode};
use super::error::{LogFault, SessionError};
use super::files::SessionFiles;
use super::finished::PieceFilter;
use super::lines::Blocks;
use super::progress::ReadProgress;
use super::records::Records;
use super::scanner::{Each, FileMark, Found, Scanner, Want, wide};
use crate::model::{Event, Seq, Wall};
use crate::untrusted;
use std::fs::{File, Metadata};
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;

/// Maximum size of a session, in bytes.
pub const SESSION_MAX_BYTES: u64 = 4 * 1024 * 1024 * 1024;
/// Result of a scan, without the events.
#[derive(Debug)]
pub struct Survey {
    /// Paths of the session.
    pub files: SessionFiles,
    /// Wall-clock time of the first event; `None` if no line is whole.
    pub began: Option<Wall>,
    /// `seq` of the last event; `None` in an empty log.
    pub last: Option<Seq>,
    /// Wall-clock time of the last event.
    pub latest: Option<Wall>,
    /// Faults other than a torn tail.
    pub faults: Vec<LogFault>,
    /// Byte range after the last whole line.
    pub torn: Option<Range<u64>>,
    /// True if the last whole line only lacks its newline.
    pub unterminated: bool,
    /// Length of the file in bytes.
    pub len: u64,
    /// Access to the events in the file; `None` if the session was read from memory.
    pub archive: Option<Archive>,
    /// Metadata of the file before it was read.
    pub(super) file: Option<Metadata>,
}

impl Survey {
    /// Returns the survey at the end of a scan.
    fn from_scanner(scanner: Scanner) -> Survey {
        Survey {
            files: scanner.files,
            began: scanner.began,
            last: scanner.last,
            latest: scanner.latest,
            faults: scanner.faults,
            torn: scanner.torn.map(|torn| wide(&torn)),
            unterminated: scanner.unterminated,
            len: scanner.len as u64,
            archive: None,
            file: None,
        }
    }

    /// Returns the events, read again from the file; empty if the session was read from memory.
    pub fn records(&self) -> Records {
        match &self.archive {
            Some(archive) => archive.clone().into(),
            None => vec![].into(),
        }
    }

    /// Returns whether the session may be continued after a repair of its tail.
    pub fn can_append(&self) -> bool {
        !self.faults.iter().any(LogFault::forbids_writing)
    }

    /// Returns whether the file is unchanged since it was read, by its length and modification time.
    pub(super) fn is_current(&self, file: &Metadata) -> bool {
        let same = |read: &Metadata| {
            read.len() == file.len()
                && read.modified().is_ok_and(|at| file.modified().is_ok_and(|now| now == at))
        };
        self.file.as_ref().is_some_and(same)
    }
}

/// A session with all its events in memory. A caller that needs each event once [reads](read) instead.
#[derive(Debug)]
pub struct Log {
    /// Result of the scan.
    pub survey: Survey,
    /// The whole lines, parsed, in order.
    pub records: Vec<Arc<Record>>,
}

impl Log {
    /// Returns the events in order.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = &Event> + Clone {
        self.records.iter().map(|record| &*record.event)
    }

    /// Returns the last event; `None` in an empty log.
    pub fn last(&self) -> Option<&Event> {
        self.events().next_back()
    }
}

impl Deref for Log {
    type Target = Survey;

    fn deref(&self) -> &Survey {
        &self.survey
    }
}

/// Returns the paths of a file if it is a session, before any file is created next to it.
///
/// # Errors
/// [`SessionError::NotASession`], or the error of reading it.
pub fn proven(path: &Path) -> Result<SessionFiles, SessionError> {
    let files = SessionFiles::of_existing(path)?;
    let mut first = Vec::new();
    let taken = open(&files)
        .map(BufReader::new)?
        .take(LINE_MAX_BYTES as u64 + 1)
        .read_until(b'\n', &mut first);
    taken.map_err(SessionError::io("read", path))?;
    // if the first line is damaged, any other valid line will do
    if decode(first.strip_suffix(b"\n").unwrap_or(&first)).is_ok() {
        Ok(files)
    } else {
        let survey = read(path, Want::Turns, &ReadProgress::default(), &mut |_| {})?;
        // an empty file is a session that was killed at its start only if it is named like one
        if survey.last.is_none() && path.extension().is_none_or(|extension| extension != "jsonl") {
            return Err(SessionError::NotASession { path: path.to_owned() });
        }
        Ok(survey.files)
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

/// Reads a session into memory.
///
/// # Errors
/// As [`read`].
pub fn load(path: &Path) -> Result<Log, SessionError> {
    let mut records = vec![];
    let mut each = |found: Found<'_>| records.push(found.record());
    let survey = read(path, Want::All, &ReadProgress::default(), &mut each)?;
    Ok(Log { survey, records })
}

/// Reads a session, even while another program writes it, and passes its events to `each` in order; updates `progress`.
///
/// # Errors
/// [`SessionError::Io`], [`SessionError::NotASession`] or [`SessionError::TooLarge`]; damage is not an error but part
/// of the result. Events passed before the error belong to the session.
pub fn read(
    path: &Path,
    want: Want,
    progress: &ReadProgress,
    each: &mut dyn FnMut(Found<'_>),
) -> Result<Survey, SessionError> {
    let files = SessionFiles::of_existing(path)?;
    let file = open(&files)?;
    let mut scanner = Scanner::new(files);
    scanner.want = want;
    read_open(scanner, file, progress, each)
}

/// Reads a session as [`read`] does, but passes only the events that a fold of the whole session needs: most pieces are
/// skipped, because `turn.ended` repeats their text.
pub fn fold(
    path: &Path,
    progress: &ReadProgress,
    each: &mut dyn FnMut(&Event),
) -> Result<Survey, SessionError> {
    let mut filter = PieceFilter::default();
    let survey = read(path, Want::UnreadPieces, progress, &mut |found| {
        filter.take(found.event, each);
    })?;
    filter.finish(each);
    Ok(survey)
}

/// Reads a session from its open file.
pub(super) fn read_open(
    mut scanner: Scanner,
    file: File,
    progress: &ReadProgress,
    each: Each<'_>,
) -> Result<Survey, SessionError> {
    let path = scanner.files.log().to_owned();
    let io = |e| SessionError::io("read", &path)(e);
    let metadata = file.metadata().map_err(io)?;
    let len = metadata.len();
    if len > SESSION_MAX_BYTES {
        return Err(SessionError::TooLarge { path, bytes: len });
    }
    progress.begin(len);
    let rescue = scanner.files.rescue();
    let mut beginning: Option<bool> = None;
    let file = Arc::new(file);
    let whole = Part { file: file.clone(), at: 0, end: u64::MAX };
    let mut blocks = Blocks::new(whole);
    while let Some(block) = blocks.next().map_err(io)? {
        let may_begin = beginning.unwrap_or(true) && may_be_torn_opening(&block, beginning);
        beginning = Some(may_begin);
        scanner.take(&block, each);
        progress.stand(scanner.len as u64);
    }
    let end = scanner.torn.as_ref().map_or(scanner.len, |torn| torn.start) as u64;
    let archive = Archive::new(file, &mut scanner, end);
    let mut survey = Survey::from_scanner(scanner);
    survey.file = Some(metadata);
    if survey.last.is_none() && !beginning.unwrap_or(true) {
        return Err(SessionError::NotASession { path });
    }
    survey.archive = Some(archive);
    if rescue.exists() {
        survey.faults.push(LogFault::Rescue { path: rescue });
    }
    Ok(survey)
}

/// Returns the events in the first and in the last `bytes` bytes of a session, without reading the rest.
pub fn ends(path: &Path, bytes: u64) -> Result<[Vec<Arc<Event>>; 2], SessionError> {
    let files = SessionFiles::of_existing(path)?;
    let mut file = open(&files)?;
    let io = |e| SessionError::io("read", path)(e);
    let from = file.metadata().map_err(io)?.len().saturating_sub(bytes).max(bytes);
    let mut scanners = [Scanner::new(files.clone()), Scanner::anywhere(files)];
    let mut events = [vec![], vec![]];
    for ((scanner, events), at) in scanners.iter_mut().zip(&mut events).zip([0, from]) {
        file.seek(SeekFrom::Start(at)).map_err(io)?;
        let mut part = vec![];
        file.by_ref().take(bytes).read_to_end(&mut part).map_err(io)?;
        scanner.take(&part, &mut |found| events.push(found.event.clone()));
    }
    Ok(events)
}

/// Parses the content of a session file; `files` locates its blobs.
pub fn read_bytes(files: SessionFiles, bytes: &[u8]) -> Log {
    let mut reader = Reader::new(files);
    reader.take(bytes);
    reader.finish()
}

/// Returns the events of a session's rescue file, if it has one; it begins at the last sync of the session file.
pub(super) fn rescued(files: &SessionFiles) -> Result<Option<Records>, SessionError> {
    let file = match untrusted::open(&files.rescue()) {
        Ok(file) => file,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(SessionError::io("read", files.rescue())(e)),
    };
    let scanner = Scanner::anywhere(files.clone());
    match read_open(scanner, file, &ReadProgress::default(), &mut |_| {}) {
        Ok(survey) => Ok(Some(survey.records())),
        // the file contains nothing usable
        Err(SessionError::NotASession { .. }) => Ok(Some(vec![].into())),
        Err(e) => Err(e),
    }
}

/// Returns whether bytes without a whole line can be an opening that a crash cut off, or the end of one.
fn may_be_torn_opening(bytes: &[u8], before: Option<bool>) -> bool {
    let start = b"{\"seq\":0,\"at\":\"";
    let begins = || bytes.starts_with(start) || start.starts_with(bytes);
    bytes.iter().all(|b| *b == 0) || before.is_none() && begins()
}

/// Parses a session into memory, from bytes.
#[derive(Clone)]
pub struct Reader {
    scanner: Scanner,
    records: Vec<Arc<Record>>,
}

impl Reader {
    /// Returns a reader without events; `files` locates blobs.
    pub fn new(files: SessionFiles) -> Reader {
        Reader { scanner: Scanner::new(files), records: vec![] }
    }

    /// Returns a reader that continues after a scan, and its offset in bytes.
    pub(super) fn behind(survey: &Survey) -> (Reader, u64) {
        let end = survey.torn.as_ref().map_or(survey.len, |torn| torn.start);
        let seq = survey.last.map_or(Seq(0), Seq::next);
        let mark = FileMark { events: 0, seq, at: end };
        let scanner = Scanner::at(mark, survey.files.clone());
        (Reader { scanner, records: vec![] }, end)
    }

    /// Parses the next bytes: any number of lines, of which only the session's last may lack its newline.
    pub fn take(&mut self, bytes: &[u8]) {
        self.scanner.take(bytes, &mut |found| self.records.push(found.record()));
    }

    /// Returns the new events and drops them from memory.
    pub(super) fn fresh(&mut self) -> Vec<Arc<Record>> {
        std::mem::take(&mut self.records)
    }

    /// Returns the log, at the end of the bytes.
    pub fn finish(self) -> Log {
        Log { survey: Survey::from_scanner(self.scanner), records: self.records }
    }
}
