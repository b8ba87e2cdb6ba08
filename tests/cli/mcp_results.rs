//! Structured results and headers of MCP: those of the server's own tools, and those of tool servers.

use crate::house::House;
#[cfg(feature = "mcp")]
use crate::mcp_client::Client;
#[cfg(feature = "mcp")]
use crate::mcp_http::Http;
use crate::tools::model;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

#[cfg(feature = "mcp")]
#[test]
fn results_fit_the_output_schemas_of_their_tools() {
    let house = House::new();
    let mut client = Client::start(&house);
    let tools = client.ask("tools/list", json!({}))["result"]["tools"].clone();
    // a client pays for each byte in every conversation
    assert!(tools.to_string().len() <= 14_000, "{}", tools.to_string().len());
    let tools = tools.as_array().unwrap();
    let mut called = vec![];
    let mut call = |client: &mut Client, name: &'static str, arguments: Value| {
        let schema = &tools.iter().find(|tool| tool["name"] == name).unwrap()["outputSchema"];
        let result = client.call(name, arguments);
        let fits = jsonschema::draft202012::new(schema).unwrap();
        let faults: Vec<String> = fits.iter_errors(&result).map(|e| e.to_string()).collect();
        assert!(faults.is_empty() && result.is_object(), "{name}: {faults:?} {result}");
        // a value without a description in the schema would be new
        let known = schema["properties"].as_object().unwrap();
        assert!(result.as_object().unwrap().keys().all(|key| known.contains_key(key)), "{result}");
        called.push(name);
        result
    };
    call(&mut client, "list_scenarios", json!({}));
    let asked = json!({"question": "Tea?", "rehearsed": true});
    let ended = call(&mut client, "ask", asked)["session"].clone();
    let debate = json!({"scenario": "formal-debate", "rehearsed": true});
    call(&mut client, "convene", debate);
    let cast = json!([{"name": "Caller", "caller": true}]);
    let begun = call(&mut client, "start", json!({"cast": cast, "topic": "Tea?", "max_turns": 3}));
    let session = &begun["session"];
    call(&mut client, "status", json!({}));
    call(&mut client, "say", json!({"session": session, "as": "p1", "text": "Tea."}));
    let note = json!({"do": "note", "text": "be brief"});
    call(&mut client, "steer", json!({"session": session, "command": note}));
    call(&mut client, "wait", json!({"session": session, "seconds": 1}));
    call(&mut client, "result", json!({"session": session}));
    for session in [session, &ended] {
        call(&mut client, "tail", json!({"session": session}));
        call(&mut client, "read_session", json!({"session": session}));
    }
    call(&mut client, "search_sessions", json!({"words": "Tea"}));
    call(&mut client, "analyze", json!({"session": ended}));
    let missing = tools.iter().find(|tool| !called.iter().any(|name| tool["name"] == *name));
    assert_eq!(missing, None);
    client.end();
}

#[cfg(feature = "mcp")]
#[test]
fn clients_of_the_later_era_repeat_the_session_in_a_header() {
    let house = House::new();
    let http = Http::start(&house);
    let cast = json!([{"name": "Caller", "caller": true}]);
    let session = http.call(1, "start", json!({"cast": cast, "topic": "Tea?"}))["session"].clone();
    let session = session.as_str().unwrap();
    let post = |more: &str| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "result", "arguments": {"session": session}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }}})
        .to_string();
        let mut stream = TcpStream::connect(&http.address).unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: {}\r\nauthorization: {}\r\nmcp-protocol-version: 2026-07-28\r\n\
             mcp-method: tools/call\r\nmcp-name: result\r\n{more}content-length: {}\r\n\r\n",
            http.address,
            http.key,
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    };
    let right = post(&format!("mcp-param-session: {session}\r\n"));
    assert!(right.contains("200 OK") && right.contains("structuredContent"), "{right}");
    for wrong in ["", "mcp-param-session: other\r\n"] {
        let refused = post(wrong);
        assert!(refused.contains("400 Bad Request") && refused.contains("-32020"), "{refused}");
    }
    http.end();
}

