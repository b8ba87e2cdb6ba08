//! The user's key bindings, `[keys.PLACE] action = "key"`, as written; the screen interprets them.

use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// Tables of the file: by place, then by action.
pub(super) type Written = BTreeMap<String, BTreeMap<String, Spanned<Keys>>>;

/// One key or several; an empty list removes the action's keys.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(super) enum Keys {
    One(String),
    More(Vec<String>),
}

/// The user's keys for one action in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Part of the screen in which the keys work, as in `[keys.PLACE]`.
    pub place: String,
    /// Name of the action.
    pub action: String,
    /// All its keys.
    pub keys: Vec<String>,
    /// Position in the settings: file, line and column.
    pub at: String,
}

/// Returns the bindings in the order of the file, with their positions.
pub(super) fn bindings(written: &Written, at: impl Fn(usize) -> String) -> Vec<Binding> {
    let mut bindings: Vec<(usize, Binding)> = Vec::new();
    for (place, actions) in written {
        for (action, keys) in actions {
            let start = keys.span().start;
            let keys = match keys.get_ref() {
                Keys::One(key) => vec![key.clone()],
                Keys::More(keys) => keys.clone(),
            };
            let place = place.clone();
            let action = action.clone();
            bindings.push((start, Binding { place, action, keys, at: at(start) }));
        }
    }
    bindings.sort_by_key(|(start, _)| *start);
    bindings.into_iter().map(|(_, binding)| binding).collect()
}
