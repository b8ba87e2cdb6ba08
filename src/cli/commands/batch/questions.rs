//! Check of the items file before the batch starts: its number of items, their keys and its damaged lines.

use super::faults::unreadable;
use crate::batch::{BatchItem, Damaged, FieldMap, Items, KeyForm, KnownResults, hash, read_key};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::model::AnswerKind;
use crate::text::encoding_note;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Maximum number of damaged lines listed one by one.
const LISTED: usize = 20;
/// Maximum number of fields listed for items without a key.
const FIELDS: usize = 12;
/// Fields in which published benchmarks have the right answer.
const ANSWER_FIELDS: [&str; 8] =
    ["answerKey", "label", "gold", "target", "solution", "correct", "answers", "answer_key"];

/// Conditions that every item of a batch has to meet.
pub struct ItemRules<'a> {
    /// Returns the template that cannot be filled in with the fields of an item.
    pub template_fault: &'a (dyn Fn(&Map<String, Value>) -> Option<String> + Sync),
    /// True if templates only insert fields, so that items with values of the same kinds have the same fault.
    pub is_plain: bool,
    /// Kind of the answers; `None` if the scenario has no answer to compare with a key.
    pub form: Option<AnswerKind>,
    /// Names for fields of the file.
    pub maps: &'a [FieldMap],
}

/// Result of checking the items file.
#[derive(Default)]
pub struct CheckedItems {
    /// Number of items in this shard.
    pub items: u64,
    /// Values of the first item in this shard.
    pub first: Map<String, Value>,
    /// Lines of the file without a usable item.
    damaged: BTreeSet<u64>,
    /// First damaged lines, at most [`LISTED`].
    listed: Vec<Damaged>,
    /// Kinds of the values of items without a fault.
    kinds: BTreeSet<String>,
    /// Number of items with a key, by its form.
    keys: BTreeMap<KeyForm, u64>,
    /// Name and canonical key of the first item with a key.
    sample: Option<String>,
    /// Number of items in all shards.
    pub all: u64,
    /// Names of the items in this shard, and digests of their contents.
    contents: Vec<(String, String)>,
    /// Name of the encoding of the file, if it is a guess.
    guess: Option<&'static str>,
}

/// Opens the items of a file.
pub fn open_items(path: &Path, maps: &[FieldMap]) -> Result<Items, Failure> {
    Items::open(path, maps).map_err(|e| unreadable(path, &e))
}

impl ItemRules<'_> {
    /// Reads the file once. `shard` is a part (from 0) and the number of parts.
    pub fn check(&self, path: &Path, shard: Option<(u64, u64)>) -> Result<CheckedItems, Failure> {
        let mut checked = CheckedItems::default();
        let mut items = open_items(path, self.maps)?;
        for item in items.by_ref() {
            let item = item.and_then(|item| {
                let line = item.line;
                self.accept(&item, &mut checked).map_err(|why| Damaged { line, why })?;
                Ok(item)
            });
            match item {
                Ok(item) => {
                    let mine = shard.is_none_or(|(part, parts)| checked.all % parts == part);
                    if mine && checked.items == 0 {
                        checked.first = item.values;
                    }
                    checked.items += u64::from(mine);
                    if mine {
                        checked.contents.push((item.id, item.content));
                    }
                    checked.all += 1;
                }
                Err(damaged) => {
                    checked.damaged.insert(damaged.line);
                    if checked.listed.len() < LISTED {
                        checked.listed.push(damaged);
                    }
                }
            }
        }
        checked.guess = items.guess();
        Ok(checked)
    }

    /// Checks the fields and the key of an item, and notes the key.
    fn accept(&self, item: &BatchItem, checked: &mut CheckedItems) -> Result<(), String> {
        let mut kinds = String::new();
        item.values.iter().for_each(|(name, value)| describe_kind(name, value, &mut kinds));
        if !(self.is_plain && checked.kinds.contains(&kinds)) {
            if let Some(why) = (self.template_fault)(&item.values) {
                return Err(format!("item {}: {why}", item.id));
            }
            checked.kinds.insert(kinds);
        }
        let Some((key, form)) = item.key.as_ref().zip(self.form) else { return Ok(()) };
        let read = read_key(form, key, &item.values)
            .map_err(|fault| format!("item {}: {fault}", item.id))?;
        *checked.keys.entry(read.form).or_default() += 1;
        let accepted = || read.accepted.first().map(|key| format!("{}: {key}", item.id));
        checked.sample = checked.sample.take().or_else(accepted);
        Ok(())
    }
}

/// Appends the name of a value, its kind, and its size as far as a template may reject it: emptiness, 4 KiB, elements.
fn describe_kind(name: &str, value: &Value, out: &mut String) {
    out.push_str(name);
    match value {
        Value::Null => out.push_str(":0,"),
        Value::Bool(_) | Value::Number(_) => out.push_str(":n,"),
        Value::String(text) if text.trim().is_empty() => out.push_str(":e,"),
        Value::String(text) => out.push_str(&format!(":s{},", text.len() >> 12)),
        Value::Array(all) => {
            out.push('[');
            all.iter().for_each(|value| describe_kind("", value, out));
            out.push_str("],");
        }
        Value::Object(all) => {
            out.push('{');
            all.iter().for_each(|(name, value)| describe_kind(name, value, out));
            out.push_str("},");
        }
    }
}

