//! `colloquium mcp --http` and its shutdown: disconnected clients free their slots, and signals leave no partly written
//! session.

use crate::house::House;
use crate::mcp_client::Client;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command};

/// A server over HTTP.
pub struct Http {
    pub child: Child,
    pub address: String,
    pub key: String,
    /// Standard error, kept open because the server writes to it later.
    _err: BufReader<ChildStderr>,
}

impl Http {
    pub fn start(house: &House) -> Http {
        Http::new(house.command(&["mcp", "--http", "127.0.0.1:0"]))
    }

    fn new(mut command: Command) -> Http {
        let mut child = command.spawn().unwrap();
        let mut err = BufReader::new(child.stderr.take().unwrap());
        let mut line = |word: &str| loop {
            let mut line = String::new();
            assert!(err.read_line(&mut line).unwrap() > 0, "the server ended");
            if let Some((_, rest)) = line.trim_end().split_once(word) {
                return rest.to_owned();
            }
        };
        let address = line("http://").split('/').next().unwrap().to_owned();
        let key = line("Authorization: ");
        Http { child, address, key, _err: err }
    }

    /// Sends a request without waiting for its answer.
    pub fn send(&self, body: &Value, session: &str) -> TcpStream {
        let address = &self.address;
        let key = &self.key;
        let body = body.to_string();
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: {address}\r\nauthorization: {key}\r\nmcp-session-id: {session}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).unwrap();
        stream
    }

    /// Sends a request and returns its status and body.
    pub fn post(&self, body: &Value, session: &str) -> (u16, String) {
        reply(self.send(body, session))
    }

    pub fn call(&self, id: u64, name: &str, arguments: Value) -> Value {
        let (status, body) = self.post(&request(id, name, arguments), "s");
        assert_eq!(status, 200, "{body}");
        let answer: Value = serde_json::from_str(&body).unwrap();
        answer["result"]["structuredContent"].clone()
    }

    pub fn end(mut self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        let status = self.child.wait().unwrap();
        assert_eq!(status.code(), Some(143), "{status}");
    }
}

fn reply(mut stream: TcpStream) -> (u16, String) {
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let status = text.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
    (status, text.split_once("\r\n\r\n").map_or(String::new(), |(_, body)| body.to_owned()))
}

fn request(id: u64, name: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
}

fn caller() -> Value {
    json!([{"name": "Caller", "caller": true}])
}

#[test]
fn clients_that_go_free_their_places() {
    let house = House::new();
    let http = Http::start(&house);
    let session =
        http.call(1, "start", json!({"cast": caller(), "topic": "Tea?"}))["session"].clone();
    let wait = |id| request(id, "wait", json!({"session": session, "seconds": 600}));
    let ping = || http.post(&json!({"jsonrpc": "2.0", "id": "ping", "method": "ping"}), "s").0;
    // all slots are taken as soon as one call too many is refused
    let mut waiting = vec![];
    for id in 1.. {
        waiting.push(http.send(&wait(id), "s"));
        if ping() == 503 {
            break;
        }
    }
    drop(waiting);
    while ping() != 200 {}
    let status = http.call(2, "status", json!({}));
    assert_eq!(status["running"].as_array().unwrap().len(), 1, "it goes on: {status}");
    http.end();
}

#[test]
fn slow_heads_keep_nobody_out() {
    let house = House::new();
    let http = Http::start(&house);
    let slow: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = TcpStream::connect(&http.address).unwrap();
            stream.write_all(b"POST /mcp HTTP/1.1\r\nx: ").unwrap();
            stream
        })
        .collect();
    assert_eq!(http.post(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}), "").0, 200);
    let first = slow.into_iter().next().unwrap();
    assert_eq!(reply(first).0, 503, "the oldest one had to go");
    http.end();
}

#[test]
fn a_call_over_http_is_cancelled_by_its_own_client_alone() {
    let house = House::new();
    let http = Http::start(&house);
    let convene =
        request(7, "convene", json!({"cast": caller(), "topic": "Tea?", "deadline_seconds": 600}));
    let waiting = http.send(&convene, "mine");
    let running = || http.call(1, "status", json!({}))["running"].as_array().unwrap().len();
    while running() == 0 {}
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
    assert_eq!(http.post(&cancel, "other").0, 202);
    assert_eq!(running(), 1, "another client's id");
    assert_eq!(http.post(&cancel, "mine").0, 202);
    assert_eq!(reply(waiting).0, 200);
    while running() > 0 {}
    http.end();
}

#[test]
fn a_failed_accept_ends_nothing() {
    let house = House::new();
    let few = "ulimit -n 24; exec \"$0\" \"$@\"";
    let http = Http::new(house.shell(few, &["mcp", "--http", "127.0.0.1:0"]));
    let many: Vec<TcpStream> =
        (0..60).map(|_| TcpStream::connect(&http.address).unwrap()).collect();
    drop(many);
    assert_eq!(http.post(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}), "").0, 200);
    http.end();
}

#[test]
fn a_signal_leaves_each_conversation_written_to_its_last_event() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let house = House::new();
        let mut client = Client::start(&house);
        let start = json!({"cast": caller(), "topic": "Tea?", "max_turns": 2});
        let session = client.call("start", start)["session"].as_str().unwrap().to_owned();
        let said = client.call("say", json!({"session": session, "as": "p1", "text": "Before."}));
        assert_eq!(said["taken"], true, "{said}");
        kill_process(Pid::from_child(&client.child), signal).unwrap();
        assert_eq!(client.child.wait().unwrap().code(), Some(code));
        let mut client = Client::start(&house);
        let stopped = client.call("result", json!({"session": session}));
        assert_eq!(
            (&stopped["state"], &stopped["turns"]),
            (&json!("stopped"), &json!(1)),
            "{stopped}"
        );
        client.end();
    }
}
