//! `colloquium mcp` on the built binary: data that clients get or are refused, and that a restart loses nothing.

use crate::house::House;
use crate::mcp_client::{Client, house};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

#[test]
fn a_table_is_convened_and_its_result_says_everything() {
    let house = House::new();
    let mut client = Client::start(&house);
    let tools = client.ask("tools/list", json!({}));
    let names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["name"].as_str().unwrap())
        .collect();
    for name in [
        "list_scenarios",
        "convene",
        "start",
        "wait",
        "tail",
        "result",
        "say",
        "steer",
        "status",
        "read_session",
        "search_sessions",
        "analyze",
    ] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    let scenarios = client.call("list_scenarios", json!({}));
    assert!(scenarios.to_string().contains("\"council\""), "{scenarios}");
    let id = client.send("tools/call", json!({
        "name": "convene", "arguments": {"scenario": "council", "topic": "Tea?", "rehearsed": true, "opinion": "I say tea."},
        "_meta": {"progressToken": "p"}}));
    let answer = client.answer(id);
    let result = &answer["result"]["structuredContent"];
    assert_eq!(
        (&result["complete"], &result["rehearsed"]),
        (&json!(true), &json!(true)),
        "{answer}"
    );
    assert!(result["answer"].as_str().unwrap().len() > 5, "{result}");
    assert!(
        result["transcript_end"]
            .as_str()
            .unwrap()
            .contains("One more answer, by the caller of this panel:"),
        "{result}"
    );
    let progress = client.notices.iter().filter(|n| n["method"] == "notifications/progress");
    assert!(
        progress.clone().count() > 0
            && progress.clone().all(|n| n["params"]["progressToken"] == "p")
    );
    let session = result["session"].as_str().unwrap().to_owned();
    let read = client.call("read_session", json!({"session": session}));
    assert!(read["text"].as_str().unwrap().contains("Tea?"), "{read}");
    let found = client.call("search_sessions", json!({"words": "by the caller of this panel"}));
    assert_eq!(found["hits"][0]["session"], json!(session), "{found}");
    let figures = client.call("analyze", json!({"session": session}));
    assert!(figures["figures"].to_string().contains("turns"), "{figures}");
    let uri = format!("colloquium://sessions/{session}");
    let listed = client.ask("resources/list", json!({}));
    assert!(listed.to_string().contains(&uri), "{listed}");
    let text = client.ask("resources/read", json!({"uri": uri}));
    assert!(text["result"]["contents"][0]["text"].as_str().unwrap().contains("Tea?"));
    let prompts = client.ask("prompts/list", json!({}));
    assert_eq!(prompts["result"]["prompts"][0]["name"], "round-table");
    let prompt =
        client.ask("prompts/get", json!({"name": "round-table", "arguments": {"topic": "Tea"}}));
    assert!(prompt.to_string().contains("convene"), "{prompt}");
    client.end();
}

#[test]
fn a_cast_of_the_callers_own_waits_for_its_words() {
    let house = House::new();
    let mut client = Client::start(&house);
    let cast = json!([{"name": "Caller", "caller": true}]);
    let started =
        client.call("start", json!({"cast": cast, "topic": "Tea?", "max_turns": 2, "key": "a"}));
    let session = started["session"].as_str().unwrap_or_else(|| panic!("{started}")).to_owned();
    let again =
        client.call("start", json!({"cast": cast, "topic": "Tea?", "max_turns": 2, "key": "a"}));
    assert_eq!(again["session"], json!(session), "the same key starts no second one");
    let other = client.call("start", json!({"cast": cast, "topic": "Coffee?", "key": "a"}));
    assert!(
        other.as_str().unwrap().contains("this key was used for another conversation"),
        "{other}"
    );
    assert_eq!(client.call("status", json!({}))["running"][0]["session"], json!(session));
    let part = client.call("wait", json!({"session": session, "seconds": 1}));
    assert_eq!((&part["complete"], &part["state"]), (&json!(false), &json!("running")), "{part}");
    assert!(part["next"].as_str().unwrap().contains("call `wait`"), "{part}");
    assert_eq!(part["seats"][0]["name"], "Caller");
    let refused = client.call("say", json!({"session": session, "as": "p9", "text": "hello"}));
    assert!(refused.is_string(), "{refused}");
    for (who, text) in [("p1", "I like tea."), ("Caller", "I still do.")] {
        let said = client.call("say", json!({"session": session, "as": who, "text": text}));
        assert_eq!(said["taken"], true, "{said}");
    }
    let result = client.call("wait", json!({"session": session}));
    assert_eq!((&result["complete"], &result["turns"]), (&json!(true), &json!(2)), "{result}");
    let mut lines = vec![];
    let mut after = 0;
    loop {
        let tail = client.call("tail", json!({"session": session, "after": after}));
        let fresh = tail["lines"].as_array().unwrap().clone();
        after = tail["next"].as_u64().unwrap();
        if fresh.is_empty() { break } else { lines.extend(fresh) }
    }
    let told = Value::from(lines).to_string();
    assert!(told.contains("I like tea.") && told.contains("I still do."), "{told}");
    let late = client.call("say", json!({"session": session, "text": "more"}));
    assert!(late.as_str().unwrap().contains("is running here"), "{late}");
    client.end();
}

