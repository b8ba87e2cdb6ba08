//! Exports of a batch: logs for Inspect, and conversations for raters.

use crate::batches::{ITEM, at, item, results, windows};
use crate::house::House;
use crate::server::Server;
use serde_json::Value;
use std::fs;

/// Runs a protocol over a model; exports it for Inspect, and returns the folder of the logs with the logs in their order.
fn exported(house: &House) -> (String, Vec<Value>) {
    let server = Server::serving(
        "A.\n\\boxed{4}{usage}\n---\nB.\n\\boxed{5}{usage}",
        None,
        usize::MAX,
        &["m"],
    );
    let items = house.file("items.jsonl", &(ITEM.to_owned() + &item(6)));
    let out = at(house, "out");
    let args = ["batch", "society-of-minds", "--items", &items, "--out", &out, "--repeats", "2"];
    let more =
        ["--endpoint", &server.url, "--model", "endpoint:m", "--baselines=single", "--jobs", "1"];
    let settings = windows(house, &["m"]);
    house.run(&[&args[..], &more, &["--config", &settings]].concat()).code(0);
    let logs = at(house, "logs");
    house.run(&["batch", "export", &out, "--format", "inspect", "-o", &logs]).code(0);
    let mut names: Vec<_> =
        fs::read_dir(&logs).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let read = |path| serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    (logs, names.iter().map(read).collect())
}

#[test]
fn logs_of_inspect_have_samples_epochs_scores_and_calls() {
    let house = House::new();
    let (logs, all) = exported(&house);
    assert_eq!(all.len(), 2, "one log for each arm");
    let made = results(&house, "out/results.jsonl");
    for log in &all {
        let arm = log["eval"]["task"].as_str().unwrap();
        let own: Vec<&Value> = made.iter().filter(|line| line["arm"] == arm).collect();
        let samples = log["samples"].as_array().unwrap();
        assert_eq!((samples.len(), own.len()), (4, 4));
        let right = own.iter().filter(|line| line["correct"] == true).count() as f64;
        let accuracy = &log["results"]["scores"][0]["metrics"]["accuracy"]["value"];
        assert!((accuracy.as_f64().unwrap() - right / 4.0).abs() < 1e-9, "{accuracy}");
        for line in own {
            let place =
                |sample: &&Value| sample["id"] == line["item"] && sample["epoch"] == line["repeat"];
            let sample = samples.iter().find(place).unwrap();
            let value = if line["correct"] == true { "C" } else { "I" };
            assert_eq!(sample["scores"]["correct"]["value"], value);
            assert_eq!(sample["metadata"]["session"], line["session"]);
            let events = sample["events"].as_array().unwrap();
            assert_eq!(events.len() as u64, line["calls_total"].as_u64().unwrap());
            let call = &events[0];
            assert_eq!((&call["event"], &call["model"]), (&"model".into(), &"endpoint:m".into()));
            assert!(call["input"].to_string().contains("\"role\":\"user\""), "{call}");
            assert!(call["output"]["completion"].as_str().unwrap().contains("boxed"), "{call}");
        }
        assert!(log["stats"]["model_usage"]["endpoint:m"]["output_tokens"].as_u64() > Some(0));
    }
    let again =
        house.run(&["batch", "export", &at(&house, "out"), "--format", "inspect", "-o", &logs]);
    assert!(again.code(6).err.contains("name a new folder"));
}

