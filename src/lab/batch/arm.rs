//! Arms of a batch, and `batch.json`, which lists them in the order of the plan and the report.

use super::calls::Calls;
use crate::untrusted;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// File that lists the arms of the results beside it.
const FILE: &str = "batch.json";
/// Maximum number of missing parts listed one by one.
const PARTS_LISTED: usize = 20;
/// Version of the file format.
pub const BATCH_VERSION: u32 = 2;

/// Effort of a baseline that equals that of the examined conversation on the same item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Equal {
    /// None: its effort is its own.
    #[default]
    No,
    Calls,
    /// Input and output tokens.
    Tokens,
}

/// Seat of an arm.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArmSeat {
    pub id: String,
    /// Model of the seat; `None` for lines, scripts and services.
    pub model: Option<String>,
    /// Sampling temperature; `None` for the server's default.
    pub temperature: Option<f64>,
    /// Maximum tokens of a reply; `None` for the server's default.
    pub max_tokens: Option<u32>,
}

impl ArmSeat {
    /// Describes the seat: its id, model, temperature and token limit.
    pub fn describe(&self) -> String {
        let model = self.model.as_ref().map(|model| format!(" {model}")).unwrap_or_default();
        let heat = self.temperature.map(|heat| format!(" at {heat}")).unwrap_or_default();
        let most = self.max_tokens.map(|most| format!(" with max_tokens {most}"));
        format!("{}{model}{heat}{}", self.id, most.unwrap_or_default())
    }
}

/// An arm of a batch: one way to run every item.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Arm {
    /// Name in results and reports: the protocol and, in brackets, its difference from other arms of the protocol.
    pub name: String,
    /// Name of the protocol.
    pub protocol: String,
    /// Name of the examined arm; `None` if this arm is not a baseline.
    pub baseline_of: Option<String>,
    /// Effort that equals that of the examined arm.
    #[serde(default)]
    pub equal: Equal,
    /// Seats with their models.
    #[serde(default)]
    pub seats: Vec<ArmSeat>,
    /// Remarks on wording and sampling that a reader of the results has to know; empty without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Digest of its prompts, models and judges.
    pub fingerprint: String,
    /// Digest of its judge alone, if it has one.
    pub judge: Option<String>,
    /// Minimum and maximum calls by its formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Calls,
    /// Maximum number of concurrent calls of a conversation.
    pub parallel: Option<u32>,
    /// Sides of a game with their models; empty if models do not play against each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<ArmSide>,
}

/// Side of a game between two models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArmSide {
    /// Name of the side in verdicts.
    pub name: String,
    /// Model of its seats.
    pub model: String,
}

impl Arm {
    /// Returns the models of the seats, without repetitions; `None` without models.
    pub fn models(&self) -> Option<String> {
        let mut all: Vec<&str> = vec![];
        for model in self.seats.iter().filter_map(|seat| seat.model.as_deref()) {
            if !all.contains(&model) {
                all.push(model);
            }
        }
        (!all.is_empty()).then(|| all.join(", "))
    }
}

/// Circumstances of a batch, as it notes them before its first call; empty if unknown.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunNote {
    /// Program and version.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub program: String,
    /// The command line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// Name of the items file.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub items: String,
    /// Date of the first run.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub begun: String,
    /// SHA-256 of the items file, in hexadecimal.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub sha256: String,
    /// Seed of the batch.
    pub seed: Option<u64>,
    /// Part of the items, as in `1/4`.
    pub shard: Option<String>,
    /// Maximum number of concurrent conversations.
    pub jobs: Option<usize>,
    /// Number of items of all parts together.
    pub all: Option<u64>,
}

/// Returns the name of an arm with its difference from others: `single [m2]` becomes `single [m2; rounds=3]`.
pub fn bracketed(arm: &str, label: &str) -> String {
    match (arm.strip_suffix(']'), label) {
        (_, "") => arm.to_owned(),
        (Some(start), label) => format!("{start}; {label}]"),
        (None, label) => format!("{arm} [{label}]"),
    }
}

