//! Conversations in the background: started there, listed, steered and stopped from other processes.

use crate::house::{House, talk};
use serde_json::Value;
use std::path::PathBuf;

/// Starts a conversation in the background; returns its id and its file.
fn detach(house: &House, more: &[&str]) -> (String, PathBuf) {
    let path = house.file("talk.toml", &talk(40, 2_000));
    let ran = house.run(&[&["run", &path, "--detach"], more].concat()).code(0);
    let id = ran.out.trim().to_owned();
    assert!(ran.err.contains(&format!("attach {id}")), "{}", ran.err);
    let log = house.path(&format!("data/sessions/{id}.jsonl"));
    (id, log)
}

fn events(log: &PathBuf) -> Vec<Value> {
    let text = std::fs::read_to_string(log).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A conversation in the background outlives its starter, is in the list, takes commands and ends when it is stopped.
#[test]
fn a_conversation_in_the_background_is_listed_steered_and_stopped() {
    let house = House::new();
    let (id, log) = detach(&house, &[]);
    let list = house.run(&["sessions", "list"]).code(0);
    assert!(
        list.out.contains("running") && list.out.contains("A talk (Ada speaks)"),
        "{}",
        list.out
    );
    let listed = &house.sessions()[0];
    assert_eq!((&listed["state"], &listed["doing"]), (&"running".into(), &"Ada speaks".into()));
    house.run(&["steer", &id, r#"{"do":"pause_now"}"#, "--as", "laptop"]).code(0);
    let list = house.run(&["sessions", "list"]).code(0);
    assert!(list.out.contains("A talk (paused)"), "{}", list.out);
    let resumed = house.run(&["resume", &id, "--headless"]).code(6);
    assert!(resumed.err.contains("in use") || resumed.err.contains("process"), "{}", resumed.err);
    house.run(&["stop", &id]).code(0);
    let events = events(&log);
    let given = events.iter().find(|e| e["kind"] == "command.given").unwrap();
    assert_eq!(given["data"]["from"], "laptop");
    assert_eq!(events.last().unwrap()["kind"], "conversation.ended");
    let output = house.path(&format!(".local/state/colloquium/background/{id}.log"));
    let output = std::fs::read_to_string(output).unwrap();
    assert!(output.contains("[1] Ada"), "{output}");
}

/// The last conversation of a command for running ones is the last that runs.
#[test]
fn last_is_the_last_conversation_that_runs() {
    let house = House::new();
    let (id, log) = detach(&house, &[]);
    let path = house.file("short.toml", &talk(1, 1));
    house.run(&["run", &path, "--headless"]).code(0);
    house.run(&["say", "--last", "One more thing.", "--no-wait"]).code(0);
    let stopped = house.run(&["stop", "--last"]).code(0);
    assert!(stopped.err.contains(&id), "{}", stopped.err);
    assert!(std::fs::read_to_string(&log).unwrap().contains("One more thing."));
}

/// A session that was stopped goes on in the background, exactly.
#[test]
fn a_session_is_resumed_in_the_background() {
    let house = House::new();
    let (id, log) = detach(&house, &[]);
    house.run(&["stop", &id]).code(0);
    let ran = house.run(&["resume", &id, "--detach"]).code(0);
    assert_eq!(ran.out.trim(), id, "{}", ran.err);
    house.run(&["say", "--last", "Hello.", "--no-wait"]).code(0);
    house.run(&["steer", "--last", r#"{"do":"mark","text":"here"}"#, "--no-wait"]).code(0);
    let unclear = house.run(&["say", "--last", "one", "two"]).code(2);
    assert!(unclear.err.contains("leave out SESSION or --last"), "{}", unclear.err);
    assert!(house.run(&["say", "Hello."]).code(2).err.contains("TEXT is missing"));
    let stopped = house.run(&["stop", "--last"]).code(0);
    let told = format!("stopped: {id}; resume: colloquium resume {id}");
    assert!(stopped.err.contains(&told), "{}", stopped.err);
    let kinds: Vec<String> =
        events(&log).iter().map(|e| e["kind"].as_str().unwrap().to_owned()).collect();
    assert!(kinds.iter().any(|kind| kind == "conversation.reopened"), "{kinds:?}");
}

/// What fails before the conversation runs is reported by the starter, with its exit code.
#[test]
fn a_conversation_that_cannot_start_in_the_background_says_why() {
    let house = House::new();
    let ran = house.run(&["run", "none.toml", "--detach"]).code(2);
    assert!(ran.err.contains("none.toml"), "{}", ran.err);
    let path = house.file("talk.toml", &talk(4, 4));
    let ran = house.run(&["run", &path, "--detach", "--no-save"]).code(1);
    assert!(ran.err.contains("nobody could attach to it"), "{}", ran.err);
    let ran = house.run(&["run", &path, "--detach", "--steer", "-"]).code(2);
    assert!(ran.err.contains("colloquium steer SESSION -"), "{}", ran.err);
    let ran = house.run(&["demo", "nosuch"]).code(2);
    assert!(ran.err.contains("no scenario `nosuch`"), "{}", ran.err);
    let ran = house.run(&["attach"]).code(2);
    assert!(ran.err.contains("not a terminal"), "{}", ran.err);
}

/// The notes of a failing copy lack the label of errors.
#[test]
fn only_the_error_of_a_copy_is_labelled() {
    let house = House::new();
    let model = ["--endpoint", "http://127.0.0.1:1/v1", "--model", "endpoint:tiny"];
    let run = ["run", "round-table", "--topic", "Why?", "--detach"];
    let ran = house.run(&[&run[..], &model].concat()).code(4);
    assert!(ran.err.starts_with("one model for all: "), "{}", ran.err);
    assert!(ran.err.contains("\nerror: no model: "), "{}", ran.err);
}
