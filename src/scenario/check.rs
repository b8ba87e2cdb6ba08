//! Checks a tree against the table of keys: names and kinds of values.
//!
//! The check continues after a fault, so that a single run finds all faults of a file. Combinations of keys (one voice
//! per seat, phases only with their policy) are checked during resolution, with the same list of faults.

use super::fault::{Fault, Gravity, place};
use super::json_schema::{schema, validator};
use super::keys::{ANY_POLICY, CAST_LINES, Key, PHASES, ValueKind};
use super::kinds;
use super::tree::{Node, Span, TableEntry, Value, quote};
use super::{OptionKind, OptionRow, PolicyRow};
use crate::expr::{self, Condition, Template};
use crate::model::facts;
use crate::model::near::{instead, nearest};
use crate::model::steering::duration_ms;

/// Value that disables a key.
const OFF: &str = "off";
/// Maximum number of reported faults per text.
const FAULTS_MAX: usize = 200;
/// Maximum number of keys listed in the answer to a command with an unknown key, if no key is similar.
const KEYS_TOLD: usize = 8;

/// Maximum duration of a call in milliseconds: a day.
const LONGEST_CALL_MS: u64 = 86_400_000;

/// Check of one tree.
pub struct Walk<'a> {
    text: &'a str,
    /// Known policies.
    pub rows: &'a [PolicyRow],
    /// Faults and warnings found so far.
    pub faults: Vec<Fault>,
    /// Additional names for conditions and templates, besides those of a conversation.
    more: &'static [&'static str],
}

