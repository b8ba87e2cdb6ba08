//! Merges the results of several machines into one file, without duplicates. Rejects results of different prompts or
//! judges.

use super::arm::{BATCH_VERSION, BatchFile};
use super::file::{BadResult, open_results};
use super::results::{ResultLine, ResultOutcome};
use crate::own_file::OwnFile;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Error of a merge.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// A file cannot be read, or the new one cannot be written.
    #[error("{0}")]
    Io(PathBuf, #[source] io::Error),
    /// A line is not a result.
    #[error("{0}, line {1}: not a result")]
    Damaged(PathBuf, u64),
    /// A protocol was run with different prompts, models or judges.
    #[error("the prompts, models or judges of {protocol} differ between {one} and {other}")]
    Mixed {
        /// Name of the protocol.
        protocol: String,
        /// Path of the first file.
        one: PathBuf,
        /// Path of the file that differs from it.
        other: PathBuf,
    },
    /// Two files have different results of the same conversation.
    #[error("{protocol} has different results for item `{item}` in {one} and {other}")]
    Twice {
        /// Name of the item.
        item: String,
        /// Name of the protocol.
        protocol: String,
        /// Path of the first file.
        one: PathBuf,
        /// Path of the file that differs from it.
        other: PathBuf,
    },
}

/// Merges the results of several files, in the order of the items. Returns the number of results.
///
/// # Errors
/// [`Refused`] if a file cannot be read or written, or if the results contradict each other.
pub fn merge(files: &[PathBuf], to: &Path) -> Result<usize, Refused> {
    let mut by: BTreeMap<String, (String, Option<String>, &Path)> = BTreeMap::new();
    let mut all: BTreeMap<(u64, String, String), (ResultLine, &Path)> = BTreeMap::new();
    let folder = to.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for path in files {
        let lines = open_results(path).map_err(|e| Refused::Io(path.clone(), e))?;
        let mut own: BTreeMap<(u64, String, String), ResultLine> = BTreeMap::new();
        for line in lines {
            let line = line.map_err(|bad| match bad {
                BadResult::Damaged(number) => Refused::Damaged(path.clone(), number),
                BadResult::Io(e) => Refused::Io(path.clone(), e),
            })?;
            let made = (line.fingerprint.clone(), line.judge.clone(), path.as_path());
            let known = by.entry(line.arm.clone()).or_insert_with(|| made.clone());
            if (&known.0, &known.1) != (&made.0, &made.1) {
                return Err(Refused::Mixed {
                    protocol: line.arm,
                    one: known.2.to_owned(),
                    other: path.clone(),
                });
            }
            // within a file, the last line of a conversation counts
            own.insert((line.line, line.item.clone(), line.arm.clone()), line);
        }
        for (place, mut line) in own {
            line.session = session(&line.session, path, folder);
            match all.get(&place) {
                Some((other, one)) if *other != line => {
                    let fails = [other, &line].map(|line| line.outcome == ResultOutcome::Failed);
                    match fails {
                        // a conversation that failed on one machine may have ended well on another
                        [true, false] => drop(all.insert(place, (line, path))),
                        [false, true] => {}
                        _ => {
                            let (_, item, protocol) = place;
                            let one = one.to_path_buf();
                            let other = path.clone();
                            return Err(Refused::Twice { item, protocol, one, other });
                        }
                    }
                }
                Some(_) => {}
                None => drop(all.insert(place, (line, path))),
            }
        }
    }
    let note_path = BatchFile::path(to);
    let note = noted(files, &note_path, &by)?;
    let spell = |out: &mut dyn Write| {
        for (line, _) in all.values() {
            serde_json::to_writer(&mut *out, line)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    };
    OwnFile::create_whole(to, spell).map_err(|e| Refused::Io(to.to_owned(), e))?;
    if let Some(note) = note {
        OwnFile::replace(&note_path, note.as_bytes(), |line| line.starts_with(b"{"))
            .map_err(|e| Refused::Io(note_path, e))?;
    }
    Ok(all.len())
}

/// Returns the text of `batch.json` for merged results, with the arms and runs of all parts; `None` if no part has any.
fn noted(
    files: &[PathBuf],
    to: &Path,
    by: &BTreeMap<String, (String, Option<String>, &Path)>,
) -> Result<Option<String>, Refused> {
    let mut all = BatchFile { version: BATCH_VERSION, ..BatchFile::default() };
    let mut seen = BTreeSet::new();
    // a list that is there already keeps its order
    let parts = files.iter().map(|file| BatchFile::path(file));
    for path in [to.to_owned()].into_iter().chain(parts) {
        if seen.insert(path.clone())
            && let Some(part) = BatchFile::read(&path).map_err(|e| Refused::Io(path.clone(), e))?
        {
            all.extend(part);
        }
    }
    all.arms.retain(|arm| by.get(&arm.name).is_none_or(|(made, ..)| *made == arm.fingerprint));
    if all.arms.is_empty() {
        return Ok(None);
    }
    all.text().map(Some).map_err(|e| Refused::Io(to.to_owned(), e.into()))
}

/// Returns the path of a session relative to `folder`, or an absolute path if it is outside.
fn session(session: &str, beside: &Path, folder: &Path) -> String {
    let path = beside.parent().unwrap_or(Path::new("")).join(session);
    let absolute = path.canonicalize().unwrap_or(path);
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let inside = absolute.strip_prefix(&folder).map(Path::to_owned);
    inside.unwrap_or(absolute).display().to_string()
}
