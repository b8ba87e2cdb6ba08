//! The user's key bindings, `[keys.PLACE] action = "key"` or `[keys] key = "line"`, as written; the screen interprets
//! them.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, de};
use std::collections::BTreeMap;
use std::fmt;
use toml::Spanned;

/// Table of the file: by place or key.
pub(super) type Written = BTreeMap<String, Spanned<WrittenKeys>>;

/// Value of a place: its actions; of a key: its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WrittenKeys {
    Actions(BTreeMap<String, Spanned<Keys>>),
    Line(String),
}

// serde's own reader of untagged values loses the positions
impl<'de> Deserialize<'de> for WrittenKeys {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<WrittenKeys, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = WrittenKeys;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of actions with their keys, or a line as in \"/skip\"")
            }
            fn visit_str<E: de::Error>(self, line: &str) -> Result<WrittenKeys, E> {
                Ok(WrittenKeys::Line(line.to_owned()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<WrittenKeys, A::Error> {
                BTreeMap::deserialize(MapAccessDeserializer::new(map)).map(WrittenKeys::Actions)
            }
        }
        from.deserialize_any(Reader)
    }
}

/// One key or several; an empty list removes the action's keys.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(super) enum Keys {
    One(String),
    More(Vec<String>),
}

/// The user's keys for one action in one place, or for a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Part of the screen in which the keys work, as in `[keys.PLACE]`; empty if the key sends a line.
    pub place: String,
    /// Name of the action, or the line.
    pub action: String,
    /// All its keys.
    pub keys: Vec<String>,
    /// Position in the settings: file, line and column.
    pub at: String,
}

/// Returns the bindings in the order of the file, with their positions.
pub(super) fn bindings(written: &Written, at: impl Fn(usize) -> String) -> Vec<Binding> {
    let mut bindings: Vec<(usize, Binding)> = Vec::new();
    for (place, entry) in written {
        let actions = match entry.get_ref() {
            WrittenKeys::Actions(actions) => actions,
            WrittenKeys::Line(line) => {
                let start = entry.span().start;
                let (action, keys) = (line.clone(), vec![place.clone()]);
                bindings
                    .push((start, Binding { place: String::new(), action, keys, at: at(start) }));
                continue;
            }
        };
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
