//! Checks a tree against the table of keys: names and kinds of values.
//!
//! The check continues after a fault, so that a single run finds all faults of a file. Combinations of keys (one voice
//! per seat, phases only with their policy) are checked during resolution, with the same list of faults.

use super::fault::{Fault, Gravity, NamedModel, place};
use super::json_schema::{schema, validator};
use super::keys::{ANY_POLICY, CAST_LINES, Key, Readers, ValueKind, key, usual};
use super::tree::{At, Node, Span, Value, quote};
use super::{OptionKind, OptionRow, PolicyRow, PolicyTraits, kinds};
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
    /// Policies of the scenario and of its phases; empty for a part of one.
    pub(super) policies: Vec<String>,
    /// Additional names for conditions and templates, besides those of a conversation.
    more: &'static [&'static str],
    /// True if `[item]` has the values of an item, all of which templates have to find.
    pub(super) is_item: bool,
}

impl<'a> Walk<'a> {
    /// Returns the traits of a policy by its name. An unknown policy has those of a free discussion.
    pub(super) fn traits(&self, policy: &str) -> PolicyTraits {
        let row = self.rows.iter().find(|row| row.name == policy);
        row.map_or(PolicyTraits::DEBATE, |row| row.traits)
    }

    /// Starts a check; spans point into `text`.
    pub fn new(text: &'a str, rows: &'a [PolicyRow]) -> Walk<'a> {
        Walk { text, rows, faults: vec![], policies: vec![], more: &[], is_item: false }
    }

    /// Returns the word for a model at a place.
    pub(super) fn named_model(&self, at: &At<'_>) -> Option<NamedModel> {
        let word = at.node.text()?.to_owned();
        Some(NamedModel { word, place: place(at.span, self.text), key: one_line(&at.path) })
    }

    /// Parses the text; reports a fault if it is not TOML.
    pub fn parse(&mut self) -> Option<Node> {
        let text = self.text;
        let fault = |e: toml::de::Error| {
            let is_bare = e.message().contains("quoted");
            let quote = if is_bare { "put text in quotes, as in title = \"...\"; " } else { "" };
            let fix = &format!("{quote}the rest is checked once this is valid TOML");
            let place = e.span().or(Some(0..0));
            self.report(Gravity::Error, &place, "", format!("not TOML: {}", e.message()), fix);
        };
        Node::parse(text).map_err(fault).ok()
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

    /// Adds an error, with its fix.
    pub fn fault(&mut self, at: &At<'_>, message: impl Into<String>, fix: impl Into<String>) {
        self.report(Gravity::Error, at.span, &at.path, message.into(), fix.into());
    }

    /// Adds a warning, with its fix.
    pub fn warn(&mut self, at: &At<'_>, message: impl Into<String>, fix: impl Into<String>) {
        self.report(Gravity::Warning, at.span, &at.path, message.into(), fix.into());
    }

    /// Adds a fault at any place of the text.
    pub fn report(
        &mut self,
        gravity: Gravity,
        span: &Span,
        key: &str,
        message: String,
        fix: impl Into<String>,
    ) {
        // finding the line of a fault reads the text up to there, so the number of faults is limited
        if self.faults.len() >= FAULTS_MAX {
            return;
        }
        let place = place(span, self.text);
        let key = one_line(key);
        let message = one_line(&message);
        self.faults.push(Fault { gravity, place, key, message, fix: fix.into() });
    }

    /// Checks the keys and values of a table.
    pub fn table(&mut self, at: &At<'_>, keys: &[Key]) {
        let mut misspelt = vec![];
        for (name, entry) in at.entries() {
            match keys.iter().find(|k| k.name == name) {
                Some(key) => {
                    let value = entry.value();
                    self.read_by(&value, key);
                    self.value(&value, &key.kind, key);
                }
                None => misspelt.extend(self.unknown(name, &entry, keys)),
            }
        }
        // a misspelt required key is one fault, not two
        let missing =
            |k: &&Key| k.needed && at.node.get(k.name).is_none() && !misspelt.contains(&k.name);
        for key in keys.iter().filter(missing) {
            self.fault(&at.place(key.name), "is missing", example(key));
        }
    }

    /// Returns whether the seats discuss freely under all policies of this scenario.
    pub fn debates(&self) -> bool {
        let mut own = self.rows.iter().filter(|row| self.policies.iter().any(|p| p == row.name));
        own.all(|row| row.traits.debates || row.traits.phases)
    }

    /// Warns about a key that no policy of this scenario reads.
    fn read_by(&mut self, at: &At<'_>, key: &Key) {
        let reads = |row: &&PolicyRow| match key.readers {
            Readers::All => true,
            Readers::Discussions => row.traits.debates,
            Readers::Named => row.traits.reads.contains(&key.name),
        };
        let names = |rows: Vec<&PolicyRow>| {
            let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
            names.join(", ")
        };
        // phases choose speakers by their orders
        let rows = || self.rows.iter().filter(|row| !row.traits.phases);
        let own: Vec<_> =
            rows().filter(|row| self.policies.iter().any(|p| p == row.name)).collect();
        if own.is_empty() || own.iter().any(&reads) {
            return;
        }
        let fix = format!(
            "remove it, or choose another policy: {}",
            names(rows().filter(reads).collect())
        );
        self.warn(at, format!("has no effect with the policy {}", names(own)), fix);
    }

    /// Reports an unknown key; returns the key that was most likely meant.
    fn unknown(&mut self, name: &str, at: &At<'_>, keys: &[Key]) -> Option<&'static str> {
        if self.faults.len() >= FAULTS_MAX {
            return None;
        }
        let word = usual(at.path.rsplit('.').nth(1), name);
        if word != name {
            let message = format!("is another word for `{word}`, which is set too");
            self.fault(at, message, "remove one of the two");
            return None;
        }
        let known = || keys.iter().map(|k| k.name);
        let near = nearest(name, known());
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
                match at.span {
                    None if more > 0 => {
                        format!("try: {}, and {more} more", names[..KEYS_TOLD].join(", "))
                    }
                    _ => format!("the keys here are {}", names.join(", ")),
                }
            }
        };
        self.fault(at, "unknown key", fix);
        near
    }

    /// Checks one value; `key` provides the hint.
    fn value(&mut self, at: &At<'_>, kind: &ValueKind, key: &Key) {
        let node = at.node;
        if !fits(node, kind) {
            let message = format!("takes {}, not {}", kind.says(), node.quoted());
            return self.fault(at, message, example(key));
        }
        match kind {
            ValueKind::List(kind) => at.items().for_each(|item| self.value(&item, kind, key)),
            ValueKind::Table(keys) => self.table(at, keys),
            ValueKind::AnyOf(kinds) => {
                if let Some(kind) = kinds.iter().find(|k| fits(node, k)) {
                    self.value(at, kind, key);
                }
            }
            ValueKind::Cast(keys) => {
                for (name, value) in at.values() {
                    match keys.iter().find(|k| k.name == name) {
                        Some(key) => self.value(&value, &key.kind, key),
                        None => self.value(&value, &CAST_LINES, key),
                    }
                }
            }
            ValueKind::Named(kind) => {
                at.values().for_each(|(_, value)| self.value(&value, kind, key));
            }
            ValueKind::OneOf(words) => self.word(at, words),
            ValueKind::Policy => {
                self.policy(at, &self.rows.iter().map(|r| r.name).collect::<Vec<_>>());
            }
            ValueKind::Order if node.text().is_some() => self.word(at, &orders(self.rows)),
            ValueKind::Order => self.policy(at, &policies(self.rows)),
            ValueKind::Condition(known) => {
                let source = at.text();
                let compiled = Condition::compile(source);
                let names = compiled.iter().flat_map(Condition::names);
                self.names(at, names, known, Gravity::Error);
                let unlike = compiled.as_ref().ok().and_then(|c| {
                    kinds::unlike(source, c).or_else(|| kinds::unknown_field(source, false))
                });
                let compiled = compiled.and_then(|_| unlike.map_or(Ok(()), Err));
                self.expression(at, compiled, &example(key));
            }
            ValueKind::Schema => {
                if let Err(why) = schema(node).and_then(|schema| validator(&schema)) {
                    self.fault(at, why, example(key));
                }
            }
            // a template with an unknown name is still shown, unchanged
            ValueKind::Template => self.template(at, facts::OF_CALL, Gravity::UnknownName),
            ValueKind::Prompt => self.prompt(at),
            ValueKind::TemplateOf(known) => self.template(at, known, Gravity::Error),
            // `fits` has already checked the others
            _ => {}
        }
    }

    /// Checks a template of a prompt, which may have the macros of a character card.
    fn prompt(&mut self, at: &At<'_>) {
        let text = at.text();
        let unknown = expr::unknown_macros(text);
        if let Some(first) = unknown.first() {
            let mut names: Vec<&str> = unknown.iter().filter_map(|m| text.get(m.clone())).collect();
            names.dedup();
            let span = self.within(at.span, text, first.start);
            let message = format!("left out of the prompt: {}", names.join(", "));
            let fix = "of the macros of character cards, {{char}} and {{user}} are replaced";
            self.report(Gravity::Warning, &span, &at.path, message, fix);
        }
        self.checked_template(
            at,
            &expr::blank_macros(text),
            facts::OF_PROMPT,
            Gravity::UnknownName,
        );
    }

    /// Checks a template; names that are not in `known` have this gravity.
    pub(crate) fn template(&mut self, at: &At<'_>, known: &[&str], gravity: Gravity) {
        self.checked_template(at, at.text(), known, gravity);
    }

    fn checked_template(&mut self, at: &At<'_>, text: &str, known: &[&str], gravity: Gravity) {
        let compiled = Template::compile(text);
        let names = compiled.iter().flat_map(Template::names);
        self.names(at, names, known, gravity);
        let fix = "as in \"{{ topic }}\"; a plain {{ is written {{ '{{' }}";
        self.expression(at, compiled.map(|_| ()), fix);
    }

    /// Reports names that have no value in their context.
    fn names<'n>(
        &mut self,
        at: &At<'_>,
        names: impl Iterator<Item = (&'n str, usize)>,
        known: &[&str],
        gravity: Gravity,
    ) {
        let unknown = |name: &&str| !known.contains(name) && !self.more.contains(name);
        let unknown: Vec<_> = names.filter(|(name, _)| unknown(name)).collect();
        for (name, column) in unknown {
            let all: Vec<&str> = known.iter().chain(self.more).copied().collect();
            let span = self.within(at.span, at.text(), column);
            let message = facts::unknown(name, known);
            self.report(gravity, &span, &at.path, message, facts::instead(name, &all));
        }
    }

    fn expression(&mut self, at: &At<'_>, compiled: Result<(), expr::ExprError>, fix: &str) {
        let Err(expr::ExprError { message, column, known }) = compiled else { return };
        let span = self.within(at.span, at.text(), column);
        let rest = at.text().get(column..).unwrap_or_default();
        let word = |c: char| !(c.is_alphanumeric() || c == '_');
        let word = rest.split(word).next().unwrap_or_default();
        let fix = if known.is_empty() { fix.to_owned() } else { instead(word, known) };
        self.report(Gravity::Error, &span, &at.path, message, fix);
    }

    fn word(&mut self, at: &At<'_>, words: &[&str]) {
        let word = at.text();
        if !words.contains(&word) {
            let fix = match nearest(word, words.iter().copied()) {
                Some(near) => format!("the nearest is {near:?}"),
                None => format!("one of: {}", list(words)),
            };
            self.fault(at, format!("unknown {}", quote(word)), fix);
        }
    }

    fn policy(&mut self, at: &At<'_>, words: &[&str]) {
        let name = if at.node.text().is_some() { at.clone() } else { at.place("name") };
        if name.node.text().is_none() {
            let fix = r#"as in { name = "round_robin" }"#;
            let missing = At { span: at.span, ..name };
            return self.fault(&missing, "is missing or not a string", fix);
        }
        self.word(&name, words);
        let row = self.rows.iter().find(|r| r.name == name.text());
        if let (Some(row), None) = (row, at.node.text()) {
            self.table(at, &policy_keys(row));
            self.heeded(at, row);
        }
    }

    /// Warns about options that this policy ignores. Phases pass them on or reject them.
    fn heeded(&mut self, at: &At<'_>, row: &PolicyRow) {
        let own = |key: &Key| row.traits.phases || row.options.iter().any(|o| o.key == key.name);
        for key in ANY_POLICY.iter().filter(|key| !key.needed && !own(key)) {
            if let Some(value) = at.get(key.name)
                && value.node.text() != Some(OFF)
            {
                let message = format!("has no effect with the policy {}", row.name);
                self.warn(&value, message, "remove it, or choose another policy");
            }
        }
    }
}

