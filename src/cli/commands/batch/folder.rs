//! Folder of a batch: `batch.json`, results and sessions. Symbolic links and foreign files are rejected.

use super::faults::{unreadable, unusable};
use crate::batch::{Appended, KnownResults, Protocol, RunNote};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::own_file::{OwnFile, create_folder};
use crate::untrusted;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// File with the fingerprints of the protocols that produced the results.
const MADE_BY: &str = "batch.json";
/// Folder of sessions beside the results.
pub const SESSIONS: &str = "sessions";

/// Content of `batch.json`.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct MadeBy {
    version: u32,
    scenario: String,
    /// Fingerprints by protocol name.
    protocols: BTreeMap<String, String>,
    /// Circumstances of the first run.
    #[serde(default)]
    run: RunNote,
}

/// Returns the circumstances of the batch in a folder; empty if they are unknown.
pub fn run_note(folder: &Path) -> RunNote {
    let bytes = untrusted::read(&folder.join(MADE_BY)).unwrap_or_default();
    serde_json::from_slice(&bytes).map(|made: MadeBy| made.run).unwrap_or_default()
}

/// Returns the default folder for results.
pub fn default_out(scenario: &str, items: &Path) -> PathBuf {
    let stem = |path: &Path| {
        path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
    };
    PathBuf::from(format!("{}-{}", stem(Path::new(scenario)), stem(items)))
}

/// Creates the folder with its session folders and its `batch.json`, or checks the existing ones.
pub fn prepare_folder(
    out: &Path,
    scenario: &str,
    protocols: &[Protocol],
    run: RunNote,
) -> Result<(), Failure> {
    let sessions = out.join(SESSIONS);
    let of_protocols = protocols.iter().map(|protocol| sessions.join(&protocol.name));
    for folder in [out.to_owned(), sessions.clone()].into_iter().chain(of_protocols) {
        create_folder(&folder).map_err(|e| unusable(&folder, &e))?;
    }
    check_made_by(&out.join(MADE_BY), scenario, protocols, run)
}

/// Compares the protocols with `batch.json` and adds new ones to it.
fn check_made_by(
    path: &Path,
    scenario: &str,
    protocols: &[Protocol],
    run: RunNote,
) -> Result<(), Failure> {
    let mut known = match untrusted::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|e| {
            Failure::usage(
                format!("{} is not a file of `batch`: {e}", path.display()),
                "choose another --out",
            )
        })?,
        Err(e) if e.kind() == ErrorKind::NotFound => {
            MadeBy { version: 1, scenario: scenario.to_owned(), protocols: BTreeMap::new(), run }
        }
        Err(e) => return Err(unusable(path, &e)),
    };
    let before = known.protocols.len();
    for protocol in protocols {
        let made = known.protocols.entry(protocol.name.clone());
        if *made.or_insert_with(|| protocol.fingerprint.clone()) != protocol.fingerprint {
            return Err(changed(&protocol.name));
        }
    }
    if known.protocols.len() > before {
        let text = serde_json::to_string_pretty(&known).map_err(|e| unreadable(path, &e.into()))?;
        // the content has been validated above
        OwnFile::replace(path, format!("{text}\n").as_bytes(), |line| line.starts_with(b"{"))
            .map_err(|e| unusable(path, &e))?;
    }
    Ok(())
}

/// Opens the results file for exclusive use. Results from other prompts, models or judges are rejected.
pub fn open_results(
    path: &Path,
    protocols: &[Protocol],
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
    for protocol in protocols {
        let made = done.fingerprints.get(&protocol.name);
        if made.is_some_and(|made| *made != protocol.fingerprint) {
            return Err(changed(&protocol.name));
        }
    }
    if !done.is_empty() {
        context.say(&format!("{} conversations already finished", done.len()));
    }
    Ok((results, done))
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