/// Starts a server of the later era over HTTP with these tools; `result` is the result of every call. Returns its
/// address and the heads of the calls.
fn server(tools: Value, result: Value) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let heads = Arc::new(Mutex::new(vec![]));
    let kept = heads.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut reader = BufReader::new(stream.unwrap());
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                assert!(reader.read_line(&mut head).unwrap() > 0, "{head}");
            }
            let head = head.to_lowercase();
            let length = head.split("content-length: ").nth(1).unwrap().lines().next().unwrap();
            let mut body = vec![0; length.parse().unwrap()];
            reader.read_exact(&mut body).unwrap();
            let message: Value = serde_json::from_slice(&body).unwrap();
            let mut answer = match message["method"].as_str().unwrap() {
                "server/discover" => {
                    json!({"supportedVersions": ["2026-07-28"], "capabilities": {}})
                }
                "tools/list" => json!({"tools": tools}),
                "tools/call" => {
                    kept.lock().unwrap().push(head);
                    result.clone()
                }
                method => panic!("{method}"),
            };
            answer["resultType"] = "complete".into();
            let body = json!({"jsonrpc": "2.0", "id": message["id"], "result": answer}).to_string();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            let _ = reader.into_inner().write_all((head + &body).as_bytes());
        }
    });
    (url, heads)
}

/// Lets a model call the tool `look` of a server over HTTP. Returns the errors of the run, and what the model sees of
/// the result.
fn look(url: &str, arguments: Value) -> (String, String) {
    let house = House::new();
    let talk = format!(
        "title = \"t\"\n[limits]\nutterances = 1\n[[server]]\nname = \"far\"\nurl = \"{url}\"\n\
         read_only = [\"look\"]\n[[participant]]\nid = \"ada\"\nname = \"Ada\"\ntools = [\"far\"]\n"
    );
    let path = house.file("talk.toml", &talk);
    let (endpoint, sent) = model(vec![("far_look", arguments)]);
    let run = [
        "run",
        &path,
        "--headless",
        "--trust",
        "--endpoint",
        &endpoint,
        "--model",
        "endpoint:tiny",
    ];
    let ran = house.run(&run).code(0);
    let seen = sent.lock().unwrap()[1]["messages"].as_array().unwrap().last().cloned().unwrap();
    (ran.err, seen["content"].as_str().unwrap().to_owned())
}

fn tool(name: &str, town: Value, output: Value) -> Value {
    let input =
        json!({"type": "object", "properties": {"town": town, "days": {"type": "integer"}}});
    json!({"name": name, "inputSchema": input, "outputSchema": output})
}

#[test]
fn a_call_repeats_the_arguments_that_the_server_wants_in_headers() {
    let named = |header: &str| json!({"type": "string", "x-mcp-header": header});
    let any = || json!({"type": "object"});
    let tools = json!([
        tool("look", named("Town"), any()),
        tool("twice", json!({"type": "array", "items": named("Town")}), any()),
        tool("spaced", named("a b"), any()),
    ]);
    let result = json!({"content": [], "structuredContent": {}});
    let (url, heads) = server(tools, result);
    let (err, _) = look(&url, json!({"town": "Köln", "days": 3}));
    assert!(heads.lock().unwrap()[0].contains("mcp-param-town: =?base64?s8o2bg4=?="), "{heads:?}");
    assert!(!heads.lock().unwrap()[0].contains("mcp-param-days"), "{heads:?}");
    for told in [
        "left out: twice: x-mcp-header is not at a property of the arguments",
        "left out: spaced: x-mcp-header of town is not the name of a header",
    ] {
        assert!(err.contains(told), "{told}: {err}");
    }
}

#[test]
fn structured_results_are_checked_and_shown() {
    let output =
        json!({"type": "object", "properties": {"sky": {"type": "string"}}, "required": ["sky"]});
    let text = |more: Value| {
        let mut result = json!({"content": [{"type": "text", "text": "see the data"}]});
        result.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        result
    };
    let huge = json!({"type": "object", "description": "x".repeat(20_000)});
    for (output, result, seen, told) in [
        (&output, text(json!({"structuredContent": {"sky": "blue"}})), "{\"sky\":\"blue\"}", ""),
        (
            &output,
            text(json!({"structuredContent": {"sky": 7}})),
            "does not fit its output schema",
            "",
        ),
        (&output, text(json!({})), "returned no structured result", ""),
        (&output, text(json!({"isError": true})), "see the data", ""),
        (&huge, text(json!({})), "see the data", "its output schema has more than 16 KiB"),
        (&json!({"type": 7}), text(json!({})), "see the data", "its output schema is invalid"),
    ] {
        let (url, _) = server(json!([tool("look", json!({}), output.clone())]), result);
        let (err, shown) = look(&url, json!({}));
        assert!(shown.contains(seen), "{seen}: {shown}");
        assert!(err.contains(told), "{told}: {err}");
    }
}
