//! The results file: read line by line within limits; one line is appended per conversation.

use super::bounded::{BoundedLine, next_line};
use super::results::{KnownResults, ResultLine, ResultPlace};
use crate::own_file::OwnFile;
use crate::untrusted;
use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Maximum length of a line, in bytes.
const LINE_MAX: u64 = 1 << 20;
/// Maximum size of a results file from elsewhere, in bytes.
const FILE_MAX: u64 = 512 << 20;
/// Number of damaged lines above which a file is rejected.
const DAMAGED_MAX: usize = 1_000;
/// First bytes of every result line.
const HEAD: &[u8] = b"{\"version\":";

/// Error of reading a result line.
#[derive(Debug, thiserror::Error)]
pub enum BadResult {
    /// The line with this number is not a result.
    #[error("line {0} is not a result")]
    Damaged(u64),
    /// The file cannot be read any further.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Iterator over the lines of a results file.
pub struct ResultLines<R> {
    input: BufReader<R>,
    number: u64,
    damaged: usize,
    over: bool,
}

/// Opens a results file from elsewhere: a regular file of at most 512 MiB.
///
/// # Errors
/// The error of the operating system, or [`ErrorKind::FileTooLarge`].
pub fn open_results(path: &Path) -> io::Result<ResultLines<impl Read>> {
    let file = untrusted::open(path)?;
    if file.metadata()?.len() > FILE_MAX {
        let message = format!("it is larger than {} MiB", FILE_MAX >> 20);
        return Err(io::Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok(lines(file.take(FILE_MAX)))
}

/// Opens the results of this run, without a size limit.
pub fn reopen_results(path: &Path) -> io::Result<ResultLines<File>> {
    untrusted::open(path).map(lines)
}

fn lines<R: Read>(input: R) -> ResultLines<R> {
    ResultLines { input: BufReader::new(input), number: 0, damaged: 0, over: false }
}

impl<R: Read> ResultLines<R> {
    fn fail(&mut self, e: io::Error) -> Option<Result<ResultLine, BadResult>> {
        self.over = true;
        Some(Err(BadResult::Io(e)))
    }
}

impl<R: Read> Iterator for ResultLines<R> {
    type Item = Result<ResultLine, BadResult>;

    /// Returns the next result. An I/O error ends the iteration.
    fn next(&mut self) -> Option<Self::Item> {
        while !self.over {
            self.number += 1;
            let parsed = match next_line(&mut self.input, LINE_MAX) {
                Ok(None) => return None,
                Ok(Some(BoundedLine::Whole(line))) if line.trim_ascii().is_empty() => continue,
                Ok(Some(BoundedLine::Whole(line))) => ResultLine::parse(&line),
                Ok(Some(BoundedLine::TooLong)) => None,
                Err(e) => return self.fail(e),
            };
            if let Some(line) = parsed {
                return Some(Ok(line));
            }
            self.damaged += 1;
            if self.damaged > DAMAGED_MAX {
                let message = format!("more than {DAMAGED_MAX} lines are not results");
                return self.fail(io::Error::new(ErrorKind::InvalidData, message));
            }
            return Some(Err(BadResult::Damaged(self.number)));
        }
        None
    }
}

/// Results file opened for appending. It is locked, so no other process writes to it.
pub struct Appended(OwnFile);

impl Appended {
    /// Opens a file for appending and reads its results. A last line without a line break gets one; one that was cut
    /// off is removed.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the file is not a results file, [`ErrorKind::WouldBlock`] if another process
    /// writes to it, or another error of the operating system.
    pub fn open(path: &Path) -> io::Result<(Appended, KnownResults)> {
        let mut done = KnownResults::default();
        let mut file = OwnFile::append(path, is_result)?;
        file.try_lock().map_err(|e| match e {
            TryLockError::WouldBlock => ErrorKind::WouldBlock.into(),
            TryLockError::Error(e) => e,
        })?;
        let mut is_torn = false;
        for line in lines(&mut file) {
            is_torn = line.is_err();
            match line {
                Ok(line) => done.take(&line),
                Err(BadResult::Damaged(number)) => done.damaged.push(number),
                Err(BadResult::Io(e)) => return Err(e),
            }
        }
        if file.seek(SeekFrom::End(0))? > 0 {
            file.seek(SeekFrom::End(-1))?;
            let mut last = [0];
            file.read_exact(&mut last)?;
            if last != *b"\n" {
                end_line(&mut file, is_torn)?;
            }
        }
        Ok((Appended(file), done))
    }

    /// Appends a line and syncs it to disk.
    pub fn append(&mut self, line: &ResultLine) -> io::Result<()> {
        let mut text = serde_json::to_string(line).map_err(io::Error::other)?;
        text.push('\n');
        self.0.write_all(text.as_bytes())?;
        self.0.sync()
    }
}

/// Removes the results that later ones replace, in one step.
///
/// # Errors
/// The error of the operating system; the file is then unchanged.
pub fn remove_superseded(path: &Path) -> io::Result<()> {
    let mut all: Vec<ResultLine> = vec![];
    let mut places: HashMap<ResultPlace, usize> = HashMap::new();
    for line in reopen_results(path)? {
        let line = match line {
            Ok(line) => line,
            Err(BadResult::Damaged(_)) => continue,
            Err(BadResult::Io(e)) => return Err(e),
        };
        match places.get(&line.place()).and_then(|at| all.get_mut(*at)) {
            Some(earlier) => *earlier = line,
            None => {
                places.insert(line.place(), all.len());
                all.push(line);
            }
        }
    }
    let mut text = vec![];
    for line in &all {
        serde_json::to_writer(&mut text, line)?;
        text.push(b'\n');
    }
    OwnFile::replace(path, &text, is_result)
}

/// Ends a last line without a line break, or removes it.
fn end_line(file: &mut OwnFile, is_torn: bool) -> io::Result<()> {
    if !is_torn {
        file.seek(SeekFrom::End(0))?;
        return file.write_all(b"\n");
    }
    let mut end = file.seek(SeekFrom::End(0))?;
    let mut last = [0];
    while end > 0 {
        file.seek(SeekFrom::Start(end - 1))?;
        file.read_exact(&mut last)?;
        if last == *b"\n" {
            break;
        }
        end -= 1;
    }
    file.cut(end)
}

/// Returns whether a first line is a result, complete or cut off by a kill.
fn is_result(line: &[u8]) -> bool {
    line.starts_with(HEAD) || HEAD.starts_with(line)
}
