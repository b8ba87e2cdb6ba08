//! `--set key.path=value`: overrides one value of a scenario before the check.
//!
//! Only inserts values into the tree; the check validates them.

use super::keys::usual;
use super::tree::{Node, TableEntry, Value, quote};
use crate::model::sentence::sentence_error;

/// Name of all items of a list.
const EACH: &str = "*";

sentence_error! {
    /// Reason why `--set` cannot set a value.
    pub struct SettingFault;
}

/// One `--set key.path=value`.
#[derive(Clone, Debug)]
pub struct Override {
    path: Vec<String>,
    node: Node,
}

impl Override {
    /// Parses `key.path=value`. A participant is named by its id or by its number from 1 (`participant.ada.name`,
    /// `participant[1].name`), all of them by `*` (`participant.*.temperature`); a value that is not TOML is text.
    ///
    /// # Errors
    /// A sentence with the expected form.
    pub fn parse(text: &str) -> Result<Override, SettingFault> {
        let (path, value) = text
            .split_once('=')
            .ok_or_else(|| format!("{} needs `=`, as in limits.utterances=9", quote(text)))?;
        let path: Vec<String> = path
            .trim()
            .replace('[', ".")
            .replace(']', "")
            .split('.')
            .map(|s| s.trim().to_owned())
            .collect();
        if path.iter().any(String::is_empty) {
            let text = quote(text);
            return Err(format!("{text} has no key before `=`, as in limits.utterances=9").into());
        }
        let mut node = Node::parse_value(value.trim())
            .unwrap_or_else(|_| Node { span: None, value: Value::Text(value.to_owned()) });
        forget_places(&mut node);
        Ok(Override { path, node })
    }

    /// Returns an override from keys and a JSON value.
    pub fn from_path(path: &[&str], value: &serde_json::Value) -> Override {
        Override {
            path: path.iter().map(|key| (*key).to_owned()).collect(),
            node: Node::from(value),
        }
    }

    /// Returns the keys of the path.
    pub fn path(&self) -> &[String] {
        &self.path
    }

    pub fn value(&self) -> serde_json::Value {
        self.node.to_json()
    }

    /// Returns the key path as the user wrote it.
    pub(super) fn key(&self) -> String {
        self.path.join(".")
    }

    /// Inserts the value into the tree, and creates missing tables.
    ///
    /// # Errors
    /// A sentence that names the key at which nothing can be set.
    pub fn apply(&self, root: &mut Node) -> Result<(), SettingFault> {
        self.insert(root, None, &self.path)
    }

    fn insert(
        &self,
        at: &mut Node,
        table: Option<&str>,
        path: &[String],
    ) -> Result<(), SettingFault> {
        let Some((name, rest)) = path.split_first() else {
            *at = self.node.clone();
            return Ok(());
        };
        let segment = usual(table, name);
        let shown = at.quoted();
        let next = match &mut at.value {
            Value::Table(entries) => {
                let found = entries.iter().position(|e| e.key == segment);
                let index = found.unwrap_or_else(|| {
                    let node = Node { span: None, value: Value::Table(vec![]) };
                    entries.push(TableEntry { key: segment.to_owned(), key_span: None, node });
                    entries.len() - 1
                });
                &mut entries[index].node
            }
            Value::List(items) if segment == EACH => {
                return items.iter_mut().try_for_each(|item| self.insert(item, Some(name), rest));
            }
            Value::List(items) => {
                let index = place(items, segment)
                    .ok_or_else(|| format!("no `{segment}` among {}", names(items)))?;
                &mut items[index]
            }
            Value::Text(_)
            | Value::Whole(_)
            | Value::Number(_)
            | Value::Flag(_)
            | Value::Other(_) => return Err(format!("{shown} has no key `{segment}`").into()),
        };
        self.insert(next, Some(name), rest)
    }
}

/// Returns the index of a list item by its `id`, else by its number from 1.
fn place(items: &[Node], segment: &str) -> Option<usize> {
    items.iter().position(|n| n.get("id").and_then(Node::text) == Some(segment)).or_else(|| {
        let number: usize = segment.parse().ok()?;
        (1..=items.len()).contains(&number).then(|| number - 1)
    })
}

fn names(items: &[Node]) -> String {
    let ids: Vec<&str> = items.iter().filter_map(|n| n.get("id").and_then(Node::text)).collect();
    match ids[..] {
        [] => format!("the numbers 1 to {}", items.len()),
        _ => ids.join(", "),
    }
}

/// Removes the positions of a value from the command line.
fn forget_places(node: &mut Node) {
    node.span = None;
    match &mut node.value {
        Value::List(items) => items.iter_mut().for_each(forget_places),
        Value::Table(entries) => {
            for entry in entries {
                entry.key_span = None;
                forget_places(&mut entry.node);
            }
        }
        Value::Text(_) | Value::Whole(_) | Value::Number(_) | Value::Flag(_) | Value::Other(_) => {}
    }
}
