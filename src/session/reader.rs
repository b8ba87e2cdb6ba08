//! Reads a whole session and reports what is wrong with it; changes nothing.
//!
//! A line counts when its checksum is right. Other lines are skipped up to the next one that counts, and reported with
//! their bytes; only what follows the last whole line is a torn tail, the usual trace of a crash. Repairs are
//! `repair`'s.

use super::Record;
use super::alone::{self, LineBlock, LineBlocks, ScanDepth};
use super::archive::{Archive, Part};
use super::codec::{LINE_MAX_BYTES, decode};
use super::error::SessionError;
use super::fault::LogFault;
use super::files::SessionFiles;
use super::progress::ReadProgress;
use super::records::Records;
use super::scanner::{Each, FileMark, Found, Scanner, wide};
use crate::model::{Event, Seq, Wall};
use crate::untrusted;
use std::fs::{File, Metadata};
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::ops::{Deref, DerefMut, Range};
use std::path::Path;
use std::sync::Arc;

/// The longest session that is read, in bytes.
pub const SESSION_MAX_BYTES: u64 = 4 * 1024 * 1024 * 1024;
/// What is known of a session after a scan, besides its events.
#[derive(Debug)]
pub struct Survey {
    /// The files of the session.
    pub files: SessionFiles,
    /// The wall-clock time of its first event; none where no line is whole.
    pub began: Option<Wall>,
    /// The `seq` of its last event; none in an empty log.
    pub last: Option<Seq>,
    /// The wall-clock time of its last event.
    pub latest: Option<Wall>,
    /// What is wrong with it, besides a torn tail.
    pub faults: Vec<LogFault>,
    /// The bytes after the last whole line.
    pub torn: Option<Range<u64>>,
    /// Whether the last whole line lacks its newline, with no other fault.
    pub unterminated: bool,
    /// The length of the file in bytes.
    pub len: u64,
    /// Its events, to be read again; none where it was not read from a file.
    pub archive: Option<Archive>,
    /// The file's metadata before it was read.
    pub(super) file: Option<Metadata>,
}

impl Survey {
    /// Returns the survey at the end of a scan.
    fn of(scanner: Scanner) -> Survey {
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

    /// Returns its events, which are read again from its file; none where it was not read from one.
    pub fn records(&self) -> Records {
        match &self.archive {
            Some(archive) => archive.clone().into(),
            None => vec![].into(),
        }
    }

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
}

/// A session as read, with all its events in memory. A caller that needs each event once [scans](scan) instead.
#[derive(Debug)]
pub struct Log {
    /// Everything else that is known of it.
    pub survey: Survey,
    /// The whole lines in order, with what they mean.
    pub records: Vec<Arc<Record>>,
}

impl Log {
    /// Returns its events in order.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = &Event> + Clone {
        self.records.iter().map(|record| &*record.event)
    }

