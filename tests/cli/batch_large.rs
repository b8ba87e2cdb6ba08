//! Measurements of a batch over voices of known accuracy, and a batch of ten thousand items.

use crate::batches::{ANSWERS, REVISION, at, numbers, results};
use crate::house::House;
use serde_json::Value;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Number of items in the test that always runs.
const FEW: usize = 120;

/// Number of items that run a second time, one by one.
const AGAIN: usize = 30;

/// A participant that is right with probability 0.6, and adopts the majority of the previous round with 0.5.
const ORACLE: &str = numbers!(
    "Noisy oracle",
    r#"
[[participant]]
id = "ada"
lines = [FIRST, THEN]
[[participant]]
id = "bo"
lines = [FIRST, THEN]
[[participant]]
id = "cy"
lines = [FIRST, THEN]

"#
);

/// Returns sums with their answers, and with a right and a wrong reply.
fn sums(count: usize) -> String {
    let sum = |n: usize| {
        let (right, wrong) = (n + 7, n + 8);
        format!(
            "{{\"id\":\"sum-5-2-{n}\",\"question\":\"What is {n} + 7?\",\"answer\":{right},\
             \"right\":\"{right}\",\"wrong\":\"{wrong}\"}}\n"
        )
    };
    (0..count).map(sum).collect()
}

/// Checks that the measurements of voices with known accuracy match the closed form.
fn calibrated(n: usize) {
    let p = 0.6;
    let q = 0.5;
    let first = format!("\"ANSWER: {{{{ item.right if dice < {p} else item.wrong }}}}\"");
    let then = format!("\"ANSWER: {{{{ answers.most if dice < {q} else answers.own }}}}\"");
    let house = House::new();
    let text = ORACLE.replace("FIRST", &first).replace("THEN", &then);
    let scenario = house.file("oracle.toml", &[&text, ANSWERS, REVISION].concat());
    let items = house.file("sums.jsonl", &sums(n));
    let out = at(&house, "out");
    let args = ["batch", &scenario, "--items", &items, "--out", &out, "--seed", "1"];
    // ten thousand items exceed the time limit of a command
    let ended = house.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(ended.unwrap().success());
    let all = results(&house, "out/results.jsonl");
    assert_eq!(all.len(), n);
    let check = |what: &str, held: usize, expected: f64| {
        let (low, high) = colloquium::stats::wilson(held as u32, n as u32);
        let told = format!("{what}: {held} of {n}, expected {expected:.3}, {low:.3} to {high:.3}");
        println!("{told}");
        assert!((low..=high).contains(&expected), "{told}");
    };
    let is_right = |line: &Value| line["correct"] == true;
    let turned = |line: &Value, key: &str| line[key].as_array().is_some_and(|all| !all.is_empty());
    // two or three of three are right at first, and that majority never changes its answer
    let majority = p * p * (3.0 - 2.0 * p);
    check("right", all.iter().filter(|l| is_right(l)).count(), majority);
    // exactly one is wrong, and may adopt the answer of the two others
    let one_wrong = 3.0 * p * p * (1.0 - p);
    check("rescued", all.iter().filter(|l| turned(l, "rescued")).count(), one_wrong * q);
    let one_right = 3.0 * p * (1.0 - p) * (1.0 - p);
    check("bullied", all.iter().filter(|l| turned(l, "bullied")).count(), one_right * q);
    let agrees = |line: &&Value| line["rounds"][1]["agreement"] == 1.0;
    let unanimous = p * p * p + (1.0 - p) * (1.0 - p) * (1.0 - p) + (one_wrong + one_right) * q;
    check("agree", all.iter().filter(agrees).count(), unanimous);
    for line in all.iter().filter(|l| turned(l, "rescued")) {
        assert_eq!(line["rescued"][0]["after"].as_array().unwrap().len(), 2, "{line}");
    }
    if n > FEW {
        return;
    }
    let again = at(&house, "again");
    let first = house.file("first.jsonl", &sums(AGAIN));
    let args = ["batch", &scenario, "--items", &first, "--out", &again, "--seed", "1"];
    house.run(&[&args[..], &["--jobs", "1"]].concat()).code(0);
    let answers = |all: Vec<Value>| -> Vec<(u64, Value)> {
        let mut all: Vec<_> = all
            .into_iter()
            .map(|l| (l["line"].as_u64().unwrap(), l["answered"]["answer"].clone()))
            .collect();
        all.sort_by_key(|(line, _)| *line);
        all.truncate(AGAIN);
        all
    };
    assert_eq!(
        answers(results(&house, "again/results.jsonl")),
        answers(all),
        "the same dice, however many at once"
    );
}

