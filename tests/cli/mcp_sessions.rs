//! Sessions of `colloquium mcp` clients: their own can continue, others are read-only, and nothing private is found.

use crate::house::House;
use crate::mcp_client::Client;
use crate::server::Server;
use serde_json::{Value, json};
use std::fs;

fn caller() -> Value {
    json!([{"name": "Caller", "caller": true}])
}

#[test]
fn a_topic_of_one_dash_is_a_topic() {
    let house = House::new();
    let mut client = Client::start(&house);
    let convened = client.call("convene", json!({"topic": "-", "rehearsed": true}));
    assert_eq!(
        (&convened["complete"], &convened["title"]),
        (&json!(true), &json!("-")),
        "{convened}"
    );
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}), "the next call is answered");
    client.end();
}

#[test]
fn only_sessions_of_this_server_go_on() {
    let house = House::new();
    let mut client = Client::start(&house);
    let start = json!({"cast": caller(), "topic": "Tea?", "max_turns": 2});
    let session = client.call("start", start)["session"].as_str().unwrap().to_owned();
    client.end();
    let log = house.path(&format!("data/sessions/{session}.jsonl"));
    let words = fs::read_to_string(&log).unwrap();
    house.file("data/sessions/20250101-000000-aaaaaa.jsonl", &words);
    let elsewhere = house.file("elsewhere.jsonl", &words);
    house.file("elsewhere.json", "{}");
    let mut client = Client::start(&house);
    let path = elsewhere.trim_end_matches(".jsonl");
    for id in ["20250101-000000-aaaaaa", "../../elsewhere", path, "-", ""] {
        for (tool, more) in [
            ("wait", json!({"seconds": 1})),
            ("say", json!({"text": "x"})),
            ("steer", json!({"command": {"do": "end"}})),
        ] {
            let mut arguments = more;
            arguments["session"] = json!(id);
            let refused = client.call(tool, arguments);
            assert!(refused.is_string(), "{tool} {id}: {refused}");
        }
    }
    let uri = format!("colloquium://sessions/{path}");
    assert!(client.ask("resources/read", json!({"uri": uri}))["error"].is_object());
    let read = client.call("result", json!({"session": "20250101-000000-aaaaaa"}));
    assert_eq!(read["state"], "stopped", "{read}");
    client.end();
    let foreign = house.path("data/sessions/20250101-000000-aaaaaa.jsonl");
    assert_eq!(fs::read_to_string(&foreign).unwrap(), words);
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), words);
}

#[test]
fn a_key_starts_one_conversation_in_several_processes() {
    let house = House::new();
    let mut clients: Vec<Client> = (0..4).map(|_| Client::start(&house)).collect();
    let start =
        json!({"name": "start", "arguments": {"cast": caller(), "topic": "Tea?", "key": "k"}});
    let ids: Vec<u64> = clients.iter_mut().map(|c| c.send("tools/call", start.clone())).collect();
    let sessions: Vec<Value> = clients
        .iter_mut()
        .zip(ids)
        .map(|(client, id)| client.answer(id)["result"]["structuredContent"]["session"].clone())
        .collect();
    assert!(sessions[0].is_string(), "{sessions:?}");
    assert!(sessions.iter().all(|session| *session == sessions[0]), "{sessions:?}");
    let bad = clients[0].call("start", json!({"cast": caller(), "key": "a\nb"}));
    assert!(bad.as_str().unwrap().starts_with("`key`: a name is a single line"), "{bad}");
    let logs = fs::read_dir(house.path("data/sessions")).unwrap().flatten();
    let logs = logs.filter(|entry| entry.path().extension().is_some_and(|end| end == "jsonl"));
    assert_eq!(logs.count(), 1);
    clients.into_iter().for_each(Client::end);
}

#[test]
fn a_search_finds_no_whisper_and_no_hidden_turn() {
    let house = House::new();
    let path = house.file("talk.toml", "title = \"Talk\"\n[limits]\nutterances = 2\n[[participant]]\nid = \"ada\"\nname = \"Ada\"\nlines = [\"An open word.\", \"A hidden word.\"]\n");
    let steer = house.file(
        "steer.jsonl",
        "{\"do\":\"whisper\",\"to\":\"ada\",\"text\":\"A whispered word.\"}\n\
         {\"after\":{\"utterance\":2},\"do\":\"hide\",\"utterance\":2}\n",
    );
    house.run(&["run", &path, "--headless", "--steer", &steer]).code(0);
    let mut client = Client::start(&house);
    let found = client.call("search_sessions", json!({"words": "word"}));
    let hits = found["hits"].as_array().unwrap();
    assert_eq!(hits.len(), 1, "{found}");
    assert!(hits[0]["excerpt"].as_str().unwrap().contains("An open word"), "{found}");
    assert_eq!((&hits[0]["who"], &hits[0]["turn"]), (&json!("Ada"), &json!(1)), "{found}");
    for words in ["whispered", "hidden"] {
        let found = client.call("search_sessions", json!({"words": words}));
        assert_eq!(found["hits"], json!([]), "{found}");
    }
    let session = &hits[0]["session"];
    let read = client.call("read_session", json!({"session": session}));
    let read = read.to_string();
    assert!(read.contains("An open word"), "{read}");
    assert!(!read.contains("A whispered word") && !read.contains("A hidden word"), "{read}");
    client.end();
}

#[test]
fn a_caller_speaks_under_the_name_it_chose() {
    let house = House::new();
    let mut client = Client::start(&house);
    let cast = json!([{"name": "Grace Hopper", "caller": true}]);
    let started = client.call("start", json!({"cast": cast, "topic": "Tea?", "max_turns": 1}));
    let seat = json!({"id": "p1", "name": "Grace Hopper", "caller": true});
    assert_eq!(started["cast"], json!([seat]), "{started}");
    let session = started["session"].clone();
    let said =
        client.call("say", json!({"session": session, "as": "Grace Hopper", "text": "Tea."}));
    assert_eq!(said["taken"], true, "{said}");
    let result = client.call("wait", json!({"session": session}));
    assert!(result["transcript_end"].as_str().unwrap().contains("Tea."), "{result}");
    client.end();
}

#[test]
fn an_opinion_does_not_bias_a_blind_round() {
    let server = Server::start("Tea.\nDISSENT: none", None);
    let house = House::new();
    let mut command =
        house.command(&["mcp", "--endpoint", &server.url, "--model", "endpoint:tiny"]);
    let mut client = Client::new(command.stdin(std::process::Stdio::piped()).spawn().unwrap());
    let ask = json!({"topic": "Tea?", "opinion": "COFFEE", "material": ["MILK"]});
    let result = client.call("convene", ask);
    assert_eq!(result["complete"], true, "{result}");
    let asked = server.asked.lock().unwrap().clone();
    let with = |word: &str| asked.iter().filter(|body| body.contains(word)).count();
    assert_eq!((asked.len(), with("MILK")), (7, 7), "material comes first");
    assert_eq!(with("COFFEE"), 4, "the opinion comes after the three first answers");
    client.end();
}