/// Returns the possible orders of a phase: two of round robin, and every policy except the one that plays phases.
pub(super) fn orders(rows: &[PolicyRow]) -> Vec<&'static str> {
    ["sequential", "shuffled"].into_iter().chain(policies(rows)).collect()
}

/// Returns the possible policies of a phase.
fn policies(rows: &[PolicyRow]) -> Vec<&'static str> {
    rows.iter().filter(|row| !row.traits.phases).map(|row| row.name).collect()
}

/// Returns the keys of a policy's table: its name, its own options, and the common options.
pub(super) fn policy_keys(row: &PolicyRow) -> Vec<Key> {
    let own = row.options.iter().map(option_key);
    own.chain(ANY_POLICY.iter().copied()).collect()
}

fn option_key(row: &OptionRow) -> Key {
    let (kind, example) = match row.kind {
        OptionKind::Count => (ValueKind::Count { least: 1, most: 100_000 }, "1"),
        OptionKind::CountTo(most) => (ValueKind::Count { least: 1, most: most.into() }, "1"),
        OptionKind::Flag => (ValueKind::Flag, "true"),
        OptionKind::Seat | OptionKind::Named { .. } => (ValueKind::Line, r#""ada""#),
        OptionKind::Share => (ValueKind::Number { least: 0.0, most: 1.0 }, "0.8"),
        OptionKind::OneOf(words) => (ValueKind::OneOf(words), ""),
    };
    key(kind, example, row.meaning).called(row.key)
}

/// Returns whether a value has the form of a kind. Its content is checked afterwards.
fn fits(node: &Node, kind: &ValueKind) -> bool {
    let text = node.text();
    match kind {
        ValueKind::Text
        | ValueKind::Template
        | ValueKind::Prompt
        | ValueKind::TemplateOf(_)
        | ValueKind::Condition(_) => text.is_some_and(|t| !t.trim().is_empty()),
        ValueKind::Line => {
            text.is_some_and(|t| !t.trim().is_empty() && !t.contains(char::is_control))
        }
        ValueKind::Id => text.is_some_and(is_id),
        ValueKind::Model => text.is_some_and(|t| {
            let is_odd = |c: char| c.is_whitespace() || c.is_control() || "=,".contains(c);
            let ends = t.starts_with(':') || t.ends_with(':');
            !(t.is_empty() || ends || t.contains(is_odd))
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
        ValueKind::Table(_) | ValueKind::Cast(_) | ValueKind::Named(_) => {
            matches!(node.value, Value::Table(_))
        }
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
