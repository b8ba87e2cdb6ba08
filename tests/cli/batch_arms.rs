//! Arms of a batch: the order of the report, baselines from the first round of the scenario, and the outcome.

use crate::batches::{ANSWERS, ITEM, REVISION, VOICES, at, results, windows};
use crate::house::House;
use crate::server::Server;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

/// A panel that ends as soon as all agree.
const PANEL: &str = r#"
title = "Panel"
topic = "{{ item.question }}"
policy = "phases"
frame = "none"
[item]
question = "?"
[answer]
form = "number"
SEATS
[[phase]]
name = "answers"
order = "simultaneous"
sees = "question"
task = "How many? {{ question }}"
[[phase]]
name = "revision"
order = "simultaneous"
sees = "others_last"
rounds = 4
until = "agreement == 1"
"#;

/// Runs the panel with these models and its baselines; returns the results by arm, and the requests in order.
fn mixed(models: &[&str]) -> (BTreeMap<String, Value>, Vec<Value>, Value) {
    let house = House::new();
    let server = Server::serving("Thought.\nANSWER: 4", None, usize::MAX, &["m", "m2"]);
    let seat = |(n, model): (usize, &&str)| {
        format!("[[participant]]\nid = \"s{n}\"\nmodel = \"endpoint:{model}\"\ntemperature = 0\n")
    };
    let seats: String = models.iter().enumerate().map(seat).collect();
    let scenario = house.file("panel.toml", &PANEL.replace("SEATS", &seats));
    let items = house.file("items.jsonl", ITEM);
    let out = at(&house, "out");
    let args = ["batch", &scenario, "--items", &items, "--out", &out, "--baselines"];
    let settings = windows(&house, &["m", "m2"]);
    let model = ["--endpoint", &server.url, "--config", &settings];
    house.run(&[&args[..], &model].concat()).code(0);
    let all = results(&house, "out/results.jsonl").into_iter();
    let all = all.map(|line| (line["arm"].as_str().unwrap().to_owned(), line)).collect();
    let asked = server.asked.lock().unwrap();
    let asked = asked.iter().filter_map(|body| serde_json::from_str(body).ok()).collect();
    let made = fs::read_to_string(house.path("out/batch.json")).unwrap();
    (all, asked, serde_json::from_str(&made).unwrap())
}

/// Returns the calls of an arm by model.
fn calls(line: &Value) -> BTreeMap<String, u64> {
    let models = line["models"].as_object().unwrap().iter();
    models.map(|(name, of)| (name.clone(), of["calls"].as_u64().unwrap())).collect()
}

#[test]
fn each_model_of_a_panel_has_its_baselines_whatever_the_order_of_seats() {
    for models in [&["m", "m2", "m2"][..], &["m2", "m", "m"], &["m", "m2"]] {
        let (all, asked, made) = mixed(models);
        let names: Vec<&str> =
            made["arms"].as_array().unwrap().iter().map(|a| a["name"].as_str().unwrap()).collect();
        assert_eq!(names[..3], ["panel", "plain-vote", "self-consistency"], "{models:?}");
        assert_eq!(names.last(), Some(&"self-consistency-tokens"));
        // all agree after the revision: two rounds of at most five
        let made = 2 * models.len() as u64;
        let sum = |name: &str| calls(&all[name]).values().sum::<u64>();
        assert_eq!((sum("panel"), sum("plain-vote")), (made, models.len() as u64));
        assert_eq!(calls(&all["self-consistency"]), calls(&all["panel"]), "{models:?}");
        for model in ["m", "m2"] {
            let only = |calls| BTreeMap::from([(format!("endpoint:{model}"), calls)]);
            assert_eq!(calls(&all[&format!("single [{model}]")]), only(1), "{models:?}");
            for name in ["self-consistency", "reflection"] {
                assert_eq!(calls(&all[&format!("{name} [{model}]")]), only(made), "{models:?}");
            }
        }
        assert_eq!(all.len(), names.len());
        // the vote is the first round of the panel, byte for byte
        let n = models.len();
        assert_eq!(asked[2 * n..3 * n], asked[..n], "{models:?}");
        assert!(asked[..n].iter().all(|body| body["temperature"] == 0.0));
    }
}