/// Returns the names of models, which are separated by commas, without their providers: `m+m2`.
pub fn panel(models: &str) -> String {
    let bare = |model: &'_ str| model.split_once(':').map_or(model, |(_, name)| name).to_owned();
    models.split(',').map(|model| bare(model.trim())).collect::<Vec<_>>().join("+")
}

/// Describes the parts of a divided batch that have no results; `None` if there are none, or if it was not divided.
pub(super) fn missing_parts<'a>(
    shards: impl Iterator<Item = Option<&'a str>>,
    runs: &[RunNote],
) -> Option<String> {
    let mut found: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for shard in shards.collect::<BTreeSet<_>>() {
        // results of an undivided run have all items
        let (part, parts) = shard?.split_once('/')?;
        found.entry(parts.parse().ok()?).or_default().insert(part.parse().ok()?);
    }
    let all = runs.iter().filter_map(|run| run.all).max();
    let missing = found.iter().flat_map(|(parts, found)| {
        (1..=*parts).filter(|part| !found.contains(part)).map(move |part| {
            let items = all.map(|all| all / parts + u64::from(part <= all % parts));
            let items = items.map(|items| format!(": {items} items")).unwrap_or_default();
            format!("part {part} of {parts} is missing{items}")
        })
    });
    let missing: Vec<String> = missing.take(PARTS_LISTED).collect();
    (!missing.is_empty()).then(|| missing.join("; "))
}

/// Content of `batch.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BatchFile {
    /// Version of the format, [`BATCH_VERSION`] for new files.
    pub version: u32,
    /// The examined scenario, as on the command line.
    pub scenario: String,
    /// Arms in the order of the plan, the examined one first.
    #[serde(default)]
    pub arms: Vec<Arm>,
    /// Runs that produced the results.
    #[serde(default)]
    pub runs: Vec<RunNote>,
}

impl BatchFile {
    /// Returns the path of the file for some results: `batch.json` beside `results*.jsonl`, else `NAME.batch.json`.
    pub fn path(results: &Path) -> PathBuf {
        let stem = results.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        match stem {
            Some(stem) if !stem.starts_with("results") => {
                results.with_file_name(format!("{stem}.{FILE}"))
            }
            _ => results.with_file_name(FILE),
        }
    }

    /// Reads a file; `None` if it does not exist. A file of version 1 has one run, and no arms.
    ///
    /// # Errors
    /// The error of the operating system, or [`ErrorKind::InvalidData`].
    pub fn read(path: &Path) -> io::Result<Option<BatchFile>> {
        let bytes = match untrusted::read(path) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            bytes => bytes?,
        };
        let mut value: Value = serde_json::from_slice(&bytes)?;
        if let Some(file) = value.as_object_mut()
            && let Some(run) = file.remove("run")
        {
            file.insert("runs".into(), Value::from(vec![run]));
        }
        Ok(serde_json::from_value(value).map(Some)?)
    }

    pub fn arm(&self, name: &str) -> Option<&Arm> {
        self.arms.iter().find(|arm| arm.name == name)
    }

    /// Adds the unknown arms and runs of another file.
    pub fn extend(&mut self, other: BatchFile) {
        if self.scenario.is_empty() {
            self.scenario = other.scenario;
        }
        for arm in other.arms {
            if self.arm(&arm.name).is_none() {
                self.arms.push(arm);
            }
        }
        for run in other.runs {
            if !self.runs.contains(&run) {
                self.runs.push(run);
            }
        }
    }

    /// Returns the text of the file.
    ///
    /// # Errors
    /// If it cannot be serialised.
    pub fn text(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|text| format!("{text}\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_results_have_a_list_of_their_own() {
        let path = |of: &str| BatchFile::path(Path::new(of)).display().to_string();
        assert_eq!(path("out/results.jsonl"), "out/batch.json");
        assert_eq!(path("out/results-1-of-2.jsonl"), "out/batch.json");
        assert_eq!(path("all.jsonl"), "all.batch.json");
    }
}