#[test]
fn a_restart_of_the_server_loses_no_conversation() {
    let house = House::new();
    let mut client = Client::start(&house);
    let cast = json!([{"name": "Caller", "caller": true}]);
    let start = json!({"cast": cast, "topic": "Tea?", "max_turns": 2, "key": "k"});
    let session = client.call("start", start.clone())["session"].as_str().unwrap().to_owned();
    let said =
        client.call("say", json!({"session": session, "as": "p1", "text": "Before the restart."}));
    assert_eq!(said["taken"], true, "{said}");
    client.end();
    let mut client = Client::start(&house);
    let stopped = client.call("result", json!({"session": session}));
    assert_eq!((&stopped["state"], &stopped["turns"]), (&json!("stopped"), &json!(1)), "{stopped}");
    let again = client.call("start", start);
    assert_eq!(again["session"], json!(session), "{again}");
    let said = client.call("say", json!({"session": session, "as": "p1", "text": "After it."}));
    let log = || std::fs::read_to_string(house.path(&format!("data/sessions/{session}.jsonl")));
    assert_eq!(said["taken"], true, "{said} {:?}", log());
    let result = client.call("wait", json!({"session": session}));
    assert_eq!(result["complete"], true, "{result}");
    let text = result["transcript_end"].as_str().unwrap();
    assert!(text.contains("Before the restart.") && text.contains("After it."), "{text}");
    client.end();
}

#[test]
fn a_cancelled_convene_ends_its_conversation() {
    let house = House::new();
    let mut client = Client::start(&house);
    let cast = json!([{"name": "Caller", "caller": true}]);
    let id = client.send(
        "tools/call",
        json!({"name": "convene", "arguments": {"cast": cast, "topic": "Tea?"},
        "_meta": {"progressToken": 1}}),
    );
    // the first progress notification shows that it runs
    while client.notices.is_empty() {
        let message = client.read();
        assert!(message["id"] != id, "{message}");
        client.notices.push(message);
    }
    client.raw(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}).to_string());
    let session = house.sessions()[0]["id"].as_str().unwrap().to_owned();
    let result = client.call("wait", json!({"session": session}));
    assert_eq!(
        (&result["complete"], &result["reason"]),
        (&json!(true), &json!("interrupted")),
        "{result}"
    );
    client.end();
}

