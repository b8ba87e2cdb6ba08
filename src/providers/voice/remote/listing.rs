//! Lists of models, in the forms in which servers send them.

use serde_json::Value;

/// Returns the entries of a list of models: under a key, or a bare array. An empty place is an empty list.
pub(super) fn entries(listed: &Value) -> Option<&[Value]> {
    let keys =
        listed.as_object().into_iter().flat_map(|keys| ["data", "models"].map(|k| keys.get(k)));
    let found: Vec<&Value> = keys.flatten().collect();
    let list = found.iter().find_map(|place| place.as_array()).or(listed.as_array());
    let is_empty = || found.iter().any(|place| place.is_null());
    list.map(Vec::as_slice).or_else(|| is_empty().then_some(&[]))
}

/// Returns the name of a model in an entry of a list.
pub(super) fn name(entry: &Value) -> Option<&str> {
    let name = ["id", "name", "model"].iter().find_map(|key| entry[key].as_str());
    name.or(entry.as_str()).map(|name| name.trim_start_matches("models/"))
}
