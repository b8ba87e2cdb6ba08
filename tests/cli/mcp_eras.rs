//! Both eras of the Model Context Protocol, without a package: clients and servers that name the version in each
//! request (2026-07-28) and do not know `initialize`.

use crate::house::House;
#[cfg(feature = "mcp")]
use crate::mcp_client::Client;
#[cfg(feature = "mcp")]
use crate::mcp_http::Http;
use crate::tools::model;
use serde_json::json;
#[cfg(feature = "mcp")]
use std::io::{Read, Write};
#[cfg(feature = "mcp")]
use std::net::TcpStream;
#[cfg(feature = "mcp")]
use std::process::Stdio;

/// Adds the metadata of the later era to parameters.
#[cfg(feature = "mcp")]
fn modern(mut params: serde_json::Value, capabilities: serde_json::Value) -> serde_json::Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
        "progressToken": "p",
    });
    params
}

/// Starts a server without a handshake.
#[cfg(feature = "mcp")]
fn start(house: &House) -> Client {
    let child = house.command(&["mcp"]).stdin(Stdio::piped()).spawn().unwrap();
    Client::without_handshake(child)
}

#[cfg(feature = "mcp")]
#[test]
fn a_client_without_a_handshake_is_served() {
    let house = House::new();
    let mut client = start(&house);
    let none = || json!({});
    // a notification before the first request changes nothing
    client.raw(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}})
            .to_string(),
    );
    let found = client.ask("server/discover", modern(none(), none()));
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.iter().any(|version| version == "2026-07-28"), "{found}");
    let tools = client.ask("tools/list", modern(none(), none()));
    assert_eq!(tools["result"]["resultType"], "complete", "{tools}");
    let call = json!({"name": "convene", "arguments": {"rehearsed": true, "topic": "Tea?"}});
    let answer = client.ask("tools/call", modern(call, none()));
    assert_eq!(answer["result"]["structuredContent"]["complete"], true, "{answer}");
    assert!(client.notices.iter().any(|notice| notice["params"]["progressToken"] == "p"));
    let mut other = modern(none(), none());
    other["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    let refused = client.ask("tools/list", other);
    assert_eq!(refused["error"]["code"], -32022, "{refused}");
    client.end();
}

#[cfg(feature = "mcp")]
#[test]
fn a_client_with_a_handshake_gets_results_instead_of_tasks() {
    let house = House::new();
    let mut client = start(&house);
    let can = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": can, "clientInfo": {"name": "t", "version": "1"}});
    client.ask("initialize", hello);
    client.raw(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
    let result = client.call("convene", json!({"rehearsed": true, "topic": "Tea?"}));
    assert_eq!(result["complete"], true, "{result}");
    let uri = "colloquium://sessions/20250101-000000-aaaaaa";
    let missing = client.ask("resources/read", json!({"uri": uri}));
    assert_eq!(missing["error"]["data"]["uri"], uri, "{missing}");
    client.end();
}

#[cfg(feature = "mcp")]
#[test]
fn a_task_outlives_the_server_and_ends_when_it_is_cancelled() {
    let house = House::new();
    let takes = || json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let mut client = start(&house);
    let cast = json!([{"name": "Caller", "caller": true}]);
    let convene = json!({"cast": cast, "topic": "Tea?", "max_turns": 1, "deadline_seconds": 600});
    let call = json!({"name": "convene", "arguments": convene});
    let begun = client.ask("tools/call", modern(call.clone(), takes()));
    let result = &begun["result"];
    assert_eq!((&result["resultType"], &result["status"]), (&json!("task"), &json!("working")));
    let task = json!({"taskId": result["taskId"]});
    let state = |client: &mut Client| client.ask("tasks/get", modern(task.clone(), takes()));
    assert_eq!(state(&mut client)["result"]["status"], "working");
    // a client that declares nothing gets no tasks
    let refused = client.ask("tasks/get", modern(task.clone(), json!({})));
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
    client.end();
    let mut client = start(&house);
    assert_eq!(state(&mut client)["result"]["status"], "working", "it continues");
    let say = json!({"name": "say", "arguments": {"session": task["taskId"], "as": "p1", "text": "Tea."}});
    let said = client.ask("tools/call", modern(say, takes()));
    assert_eq!(said["result"]["structuredContent"]["taken"], true, "{said}");
    let done = loop {
        let now = state(&mut client);
        if now["result"]["status"] != "working" {
            break now;
        }
    };
    let result = &done["result"]["result"];
    assert_eq!(done["result"]["status"], "completed", "{done}");
    assert_eq!(result["structuredContent"]["complete"], true, "{done}");
    let begun = client.ask("tools/call", modern(call, takes()));
    let task = json!({"taskId": begun["result"]["taskId"]});
    let cancelled = client.ask("tasks/cancel", modern(task.clone(), takes()));
    assert!(cancelled["error"].is_null(), "{cancelled}");
    let ended = loop {
        let now = client.ask("tasks/get", modern(task.clone(), takes()));
        if now["result"]["status"] != "working" {
            break now;
        }
    };
    assert_eq!(ended["result"]["status"], "cancelled", "{ended}");
    for id in ["../secret", "20250101-000000-aaaaaa", ""] {
        let none = client.ask("tasks/get", modern(json!({"taskId": id}), takes()));
        assert_eq!(none["error"]["code"], -32602, "{id}: {none}");
    }
    client.end();
}

#[cfg(feature = "mcp")]
#[test]
fn a_client_without_a_handshake_cancels_over_http_by_leaving() {
    let house = House::new();
    let http = Http::start(&house);
    let send = |method: &str, name: &str, params: serde_json::Value| {
        let mut params = modern(params, json!({}));
        params["_meta"].as_object_mut().unwrap().remove("progressToken");
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let body = body.to_string();
        let mut stream = TcpStream::connect(&http.address).unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: {}\r\nauthorization: {}\r\nmcp-protocol-version: 2026-07-28\r\n\
             mcp-method: {method}\r\nmcp-name: {name}\r\ncontent-length: {}\r\n\r\n",
            http.address,
            http.key,
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).unwrap();
        stream
    };
    let mut found = String::new();
    send("server/discover", "", json!({})).read_to_string(&mut found).unwrap();
    assert!(found.contains("200 OK") && found.contains("\"2026-07-28\""), "{found}");
    let mut wrong = String::new();
    let call = || json!({"name": "status", "arguments": {}});
    send("tools/call", "convene", call()).read_to_string(&mut wrong).unwrap();
    assert!(wrong.contains("400 Bad Request"), "the head and the body differ: {wrong}");
    let cast = json!([{"name": "Caller", "caller": true}]);
    let arguments = json!({"cast": cast, "topic": "Tea?", "deadline_seconds": 600});
    let waiting = send("tools/call", "convene", json!({"name": "convene", "arguments": arguments}));
    let running = || http.call(1, "status", json!({}))["running"].clone();
    let session = loop {
        if let Some(row) = running().as_array().unwrap().first() {
            break row["session"].clone();
        }
    };
    drop(waiting);
    while !running().as_array().unwrap().is_empty() {}
    let result = http.call(2, "result", json!({"session": session}));
    assert_eq!(result["reason"], "interrupted", "{result}");
    http.end();
}