impl<'a> Walk<'a> {
    /// Starts a check; spans point into `text`.
    pub fn new(text: &'a str, rows: &'a [PolicyRow]) -> Walk<'a> {
        Walk { text, rows, faults: vec![], more: &[] }
    }

    /// Allows additional names in conditions and templates.
    pub fn with_names(self, more: &'static [&'static str]) -> Walk<'a> {
        Walk { more, ..self }
    }

    /// Returns the line of a span, from 1.
    pub fn line(&self, span: &Span) -> usize {
        place(span, self.text).map_or(1, |place| place.line)
    }

    /// Returns the span of a word at a byte offset of an expression inside a span; the whole span if the word is not
    /// found.
    pub fn within(&self, span: &Span, source: &str, column: usize) -> Span {
        let outer = span.clone()?;
        let begin = self.text.get(outer.clone())?.find(source);
        let Some(start) = begin.map(|begin| outer.start + begin + column) else {
            return span.clone();
        };
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let rest = self.text.get(start..outer.end)?;
        let length = rest.find(|c| !word(c)).unwrap_or(rest.len()).max(1);
        Some(start..(start + length).min(outer.end))
    }

    /// Adds an error at a node, with its fix.
    pub fn fault(
        &mut self,
        span: &Span,
        key: &str,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.note(Gravity::Error, span, key, message.into(), fix.into());
    }

    /// Adds a warning at a node.
    pub fn warn(
        &mut self,
        span: &Span,
        key: &str,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.note(Gravity::Warning, span, key, message.into(), fix.into());
    }

    fn note(&mut self, gravity: Gravity, span: &Span, key: &str, message: String, fix: String) {
        // finding the line of a fault reads the text up to there, so the number of faults is limited
        if self.faults.len() >= FAULTS_MAX {
            return;
        }
        let place = place(span, self.text);
        let key = one_line(key);
        let message = one_line(&message);
        self.faults.push(Fault { gravity, place, key, message, fix });
    }

    /// Checks the keys and values of a table at `path`.
    pub fn table(&mut self, node: &Node, keys: &[Key], path: &str) {
        let mut misspelt = vec![];
        for entry in node.entries() {
            match keys.iter().find(|k| k.name == entry.key) {
                Some(key) => self.value(&entry.node, &key.kind, key, &join(path, key.name)),
                None => misspelt.extend(self.unknown(entry, keys, path)),
            }
        }
        // a misspelt required key is one fault, not two
        let missing =
            |k: &&Key| k.needed && node.get(k.name).is_none() && !misspelt.contains(&k.name);
        for key in keys.iter().filter(missing) {
            self.fault(&node.span, &join(path, key.name), "is missing", example(key));
        }
    }

    /// Reports an unknown key; returns the key that was most likely meant.
    fn unknown(&mut self, entry: &TableEntry, keys: &[Key], path: &str) -> Option<&'static str> {
        if self.faults.len() >= FAULTS_MAX {
            return None;
        }
        let known = || keys.iter().map(|k| k.name);
        let near = nearest(&entry.key, known());
        let fix = match near {
            Some(near) => format!("the nearest key is `{near}`"),
            None => {
                // a policy may redefine a key that all policies have
                let mut names: Vec<&str> = vec![];
                known().for_each(|n| {
                    if !names.contains(&n) {
                        names.push(n)
                    }
                });
                // the answer to a command is a single line; for a file, the whole list is shown
                let more = names.len().saturating_sub(KEYS_TOLD);
                match &entry.key_span {
                    None if more > 0 => {
                        format!("try: {}, and {more} more", names[..KEYS_TOLD].join(", "))
                    }
                    _ => format!("the keys here are {}", names.join(", ")),
                }
            }
        };
        let key = join(path, &entry.key);
        self.fault(&entry.key_span, &key, "unknown key", fix);
        near
    }

    /// Checks one value; `key` provides the hint.
    fn value(&mut self, node: &Node, kind: &ValueKind, key: &Key, path: &str) {
        if !fits(node, kind) {
            let message = format!("takes {}, not {}", kind.says(), node.quoted());
            return self.fault(&node.span, path, message, example(key));
        }
        match kind {
            ValueKind::List(kind) => {
                for (i, item) in node.items().iter().enumerate() {
                    self.value(item, kind, key, &format!("{path}[{}]", i + 1));
                }
            }
            ValueKind::Table(keys) => self.table(node, keys, path),
            ValueKind::AnyOf(kinds) => {
                if let Some(kind) = kinds.iter().find(|k| fits(node, k)) {
                    self.value(node, kind, key, path);
                }
            }
            ValueKind::Cast(keys) => self.cast(node, keys, key, path),
            ValueKind::OneOf(words) => self.word(node, words, path),
            ValueKind::Policy => {
                self.policy(node, &self.rows.iter().map(|r| r.name).collect::<Vec<_>>(), path);
            }
            ValueKind::Order if node.text().is_some() => {
                self.word(node, &orders(self.rows), path);
            }
            ValueKind::Order => self.policy(node, &policies(self.rows), path),
            ValueKind::Condition(known) => {
                let source = node.text().unwrap_or_default();
                let compiled = Condition::compile(source);
                let names = compiled.iter().flat_map(Condition::names);
                self.names(node, source, names, known, Gravity::Error, path);
                let unlike = compiled.as_ref().ok().and_then(|c| {
                    kinds::unlike(source, c).or_else(|| kinds::unknown_field(source, false))
                });
                let compiled = compiled.and_then(|_| unlike.map_or(Ok(()), Err));
                self.expression(node, source, compiled, path, &example(key));
            }
            ValueKind::Schema => {
                if let Err(why) = schema(node).and_then(|schema| validator(&schema)) {
                    self.fault(&node.span, path, why, example(key));
                }
            }
            ValueKind::Template | ValueKind::Prompt => {
                let known = match kind {
                    ValueKind::Prompt => facts::OF_PROMPT,
                    _ => facts::OF_CALL,
                };
                let source = node.text().unwrap_or_default();
                let compiled = Template::compile(source);
                let names = compiled.iter().flat_map(Template::names);
                // a template with an unknown name is still shown, unchanged
                self.names(node, source, names, known, Gravity::Warning, path);
                let fix = "as in \"{{ topic }}\"; a plain {{ is written {{ '{{' }}";
                self.expression(node, source, compiled.map(|_| ()), path, fix);
            }
            // `fits` has already checked these
            ValueKind::Text
            | ValueKind::Line
            | ValueKind::Id
            | ValueKind::Model
            | ValueKind::Duration
            | ValueKind::True
            | ValueKind::Flag
            | ValueKind::Empty
            | ValueKind::Count { .. }
            | ValueKind::Number { .. }
            | ValueKind::Free => {}
        }
    }

    /// Reports names that have no value in their context.
    fn names<'n>(
        &mut self,
        node: &Node,
        source: &str,
        names: impl Iterator<Item = (&'n str, usize)>,
        known: &[&str],
        gravity: Gravity,
        path: &str,
    ) {
        let unknown = |name: &&str| !known.contains(name) && !self.more.contains(name);
        let unknown: Vec<_> = names.filter(|(name, _)| unknown(name)).collect();
        for (name, column) in unknown {
            let all: Vec<&str> = known.iter().chain(self.more).copied().collect();
            let (span, message) =
                (self.within(&node.span, source, column), facts::unknown(name, known));
            self.note(gravity, &span, path, message, facts::instead(name, &all));
        }
    }

    fn expression(
        &mut self,
        node: &Node,
        source: &str,
        compiled: Result<(), expr::ExprError>,
        path: &str,
        fix: &str,
    ) {
        let Err(expr::ExprError { message, column, known }) = compiled else { return };
        let span = self.within(&node.span, source, column);
        let rest = source.get(column..).unwrap_or_default();
        let word = |c: char| !(c.is_alphanumeric() || c == '_');
        let word = rest.split(word).next().unwrap_or_default();
        let fix = if known.is_empty() { fix.to_owned() } else { instead(word, known) };
        self.fault(&span, path, message, fix);
    }

    fn word(&mut self, node: &Node, words: &[&str], path: &str) {
        let word = node.text().unwrap_or_default();
        if !words.contains(&word) {
            let fix = match nearest(word, words.iter().copied()) {
                Some(near) => format!("the nearest is {near:?}"),
                None => format!("one of: {}", list(words)),
            };
            self.fault(&node.span, path, format!("unknown {}", quote(word)), fix);
        }
    }

    fn cast(&mut self, node: &Node, keys: &[Key], key: &Key, path: &str) {
        for entry in node.entries() {
            let path = join(path, &entry.key);
            match keys.iter().find(|k| k.name == entry.key) {
                Some(key) => self.value(&entry.node, &key.kind, key, &path),
                None => self.value(&entry.node, &CAST_LINES, key, &path),
            }
        }
    }

    fn policy(&mut self, node: &Node, words: &[&str], path: &str) {
        let (name, name_path) = match node.text() {
            Some(_) => (Some(node), path.to_owned()),
            None => (node.get("name"), join(path, "name")),
        };
        let Some(name) = name.filter(|n| n.text().is_some()) else {
            let fix = r#"as in { name = "round_robin" }"#;
            return self.fault(&node.span, &name_path, "is missing or not a string", fix);
        };
        self.word(name, words, &name_path);
        let row = self.rows.iter().find(|r| Some(r.name) == name.text());
        if let (Some(row), None) = (row, node.text()) {
            self.table(node, &policy_keys(row), path);
            self.heeded(node, row, path);
        }
    }

    /// Warns about options that this policy ignores. Phases pass them on or reject them.
    fn heeded(&mut self, node: &Node, row: &PolicyRow, path: &str) {
        let own = |key: &Key| row.name == PHASES || row.options.iter().any(|o| o.key == key.name);
        for key in ANY_POLICY.iter().filter(|key| !key.needed && !own(key)) {
            let value = node.get(key.name).filter(|value| value.text() != Some(OFF));
            if let Some(value) = value {
                let message = format!("has no effect with the policy {}", row.name);
                let fix = "remove it, or choose another policy";
                self.warn(&value.span, &join(path, key.name), message, fix);
            }
        }
    }
}