#[test]
fn a_client_gets_no_program_no_file_and_no_limit_of_its_own() {
    let house = house(2);
    house.file("secret.jsonl", "secret words");
    let mut client = Client::start(&house);
    let script = client.call("convene", json!({"scenario": "own-script", "topic": "x"}));
    assert!(
        script.as_str().unwrap().contains("runs a program, which MCP clients cannot start"),
        "{script}"
    );
    for (arguments, why) in [
        (json!({"scenario": "../secret.jsonl"}), "no scenario"),
        (json!({"scenario": "-"}), "no scenario"),
        (
            json!({"scenario": house.path(".config/colloquium/scenarios/own-script.toml")}),
            "no scenario",
        ),
        (json!({"model": "agent:opencode", "topic": "x"}), "not allowed"),
        (json!({"cast": [{"name": "A", "script": ["sh"]}]}), "script"),
        (json!({"cast": [{"name": "A", "persona": "{{ topic }}"}]}), "templates"),
        (json!({"cast": [{"name": "A"}], "scenario": "council"}), "cannot be combined"),
        (json!({"max_usd": -1}), "max_usd"),
        (json!({"nonsense": 1}), "nonsense"),
    ] {
        let answer = client.call("convene", arguments.clone());
        assert!(answer.as_str().is_some_and(|text| text.contains(why)), "{arguments}: {answer}");
    }
    for id in ["../secret", "/etc/passwd", "secret.jsonl", ".", ""] {
        let answer = client.call("read_session", json!({"session": id}));
        assert!(
            answer.is_string() && !answer.to_string().contains("secret words"),
            "{id}: {answer}"
        );
    }
    let cast = json!([{"name": "Caller", "caller": true}]);
    let session = client.call("start", json!({"cast": cast, "topic": "x"}))["session"].clone();
    for command in [
        json!({"do": "limit", "set": {"usd": 1000}}),
        json!({"do": "join", "participant": {"id": "x", "script": ["sh"]}}),
        json!({"do": "change", "who": "p1", "set": {"model": "openai:gpt"}}),
        json!({"do": "decide", "tool": "x", "yes": true}),
    ] {
        let answer = client.call("steer", json!({"session": session, "command": command}));
        assert!(answer.is_string(), "{command}: {answer}");
    }
    let ended = client.call("steer", json!({"session": session, "command": {"do": "end"}}));
    assert_eq!(ended["taken"], true, "{ended}");
    assert!(!house.path("ran").exists(), "no script ran");
    client.end();
}

#[test]
fn invalid_message_gets_an_error_and_the_next_one_works() {
    let house = House::new();
    let mut client = Client::start(&house);
    for line in ["hello", "[]", "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}"] {
        client.raw(line);
        let error = client.read();
        assert!(error["error"]["code"].is_number() && error["id"].is_null(), "{line}: {error}");
    }
    client.raw(&"x".repeat(5 << 20));
    let error = client.read();
    assert!(error["error"]["message"].as_str().unwrap().contains("4 MiB"), "{error}");
    let unknown = client.ask("tools/call", json!({"name": "\u{1b}[2Jnope"}));
    assert_eq!(unknown["error"]["code"], -32602);
    assert_eq!(client.ask("nonsense", json!({}))["error"]["code"], -32601);
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
    client.end();
}

/// Sends a request over HTTP and returns the status and the body.
fn post(address: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    let mut head = format!("POST /mcp HTTP/1.1\r\ncontent-length: {}\r\n", body.len());
    headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let status = text.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
    (status, text.split_once("\r\n\r\n").map_or(String::new(), |(_, body)| body.to_owned()))
}

#[test]
fn over_http_only_this_machine_with_the_token_is_answered() {
    let house = House::new();
    let outside = house.run(&["mcp", "--http", "0.0.0.0:0"]).code(2);
    assert!(outside.err.contains("can be reached from other machines"), "{}", outside.err);
    let mut command = house.command(&["mcp", "--http", "127.0.0.1:0"]);
    let mut child = command.spawn().unwrap();
    let mut err = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let served = err.find(|line| line.contains("serving MCP on")).unwrap();
    let address = served.split("http://").nth(1).and_then(|rest| rest.split('/').next()).unwrap();
    let token = err.find(|line| line.contains("Bearer")).unwrap();
    let key = token.split("Authorization: ").nth(1).unwrap().to_owned();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let host = ("host", address);
    let auth = ("authorization", &*key);
    assert_eq!(post(address, &[host], &ping).0, 401);
    assert_eq!(post(address, &[host, ("authorization", "Bearer no")], &ping).0, 401);
    assert_eq!(post(address, &[("host", "evil.example"), auth], &ping).0, 403);
    assert_eq!(post(address, &[host, auth, ("origin", "http://evil.example")], &ping).0, 403);
    let (status, body) = post(address, &[host, auth], &ping);
    assert_eq!(
        (status, serde_json::from_str::<Value>(&body).unwrap()["result"].clone()),
        (200, json!({}))
    );
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "convene", "arguments": {"rehearsed": true, "topic": "Tea?"}}});
    let (status, body) = post(address, &[host, auth], &call.to_string());
    assert!(status == 200 && body.contains("\"complete\":true"), "{body}");
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    assert_eq!(post(address, &[host, auth], &note).0, 202);
    rustix::process::kill_process(
        rustix::process::Pid::from_child(&child),
        rustix::process::Signal::TERM,
    )
    .unwrap();
    child.wait().unwrap();
}