#[test]
fn results_that_name_a_session_outside_their_folder_are_refused() {
    let house = House::new();
    let (logs, _) = exported(&house);
    let path = house.path("out/results.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let own = results(&house, "out/results.jsonl")[0]["session"].as_str().unwrap().to_owned();
    let secret = house.path("secret.jsonl");
    fs::write(&secret, fs::read(house.path("out").join(&own)).unwrap()).unwrap();
    let link = house.path("out/link.jsonl");
    std::os::unix::fs::symlink(&secret, &link).unwrap();
    for (format, named) in [
        ("inspect", "../secret.jsonl"),
        ("blind", secret.to_str().unwrap()),
        ("inspect", "link.jsonl"),
    ] {
        fs::write(&path, text.replacen(&own, named, 1)).unwrap();
        let out = at(&house, "never");
        let ran = house
            .run(&["batch", "export", &at(&house, "out"), "--format", format, "-o", &out])
            .code(3);
        let said = format!("the results name a session outside their folder: {named}");
        assert!(ran.err.contains(&said), "{}", ran.err);
        assert!(!house.path("never").exists() && fs::metadata(&logs).is_ok());
    }
}

#[test]
#[ignore = "needs the package: INSPECT_PYTHON=PYTHON cargo test --test cli inspect_reads -- --ignored --nocapture"]
fn inspect_reads_the_logs_and_finds_the_same_accuracy() {
    const READ: &str = r#"
import sys
from inspect_ai.analysis import evals_df, messages_df, samples_df
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.scorer import value_to_float
folder = sys.argv[1]
logs = list_eval_logs(folder)
assert len(logs) == 2, logs
for frame in (evals_df(folder), samples_df(folder), messages_df(folder)):
    print(frame.shape)
    assert len(frame) > 0
for info in logs:
    log = read_eval_log(info)
    values = [value_to_float()(s.scores["correct"].value) for s in log.samples]
    told = log.results.scores[0].metrics["accuracy"].value
    assert abs(sum(values) / len(values) - told) < 1e-9, (values, told)
    print(log.eval.task, told, len(log.samples))
"#;
    let Ok(python) = std::env::var("INSPECT_PYTHON") else { return };
    let house = House::new();
    let (logs, _) = exported(&house);
    let ran = house.other(&python).args(["-c", READ, &logs]).output().unwrap();
    let told =
        String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
    println!("{told}");
    assert!(ran.status.success(), "{told}");
}

/// Two sides whose speeches name each other.
const NAMED: &str = r#"
title = "Named"
topic = "{{ item.question }}"
policy = "phases"
[item]
question = "?"
[[participant]]
id = "ada"
name = "Ada"
lines = ["Bo is wrong, says Ada."]
[[participant]]
id = "bo"
name = "Bo"
lines = ["ADA forgets @ada."]
[[participant]]
id = "judge"
lines = [{ for = "judge", text = '{"why": "so", "scores": {}, "winner": "ada"}' }]
[[phase]]
name = "debate"
who = ["ada", "bo"]
[verdict]
judge = "judge"
question = "Who is right?"
sides = ["ada", "bo"]
argues = ["yes to {{ item.question }}", "no"]
"#;

#[test]
fn raters_see_neither_names_nor_arms_and_codes_tell_them() {
    let house = House::new();
    let scenario = house.file("named.toml", NAMED);
    let lines = (0..12).map(|n| format!("{{\"id\":\"i{n}\",\"question\":\"q{n}\"}}\n"));
    let items = house.file("items.jsonl", &lines.collect::<String>());
    let out = at(&house, "out");
    house.run(&["batch", &scenario, "--items", &items, "--out", &out]).code(0);
    let folder = at(&house, "raters");
    let args = ["batch", "export", &out, "--format", "blind", "--n", "10", "-o", &folder];
    house.run(&args).code(0);
    let table = fs::read_to_string(house.path("raters/ratings.csv")).unwrap();
    assert!(table.starts_with("code,question,text,side_1,side_2,rating,note\nc001,q"), "{table}");
    let hidden = ["Ada", "ADA", "Bo ", "named", "@"];
    assert!(hidden.iter().all(|name| !table.contains(name)), "{table}");
    assert!(table.contains("Side 2: Side 1 is wrong") || table.contains("Side 1: Side 2 is wrong"));
    // the sides are shuffled
    assert!(table.contains(",no,yes to q") && table.contains(",no,,\n"), "{table}");
    let codes = fs::read_to_string(house.path("raters/codes.csv")).unwrap();
    assert_eq!(codes.lines().count(), 11, "{codes}");
    assert!(codes.contains(",bo,ada\n") && codes.contains(",ada,bo\n"), "{codes}");
    assert!(codes.lines().nth(1).unwrap().starts_with("c001,named,i"), "{codes}");
}
