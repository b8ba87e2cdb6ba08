//! Merges the results of several batches, or of the parts of one, into one file without duplicates.

use super::arm::{BATCH_VERSION, BatchFile, bracketed, missing_parts, panel};
use super::file::{BadResult, open_results};
use super::results::{ResultLine, ResultOutcome, ResultPlace};
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
    /// A file is named more than once.
    #[error("{0} is named twice")]
    Repeated(PathBuf),
    /// Two files have different results of the same conversation.
    #[error("{arm} has two results for item `{item}`, in {one} and in {other}")]
    Twice {
        /// Name of the item.
        item: String,
        /// Name of the arm.
        arm: String,
        /// Path of the first file.
        one: PathBuf,
        /// Path of the file that differs from it.
        other: PathBuf,
    },
    /// Parts of a batch that was divided have no results.
    #[error("{0}")]
    Missing(String),
}

/// Results of one file, with the list of their arms.
struct Part {
    path: PathBuf,
    /// Last result of each conversation.
    lines: BTreeMap<ResultPlace, ResultLine>,
    /// Fingerprints by arm.
    made: BTreeMap<String, String>,
    file: BatchFile,
}

impl Part {
    fn read(path: &Path) -> Result<Part, Refused> {
        let failed = |e| Refused::Io(path.to_owned(), e);
        let list = BatchFile::path(path);
        let file = BatchFile::read(&list).map_err(|e| Refused::Io(list, e))?.unwrap_or_default();
        let mut part =
            Part { path: path.to_owned(), lines: BTreeMap::new(), made: BTreeMap::new(), file };
        for line in open_results(path).map_err(failed)? {
            let line = line.map_err(|bad| match bad {
                BadResult::Damaged(number) => Refused::Damaged(path.to_owned(), number),
                BadResult::Io(e) => failed(e),
            })?;
            part.made.insert(line.arm.clone(), line.fingerprint.clone());
            part.lines.insert(line.place(), line);
        }
        // the folder may have held an arm of this name before
        let Part { made, file, .. } = &mut part;
        file.arms.retain(|arm| made.get(&arm.name).is_none_or(|made| *made == arm.fingerprint));
        Ok(part)
    }

    /// Returns whether no arm of both differs in its prompts, models or judges.
    fn is_like(&self, other: &Part) -> bool {
        let same = |(arm, made): (&String, &String)| other.made.get(arm).is_none_or(|o| o == made);
        self.made.iter().all(same)
    }

    /// Returns the models of all arms.
    fn models(&self) -> String {
        let all: BTreeSet<&str> = self.lines.values().filter_map(|l| l.model.as_deref()).collect();
        panel(&all.into_iter().collect::<Vec<_>>().join(","))
    }

