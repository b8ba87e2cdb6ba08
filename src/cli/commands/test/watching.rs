//! `test --watch`: reruns the tests affected by a changed file, until interrupted.

use super::files;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::output;
use crate::cli::play::signals::Signals;
use crate::cli::runtime::{block_on, refused};
use crate::testing::{ENDING, Test, TestRecord};
use crate::text;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};
use tokio::time::sleep;

/// Pause between two checks for changes.
const PAUSE: Duration = Duration::from_millis(250);
/// Number of pauses between two searches for new test files.
const LOOK_EVERY: u32 = 4;

/// Modification time in nanoseconds and length in bytes; `None` if the file does not exist.
type Stamp = Option<(u128, u64)>;

/// Records of the tests run, and the exit code of a signal received meanwhile.
pub type TestsPlayed = (Vec<TestRecord>, Option<Exit>);

/// Runs the tests, and again whenever one of their files changes. `wants` selects tests; `run` runs and reports them.
pub fn watch(
    paths: &[String],
    context: &Context,
    wants: impl Fn(&Test) -> bool,
    run: impl Fn(&[Arc<Test>]) -> Result<TestsPlayed, Failure>,
) -> Result<Exit, Failure> {
    let mut watched = Watched::default();
    let mut due: Vec<PathBuf> = files::find_all(paths)?;
    loop {
        let mut tests = vec![];
        for file in &due {
            match files::read(file) {
                Ok(loaded) => {
                    context.report_warnings(&loaded.warnings);
                    let inputs = loaded.tests.iter().flat_map(|test| test.inputs.iter().cloned());
                    watched.inputs.insert(file.clone(), inputs.collect());
                    tests.extend(loaded.tests.into_iter().filter(|test| wants(test)));
                }
                Err(failure) => {
                    output::failure(&failure);
                    watched.inputs.insert(file.clone(), beside(file));
                }
            }
        }
        watched.stamp();
        if !tests.is_empty() {
            let (records, signal) = run(&tests)?;
            if let Some(code) = signal {
                return Ok(code);
            }
            // files written by --bless do not count as changed
            for path in records.iter().flat_map(|record| &record.blessed) {
                watched.stamps.insert(path.into(), stamp(Path::new(path)));
            }
        }
        context.say(&format!("watching {} files; Ctrl-C stops", watched.stamps.len()));
        match watched.change(paths)? {
            Ok((changed, files)) => {
                let changed: Vec<String> =
                    changed.iter().map(|path| path.display().to_string()).collect();
                context.say(&format!("changed: {}", text::line(&changed.join(", "))));
                due = files;
            }
            Err(code) => return Ok(code),
        }
    }
}

/// Watched files.
#[derive(Default)]
struct Watched {
    /// Input files per test file; the test file itself is watched too.
    inputs: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    stamps: BTreeMap<PathBuf, Stamp>,
}

/// Changed files, and the test files affected by them.
type Change = (Vec<PathBuf>, Vec<PathBuf>);

impl Watched {
    fn stamp(&mut self) {
        let all = self.inputs.iter().flat_map(|(file, inputs)| inputs.iter().chain([file]));
        self.stamps = all.map(|path| (path.clone(), stamp(path))).collect();
    }

    /// Waits for a change, or for a signal.
    fn change(&mut self, paths: &[String]) -> Result<Result<Change, Exit>, Failure> {
        block_on(async {
            let mut signals = Signals::listen().map_err(refused)?;
            for round in 1u32.. {
                tokio::select! { biased;
                    code = signals.next() => return Ok(Err(code)),
                    () = sleep(PAUSE) => {}
                }
                let differs =
                    |(path, was): (&PathBuf, &Stamp)| (stamp(path) != *was).then(|| path.clone());
                let mut changed: Vec<PathBuf> = self.stamps.iter().filter_map(differs).collect();
                if round.is_multiple_of(LOOK_EVERY) {
                    // a folder may be missing for a moment; try again next time
                    let found = files::find_all(paths).unwrap_or_default();
                    changed.extend(found.into_iter().filter(|f| !self.inputs.contains_key(f)));
                }
                if !changed.is_empty() {
                    let files = self.touched(&changed);
                    self.inputs.retain(|file, _| file.exists());
                    return Ok(Ok((changed, files)));
                }
            }
            Ok(Err(Exit::Done))
        })
    }

    /// Returns the existing test files affected by the changed files.
    fn touched(&self, changed: &[PathBuf]) -> Vec<PathBuf> {
        let of =
            self.inputs.iter().filter(|(_, inputs)| changed.iter().any(|c| inputs.contains(c)));
        let fresh = changed
            .iter()
            .filter(|c| self.inputs.contains_key(*c) || c.to_string_lossy().ends_with(ENDING));
        let all: BTreeSet<PathBuf> = of.map(|(file, _)| file).chain(fresh).cloned().collect();
        all.into_iter().filter(|file| file.exists()).collect()
    }
}

/// Returns the TOML files in the folder of an invalid test file; a faulty scenario may be the cause.
fn beside(file: &Path) -> BTreeSet<PathBuf> {
    let folder = file.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.map(|entry| {
        if folder == Path::new(".") { PathBuf::from(entry.file_name()) } else { entry.path() }
    });
    named.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect()
}

fn stamp(path: &Path) -> Stamp {
    let facts = fs::metadata(path).ok()?;
    let written = facts.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((written.as_nanos(), facts.len()))
}