/// Returns the possible orders of a phase: two of round robin, and every policy except `phases`.
pub(super) fn orders(rows: &[PolicyRow]) -> Vec<&'static str> {
    ["sequential", "shuffled"].into_iter().chain(policies(rows)).collect()
}

/// Returns the possible policies of a phase.
fn policies(rows: &[PolicyRow]) -> Vec<&'static str> {
    rows.iter().map(|r| r.name).filter(|name| *name != PHASES).collect()
}

/// Returns the keys of a policy's table: its name, its own options, and the common options.
pub(super) fn policy_keys(row: &PolicyRow) -> Vec<Key> {
    let own = row.options.iter().map(option_key);
    own.chain(ANY_POLICY.iter().copied()).collect()
}

fn option_key(row: &OptionRow) -> Key {
    let (kind, example) = match row.kind {
        OptionKind::Count => (ValueKind::Count { least: 1, most: 100_000 }, "1"),
        OptionKind::Flag => (ValueKind::Flag, "true"),
        OptionKind::Seat | OptionKind::Named { .. } => (ValueKind::Line, r#""ada""#),
        OptionKind::Share => (ValueKind::Number { least: 0.0, most: 1.0 }, "0.8"),
        OptionKind::OneOf(words) => (ValueKind::OneOf(words), ""),
    };
    Key { name: row.key, kind, needed: false, example, meaning: row.meaning }
}

/// Returns whether a value has the form of a kind. Its content is checked afterwards.
fn fits(node: &Node, kind: &ValueKind) -> bool {
    let text = node.text();
    match kind {
        ValueKind::Text | ValueKind::Template | ValueKind::Prompt | ValueKind::Condition(_) => {
            text.is_some_and(|t| !t.trim().is_empty())
        }
        ValueKind::Line => {
            text.is_some_and(|t| !t.trim().is_empty() && !t.contains(char::is_control))
        }
        ValueKind::Id => text.is_some_and(is_id),
        ValueKind::Model => text.is_some_and(|t| {
            t.split_once(':').is_some_and(|(p, m)| !p.is_empty() && !m.is_empty())
                && !t.contains(|c: char| c.is_whitespace() || c.is_control())
        }),
        ValueKind::Duration => milliseconds(node).is_some(),
        ValueKind::True => matches!(node.value, Value::Flag(true)),
        ValueKind::Flag => node.flag().is_some(),
        ValueKind::Count { least, most } => {
            node.whole().is_some_and(|n| (*least..=*most).contains(&n))
        }
        ValueKind::Number { least, most } => {
            node.number().is_some_and(|n| (*least..=*most).contains(&n))
        }
        ValueKind::OneOf(_) => text.is_some(),
        ValueKind::Schema => text.is_some() || matches!(node.value, Value::Table(_)),
        ValueKind::List(_) => !node.items().is_empty(),
        ValueKind::Empty => matches!(&node.value, Value::List(items) if items.is_empty()),
        ValueKind::Table(_) | ValueKind::Cast(_) => matches!(node.value, Value::Table(_)),
        ValueKind::AnyOf(kinds) => kinds.iter().any(|k| fits(node, k)),
        ValueKind::Policy | ValueKind::Order => {
            text.is_some() || matches!(node.value, Value::Table(_))
        }
        ValueKind::Free => true,
    }
}

fn is_id(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_');
    !text.is_empty() && text.bytes().all(allowed)
}

/// Parses a duration and returns its milliseconds; `None` unless it is between a second and a day.
pub(super) fn milliseconds(node: &Node) -> Option<u64> {
    let ms = match (node.text(), node.number()) {
        (Some(text), _) => duration_ms(text)?,
        (None, Some(seconds)) => duration_ms(&format!("{seconds}s"))?,
        (None, None) => return None,
    };
    (1_000..=LONGEST_CALL_MS).contains(&ms).then_some(ms)
}

/// Returns text with its control characters escaped, because keys of a file may contain any character.
fn one_line(text: &str) -> String {
    let escape =
        |c: char| if c.is_control() { c.escape_default().collect() } else { c.to_string() };
    text.chars().map(escape).collect()
}

/// Returns the path of a key within a table.
pub fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Returns quoted words joined by "or".
pub(super) fn list(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|w| format!("{w:?}")).collect();
    quoted.join(" or ")
}

fn example(key: &Key) -> String {
    match key.example {
        "" => key.meaning.to_owned(),
        example => match example.strip_prefix("[{ ").and_then(|e| e.strip_suffix(" }]")) {
            Some(inside) => format!("as in [[{}]] with {inside}", key.name),
            None => format!("as in {} = {example}", key.name),
        },
    }
}