#[test]
fn a_noisy_oracle_measures_as_its_closed_form_says() {
    calibrated(FEW);
}

#[test]
#[ignore = "minutes: cargo test --release --test cli ten_thousand_noisy -- --ignored --nocapture"]
fn ten_thousand_noisy_oracles_measure_as_their_closed_form_says() {
    calibrated(10_000);
}

/// One voice that is right with probability 0.6.
const ALONE: &str = numbers!(
    "Alone",
    r#"
[[participant]]
id = "ada"
lines = ["ANSWER: {{ item.right if dice < 0.6 else item.wrong }}"]
[[phase]]
name = "answers"
"#
);

/// Runs a batch until its results have `until` lines, or to its end. Returns the time to the first new line, and the
/// peak memory in MiB after a tenth of the lines and at the end.
fn watched(house: &House, args: &[&str], before: usize, until: usize) -> (Duration, u64, u64) {
    let begun = Instant::now();
    let mut child = house.command(args);
    let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let path = house.home.path().join("out/results.jsonl");
    let mut first = None;
    let mut early = 0;
    let mut most = 0;
    loop {
        let over = child.try_wait().unwrap().is_some();
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|kib| kib.split_whitespace().next()?.parse::<u64>().ok());
        most = peak.unwrap_or(0).max(most);
        let lines = fs::read(&path).unwrap_or_default().iter().filter(|b| **b == b'\n').count();
        if lines > before && first.is_none() {
            first = Some(begun.elapsed());
        }
        if lines <= before + until / 10 {
            early = most;
        }
        if over || lines >= until {
            let _ = child.kill();
            child.wait().unwrap();
            return (first.unwrap_or_else(|| begun.elapsed()), early >> 10, most >> 10);
        }
        std::thread::yield_now();
    }
}

#[test]
#[ignore = "minutes: cargo test --release --test cli ten_thousand_items -- --ignored --nocapture"]
fn ten_thousand_items_need_no_more_memory_than_a_thousand() {
    let house = House::new();
    let scenario = house.file("alone.toml", ALONE);
    let items = house.file("sums.jsonl", &sums(10_000));
    let out = at(&house, "out");
    let args = ["batch", &scenario, "--items", &items, "--out", &out];
    let (start, ..) = watched(&house, &args, 0, 5_000);
    // the kill may have cut the last line
    let all = || -> Vec<Value> {
        let text = fs::read_to_string(house.home.path().join("out/results.jsonl")).unwrap();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    };
    let before = all().len();
    let (resumed, early, most) = watched(&house, &args, before, 10_000);
    println!(
        "first result after {start:?}, after a kill {resumed:?}; {early} MiB early, {most} MiB at most"
    );
    let mut all = all();
    all.sort_by_key(|line| line["line"].as_u64());
    all.dedup_by_key(|line| line["line"].as_u64());
    assert_eq!(all.len(), 10_000);
    assert!(start < Duration::from_secs(1), "{start:?}");
    assert!(resumed < Duration::from_secs(2), "{resumed:?}");
    assert!(most <= early + 16, "{early} MiB, then {most} MiB");
}