    /// Returns the name of the folder, or of the file if it is alone.
    fn place(&self) -> String {
        let is_alone = BatchFile::path(&self.path).file_name() != Some("batch.json".as_ref());
        let path = if is_alone { Some(&*self.path) } else { self.path.parent() };
        let name = path.and_then(Path::file_stem).unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Adds the difference from other parts to the names of the arms that these have too.
    fn rename(&mut self, label: &str, shared: &BTreeSet<String>) {
        let name = |arm: &str| {
            if shared.contains(arm) { bracketed(arm, label) } else { arm.to_owned() }
        };
        for arm in &mut self.file.arms {
            arm.name = name(&arm.name);
            arm.baseline_of = arm.baseline_of.take().map(|arm| name(&arm));
        }
        for mut line in std::mem::take(&mut self.lines).into_values() {
            line.arm = name(&line.arm);
            self.lines.insert(line.place(), line);
        }
    }
}

/// Merges the results of several files and folders, in the order of the items. Arms of one name that differ get
/// brackets. Returns the number of results. With `partial`, parts of a divided batch may be missing.
///
/// # Errors
/// [`Refused`] if a file cannot be read or written, if the results contradict each other, or if parts are missing.
pub fn merge(paths: &[PathBuf], to: &Path, partial: bool) -> Result<usize, Refused> {
    let mut parts = vec![];
    let mut named = BTreeSet::new();
    for path in paths {
        for file in files(path).map_err(|e| Refused::Io(path.clone(), e))? {
            if !named.insert(file.canonicalize().unwrap_or_else(|_| file.clone())) {
                return Err(Refused::Repeated(file));
            }
            parts.push(Part::read(&file)?);
        }
    }
    distinguish(&mut parts);
    let folder = to.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = BatchFile { version: BATCH_VERSION, ..BatchFile::default() };
    let mut all: BTreeMap<ResultPlace, (ResultLine, PathBuf)> = BTreeMap::new();
    for part in parts {
        file.extend(part.file);
        for (place, mut line) in part.lines {
            line.session = session(&line.session, &part.path, folder);
            let fails = |line: &ResultLine| line.outcome == ResultOutcome::Failed;
            match all.get(&place) {
                // a conversation that failed on one machine may have ended well on another
                Some((other, _)) if *other == line || fails(&line) && !fails(other) => {}
                Some((other, one)) if !fails(other) || fails(&line) => {
                    let ResultLine { item, arm, .. } = line;
                    let one = one.clone();
                    return Err(Refused::Twice { item, arm, one, other: part.path });
                }
                _ => drop(all.insert(place, (line, part.path.clone()))),
            }
        }
    }
    let missing = missing_parts(all.values().map(|(line, _)| line.shard.as_deref()), &file.runs);
    if let (Some(missing), false) = (missing, partial) {
        return Err(Refused::Missing(missing));
    }
    let spell = |out: &mut dyn Write| {
        for (line, _) in all.values() {
            serde_json::to_writer(&mut *out, line)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    };
    OwnFile::create_whole(to, spell).map_err(|e| Refused::Io(to.to_owned(), e))?;
    if !file.arms.is_empty() {
        let list = BatchFile::path(to);
        let failed = |e| Refused::Io(list.clone(), e);
        let text = file.text().map_err(|e| failed(e.into()))?;
        OwnFile::replace(&list, text.as_bytes(), |line| line.starts_with(b"{")).map_err(failed)?;
    }
    Ok(all.len())
}

/// Returns the files of results that a path names: itself, or those in the folder.
fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut all = vec![];
    for entry in path.read_dir()? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("results") && name.ends_with(".jsonl") {
            all.push(path.join(&*name));
        }
    }
    all.sort();
    if all.is_empty() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "the folder has no results"));
    }
    Ok(all)
}

/// Renames the arms of parts in which arms of the same name differ: by their models, by their folders, or by numbers.
fn distinguish(parts: &mut [Part]) {
    let mut kinds: Vec<Vec<usize>> = vec![];
    for (at, part) in parts.iter().enumerate() {
        let is_like = |kind: &&mut Vec<usize>| {
            kind.iter().filter_map(|other| parts.get(*other)).all(|other| part.is_like(other))
        };
        match kinds.iter_mut().find(is_like) {
            Some(kind) => kind.push(at),
            None => kinds.push(vec![at]),
        }
    }
    if kinds.len() < 2 {
        return;
    }
    let firsts = kinds.iter().filter_map(|kind| parts.get(*kind.first()?));
    let by_models: Vec<String> = firsts.clone().map(Part::models).collect();
    let by_folder: Vec<String> = firsts.map(Part::place).collect();
    let by_number: Vec<String> = (1..=kinds.len()).map(|n| n.to_string()).collect();
    let differ = |labels: &&Vec<String>| {
        labels.iter().all(|label| !label.is_empty())
            && labels.iter().collect::<BTreeSet<_>>().len() == labels.len()
    };
    let labels = [&by_models, &by_folder].into_iter().find(differ).unwrap_or(&by_number);
    let mut seen = BTreeSet::new();
    let mut shared = BTreeSet::new();
    for kind in &kinds {
        let arms: BTreeSet<&String> =
            kind.iter().filter_map(|at| parts.get(*at)).flat_map(|part| part.made.keys()).collect();
        shared.extend(arms.into_iter().filter(|arm| !seen.insert((*arm).clone())).cloned());
    }
    for (kind, label) in kinds.iter().zip(labels) {
        for at in kind {
            if let Some(part) = parts.get_mut(*at) {
                part.rename(label, &shared);
            }
        }
    }
}

/// Returns the path of a session relative to `folder`, or an absolute path if it is outside.
fn session(session: &str, beside: &Path, folder: &Path) -> String {
    let path = beside.parent().unwrap_or(Path::new("")).join(session);
    let absolute = path.canonicalize().unwrap_or(path);
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let inside = absolute.strip_prefix(&folder).map(Path::to_owned);
    inside.unwrap_or(absolute).display().to_string()
}
