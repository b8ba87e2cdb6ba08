//! Results that other programs read: the same keys in every line, and figures that equal the report's.

use crate::batches::{ANSWERS, VOICES, at, results};
use crate::house::House;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

/// Runs two voices with their baselines: they agree on the right answer, agree on a wrong one, disagree, abstain, or have
/// no key.
fn voices(house: &House) -> String {
    let scenario = house.file("voices.toml", &[VOICES, ANSWERS].concat());
    let items: String = [
        ("ANSWER: 1", "ANSWER: 1", "1"),
        ("ANSWER: 1", "ANSWER: 1", "1"),
        ("ANSWER: 2", "ANSWER: 2", "1"),
        ("ANSWER: 1", "ANSWER: 2", "1"),
        ("Who knows?", "Nobody.", "1"),
        ("ANSWER: 1", "ANSWER: 1\\n\\\\boxed{1}", "null"),
        ("ANSWER: 1", "\\\\boxed{1}\\nANSWER: 2", "1"),
    ]
    .iter()
    .enumerate()
    .map(|(n, (one, two, key))| {
        format!("{{\"id\":\"{n}\",\"question\":\"{n}?\",\"answer\":{key},\"one\":\"{one}\",\"two\":\"{two}\"}}\n")
    })
    .collect();
    let items = house.file("items.jsonl", &items);
    let out = at(house, "out");
    let args = ["batch", &scenario, "--items", &items, "--out", &out, "--baselines", "--seed", "7"];
    house.run(&args).code(0);
    out
}

/// Returns accuracy by arm, as the report has it.
fn reported(house: &House, out: &str) -> BTreeMap<String, f64> {
    let args = ["batch", "report", out, "--table", "accuracy", "--format", "csv"];
    let csv = house.run(&args).code(0).out;
    let rows = csv.lines().skip(1).map(|row| row.split(',').collect::<Vec<_>>());
    rows.map(|row| (row[0].to_owned(), row[4].parse().unwrap())).collect()
}

#[test]
fn one_line_of_any_program_gives_the_figures_of_the_report() {
    let house = House::new();
    let out = voices(&house);
    let all = results(&house, "out/results.jsonl");
    let keys: Vec<&String> = all[0].as_object().unwrap().keys().collect();
    for line in &all {
        assert_eq!(line.as_object().unwrap().keys().collect::<Vec<_>>(), keys, "{line}");
        assert_eq!(
            (&line["seed"], &line["shard"], &line["repeat"]),
            (&7.into(), &Value::Null, &1.into())
        );
    }
    let of = |item: usize| {
        let id = item.to_string();
        let line = all.iter().find(|l| l["arm"] == "voices" && l["item"] == id.as_str()).unwrap();
        ["correct", "tie", "unread", "scored", "answer", "key", "disagrees"]
            .map(|key| line[key].clone())
    };
    let flags = |correct: Value, tie: bool, unread: bool, scored: bool| {
        [correct, tie.into(), unread.into(), scored.into()]
    };
    assert_eq!(of(0)[..4], flags(true.into(), false, false, true));
    assert_eq!(of(2)[..4], flags(false.into(), false, false, true));
    assert_eq!(of(3)[..4], flags(false.into(), true, false, true));
    assert_eq!(of(4)[..4], flags(false.into(), false, true, false));
    assert_eq!(of(5)[..4], flags(Value::Null, false, false, false));
    assert_eq!(of(3)[4..6], [Value::Null, "1".into()]);
    assert_eq!(
        (of(6)[0].clone(), of(6)[6].clone(), of(5)[6].clone()),
        (true.into(), 1.into(), 0.into())
    );
    let mut means: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for line in &all {
        let Some(correct) = line["correct"].as_bool() else { continue };
        let mean = means.entry(line["arm"].as_str().unwrap().to_owned()).or_default();
        *mean = (mean.0 + f64::from(u8::from(correct)), mean.1 + 1.0);
    }
    let reported = reported(&house, &out);
    assert_eq!(means.len(), reported.len());
    for (arm, (right, all)) in &means {
        assert!(
            (right / all - reported[arm]).abs() < 1e-3,
            "{arm}: {right} of {all}, {reported:?}"
        );
    }
    assert!((reported["voices"] - 0.5).abs() < 1e-9, "{reported:?}");
    let line = "import pandas as pd; print(pd.read_json('out/results.jsonl', lines=True).groupby('arm').correct.mean().astype(float).to_json())";
    let python = house.other("python3").args(["-c", line]).current_dir(house.home.path()).output();
    if let Some(told) = python.ok().filter(|told| told.status.success()) {
        let means: BTreeMap<String, f64> = serde_json::from_slice(&told.stdout).unwrap();
        assert!(means.iter().all(|(arm, mean)| (mean - reported[arm]).abs() < 1e-3), "{means:?}");
    }
}

#[test]
fn csv_has_the_flat_columns_with_true_false_and_empty_cells() {
    let house = House::new();
    let out = voices(&house);
    let args = ["batch", "report", &out, "--table", "conversations", "--format", "csv"];
    let csv = house.run(&args).code(0).out;
    let head = "arm,protocol,model,item,repeat,seed,shard,outcome,key,answer,correct,tie,unread,scored,calls_total,";
    assert!(csv.starts_with(head), "{csv}");
    assert!(csv.contains("\nvoices,voices,,3,1,7,,ended,1,,false,true,false,true,2,"), "{csv}");
    assert!(csv.contains("\nvoices,voices,,5,1,7,,ended,,1,,false,false,false,2,"), "{csv}");
}

#[test]
fn help_has_a_dictionary_of_all_columns() {
    let house = House::new();
    let page = house.run(&["help", "results"]).code(0).out;
    let schema: Value =
        serde_json::from_str(&house.run(&["schema", "results"]).code(0).out).unwrap();
    for column in schema["properties"].as_object().unwrap().keys() {
        assert!(page.contains(&format!("\n    {column} ")), "{column}: {page}");
    }
    assert!(page.lines().all(|line| line.chars().count() <= 80), "{page}");
}

/// A line of the first version: the protocol is the arm, and ties lack `correct`.
const OLD: &str = r#"{"version":1,"item":"a","line":1,"protocol":"solver","fingerprint":"f","session":"s","outcome":"ended","key":4,"answered":{"answer":null,"by":"majority","of":2,"abstained":0,"ways":[{"by":"majority","answer":null,"tied":["4","5"]}]},"calls":{"speak":2},"retries":0,"input":1,"output":1,"ms":1,"flips":0}"#;

#[test]
fn results_of_version_1_are_reported_and_not_continued() {
    let house = House::new();
    house.file("out/results.jsonl", &format!("{OLD}\n"));
    let out = at(&house, "out");
    let args = ["batch", "report", &out, "--table", "accuracy", "--format", "csv"];
    let csv = house.run(&args).code(0).out;
    assert!(csv.lines().nth(1).unwrap().starts_with("solver,1,1,0,0.0,"), "{csv}");
    let scenario = house.file("voices.toml", &[VOICES, ANSWERS].concat());
    let items = house.file("items.jsonl", "{\"question\":\"?\",\"one\":\"1\",\"two\":\"1\"}\n");
    let ran = house.run(&["batch", &scenario, "--items", &items, "--out", &out]).code(2);
    assert!(
        ran.err.contains("results.jsonl has version 1, which is reported, not continued"),
        "{}",
        ran.err
    );
    assert_eq!(fs::read_to_string(house.path("out/results.jsonl")).unwrap(), format!("{OLD}\n"));
}
