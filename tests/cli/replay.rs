//! `replay` prints a recorded conversation exactly as it was printed live, also without its scenario file, and runs
//! nothing.

use crate::house::{House, talk};
use std::fs;

/// Plays the demo with many commands in a format; returns the output and the path of the session.
fn live(house: &House, format: &str) -> (String, String) {
    let path = house.path(&format!("{format}.jsonl")).to_str().unwrap().to_owned();
    let steer = [
        r#"{"after":{"utterance":1},"do":"note","to":"bo","text":"Be brief."}"#,
        r#"{"during":{"utterance":2,"words":5},"do":"cut_in","text":"One moment, @cy"}"#,
        r#"{"after":{"utterance":4},"do":"reroll"}"#,
        r#"{"after":{"utterance":5},"do":"hide","utterance":1}"#,
        r#"{"after":{"utterance":5},"do":"edit","utterance":3,"text":"As edited."}"#,
        r#"{"after":{"utterance":6},"do":"mute","who":"dee"}"#,
    ];
    let steer = house.file("steer.jsonl", &steer.join("\n"));
    let args =
        ["demo", "--headless", "--format", format, "--out-session", &path, "--steer", &steer];
    (house.run(&args).code(0).out, path)
}

#[test]
fn replay_prints_the_output_of_the_live_run() {
    let house = House::new();
    for format in ["jsonl", "text", "md"] {
        let (printed, path) = live(&house, format);
        let again = house.run(&["replay", &path, "--headless", "--format", format]).code(0);
        assert_eq!(again.out, printed, "{format}");
        assert_eq!(again.err, "");
    }
}

#[test]
fn it_begins_where_it_is_told_to() {
    let house = House::new();
    let (printed, path) = live(&house, "text");
    let from = |at: &str| house.run(&["replay", &path, "--headless", "--at", at]);
    let fifth = from("5").code(0).out;
    assert!(fifth.starts_with("[5] ") && printed.ends_with(&fifth), "{fifth}");
    let later = from("0:10").code(0).out;
    assert!(printed.ends_with(&later) && !later.is_empty() && later.len() < printed.len());
    assert!(from("99").code(2).err.contains("no turn 99"));
    assert!(from("9:00:00").code(2).err.contains("the recording ends at "));
    assert!(from("noon").code(2).err.contains("such as 03:20"));
    let slow = house.run(&["replay", &path, "--headless", "--speed", "3"]).code(2);
    assert!(slow.err.contains("one of 0.5x, 1x, 2x, 4x, 8x, max"), "{}", slow.err);
}

#[test]
fn unfinished_damaged_and_newer_sessions_play_with_a_notice() {
    let house = House::new();
    let (_, path) = live(&house, "jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let play = |name: &str, text: &str| {
        house.run(&["replay", &house.file(name, text), "--headless", "--format", "jsonl"])
    };
    let half = lines[..lines.len() / 2].join("\n") + "\n";
    let unfinished = play("unfinished.jsonl", &half).code(0);
    assert_eq!(unfinished.out, half);
    assert!(unfinished.err.contains("unfinished; resume: colloquium resume "));
    let torn = play("torn.jsonl", &whole[..whole.len() - 9]).code(0);
    assert_eq!(torn.out, lines[..lines.len() - 1].join("\n") + "\n");
    assert!(torn.err.contains("the last line is incomplete"), "{}", torn.err);
    let damaged = play("damaged.jsonl", &whole.replacen("\"seq\":7,", "\"seq\":8,", 1)).code(6);
    assert_eq!(damaged.out.lines().count(), lines.len() - 1);
    assert!(damaged.err.contains("is damaged") && damaged.err.contains("sessions repair"));
    let untouched = fs::read_to_string(house.path("damaged.jsonl")).unwrap();
    assert_eq!(untouched.lines().count(), lines.len(), "the file stays as it is");
}

#[test]
fn nothing_in_a_foreign_file_is_run() {
    let house = House::new();
    let trace = house.path("trace");
    let script =
        house.file("say.sh", &format!("#!/bin/sh\ntouch {}\necho Hello\n", trace.display()));
    let scenario = talk(2, 1)
        + &format!("[[participant]]\nid = \"cy\"\nname = \"Cy\"\nscript = [\"sh\", {script:?}]\n");
    let file = house.file("foreign.toml", &scenario.replace("utterances = 2", "utterances = 3"));
    let path = house.path("foreign.jsonl").to_str().unwrap().to_owned();
    house.run(&["run", &file, "--headless", "--trust", "--out-session", &path]).code(0);
    fs::remove_file(&trace).expect("the script ran when it was live");
    house.run(&["replay", &path, "--headless"]).code(0);
    assert!(!trace.exists());
}

#[test]
fn bundled_sessions_are_read_by_name_and_never_written() {
    let house = House::new();
    let list = house.run(&["sessions", "list", "--examples"]).code(0).out;
    let names: Vec<&str> = list.lines().map(|l| l.split(' ').next().unwrap()).collect();
    assert!(names.contains(&"example-rehearsed"), "{list}");
    for name in names {
        let again = house.run(&["replay", name, "--headless"]).code(0);
        assert!(again.out.contains("\n[3] ") && again.err.is_empty(), "{name}: {}", again.err);
        house.run(&["analyze", name]).code(0);
        let raw = house.run(&["replay", name, "--headless", "--format", "jsonl"]).code(0).out;
        for place in ["/tmp", "/home", "/root", "/work", "127.0.0.1"] {
            assert!(!raw.contains(place), "{name} holds {place}");
        }
        let refused = house.run(&["resume", name, "--headless"]).code(2);
        assert!(refused.err.contains("cannot be changed"), "{}", refused.err);
    }
    house.run(&["fork", "example-rehearsed", "--at", "2", "--headless"]).code(0);
    for verb in [
        &["rename", "--title", "Mine"][..],
        &["delete"],
        &["redact", "--utterance", "1"],
        &["repair"],
    ] {
        let refused = house.run(&[&["sessions"], verb, &["example-rehearsed"]].concat()).code(2);
        assert!(refused.err.contains("cannot be changed"), "{verb:?}: {}", refused.err);
    }
    let shown = house.run(&["sessions", "show", "example-rehearsed"]).code(0).out;
    assert!(shown.starts_with("Should cities ban private cars?"), "{shown}");
    for list in [&["sessions", "list"][..], &["list"], &["ls"]] {
        assert!(house.run(list).code(0).out.contains("Should cities"), "{list:?}");
    }
}
