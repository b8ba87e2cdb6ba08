//! The official SDK of the Model Context Protocol for Python on the other side, in both eras of the protocol.
//! `MCP_PYTHON` names a Python with the package `mcp`, 2.3 or newer.

use crate::house::House;
use crate::program::PROGRAM;
use crate::tools::model;
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;

fn python() -> String {
    std::env::var("MCP_PYTHON").unwrap_or_else(|_| "python3".into())
}

/// Lets a client convene a table; returns what it prints.
fn convene(mode: &[&str]) -> String {
    let house = House::new();
    let script = house.file("client.py", include_str!("../mcp/client.py"));
    let ran = house.other(python()).args([&script, PROGRAM]).args(mode).output().unwrap();
    let out = String::from_utf8_lossy(&ran.stdout).into_owned();
    let err = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{mode:?}: {out}\n{err}");
    println!("{mode:?}\n{out}");
    out
}

#[test]
#[ignore = "needs PyPI's `mcp`: MCP_PYTHON=PYTHON cargo test --test cli mcp_sdk -- --ignored --nocapture"]
fn clients_of_both_eras_convene_a_table() {
    for transport in [&[][..], &["http"]] {
        for (mode, version) in
            [("legacy", "2025-11-25"), ("2026-07-28", "2026-07-28"), ("auto", "2026-07-28")]
        {
            let out = convene(&[&[mode][..], transport].concat());
            for line in [
                &format!("version: {version}"),
                "complete: True",
                "progress: True",
                "resource: True",
                "error: True",
            ] {
                assert!(out.lines().any(|own| own == line), "{mode} {transport:?}, {line}: {out}");
            }
        }
        let out = convene(&[&["tasks"][..], transport].concat());
        let told: Vec<&str> = out.lines().filter(|line| line.starts_with("task")).collect();
        let states = ["working", "completed", "working", "cancelled"];
        let states: Vec<String> = states.iter().map(|state| format!("task: {state}")).collect();
        assert_eq!(told, states, "{transport:?}: {out}");
        assert!(out.contains("complete: True"), "{transport:?}: {out}");
    }
}

/// Lets a model call the tool of a server.
fn brew(server: &str) {
    let house = House::new();
    let text = format!(
        "title = \"t\"\n[limits]\nutterances = 1\n[[server]]\nname = \"tea\"\n{server}\nread_only = [\"brew\"]\n\
         [[participant]]\nid = \"ada\"\nname = \"Ada\"\ntools = [\"tea/brew\"]\n"
    );
    let talk = house.file("talk.toml", &text);
    let (url, sent) = model(vec![("tea_brew", json!({"kind": "green"}))]);
    let run =
        ["run", &talk, "--headless", "--trust", "--endpoint", &url, "--model", "endpoint:tiny"];
    // the SDK takes a second to start, so the usual time limit does not apply
    let ran = house.command(&run).output().unwrap();
    let err = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{server}: {err}");
    let sent = sent.lock().unwrap();
    assert!(sent[1].to_string().contains("hot green tea"), "{server}: {}", sent[1]);
}

#[test]
#[ignore = "needs PyPI's `mcp`: MCP_PYTHON=PYTHON cargo test --test cli mcp_sdk -- --ignored --nocapture"]
fn servers_of_both_eras_serve_their_tools() {
    let house = House::new();
    let script = house.file("server.py", include_str!("../mcp/server.py"));
    for era in ["modern", "legacy", "both"] {
        brew(&format!("command = {}", json!([python(), script, era])));
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut child =
            house.other(python()).args([&*script, era, &port.to_string()]).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        assert!(lines.any(|line| line.contains("running on")), "{era}");
        // drain the pipe; without a reader the server ends
        std::thread::spawn(move || lines.for_each(drop));
        let server = format!("url = \"http://127.0.0.1:{port}/mcp\"");
        let served = std::panic::catch_unwind(|| brew(&server));
        let _ = child.kill();
        child.wait().unwrap();
        served.unwrap();
        println!("{era}: on lines and over HTTP");
    }
}