    /// Returns the last event; none in an empty log.
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

impl DerefMut for Log {
    fn deref_mut(&mut self) -> &mut Survey {
        &mut self.survey
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
        scan_files(files, &ReadProgress::default(), &mut |_| {}).map(|survey| survey.files)
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

/// Reads a session, even while another program writes it, and keeps all of it in memory.
///
/// # Errors
/// [`SessionError::Io`], [`SessionError::NotASession`] or [`SessionError::TooLarge`]; damage is not an error but a
/// part of what is returned.
pub fn read(path: &Path) -> Result<Log, SessionError> {
    let mut records = vec![];
    let survey = scan(path, &ReadProgress::default(), &mut |found| records.push(found.record()))?;
    Ok(Log { survey, records })
}

/// Reads a session, even while another program writes it, and passes on its events in order; `progress` is updated.
///
/// # Errors
/// As [`read`]; events passed on before the error are those of the session.
pub fn scan(
    path: &Path,
    progress: &ReadProgress,
    each: &mut dyn FnMut(Found<'_>),
) -> Result<Survey, SessionError> {
    scan_files(SessionFiles::of_existing(path)?, progress, each)
}

/// Reads a session as [`scan`] does, but for its pieces, which the ends of their turns repeat: that they are whole is
/// looked at, what they say is not.
///
/// # Errors
/// As [`read`].
pub fn skim(path: &Path, each: &mut dyn FnMut(Found<'_>)) -> Result<Survey, SessionError> {
    let files = SessionFiles::of_existing(path)?;
    let file = open(&files)?;
    look_through(
        Scanner::new(files),
        file,
        &ReadProgress::default(),
        ScanDepth::WithoutPieces,
        each,
    )
}

/// Reads a session as [`scan`] does, but passes on only what a fold of the whole session needs: most pieces that the ends
/// of their turns repeat are left out, and the others come unread, as events of an unknown kind. Every checksum is checked.
///
/// # Errors
/// As [`read`].
pub fn scan_for_fold(
    path: &Path,
    progress: &ReadProgress,
    each: &mut dyn FnMut(Found<'_>),
) -> Result<Survey, SessionError> {
    let files = SessionFiles::of_existing(path)?;
    let file = open(&files)?;
    look_through(Scanner::new(files), file, progress, ScanDepth::ForFold, each)
}

fn scan_files(
    files: SessionFiles,
    progress: &ReadProgress,
    each: Each<'_>,
) -> Result<Survey, SessionError> {
    let file = open(&files)?;
    scan_open(files, file, progress, each)
}

/// Reads a session from its open file.
pub(super) fn scan_open(
    files: SessionFiles,
    file: File,
    progress: &ReadProgress,
    each: Each<'_>,
) -> Result<Survey, SessionError> {
    look_through(Scanner::new(files), file, progress, ScanDepth::Whole, each)
}

fn look_through(
    mut scanner: Scanner,
    file: File,
    progress: &ReadProgress,
    depth: ScanDepth,
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
    let mut blocks = LineBlocks::of(whole, len >= alone::SHORT_BYTES, depth);
    let mut take = |block: &LineBlock| {
        let may_begin = beginning.unwrap_or(true) && may_be_torn_opening(&block.bytes, beginning);
        beginning = Some(may_begin);
        scanner.take(block, each);
        progress.stand(scanner.len as u64);
    };
    while blocks.next(&mut take).map_err(io)? {}
    let end = scanner.torn.as_ref().map_or(scanner.len, |torn| torn.start) as u64;
    let archive = Archive::new(file, &mut scanner, end);
    let mut survey = Survey::of(scanner);
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

/// Returns the events at the beginning of a session and those at its end, of `bytes` bytes each, without reading the
/// rest.
///
/// # Errors
/// As [`read`].
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
        let block = LineBlock::read(part, ScanDepth::Whole);
        scanner.take(&block, &mut |found| events.push(found.event.clone()));
    }
    Ok(events)
}

/// Reads the content of a file; `files` is where its long texts are.
pub fn read_bytes(files: SessionFiles, bytes: &[u8]) -> Log {
    let mut reader = Reader::new(files);
    reader.take(bytes);
    reader.finish()
}

/// Returns the events of a session's rescue file, if it has one; it begins where the session's own file was last synced.
pub(super) fn rescued(files: &SessionFiles) -> Result<Option<Records>, SessionError> {
    let file = match untrusted::open(&files.rescue()) {
        Ok(file) => file,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(SessionError::io("read", files.rescue())(e)),
    };
    let (scanner, progress) = (Scanner::anywhere(files.clone()), ReadProgress::default());
    match look_through(scanner, file, &progress, ScanDepth::Whole, &mut |_| {}) {
        Ok(survey) => Ok(Some(survey.records())),
        // nothing in it can be used
        Err(SessionError::NotASession { .. }) => Ok(Some(vec![].into())),
        Err(e) => Err(e),
    }
}

/// Returns whether bytes without a whole line can be the beginning of a session that a crash left behind, or what
/// follows such a beginning.
fn may_be_torn_opening(bytes: &[u8], before: Option<bool>) -> bool {
    let start = b"{\"seq\":0,\"at\":\"";
    let begins = || bytes.starts_with(start) || start.starts_with(bytes);
    bytes.iter().all(|b| *b == 0) || before.is_none() && begins()
}

/// A session being read into memory, from bytes.
#[derive(Clone)]
pub struct Reader {
    scanner: Scanner,
    records: Vec<Arc<Record>>,
}

impl Reader {
    /// Returns a reader without any events; `files` is where long texts are.
    pub fn new(files: SessionFiles) -> Reader {
        Reader { scanner: Scanner::new(files), records: vec![] }
    }

    /// Returns a reader that continues behind what was read of a file, and where that is in bytes.
    pub(super) fn behind(survey: &Survey) -> (Reader, u64) {
        let end = survey.torn.as_ref().map_or(survey.len, |torn| torn.start);
        let seq = survey.last.map_or(Seq(0), Seq::next);
        let mark = FileMark { events: 0, seq, at: end };
        let scanner = Scanner::at(mark, survey.files.clone());
        (Reader { scanner, records: vec![] }, end)
    }

    /// Takes the next bytes: any number of lines, of which only the session's last may lack its newline.
    pub fn take(&mut self, bytes: &[u8]) {
        let block = LineBlock::read(bytes.to_owned(), ScanDepth::Whole);
        self.scanner.take(&block, &mut |found| self.records.push(found.record()));
    }

    /// Returns the events that have come since it was asked last, and lets them go.
    pub(super) fn fresh(&mut self) -> Vec<Arc<Record>> {
        std::mem::take(&mut self.records)
    }

    /// Returns the log, at the end of the bytes.
    pub fn finish(self) -> Log {
        Log { survey: Survey::of(self.scanner), records: self.records }
    }
}
