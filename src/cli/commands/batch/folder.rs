//! Folder of a batch: `batch.json`, results and sessions. Symbolic links and foreign files are rejected.

use super::faults::{unreadable, unusable};
use crate::batch::report::Report;
use crate::batch::{
    Appended, Arm, BATCH_VERSION, BatchFile, KnownResults, ReportRules, RunNote, VERSION, digest,
};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::own_file::{OwnFile, create_folder, lock_folder};
use crate::untrusted::refused_target;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Folder of sessions beside the results.
pub const SESSIONS: &str = "sessions";

/// Returns the default folder for results.
pub fn default_out(scenario: &str, items: &Path) -> PathBuf {
    let stem = |path: &Path| {
        path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
    };
    PathBuf::from(format!("{}-{}", stem(Path::new(scenario)), stem(items)))
}

/// Returns the name of an arm as the name of a folder.
pub fn folder_name(arm: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    if arm.chars().all(plain) && !arm.starts_with('.') {
        return arm.to_owned();
    }
    let slug: String = arm.chars().map(|c| if plain(c) { c } else { '-' }).collect();
    format!("{}-{}", slug.trim_matches(['-', '.']), digest(&[arm]))
}

/// Creates the folder with its session folders and its `batch.json`, or checks the existing ones.
pub fn prepare_folder(
    out: &Path,
    scenario: &str,
    arms: &[Arm],
    run: RunNote,
) -> Result<(), Failure> {
    let sessions = out.join(SESSIONS);
    let of_arms = arms.iter().map(|arm| sessions.join(folder_name(&arm.name)));
    for folder in [out.to_owned(), sessions.clone()].into_iter().chain(of_arms) {
        create_folder(&folder).map_err(|e| unusable(&folder, &e))?;
    }
    // parts of the batch that start at the same time wait for each other, so that none loses the note of another
    let _alone = lock_folder(out).map_err(|e| unusable(out, &e))?;
    let path = BatchFile::path(&out.join("results.jsonl"));
    let known = BatchFile::read(&path).map_err(|e| match e.kind() {
        ErrorKind::InvalidData => Failure::usage(
            format!("{} is not a file of `batch`: {e}", path.display()),
            "choose another --out",
        ),
        _ => unusable(&path, &e),
    })?;
    let mut file = known.unwrap_or_default();
    if !file.scenario.is_empty() && file.version != BATCH_VERSION {
        return Err(old(&path, file.version));
    }
    for arm in arms {
        if file.arm(&arm.name).is_some_and(|made| made.fingerprint != arm.fingerprint) {
            return Err(changed(&arm.name));
        }
    }
    let scenario = scenario.to_owned();
    file.extend(BatchFile {
        version: BATCH_VERSION,
        scenario,
        arms: arms.to_vec(),
        runs: vec![run],
    });
    file.version = BATCH_VERSION;
    let text = file.text().map_err(|e| unreadable(&path, &e.into()))?;
    // the content has been validated above
    OwnFile::replace(&path, text.as_bytes(), |line| line.starts_with(b"{"))
        .map_err(|e| unusable(&path, &e))
}

/// Opens the results file for exclusive use. Results from other prompts, models or judges are rejected.
pub fn open_results(
    path: &Path,
    arms: &[Arm],
    seed: u64,
    context: &Context,
) -> Result<(Appended, KnownResults), Failure> {
    let (results, done) = Appended::open(path).map_err(|e| match e.kind() {
        ErrorKind::WouldBlock => {
            Failure::new(Exit::Session, format!("another batch is writing {}", path.display()))
                .hint("wait for it, or choose another --out")
        }
        _ => unusable(path, &e),
    })?;
    for number in &done.damaged {
        context.say(&format!(
            "{}, line {number}: not a result; skipped, and its session is read again",
            path.display()
        ));
    }
    if let Some(version) = done.oldest.filter(|version| *version < VERSION) {
        return Err(old(path, version));
    }
    for arm in arms {
        let made = done.fingerprints.get(&arm.name);
        if made.is_some_and(|made| *made != arm.fingerprint) {
            return Err(changed(&arm.name));
        }
    }
    if let Some(other) = done.seeds.iter().find(|other| **other != seed) {
        let message = format!("{} has results of seed {other}, not {seed}", path.display());
        return Err(Failure::usage(
            message,
            "choose another --out, and combine them with `batch merge`",
        ));
    }
    if !done.is_empty() {
        context.say(&format!("{} conversations already finished", done.len()));
    }
    Ok((results, done))
}

fn old(path: &Path, version: u32) -> Failure {
    let path = path.display();
    let message = format!("{path} has version {version}, which is reported, not continued");
    Failure::usage(message, "choose another --out")
}

fn changed(protocol: &str) -> Failure {
    let message = format!(
        "the prompts, models or judges of {protocol} differ from those of the existing results"
    );
    Failure::usage(
        message,
        "undo the change, or choose another --out; results from before and after cannot be mixed",
    )
}

/// Reads results from a file or the folder of a batch; returns the path of the file as well.
pub fn read_report(
    results: &Path,
    rules: ReportRules,
    context: &Context,
) -> Result<(Report, PathBuf), Failure> {
    let path = if results.is_dir() { results.join("results.jsonl") } else { results.to_owned() };
    let report = Report::read(&path, rules).map_err(|e| {
        let hint = match refused_target(&e) {
            Some(target) => format!("name the file itself: batch report {}", target.display()),
            None => "name the folder of a batch; combine results from several machines with `batch merge`".into(),
        };
        Failure::usage(format!("cannot read {}: {e}", path.display()), hint)
    })?;
    for number in &report.damaged {
        context.say(&format!("{}, line {number}: not a result; skipped", path.display()));
    }
    if report.is_empty() {
        let message = format!("{} has no results", path.display());
        return Err(Failure::new(Exit::Invalid, message).hint("run the batch first"));
    }
    Ok((report, path))
}
