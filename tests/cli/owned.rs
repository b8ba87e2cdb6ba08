//! Conversations that a batch or an MCP server runs: clients follow and steer them, and their owner keeps the budget.

use crate::house::{House, end};
use crate::live::until_listening;
use crate::mcp_client::Client;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;

/// The participant replies once the test writes to the pipe.
const SLOW: &str = "title = \"One question\"\ntopic = \"{{ item.question }}\"\n[limits]\nutterances = 1\n\
    [item]\nquestion = \"What is 1 + 1?\"\n[answer]\nform = \"number\"\n\
    [[participant]]\nid = \"ada\"\nscript = [\"sh\", \"./wait.sh\"]\n";

#[test]
fn a_conversation_of_a_batch_is_steered_within_the_limits_of_the_batch() {
    let house = House::new();
    let scenario = house.file("slow.toml", SLOW);
    let pipe = house.path("pipe");
    assert!(house.other("mkfifo").arg(&pipe).status().unwrap().success());
    house.file("wait.sh", &format!("read line < {}\necho \"ANSWER: $line\"\n", pipe.display()));
    let items = house.file("items.jsonl", "{\"id\":\"1\",\"question\":\"2 + 2?\",\"answer\":4}\n");
    let out = house.path("out");
    let args = ["batch", &scenario, "--items", &items, "--out", out.to_str().unwrap(), "--trust"];
    let batch = house.command(&args).spawn().unwrap();
    // opening the pipe waits for the script to read it
    let mut answer = fs::File::options().write(true).open(&pipe).unwrap();
    let folders = fs::read_dir(out.join("sessions")).unwrap().flatten();
    let mut files = folders.flat_map(|folder| fs::read_dir(folder.path()).unwrap().flatten());
    let log = files.find(|file| file.path().extension().is_some_and(|end| end == "jsonl"));
    let log = log.unwrap().path();
    until_listening(&house, &log);
    let log = log.to_str().unwrap();
    let steer = |line: &str| house.run(&["steer", log, line]);
    for line in [
        r#"{"do":"limit","set":{"usd":100}}"#,
        r#"{"do":"change","who":"ada","set":{"model":"far:large"}}"#,
        r#"{"do":"join","participant":{"id":"bo","lines":["No."]}}"#,
    ] {
        let ran = steer(line).code(1);
        assert!(ran.err.contains("keeps its limits"), "{line}: {}", ran.err);
    }
    let ran = house.run(&["stop", log]).code(1);
    assert!(ran.err.contains("a batch or a server runs it"), "{}", ran.err);
    house.run(&["say", log, "Hello.", "--no-wait"]).code(0);
    // a client that stays does not hold the batch at the limit
    let (mut watch, watched) = house.start(&["watch", log, "--headless", "--format", "jsonl"]);
    answer.write_all(b"4\n").unwrap();
    drop(answer);
    end(batch).code(0);
    let printed = std::io::read_to_string(watched).unwrap();
    assert!(watch.wait().unwrap().success());
    assert_eq!(printed, fs::read_to_string(log).unwrap(), "the lines of the file");
    let results = fs::read_to_string(out.join("results.jsonl")).unwrap();
    assert!(
        results.contains("\"right\":true") || results.contains("\"correct\":true"),
        "{results}"
    );
    let from = |line: &str| serde_json::from_str::<Value>(line).unwrap()["data"]["from"].clone();
    assert!(printed.lines().any(|line| from(line) == "script"), "{printed}");
}

#[test]
fn a_conversation_of_an_mcp_server_is_steered_within_the_limits_of_the_server() {
    let house = House::new();
    let mut client = Client::start(&house);
    let cast = json!([{"name": "Caller", "caller": true}]);
    let started = client.call("start", json!({"cast": cast, "topic": "Tea?", "max_turns": 2}));
    let session = started["session"].as_str().unwrap_or_else(|| panic!("{started}")).to_owned();
    let steer = |line: &str| house.run(&["steer", &session, line]);
    until_listening(&house, &house.path(&format!("data/sessions/{session}.jsonl")));
    let ran = steer(r#"{"do":"limit","set":{"usd":100}}"#).code(1);
    assert!(ran.err.contains("keeps its limits"), "{}", ran.err);
    let ran = house.run(&["stop", &session]).code(1);
    assert!(ran.err.contains("a batch or a server runs it"), "{}", ran.err);
    for text in ["I like tea.", "I still do."] {
        let said = client.call("say", json!({"session": session, "as": "Caller", "text": text}));
        assert_eq!(said["taken"], true, "{said}");
    }
    let result = client.call("wait", json!({"session": session}));
    assert_eq!(result["complete"], true, "{result}");
    client.end();
    let ran = steer(r#"{"do":"mark"}"#).code(6);
    assert!(ran.err.contains("not running"), "{}", ran.err);
}
