//! Answers and votes on the replies of Du et al. (2023), of which only the numbers are here: `tests/corpus/du-2023.csv`
//! has, for each reply, the right answer, the number that the authors' script read, and the number that a person reads.

use crate::batches::{at, results};
use crate::house::House;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/du-2023.csv");

/// Replays the replies of a set with a bundled protocol, of one item in `step`; returns the calls, the number of
/// items that it answers correctly, and the number of items.
fn replay(
    set: &str,
    step: u32,
    protocol: &str,
    seats: &[&str],
    more: &[&str],
) -> (u64, usize, usize) {
    let mut items: BTreeMap<u32, Map<String, Value>> = BTreeMap::new();
    for row in fs::read_to_string(CASES).unwrap().lines().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let &[of, item, key, seat, round, _, read] = &fields[..] else { panic!("{row}") };
        let number: u32 = item.parse().unwrap();
        if of == set && number.is_multiple_of(step) {
            let values = items.entry(number).or_default();
            values.insert("id".into(), item.into());
            values.insert("question".into(), format!("Problem {item}?").into());
            values.insert("answer".into(), key.into());
            values.insert(format!("s{seat}r{round}"), read.into());
        }
    }
    let house = House::new();
    let lines: String =
        items.values().map(|item| format!("{}\n", Value::from(item.clone()))).collect();
    let items = house.file("items.jsonl", &lines);
    let out = at(&house, "out");
    let mut args: Vec<String> =
        ["batch", protocol, "--items", &items, "--out", &out, "--rehearsed"].map(Into::into).into();
    args.extend(more.iter().map(ToString::to_string));
    for (n, seat) in seats.iter().enumerate() {
        let line = |round: u32| format!("'\\boxed{{ {{{{ item.s{}r{round} }}}} }}'", n + 1);
        args.extend(["--set".into(), format!("rehearsed.{seat}=[{}, {}]", line(1), line(2))]);
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    house.run(&args).code(0);
    let all = results(&house, "out/results.jsonl");
    let calls = all.iter().map(|line| line["calls"]["speak"].as_u64().unwrap()).sum();
    (calls, all.iter().filter(|line| line["correct"] == true).count(), all.len())
}

/// Replays one answer of a single model, revised once, to one problem in `step`.
fn revised(step: u32) -> (u64, usize, usize) {
    replay("one", step, "reflection", &["solver"], &["--set", "phase.1.rounds=2"])
}

#[test]
fn published_replies_give_the_published_result_but_for_the_numbers_that_their_script_misreads() {
    let panel = ["ada", "bo", "cy"];
    // their script: 81, 8 and 10
    assert_eq!(replay("three", 1, "society-of-minds", &panel, &[]), (600, 79, 100));
    assert_eq!(replay("roles", 1, "society-of-minds", &panel, &[]), (114, 8, 19));
    assert_eq!(replay("ten", 1, "society-of-minds", &panel, &[]), (60, 10, 10));
    assert_eq!(revised(10), (100, 41, 50));
}

#[test]
#[ignore = "500 problems: cargo test --test cli all_published_replies_of_one_model -- --ignored"]
fn all_published_replies_of_one_model_give_the_published_result() {
    // their script: 383
    assert_eq!(revised(1), (1000, 384, 500));
}
