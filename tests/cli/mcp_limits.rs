//! Limits for clients of `colloquium mcp`: the dollars of the settings, and the capacity of the server.

use crate::house::House;
use crate::mcp_client::Client;
use crate::server::Server;
use serde_json::{Value, json};

#[test]
fn the_dollars_of_the_settings_are_for_all_conversations_together() {
    let server = Server::start("I would say tea, for it is calm and warm.\nDISSENT: none", None);
    let house = House::new();
    let settings = |mcp: &str| {
        let price = "[models.\"mine:tiny\"]\nprice = [0.0, 1000.0]\n";
        let place = format!("[providers.mine]\nwire = \"openai\"\nbase_url = \"{}\"\n", server.url);
        house.file(
            ".config/colloquium/config.toml",
            &format!("default_model = \"mine:tiny\"\n{place}{price}{mcp}"),
        );
    };
    settings("[mcp]\nmax_usd = 0.2\n");
    let mut client = Client::start(&house);
    let left = |client: &mut Client| client.call("status", json!({}))["usd_left"].as_f64().unwrap();
    assert!((left(&mut client) - 0.2).abs() < 1e-9);
    let cast = json!([{"name": "Ada"}, {"name": "Bo"}]);
    let ask = json!({"cast": cast, "topic": "Tea?", "max_turns": 40, "max_tokens": 100_000, "max_usd": 100.0});
    let result = client.call("convene", ask.clone());
    assert!((left(&mut client) - 0.2).abs() > 1e-9, "{result}");
    let spent = result["usd"].as_f64().unwrap_or_else(|| panic!("{result}"));
    assert!(spent > 0.0 && spent <= 0.2, "what the client asks for does not raise it: {result}");
    assert_eq!(result["reason"], "stopped at the cost limit", "{result}");
    assert!((left(&mut client) - (0.2 - spent)).abs() < 1e-9, "{spent}");
    let asked = server.asked.lock().unwrap().len();
    let mut more = 0.0;
    for _ in 0..3 {
        let again = client.call("convene", ask.clone());
        more += again["usd"].as_f64().unwrap_or_default();
    }
    assert!(spent + more <= 0.2, "{spent} and {more}");
    assert!(server.asked.lock().unwrap().len() <= asked + 40, "it comes to an end");
    client.end();
    settings("[mcp]\nmax_usd = 1\nmodels = [\"other:*\"]\n");
    let mut client = Client::start(&house);
    let refused = client.call("convene", ask);
    assert!(
        refused.as_str().is_some_and(|why| why.contains("mine:tiny is not allowed")),
        "{refused}"
    );
    client.end();
}

#[test]
fn a_missing_model_is_told_without_options_of_a_command_line() {
    let house = House::new();
    let mut client = Client::start(&house);
    let refused = client.call("convene", json!({"topic": "Tea?"}));
    let why = refused.as_str().unwrap_or_else(|| panic!("{refused}"));
    assert!(why.contains("no model for") && why.contains("give `model`"), "{why}");
    assert!(!why.contains("--"), "{why}");
    client.end();
}

#[test]
fn several_conversations_at_once_share_the_dollars_that_are_left() {
    let house = House::new();
    let mut client = Client::start(&house);
    let cast = json!([{"name": "Caller", "caller": true}]);
    let start = |client: &mut Client, n: u32| {
        client.call("start", json!({"cast": cast, "topic": format!("Tea {n}?"), "max_turns": 1}))["session"].clone()
    };
    let sessions: Vec<Value> = (0..4).map(|n| start(&mut client, n)).collect();
    let status = client.call("status", json!({}));
    assert_eq!(status["running"].as_array().unwrap().len(), 4, "none was starved: {status}");
    for session in sessions {
        let said = client.call("say", json!({"session": session, "as": "p1", "text": "Tea."}));
        assert_eq!(said["taken"], true, "{said}");
        let result = client.call("wait", json!({"session": session}));
        assert_eq!(result["reason"], "finished as planned", "{result}");
        let log = house.path(&format!("data/sessions/{}.jsonl", session.as_str().unwrap()));
        let first = std::fs::read_to_string(log).unwrap().lines().next().unwrap().to_owned();
        assert!(first.contains("\"usd\":0.25"), "a quarter of a dollar each: {first}");
    }
    client.end();
}

#[test]
fn a_flood_of_requests_is_bounded_and_the_server_lives() {
    let house = House::new();
    let mut client = Client::start(&house);
    let cast = json!([{"name": "Caller", "caller": true}]);
    let started = client.call("start", json!({"cast": cast, "topic": "Tea?"}));
    let session = started["session"].as_str().unwrap().to_owned();
    let wait = json!({"name": "wait", "arguments": {"session": session, "seconds": 20}});
    let ids: Vec<u64> = (0..100).map(|_| client.send("tools/call", wait.clone())).collect();
    let first = client.read();
    assert!(
        first["error"]["message"].as_str().is_some_and(|m| m.contains("too many requests at once")),
        "{first}"
    );
    for id in ids.iter().take(40) {
        client.raw(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}).to_string());
    }
    client.next = 1_000;
    // cancelled requests are not answered, and their slots are free again
    let status = loop {
        let answer = client.ask("tools/call", json!({"name": "status", "arguments": {}}));
        if answer["error"].is_null() {
            break answer["result"]["structuredContent"].clone();
        }
    };
    assert_eq!(status["running"].as_array().unwrap().len(), 1, "{status}");
    for huge in [
        json!({"cast": [{"name": "x".repeat(100_000)}]}),
        json!({"cast": cast, "topic": "x".repeat(100_000)}),
    ] {
        let answer = client.call("start", huge);
        let why = answer.as_str().unwrap_or_else(|| panic!("{answer}"));
        assert!(why.contains("is longer than") && why.len() < 10_000, "{why}");
    }
    let many: Vec<Value> = (0..13).map(|n| json!({"name": format!("A{n}")})).collect();
    assert!(client.call("start", json!({"cast": many})).is_string());
    for n in 0..3 {
        client.call("start", json!({"cast": cast, "topic": format!("Tea {n}?")}));
    }
    let fifth = client.call("start", json!({"cast": cast, "topic": "One more?"}));
    assert!(
        fifth.as_str().is_some_and(|why| why.contains("4 conversations run already")),
        "{fifth}"
    );
    client.end();
}
