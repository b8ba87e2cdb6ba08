//! Permissions of `colloquium mcp`: no argument of a client starts a program, asks a model that is not allowed, or
//! costs more than the settings allow.

use crate::house::House;
use crate::mcp_client::Client;
use crate::server::Server;
use serde_json::{Value, json};
use std::sync::Arc;

/// Writes a scenario with rehearsed lines for its first seat only.
fn scenario(house: &House, name: &str, seats: &str) {
    let text = format!("title = \"Own\"\n{seats}\n[rehearsed]\nada = [\"A line.\"]\n");
    house.file(&format!(".config/colloquium/scenarios/{name}.toml"), &text);
}

fn settings(house: &House, server: &Server, mcp: &str) {
    let place = format!("[providers.mine]\nwire = \"openai\"\nbase_url = \"{}\"\n", server.url);
    let price = "[models.\"mine:tiny\"]\nprice = [0.0, 1000.0]\n";
    house.file(
        ".config/colloquium/config.toml",
        &format!("default_model = \"mine:tiny\"\n{place}{price}{mcp}"),
    );
}

fn asked(server: &Server) -> usize {
    Arc::clone(&server.asked).lock().unwrap().len()
}

#[test]
fn rehearsed_switches_off_no_bound() {
    let server = Server::start("Tea, for it is calm and warm.\nDISSENT: none", None);
    let house = House::new();
    settings(&house, &server, "[mcp]\nmax_usd = 0.05\nmodels = [\"other:*\"]\n");
    let ada = "[[participant]]\nid = \"ada\"\nname = \"Ada\"\n";
    let bo = "[[participant]]\nid = \"bo\"\nname = \"Bo\"\n";
    scenario(&house, "half", &format!("{ada}{bo}"));
    scenario(&house, "script", &format!("{ada}{bo}script = [\"sh\", \"-c\", \"touch ran\"]\n"));
    scenario(&house, "agent", &format!("{ada}{bo}agent = [\"sh\", \"-c\", \"touch ran\"]\n"));
    scenario(
        &house,
        "stand-in",
        &format!(
            "{ada}{bo}human = true\nstand_in = {{ script = [\"sh\", \"-c\", \"touch ran\"] }}\n"
        ),
    );
    let mut client = Client::start(&house);
    for name in ["half", "script", "agent", "stand-in"] {
        let start = json!({"scenario": name, "rehearsed": true, "max_turns": 4});
        let refused = client.call("convene", start);
        assert!(
            refused.as_str().is_some_and(|why| why.contains("bo has no rehearsed lines")),
            "{refused}"
        );
    }
    let cast = json!([{"name": "A"}, {"name": "B", "model": "mine:tiny"}]);
    let refused = client.call("convene", json!({"cast": cast, "topic": "x", "rehearsed": true}));
    assert!(refused.is_string(), "{refused}");
    let played = client.call("convene", json!({"scenario": "council", "rehearsed": true}));
    assert_eq!(played["complete"], true, "{played}");
    client.end();
    assert_eq!(asked(&server), 0);
    assert!(!house.path("ran").exists());
}

#[test]
fn every_model_of_a_table_has_to_be_allowed() {
    let server = Server::start("Tea.", None);
    let house = House::new();
    settings(&house, &server, "[mcp]\nmodels = [\"mine:other\"]\n");
    let ada = "[[participant]]\nid = \"ada\"\nname = \"Ada\"\nmodel = \"mine:other\"\n";
    scenario(&house, "fallback", &format!("{ada}fallbacks = [\"mine:tiny\"]\n"));
    scenario(
        &house,
        "judge",
        &format!(
            "{ada}[[participant]]\nid = \"bo\"\nname = \"Bo\"\nspeaks = false\nmodel = \"mine:tiny\"\n"
        ),
    );
    scenario(&house, "inner", "[[participant]]\nid = \"ada\"\nname = \"Ada\"\n");
    scenario(
        &house,
        "team",
        &format!("{ada}[[participant]]\nid = \"bo\"\nname = \"Bo\"\nteam = \"inner.toml\"\n"),
    );
    let mut client = Client::start(&house);
    for start in [
        json!({"topic": "x"}),
        json!({"topic": "x", "model": "mine:tiny"}),
        json!({"topic": "x", "model": "agent:opencode"}),
        json!({"topic": "x", "model": "recording:data/sessions/x.jsonl"}),
        json!({"cast": [{"name": "A", "model": "mine:tiny"}], "topic": "x"}),
        json!({"scenario": "fallback"}),
        json!({"scenario": "judge"}),
        json!({"scenario": "team"}),
    ] {
        let refused = client.call("convene", start.clone());
        assert!(
            refused.as_str().is_some_and(|why| why.contains("not allowed")),
            "{start}: {refused}"
        );
    }
    client.end();
    assert_eq!(asked(&server), 0);
}

/// Returns the limits at the opening of a session.
fn opened_limits(house: &House, session: &Value) -> Value {
    let log = house.path(&format!("data/sessions/{}.jsonl", session.as_str().unwrap()));
    let text = std::fs::read_to_string(log).unwrap();
    let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    first["data"]["scenario"]["limits"].clone()
}

#[test]
fn a_client_lowers_limits_and_raises_none() {
    let house = House::new();
    let limits = "[limits]\nusd = 0.1\nseconds = 60\ntokens = 1000\n[[participant]]\nid = \"ada\"\nname = \"Ada\"\n";
    scenario(&house, "frugal", limits);
    let mut client = Client::start(&house);
    let more = json!({"scenario": "frugal", "rehearsed": true, "max_usd": 0.9, "max_seconds": 900, "max_tokens": 9000, "max_turns": 1});
    let played = client.call("convene", more);
    let held = opened_limits(&house, &played["session"]);
    assert_eq!(
        (&held["usd"], &held["seconds"], &held["tokens"]),
        (&json!(0.1), &json!(60), &json!(1000)),
        "{held}"
    );
    let less = json!({"scenario": "frugal", "rehearsed": true, "max_usd": 0.05, "max_seconds": 6, "max_tokens": 90, "max_turns": 1});
    let played = client.call("convene", less);
    let held = opened_limits(&house, &played["session"]);
    assert_eq!(
        (&held["usd"], &held["seconds"], &held["tokens"]),
        (&json!(0.05), &json!(6), &json!(90)),
        "{held}"
    );
    let council = client.call("convene", json!({"rehearsed": true}));
    let held = opened_limits(&house, &council["session"]);
    assert_eq!(
        (&held["usd"], &held["seconds"]),
        (&json!(0.25), &json!(600)),
        "the panel's own time: {held}"
    );
    client.end();
}
