//! Comparisons of protocols in a report, lost answers, and prompts that do not fit: values worked out by hand.

use crate::batches::{ANSWERS, REVISION, at, results, rows, run_items, scenario, windows};
use crate::house::House;
use crate::server::Server;
use serde_json::json;
use std::fs;

/// Runs a protocol whose only participant gives the answer in a field of each item; returns its results.
fn said(house: &House, name: &str, field: &str, items: &str) -> String {
    let text = format!(
        "{field} = 0\n[answer]\nform = \"number\"\n[[participant]]\nid = \"ada\"\n\
         lines = [\"ANSWER: {{{{ item.{field} }}}}\"]\n[[phase]]\nname = \"p\"\n"
    );
    let scenario = scenario(house, name, &text);
    let out = at(house, name);
    house.run(&["batch", &scenario, "--items", items, "--out", &out]).code(0);
    format!("{out}/results.jsonl")
}

/// Of ten items, the debate is right on all but the last, one baseline on the first and the last, the other like the
/// debate. Eight against one: 2 x 1/512 + 9/512 = 11/512, and three times that for three comparisons.
#[test]
fn comparisons_are_exact_and_corrected_for_their_number() {
    let house = House::new();
    let lines: String = (0..10)
        .map(|n| {
            let right = |is: bool| if is { 1 } else { 0 };
            let debate = right(n < 9);
            let other = right(n == 0 || n == 9);
            format!("{{\"id\":\"i{n}\",\"question\":\"{n}?\",\"answer\":1,\"d\":{debate},\"s\":{other}}}\n")
        })
        .collect();
    let items = house.file("items.jsonl", &lines);
    let parts = [
        said(&house, "debate", "d", &items),
        said(&house, "self-consistency", "s", &items),
        said(&house, "self-consistency-tokens", "d", &items),
    ];
    let all = at(&house, "all.jsonl");
    house.run(&["batch", "merge", &parts[0], &parts[1], &parts[2], "-o", &all]).code(0);
    let pairs = rows(&house, &all, "pairs");
    assert!(pairs[0].starts_with("debate,self-consistency,10,70.0,"), "{pairs:?}");
    assert!(pairs[0].ends_with(",8,1,0.021484,0.064453"), "{pairs:?}");
    assert!(pairs[1].ends_with(",0.0,0.0,0.0,0,0,1.0,1.0"), "{pairs:?}");
    assert!(pairs[2].ends_with(",1,8,0.021484,0.064453"), "{pairs:?}");
    let text = house.run(&["batch", "report", &all]).code(0).out;
    // merged from three batches, none of which is a baseline of another: the first against both others
    let family = "debate against each of 2 others; 1 of 2 survive (Holm, 5 %)";
    assert!(text.contains(family) && !text.contains("worth its cost"), "{text}");
    let head = text.split("CONCLUSIONS").next().unwrap();
    assert!(head.contains("debate, self-consistency, self-consistency-tokens"), "{head}");
}

/// The report begins with what was run.
#[test]
fn head_of_the_report_names_the_experiment() {
    let house = House::new();
    let items =
        house.file("items.jsonl", "{\"id\":\"a\",\"question\":\"1?\",\"answer\":1,\"d\":1}\n");
    let of = said(&house, "debate", "d", &items);
    let head = house.run(&["batch", "report", &of, "--table", "batch"]).code(0).out;
    for part in
        ["debate", "1 (items.jsonl)", "seed", "begun", "debate.toml --items", "colloquium 0."]
    {
        assert!(head.contains(part), "{part}: {head}");
    }
}

/// Ada and Cy are right first, Bo follows them, and Cy follows Bo.
#[test]
fn lost_answers_are_counted() {
    let house = House::new();
    let text = format!(
        r#"[answer]
form = "number"
[[participant]]
id = "ada"
lines = ["ANSWER: 7", "ANSWER: 8"]
[[participant]]
id = "bo"
lines = ["ANSWER: 8", "ANSWER: 7"]
[[participant]]
id = "cy"
lines = ["ANSWER: 7", "ANSWER: 8"]
{ANSWERS}{REVISION}"#
    );
    let path = scenario(&house, "turns", &text);
    let out = run_items(&house, &path, "{\"id\":\"a\",\"question\":\"7?\",\"answer\":7}\n", "out");
    // one minority answer, adopted; two right answers held, both broken; 7 was in the pool, and 8 is the result
    assert_eq!(rows(&house, &out, "losses"), ["turns,1,1,1.0,2,2,1.0,1,1,1.0"]);
}

#[test]
fn conversation_with_a_truncated_prompt_does_not_count() {
    let house = House::new();
    let lines = "{\"id\":\"a\",\"question\":\"1?\",\"answer\":1,\"d\":1}\n{\"id\":\"b\",\"question\":\"2?\",\"answer\":1,\"d\":1}\n";
    let items = house.file("items.jsonl", lines);
    let of = said(&house, "debate", "d", &items);
    let text = fs::read_to_string(&of).unwrap();
    fs::write(&of, text.replacen("\"truncated\":0", "\"truncated\":1", 1)).unwrap();
    let rows = rows(&house, &of, "accuracy");
    assert!(rows[0].starts_with("debate,") && rows[0].ends_with(",1"), "{rows:?}");
    let shown = house.run(&["batch", "report", &of, "--table", "accuracy"]).code(0).out;
    assert!(shown.contains("truncated"), "{shown}");
    let args = ["batch", "report", &of, "--table", "accuracy", "--with-truncated"];
    let all = house.run(&args).code(0).out;
    let ended =
        |text: &str| text.lines().last().unwrap().split_whitespace().nth(2).unwrap().to_owned();
    assert_eq!((ended(&shown).as_str(), ended(&all).as_str()), ("1", "2"), "{shown}{all}");
}

/// Three long solutions in a window that the server does not state: nothing is called.
#[test]
fn unknown_window_that_would_cut_is_an_error_before_the_first_call() {
    let house = House::new();
    let server = Server::start("ANSWER: 4", None);
    let long = json!({"id": "a", "question": "many words ".repeat(1_500), "answer": 4});
    let items = house.file("items.jsonl", &format!("{long}\n"));
    let out = at(&house, "out");
    let args = |more: &[&'static str]| {
        let mut args = vec!["batch".to_owned(), "delphi".into(), "--items".into(), items.clone()];
        args.extend(["--out".into(), out.clone(), "--model".into(), "endpoint:tiny".into()]);
        args.extend(["--endpoint".into(), server.url.clone()]);
        args.extend(more.iter().map(|word| (*word).to_owned()));
        args
    };
    let strs = |args: &[String]| -> Vec<String> { args.to_vec() };
    let first = strs(&args(&[]));
    let refused = house.run(&first.iter().map(String::as_str).collect::<Vec<_>>()).code(3).err;
    assert!(refused.contains("will not fit 4096 tokens"), "{refused}");
    assert!(refused.contains("[models.\"endpoint:tiny\"] window = N"), "{refused}");
    assert!(server.asked.lock().unwrap().is_empty());
    assert!(!house.path("out/results.jsonl").exists());
    let settings = windows(&house, &["tiny"]);
    let mut second = first.clone();
    second.extend(["--config".into(), settings]);
    house.run(&second.iter().map(String::as_str).collect::<Vec<_>>()).code(0);
    assert_eq!(results(&house, "out/results.jsonl")[0]["truncated"], 0);
}
