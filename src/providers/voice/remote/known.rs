//! Words of model servers as data: places of settings, ends of replies, refusals and failures.

use crate::model::{ErrorClass, Wire};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Name of the field with the limit of a reply.
pub(super) const LIMIT: &str = "max_tokens";
/// Name of the field with the JSON Schema of a reply.
pub(super) const SCHEMA: &str = "schema";

const TEXT: &str = include_str!("../../assets/servers.toml");

/// The words of all servers.
pub(super) static KNOWN: LazyLock<KnownWords> =
    LazyLock::new(|| toml::from_str(TEXT).expect("the file is a part of the program"));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KnownWords {
    /// Fields that may be changed.
    pub field: Vec<FieldRow>,
    /// Words of vendors for each common finish reason.
    pub ends: BTreeMap<String, Vec<String>>,
    /// Names in addresses, lists and answers.
    pub keys: Keys,
    /// Phrases of refusals.
    pub phrases: Phrases,
    /// Classes of failures, most reliable phrases first. All were observed at real servers.
    pub class: Vec<ClassRow>,
}

/// An optional part of a request: a row of the table.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldRow {
    /// Name in settings and notes.
    pub(super) name: String,
    /// Path in the requests of each wire format.
    pub(super) at: BTreeMap<String, String>,
    #[serde(default)]
    also: Vec<String>,
    /// Names under which servers know the field at its usual place.
    #[serde(default)]
    pub(super) renames: Vec<String>,
    /// True if the author of a scenario may set it, so that its loss is a warning.
    #[serde(default)]
    pub(super) is_set: bool,
}

/// An optional part of a request.
pub(super) type Field = &'static FieldRow;

impl FieldRow {
    /// Returns the field with a name of the settings.
    pub(super) fn by_name(name: &str) -> Option<Field> {
        KNOWN.field.iter().find(|row| row.name == name)
    }

    /// Returns the path in the requests of a wire format; `None` if that format lacks the field.
    pub(super) fn path(&self, wire: Wire) -> Option<&str> {
        self.at.get(wire.name()).map(|path| &**path)
    }

    /// Returns the paths in the requests of all wire formats.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.at.values().chain(&self.also).chain(&self.renames).map(|path| &**path)
    }

    /// Returns whether a test is true for a name of the field in settings or requests.
    pub(super) fn is_named(&self, test: impl Fn(&str) -> bool) -> bool {
        test(&self.name) || self.paths().any(|path| test(path.rsplit('.').next().unwrap_or(path)))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Keys {
    pub calls: Vec<String>,
    pub windows: Vec<String>,
    pub reasoning: Vec<String>,
    pub in_pieces: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Phrases {
    pub refused: Vec<String>,
    pub instructions: Vec<String>,
    pub templates: Vec<String>,
    pub tools: Vec<String>,
    pub tools_refused: Vec<String>,
    pub responses: Vec<String>,
    pub model: Vec<String>,
    pub schema: Vec<String>,
    pub limit: Vec<String>,
    pub window: Vec<String>,
}

/// Returns whether a text in lower case has one of some phrases.
pub(super) fn says(lower: &str, phrases: &[String]) -> bool {
    phrases.iter().any(|phrase| lower.contains(&**phrase))
}

/// A class of failures: its signs, and its words for the operator.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClassRow {
    pub is: ErrorClass,
    #[serde(default)]
    pub kinds: Vec<String>,
    #[serde(default)]
    pub says: Vec<String>,
    #[serde(default)]
    pub with: String,
    #[serde(default)]
    pub alone: Vec<String>,
    #[serde(default)]
    pub status: Vec<u16>,
    pub what: Option<String>,
    pub next: String,
    pub service: Option<String>,
}
