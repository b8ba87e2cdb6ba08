//! Sources of settings: file or option per key, and the known key nearest to an unknown one.

use crate::model::near::nearest;
use toml::{Table, Value};

/// Prefix of the parser's message about an unknown key.
const UNKNOWN: &str = "unknown field `";

/// One configured value and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Dotted key.
    pub key: String,
    /// Value, as TOML.
    pub value: String,
    /// File or option that sets it.
    pub from: String,
}

/// Returns every value of a table with its dotted key.
pub(super) fn origins(table: &Table, from: &str) -> Vec<Origin> {
    let mut all = vec![];
    flatten(table, "", &mut |key, value| {
        all.push(Origin { key, value: value.to_string(), from: from.to_owned() });
    });
    all
}

fn flatten(table: &Table, path: &str, put: &mut impl FnMut(String, &Value)) {
    for (key, value) in table {
        let plain = !key.is_empty()
            && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
        let key = if plain { key.clone() } else { Value::from(key.as_str()).to_string() };
        let key = if path.is_empty() { key } else { format!("{path}.{key}") };
        match value {
            Value::Table(table) => flatten(table, &key, put),
            value => put(key, value),
        }
    }
}

/// Returns a message, with the nearest known key if one is unknown.
pub(super) fn with_nearest(message: &str) -> String {
    let Some((unknown, known)) =
        message.strip_prefix(UNKNOWN).and_then(|rest| rest.split_once("`, expected "))
    else {
        return message.to_owned();
    };
    match nearest(unknown, known.split('`').skip(1).step_by(2)) {
        Some(near) => format!("{message}; the nearest is `{near}`"),
        None => message.to_owned(),
    }
}
