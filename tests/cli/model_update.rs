//! Facts about models that are fetched on request.

use crate::house::House;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread;

/// Serves a text once; returns its address.
fn serve(text: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let lines = BufReader::new(stream.try_clone().unwrap()).lines();
        lines.map_while(Result::ok).take_while(|line| !line.is_empty()).for_each(drop);
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", text.len());
        stream.write_all((head + &text).as_bytes()).unwrap();
    });
    format!("http://{address}/api.json")
}

fn list(cost: Value, count: usize) -> String {
    let model = |cost: Value| {
        json!({"cost": cost, "limit": {"context": 100_000}, "temperature": true,
            "modalities": {"input": ["text"], "output": ["text"]}})
    };
    let mut models: serde_json::Map<String, Value> = (0..count)
        .map(|n| (format!("old-{n}"), model(json!({"input": 1.0, "output": 2.0}))))
        .collect();
    models.insert("talk-9".into(), model(cost));
    json!({"openai": {"models": models}, "unknown": {"other": "form"}}).to_string()
}

/// Plans a conversation with a model that the program's own list lacks.
fn planned(house: &House, path: &str) -> String {
    let run = ["run", path, "--dry-run", "--model", "openai:talk-9"];
    let mut command = house.command(&run);
    command.env("OPENAI_API_KEY", "sk-x").env("OPENAI_BASE_URL", "http://127.0.0.1:1/v1");
    let ran = command.output().unwrap();
    String::from_utf8([ran.stdout, ran.stderr].concat()).unwrap()
}

#[test]
fn fetched_facts_decide_and_a_bad_list_changes_nothing() {
    let house = House::new();
    let path = house.file(
        "talk.toml",
        "title = \"A talk\"\nlimits = { utterances = 2 }\n[[participant]]\nid = \"ada\"\n",
    );
    let before = planned(&house, &path);
    assert!(before.contains("no price") && !before.contains('$'), "{before}");
    let good = serve(list(json!({"input": 500.0, "output": 900.0}), 20));
    let ran = house.run(&["models", "update", "--from", &good]).code(0);
    assert!(ran.out.starts_with("21 models: their prices"), "{}", ran.out);
    let after = planned(&house, &path);
    assert!(after.contains('$') && !after.contains("no price"), "{after}");
    for (text, told) in [
        ("<html>".to_owned(), "not a list of models"),
        (list(json!({"input": 1.0, "output": 2.0}), 3), "it has 4 usable models"),
        (list(json!({"input": -1.0, "output": 2.0}), 20), "openai:talk-9: cost is out of range"),
        (list(json!({"input": 1.0, "output": 1e9}), 20), "openai:talk-9: cost is out of range"),
        (list(json!("free"), 20), "not a list of models: openai: "),
    ] {
        let ran = house.run(&["models", "update", "--from", &serve(text)]).code(1);
        assert!(ran.err.contains(told) && ran.err.contains("as before"), "{told}: {}", ran.err);
        assert_eq!(planned(&house, &path), after, "{told}");
    }
    let closed = house.run(&["models", "update", "--from", "http://127.0.0.1:1/"]).code(1);
    assert!(closed.err.contains("http://127.0.0.1:1/: "), "{}", closed.err);
}
