//! Loads scenarios, tests, steering lines and results with hostile values for every key of their schemas.

use crate::hostile_ways::hostile_values;
use crate::program;
use colloquium::batch::ReportRules;
use colloquium::batch::report::Report;
use colloquium::model::SteerLine;
use colloquium::scenario::{self, Source};
use colloquium::{batch, policy, testing};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Tables within tables that are walked.
const DEPTH: usize = 5;
/// Keys of a table that get the same value in one file.
const KEYS_AT_ONCE: usize = 8;
/// Bytes of a text here: longer ones are the business of the limit on files.
const TEXT_MAX: usize = 1 << 10;

/// A step to a value: a key of a table, or the first entry of a list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Key(String),
    First,
}

fn schema(of: &str) -> Value {
    let home = program::home();
    let out = program::colloquium(home.path()).args(["schema", of]).output().unwrap();
    serde_json::from_slice(&out.stdout).unwrap()
}

/// Collects the places of all values that a schema has.
fn places(schema: &Value, root: &Value, at: &[Step], into: &mut Vec<Vec<Step>>) {
    if at.len() > 2 * DEPTH || into.contains(&at.to_vec()) && at.is_empty() {
        return;
    }
    if let Some(name) = schema["$ref"].as_str() {
        let found = root.pointer(name.trim_start_matches('#')).unwrap_or(&Value::Null);
        return places(found, root, at, into);
    }
    for many in ["anyOf", "oneOf", "allOf"] {
        for one in schema[many].as_array().into_iter().flatten() {
            places(one, root, at, into);
        }
    }
    for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
        let at = [at, &[Step::Key(key.clone())]].concat();
        places(inner, root, &at, into);
        if !into.contains(&at) {
            into.push(at);
        }
    }
    // an entry of a list, and a key that the schema does not name
    for (inner, step) in
        [("items", Step::First), ("additionalProperties", Step::Key("turn".to_owned()))]
    {
        if schema[inner].is_object() {
            let at = [at, &[step]].concat();
            places(&schema[inner], root, &at, into);
            if !into.contains(&at) {
                into.push(at);
            }
        }
    }
}

/// Puts a value in a place, with the tables and lists that lead there.
fn put(into: &mut Value, at: &[Step], value: Value) {
    match at {
        [] => *into = value,
        [Step::Key(key), rest @ ..] => {
            if !into.is_object() {
                *into = json!({});
            }
            put(&mut into[key.as_str()], rest, value);
        }
        [Step::First, rest @ ..] => {
            if into.as_array().is_none_or(Vec::is_empty) {
                *into = json!([null]);
            }
            put(&mut into[0], rest, value);
        }
    }
}

/// Returns the values that are not texts: the ends of every range, and empty collections.
fn other_values() -> [Value; 8] {
    let [high, low] = [i64::MAX, i64::MIN].map(Value::from);
    [high, low, json!(u64::MAX), json!(f64::MAX), json!(-0.5), json!(true), json!([]), json!({})]
}

/// Reads a file of a kind with one hostile value in five in each place, another one in the next place.
fn walk(of: &str, base: &Value, read: impl Fn(&Value, &Path)) {
    let home = tempfile::tempdir().unwrap();
    let (marker, pipe, other) =
        (home.path().join("marker"), home.path().join("pipe"), home.path().join("other"));
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    fs::write(&other, "untouched").unwrap();
    let [a, b, c] = [&marker, &pipe, &other].map(|path| path.display().to_string());
    let texts = hostile_values::texts(&a, &b, &c).into_iter().map(|mut text| {
        text.truncate(text.floor_char_boundary(TEXT_MAX));
        Value::from(text)
    });
    let values: Vec<Value> = texts.chain(other_values()).collect();
    let schema = schema(of);
    let mut all = vec![];
    places(&schema, &schema, &[], &mut all);
    assert!(all.len() > 20, "{of}: {} places", all.len());
    // keys of one table do not get into each other's way
    let mut tables: BTreeMap<&[Step], Vec<&Vec<Step>>> = BTreeMap::new();
    for at in &all {
        tables.entry(&at[..at.len() - 1]).or_default().push(at);
    }
    let groups = || tables.values().flat_map(|keys| keys.chunks(KEYS_AT_ONCE));
    let rotated =
        |(n, group)| values.iter().skip(n % 5).step_by(5).map(move |value| (group, value));
    for (group, value) in groups().enumerate().flat_map(rotated) {
        let mut file = base.clone();
        group.iter().for_each(|at| put(&mut file, at, value.clone()));
        read(&file, home.path());
    }
    let children = fs::read_to_string("/proc/thread-self/children").unwrap_or_default();
    assert_eq!(children, "", "{of}: a process was started");
    assert!(!marker.exists(), "{of}: a text acted");
    assert_eq!(fs::read_to_string(&other).unwrap(), "untouched");
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 2, "{of}: a file was made");
    println!("{of}: {} values in {} places", values.len(), all.len());
}

/// Returns data as TOML without nulls, or `None` if TOML cannot express it.
fn as_toml(value: &Value) -> Option<String> {
    toml::to_string(value.as_object().unwrap_or(&Map::new())).ok()
}

#[test]
fn scenarios_with_hostile_values_only_have_faults() {
    let rows = policy::rows();
    let base = json!({"title": "T", "participant": [{"id": "a", "lines": ["x"]}]});
    walk("scenario", &base, |file, folder| {
        let Some(text) = as_toml(file) else { return };
        let name = folder.join("x.toml").display().to_string();
        let _ = scenario::load(&Source { name, text, settings: vec![] }, &rows);
    });
}

#[test]
fn tests_with_hostile_values_only_have_faults() {
    let rows = policy::rows();
    let base = json!({"title": "T", "expect": [{"said": "x"}],
        "scenario": {"title": "T", "participant": [{"id": "a", "lines": ["x"]}]}});
    walk("test", &base, |file, folder| {
        let Some(text) = as_toml(file) else { return };
        let name = folder.join("x.test.toml").display().to_string();
        let _ = testing::load(&Source { name, text, settings: vec![] }, folder, &rows);
    });
}

#[test]
fn steering_lines_with_hostile_values_only_have_faults() {
    walk("steer", &json!({"do": "say", "text": "x"}), |line, _| {
        let _ = SteerLine::parse(&line.to_string());
    });
}

#[test]
fn results_with_hostile_values_only_have_faults() {
    let base = json!({"version": 1, "item": "a", "line": 1, "protocol": "p", "fingerprint": "f",
        "session": "s", "outcome": "ended", "calls": {"turn": 1, "judge": 1}, "retries": 0, "input": 1, "output": 1,
        "ms": 1, "flips": 0});
    let folder = tempfile::tempdir().unwrap();
    let (file, merged) = (folder.path().join("results.jsonl"), folder.path().join("merged.jsonl"));
    walk("results", &base, |line, _| {
        // a second line, so that sums and comparisons have something to add
        fs::write(&file, format!("{line}\n{base}\n{line}\n")).unwrap();
        let report =
            Report::read(&file, ReportRules { unread_most: 0.1, with_truncated: false }).unwrap();
        assert!(!report.is_empty());
        let _ = (report.tables(), batch::conversations(&report), batch::page(&report, "T"));
        let _ = batch::merge(&[file.clone(), file.clone()], &merged, false);
        let _ = fs::remove_file(&merged);
    });
}