#[test]
fn samples_of_one_model_are_not_all_equal_and_a_reflection_reads_its_own_words() {
    let (all, asked, made) = mixed(&["m", "m"]);
    let names: Vec<&String> = all.keys().collect();
    assert_eq!(
        names,
        [
            "panel",
            "plain-vote",
            "reflection",
            "self-consistency",
            "self-consistency-tokens",
            "single"
        ]
    );
    let arms = made["arms"].as_array().unwrap();
    let arm = |name: &str| arms.iter().find(|arm| arm["name"] == name).unwrap();
    let note = &arm("self-consistency")["notes"][0];
    assert_eq!(note, "s0 samples at 0.7 in place of 0");
    assert_eq!(arm("self-consistency")["equal"], "calls");
    assert_eq!(arm("self-consistency")["baseline_of"], "panel");
    assert!(arm("panel").get("baseline_of").is_none());
    // panel 4, vote 2, samples 4, single 1, reflection 4
    assert!(asked[6..10].iter().all(|body| body["temperature"] == 0.7), "{asked:?}");
    assert!(asked[6..10].iter().all(|body| body["messages"] == asked[0]["messages"]));
    assert_eq!(asked[11]["messages"], asked[0]["messages"]);
    let again = asked[12]["messages"].to_string();
    assert!(again.contains("Thought.") && again.contains("Look for mistakes"), "{again}");
    assert_eq!(made["runs"][0]["sha256"].as_str().unwrap().len(), 64);
}

#[test]
fn report_is_about_the_examined_protocol_whatever_the_order_of_lines() {
    let house = House::new();
    let scenario = house.file("voices.toml", &[VOICES, ANSWERS, REVISION].concat());
    let items: String = (0..10)
        .map(|n| {
            let (one, two) = match n {
                0..6 => ("ANSWER: 1", "ANSWER: 1"),
                6 | 7 => ("ANSWER: 1", "ANSWER: 2"),
                _ => ("Who knows?", "Nobody."),
            };
            format!("{{\"id\":\"{n}\",\"question\":\"{n}?\",\"answer\":1,\"one\":\"{one}\",\"two\":\"{two}\"}}\n")
        })
        .collect();
    let items = house.file("items.jsonl", &items);
    let out = at(&house, "out");
    let args = ["batch", &scenario, "--items", &items, "--out", &out, "--baselines", "--jobs", "4"];
    house.run(&args).code(0);
    let report = |of: &str| house.run(&["batch", "report", of]).code(0).out;
    let told = report(&out);
    let family = "voices against each of its 4 baselines; 0 of 4 survive (Holm, 5 %)";
    assert!(told.contains(family), "{told}");
    // six of ten; two ties and two that nobody can read are wrong
    let args = ["batch", "report", &out, "--table", "accuracy", "--format", "csv"];
    let rows = house.run(&args).code(0).out;
    let row = rows.lines().nth(1).unwrap();
    assert!(row.starts_with("voices,10,10,6,0.6,") && row.ends_with(",2,2,1.0"), "{rows}");
    // single is right on the ties too
    assert!(rows.lines().any(|row| row.starts_with("single,10,10,8,0.8,")), "{rows}");
    let worth = "voices was not shown to be worth its cost: \u{2212}20.0 points";
    assert!(told.contains(worth) && told.contains("the best of 2 with as many calls"), "{told}");
    assert!(told.contains("5 points at the disagreement with"), "{told}");
    let path = house.path("out/results.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.len() * 7919 % 101));
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    assert_eq!(report(&out), told);
    // other families of tests
    let against = house.run(&["batch", "report", &out, "--against", "single"]).code(0).out;
    assert!(against.contains("each of 4 others against single; 0 of 4 survive"), "{against}");
    let pairs = house.run(&["batch", "report", &out, "--all-pairs"]).code(0).out;
    assert!(pairs.contains("all pairs of 5 arms; 0 of 10 survive"), "{pairs}");
    let refused = house.run(&["batch", "report", &out, "--against", "nobody"]).code(2).err;
    assert!(refused.contains("no arm `nobody`") && refused.contains("plain-vote"), "{refused}");
    // merged results keep the list of arms
    let merged = at(&house, "all.jsonl");
    house.run(&["batch", "merge", &format!("{out}/results.jsonl"), "-o", &merged]).code(0);
    assert!(report(&merged).contains(family));
}

#[test]
fn baselines_are_chosen_by_name() {
    let house = House::new();
    let items = house.file("items.jsonl", ITEM);
    let plan = |chosen: &str| {
        let args = ["batch", "society-of-minds", "--items", &items, "--rehearsed", "--dry-run"];
        house.run(&[&args[..], &[chosen]].concat())
    };
    let two = plan("--baselines=single,plain-vote").code(0).out;
    assert!(two.contains("\nsingle: 1 item") && two.contains("\nplain-vote: 1 item"), "{two}");
    assert!(!two.contains("reflection") && !two.contains("self-consistency"), "{two}");
    let refused = plan("--baselines=sinlge").code(2).err;
    assert!(refused.contains("no baseline `sinlge`") && refused.contains("single"), "{refused}");
}
