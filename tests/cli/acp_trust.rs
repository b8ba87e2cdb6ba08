//! Consents of `colloquium acp`: they hold for the scenario of the command line alone.

use crate::acp::{Client, asking, decide, pair};
use crate::house::House;
use serde_json::json;

#[test]
fn a_strange_file_runs_nothing_without_trust() {
    let house = House::new();
    let path = asking(&house);
    let mut client = Client::start(&house, &["acp", &path]);
    let session = client.session();
    let answer = client.prompted(&session, "Write.");
    let why = answer["error"]["message"].as_str().unwrap();
    assert!(why.contains("agent.py") && why.contains("--trust"), "{answer}");
    assert!(!house.path("told.jsonl").exists(), "nothing ran");
    client.end();
}

/// A client may load any saved session, but the consents given for one scenario do not start the programs of another.
#[test]
fn trust_in_one_scenario_runs_nothing_of_another_session() {
    let house = House::new();
    let strange = asking(&house);
    let mut client = Client::start(&house, &["acp", &strange, "--trust"]);
    let session = client.session();
    let id = client.prompt(&session, "Write.");
    decide(&mut client, "always");
    client.answer(id);
    client.end();
    std::fs::remove_file(house.path("told.jsonl")).unwrap();
    let own = pair(&house, 6, 1, "");
    let mut client = Client::start(&house, &["acp", &own, "--trust"]);
    let params = json!({"sessionId": session, "cwd": "/", "mcpServers": []});
    let loaded = client.ask("session/load", params);
    assert!(loaded["error"].is_null(), "{loaded}");
    let id = client.prompt(&session, "Again.");
    let answer = loop {
        if let Some(answer) = client.read() {
            assert_eq!(answer["id"], id);
            break answer;
        }
        assert!(client.asked.is_empty(), "the agent runs, and asks");
    };
    let why = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer}"));
    assert!(why.contains("--trust"), "{answer}");
    assert!(!house.path("told.jsonl").exists(), "nothing ran");
    client.end();
}
