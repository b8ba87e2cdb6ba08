//! Clients of `colloquium mcp` on a conversation that another process runs: they see and steer it, and lift no limit.

use crate::house::{House, end, read_until, talk};
use crate::mcp_client::Client;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use serde_json::{Value, json};
use std::io::BufReader;
use std::process::{Child, ChildStdout};

const SESSION: &str = "20260101-000000-abcdef";

/// Starts a conversation in a process of its own, in the sessions folder.
pub fn start(house: &House, scenario: &str) -> (Child, BufReader<ChildStdout>) {
    house.file("data/sessions/.keep", "");
    let path = house.file("talk.toml", scenario);
    let log = house.path(&format!("data/sessions/{SESSION}.jsonl"));
    let log = log.to_str().unwrap();
    let run = ["run", &path, "--headless", "--pace", "--format", "jsonl", "--out-session", log];
    let (child, mut out) = house.start(&run);
    read_until(&mut out, &["conversation.opened"]);
    (child, out)
}

/// Waits until the conversation takes clients, and returns its row.
pub fn row(client: &mut Client) -> Value {
    loop {
        let status = client.call("status", json!({}));
        if let Some(row) = status["others"].as_array().unwrap().first() {
            return row.clone();
        }
    }
}

#[test]
fn a_conversation_that_does_not_answer_is_listed_as_such() {
    let house = House::new();
    let (child, out) = start(&house, &talk(40, 2_000));
    let mut client = Client::start(&house);
    let answering = row(&mut client);
    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::STOP).unwrap();
    // until then, a thread of it may still answer
    waitpid(Some(pid), WaitOptions::UNTRACED).unwrap();
    let stopped = row(&mut client);
    assert_eq!(stopped["state"], "not answering", "{stopped}");
    assert_eq!(stopped["session"], SESSION);
    assert_eq!(stopped["title"], answering["title"]);
    kill_process(pid, Signal::CONT).unwrap();
    client.end();
    kill_process(pid, Signal::TERM).unwrap();
    drop(out);
    end(child);
}

#[test]
fn clients_see_and_steer_a_conversation_of_another_program() {
    let house = House::new();
    let (child, out) = start(&house, &talk(40, 2_000));
    let mut client = Client::start(&house);
    assert_eq!(row(&mut client)["session"], SESSION);
    let about = |more: Value| {
        let mut arguments = json!({"session": SESSION});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let past = client.call("tail", about(json!({})));
    let after = past["next"].clone();
    let said = client.call("say", about(json!({"text": "Mind the tea."})));
    assert_eq!(said["taken"], true, "{said}");
    // a busy machine needs more than one slice
    let mut after = after;
    let mut heard = String::new();
    for _ in 0..10 {
        let tail = client.call("tail", about(json!({"after": after, "seconds": 20})));
        heard.push_str(&tail["lines"].to_string());
        if heard.contains("Mind the tea.") {
            break;
        }
        after = tail["next"].clone();
    }
    assert!(heard.contains("Mind the tea."), "{heard}");
    for (command, why) in [
        (json!({"do": "limit", "set": {"usd": 1000}}), "is not one of"),
        (json!({"do": "decide", "tool": "x", "yes": true}), "is not one of"),
        (json!({"do": "speak", "who": "ada", "text": "I am Ada."}), "a person speaks"),
    ] {
        let refused = client.call("steer", about(json!({"command": command})));
        assert!(refused.as_str().is_some_and(|text| text.contains(why)), "{command}: {refused}");
    }
    let refused = client.call("say", about(json!({"as": "ada", "text": "I am Ada."})));
    assert!(refused.as_str().is_some_and(|text| text.contains("do not speak")), "{refused}");
    let paused = client.call("steer", about(json!({"command": {"do": "pause"}})));
    assert_eq!(paused["taken"], true, "{paused}");
    client.end();
    let log = house.path(&format!("data/sessions/{SESSION}.jsonl"));
    let log = std::fs::read_to_string(log).unwrap();
    let given = |what: &str| {
        log.lines().any(|line| line.contains("\"from\":\"mcp\"") && line.contains(what))
    };
    assert!(given("Mind the tea.") && given("pause"), "the log names the client: {log}");
    assert!(!log.contains("I am Ada."), "{log}");
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    drop(out);
    end(child);
}