/// A server of the later era as strict as the protocol; its argument says how it treats other requests.
const SERVER: &str = r#"
import json, sys
KEY = "io.modelcontextprotocol/"
WANTED = {KEY + "protocolVersion", KEY + "clientInfo", KEY + "clientCapabilities"}
for line in sys.stdin:
    message = json.loads(line)
    method, params = message["method"], message.get("params") or {}
    answer = {"jsonrpc": "2.0", "id": message.get("id")}
    meta = params.get("_meta", {})
    if method == "initialize":
        if sys.argv[1] == "ends":
            sys.exit(7)
        answer["error"] = {"code": -32022, "message": "no", "data": {"supported": ["2026-07-28"]}}
    elif not WANTED <= set(meta) or meta[KEY + "protocolVersion"] != "2026-07-28":
        answer["error"] = {"code": -32602, "message": "no metadata"}
    elif method == "server/discover":
        answer["result"] = {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
    elif method == "tools/list":
        tool = {"name": "brew", "inputSchema": {"type": "object"}}
        answer["result"] = {"resultType": "complete", "tools": [tool]}
    elif method == "tools/call":
        kind = "input_required" if sys.argv[1] == "asks" else "complete"
        answer["result"] = {"resultType": kind, "content": [{"type": "text", "text": "hot tea"}]}
    else:
        sys.exit(9)
    print(json.dumps(answer), flush=True)
"#;

/// Lets a model call the tool of a server; returns what the model sees of the result.
fn brew(house: &House, server: &str) -> String {
    let text = format!(
        "title = \"t\"\n[limits]\nutterances = 1\n[[server]]\nname = \"tea\"\n{server}\nread_only = [\"brew\"]\n\
         [[participant]]\nid = \"ada\"\nname = \"Ada\"\ntools = [\"tea/brew\"]\n"
    );
    let talk = house.file("talk.toml", &text);
    let (url, sent) = model(vec![("tea_brew", json!({}))]);
    let run =
        ["run", &talk, "--headless", "--trust", "--endpoint", &url, "--model", "endpoint:tiny"];
    house.run(&run).code(0);
    let sent = sent.lock().unwrap();
    sent[1]["messages"].to_string()
}

#[test]
fn a_server_without_a_handshake_serves_its_tools() {
    for (how, shown) in [
        ("plain", "hot tea"),
        ("ends", "hot tea"),
        ("asks", "a kind of result that was not offered"),
    ] {
        let house = House::new();
        let script = house.file("server.py", SERVER);
        let seen = brew(&house, &format!("command = {}", json!(["python3", script, how])));
        assert!(seen.contains(shown), "{how}: {seen}");
    }
}

#[test]
fn a_server_that_ends_at_an_unknown_request_is_asked_for_a_handshake() {
    let house = House::new();
    let script = house.file("strict.py", r#"
import json, sys
def send(id, result):
    print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)
first = json.loads(sys.stdin.readline())
if first["method"] != "initialize":
    sys.exit("expect initialize")
send(first["id"], {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}})
for line in sys.stdin:
    message = json.loads(line)
    if "_meta" in (message.get("params") or {}):
        sys.exit("metadata")
    if message["method"] == "tools/list":
        send(message["id"], {"tools": [{"name": "brew", "inputSchema": {"type": "object"}}]})
    if message["method"] == "tools/call":
        send(message["id"], {"content": [{"type": "text", "text": "warm tea"}]})
"#);
    let seen = brew(&house, &format!("command = {}", json!(["python3", script])));
    assert!(seen.contains("warm tea"), "{seen}");
}