/// Returns the failure for items that had other fields or another right answer in an earlier run.
pub fn changed_item(names: &str, before: &Path) -> Failure {
    Failure::usage(
        format!("item {names} had other fields in {}", before.display()),
        "undo the change, give a changed item another id, or choose another --out",
    )
}

impl CheckedItems {
    /// Returns whether a line of the file has a usable item.
    pub fn is_usable(&self, line: u64) -> bool {
        !self.damaged.contains(&line)
    }

    /// Rejects results of items that had another content: they are neither counted nor mixed with new ones.
    ///
    /// # Errors
    /// If there are any; the first one is named.
    pub fn compare(&self, known: &KnownResults, results: &Path) -> Result<(), Failure> {
        let is_other = |(id, content): &&(String, String)| known.is_other(hash(id), content);
        let mut others = self.contents.iter().filter(is_other);
        let Some((first, _)) = others.next() else { return Ok(()) };
        let more = match others.count() {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        Err(changed_item(&format!("{first}{more}"), results))
    }

    /// Describes the keys of the items, or the fields in which one may be.
    pub fn describe_keys(&self) -> String {
        let read: u64 = self.keys.values().sum();
        let Some(sample) = &self.sample else {
            let fields: Vec<&str> = self.first.keys().take(FIELDS).map(String::as_str).collect();
            let near = ANSWER_FIELDS.iter().find(|field| self.first.contains_key(**field));
            let fix = near.map(|field| format!(" (--map answer={field})")).unwrap_or_default();
            return format!("keys: no item has `answer`; fields: {}{fix}", fields.join(", "));
        };
        let forms: Vec<&str> = self.keys.keys().filter_map(|form| form.name()).collect();
        let forms =
            if forms.is_empty() { String::new() } else { format!(" ({})", forms.join(", ")) };
        format!("keys: {read} of {} read{forms}; {sample}", self.all)
    }

    /// Lists the damaged lines.
    ///
    /// # Errors
    /// If the file has no items, or if it has damaged lines and `skip` is false.
    pub fn report(&self, path: &Path, skip: bool, context: &Context) -> Result<(), Failure> {
        let note = encoding_note(&path.display().to_string(), self.guess);
        note.iter().for_each(|note| context.say(note));
        for damaged in &self.listed {
            context.say(&format!("{}, {damaged}", path.display()));
        }
        let n = self.damaged.len();
        if n > LISTED {
            context.say(&format!("and {} more damaged lines", n - LISTED));
        }
        if n > 0 && !skip {
            let lines = if n == 1 { "1 line" } else { &format!("{n} lines") };
            let are = if n == 1 { "is" } else { "are" };
            let message = format!("{lines} of {} {are} damaged", path.display());
            return Err(Failure::new(Exit::Invalid, message)
                .hint("repair the lines, or skip them with --skip-damaged"));
        }
        if self.items == 0 {
            return Err(Failure::new(Exit::Invalid, format!("{} has no items", path.display()))
                .hint("write one JSON object per line, as in {\"question\": \"...\", \"answer\": \"...\"}"));
        }
        Ok(())
    }
}

/// Returns whether a text with templates uses fields of an item only to insert them, with at most one filter.
pub fn only_inserts_fields(text: &str) -> bool {
    let mut parts = text.split("{{");
    let mentions = |text: &str| text.contains("item.") || text.contains("item[");
    let first = parts.next().is_none_or(|outside| !mentions(outside));
    let is_plain = |c: char| c.is_alphanumeric() || "_. |".contains(c);
    first
        && parts.all(|part| match part.split_once("}}") {
            Some((inside, outside)) if inside.contains("item") => {
                let inside = inside.trim();
                let is_field = inside.starts_with("item.") && inside.chars().all(is_plain);
                // a field and one filter
                is_field && inside.split(' ').count() <= 3 && !mentions(outside)
            }
            Some((_, outside)) => !mentions(outside),
            None => !mentions(part),
        })
}

#[cfg(test)]
mod tests {
    use super::only_inserts_fields;

    #[test]
    fn conditions_on_fields_are_found() {
        for text in ["{{ item.question }} and {{ item.choices | lettered }}", "{{ round }}", ""] {
            assert!(only_inserts_fields(text), "{text}");
        }
        for text in [
            "{% if item.hint %}{{ item.hint }}{% endif %}",
            "{{ item.a if dice < 1 else item.b }}",
            "{{ 'x' if item.a }}",
            "when = 'item.level > 2'",
            "{{ item['a'] }}",
            "{{ item.get('a') }}",
        ] {
            assert!(!only_inserts_fields(text), "{text}");
        }
    }
}
