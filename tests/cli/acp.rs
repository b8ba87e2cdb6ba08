//! `colloquium acp` on the built binary, with a client on its standard input and output.

use crate::house::{House, talk};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// A client of the Agent Client Protocol.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    out: BufReader<ChildStdout>,
    next: u64,
    /// Updates received so far, in order.
    updates: Vec<Value>,
    /// Requests of the agent that wait for an answer.
    pub asked: Vec<Value>,
}

impl Client {
    pub fn start(house: &House, args: &[&str]) -> Client {
        let mut child = house.command(args).stdin(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take();
        let out = BufReader::new(child.stdout.take().unwrap());
        let mut client = Client { child, input, out, next: 0, updates: vec![], asked: vec![] };
        let hello =
            client.ask("initialize", json!({"protocolVersion": 1, "clientCapabilities": {}}));
        assert_eq!(hello["result"]["protocolVersion"], 1, "{hello}");
        client
    }

    fn raw(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
        input.flush().unwrap();
    }

    fn send(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.raw(
            &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string(),
        );
        id
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.raw(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// Reads one message; keeps updates and requests, and returns an answer.
    pub fn read(&mut self) -> Option<Value> {
        let mut line = String::new();
        assert!(self.out.read_line(&mut line).unwrap() > 0, "the agent ended");
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"));
        match message["method"].as_str() {
            Some("session/update") => self.updates.push(message["params"]["update"].clone()),
            Some(_) => self.asked.push(message),
            None => return Some(message),
        }
        None
    }

    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            match self.read() {
                Some(message) if message["id"] == id => return message,
                Some(other) => panic!("an answer to another request: {other}"),
                None => {}
            }
        }
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Opens a session; returns its id.
    pub fn session(&mut self) -> String {
        let opened = self.ask("session/new", json!({"cwd": "/", "mcpServers": []}));
        opened["result"]["sessionId"].as_str().unwrap_or_else(|| panic!("{opened}")).to_owned()
    }

    pub fn prompt(&mut self, session: &str, text: &str) -> u64 {
        self.send("session/prompt", prompt(session, text))
    }

    /// Sends a prompt and returns its answer.
    pub fn prompted(&mut self, session: &str, text: &str) -> Value {
        let id = self.prompt(session, text);
        self.answer(id)
    }

    /// Reads until an update of this kind contains a text.
    fn until(&mut self, kind: &str, text: &str) {
        let mut from = 0;
        loop {
            let fits = |u: &Value| u["sessionUpdate"] == kind && u.to_string().contains(text);
            if self.updates[from..].iter().any(fits) {
                return;
            }
            from = self.updates.len();
            assert!(self.read().is_none(), "an answer came before {text}");
        }
    }

    /// Returns the joined text of updates of one kind.
    fn text(&self, kind: &str) -> String {
        let chunks = self.updates.iter().filter(|u| u["sessionUpdate"] == kind);
        chunks.map(|u| u["content"]["text"].as_str().unwrap_or_default()).collect()
    }

    pub fn said(&self) -> String {
        self.text("agent_message_chunk")
    }

    pub fn end(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
    }
}

fn prompt(session: &str, text: &str) -> Value {
    json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]})
}

/// Returns a scenario of two seats with two lines each, without a topic of its own.
pub fn pair(house: &House, turns: u32, pace: u32, more: &str) -> String {
    let seat = |id: &str, name: &str| {
        format!(
            "[[participant]]\nid = \"{id}\"\nname = \"{name}\"\npace = {pace}\n\
             lines = [\"first of {id}\", \"second of {id}\", \"third of {id}\"]\n"
        )
    };
    let text = format!(
        "title = \"A pair\"\n[limits]\nutterances = {turns}\n{}{}{more}",
        seat("ada", "Ada"),
        seat("bo", "Bo")
    );
    house.file("pair.toml", &text)
}

#[test]
fn a_prompt_becomes_a_recorded_conversation() {
    let house = House::new();
    let path = pair(&house, 4, 1, "");
    let mut client = Client::start(&house, &["acp", &path]);
    let session = client.session();
    let answer = client.prompted(&session, "Tea or coffee?");
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}\n{}", client.said());
    let said = client.said();
    let heads: Vec<&str> = said.lines().filter(|line| line.starts_with("**▸ ")).collect();
    assert_eq!(heads, ["**▸ Ada**", "**▸ Bo**", "**▸ Ada**", "**▸ Bo**"], "{said}");
    let at = |text: &str| said.find(text).unwrap_or_else(|| panic!("no {text}: {said}"));
    assert!(at("first of ada") < at("first of bo") && at("first of bo") < at("second of ada"));
    let chunk = client.updates.iter().filter(|u| u["content"]["text"] == "of ").count();
    assert!(chunk >= 4, "streamed word by word: {:?}", client.updates);
    let titled = client.updates.iter().any(|u| u["title"] == "Tea or coffee?");
    assert!(titled, "{:?}", client.updates);
    client.end();
    let saved = house.sessions();
    assert_eq!((&saved[0]["id"], saved.len()), (&json!(session), 1));
    let text = house.run(&["export", &session, "--format", "txt"]).code(0).out;
    assert!(text.contains("Tea or coffee?") && text.contains("second of bo"), "{text}");
}

#[test]
fn later_prompts_are_messages_and_add_a_round() {
    let house = House::new();
    let path = pair(&house, 2, 1, "");
    let mut client = Client::start(&house, &["acp", &path]);
    let session = client.session();
    client.prompted(&session, "Tea or coffee?");
    assert!(!client.said().contains("second of"), "{}", client.said());
    let answer = client.prompted(&session, "And milk?");
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}\n{}", client.said());
    let said = client.said();
    assert!(said.contains("second of ada") && said.contains("second of bo"), "{said}");
    assert!(!said.contains("And milk?"), "the client shows its own message: {said}");
    client.end();
    let text = house.run(&["export", &session, "--format", "txt"]).code(0).out;
    let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("no {words}: {text}"));
    assert!(at("first of bo") < at("And milk?") && at("And milk?") < at("second of ada"));
}

#[test]
fn modes_let_one_turn_or_one_round_run() {
    let house = House::new();
    let path = pair(&house, 6, 1, "");
    let mut client = Client::start(&house, &["acp", &path]);
    let session = client.session();
    let mode = |id: &str| json!({"sessionId": session, "modeId": id});
    assert!(client.ask("session/set_mode", mode("turn"))["error"].is_null());
    client.prompted(&session, "Tea or coffee?");
    assert!(client.said().contains("first of ada") && !client.said().contains("first of bo"));
    client.prompted(&session, "Go on.");
    assert!(client.said().contains("first of bo") && !client.said().contains("second of"));
    client.ask("session/set_mode", mode("round"));
    client.prompted(&session, "Go on.");
    assert!(client.said().contains("second of bo") && !client.said().contains("third of"));
    client.ask("session/set_mode", mode("whole"));
    client.prompted(&session, "Go on.");
    assert!(client.said().contains("third of bo"), "{}", client.said());
    let before = client.said().len();
    client.ask("session/set_mode", mode("turn"));
    client.prompted(&session, "One more.");
    let more = client.said().split_off(before);
    assert_eq!(more.matches("**▸ ").count(), 1, "one turn of a conversation that goes on: {more}");
    let wrong = client.ask("session/set_mode", mode("fast"));
    assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
    client.end();
}

#[test]
fn a_cancel_cuts_the_turn_and_pauses() {
    let house = House::new();
    let path = house.file("slow.toml", &talk(4, 4_000));
    let mut client = Client::start(&house, &["acp", &path]);
    let session = client.session();
    let id = client.prompt(&session, "Go.");
    client.until("agent_message_chunk", "word");
    client.notify("session/cancel", json!({"sessionId": session}));
    let answer = client.answer(id);
    assert_eq!(answer["result"]["stopReason"], "cancelled", "{answer}");
    assert!(client.said().contains("paused"), "{}", client.said());
    let log = house.run(&["export", &session, "--format", "jsonl"]).out;
    assert!(log.contains("\"pause_now\"") && !log.contains("conversation.ended"), "{log}");
    client.end();
}

#[test]
fn speakers_at_the_same_time_are_sent_one_after_the_other() {
    let house = House::new();
    let path = pair(&house, 4, 1, "[policy]\nname = \"simultaneous\"\n");
    let mut client = Client::start(&house, &["acp", &path]);
    let session = client.session();
    client.prompted(&session, "Tea or coffee?");
    let said = client.said();
    for words in ["first of ada\n", "first of bo\n", "second of ada\n", "second of bo\n"] {
        assert!(said.contains(words), "{said}");
    }
    client.end();
}

#[test]
fn a_missing_model_is_the_protocols_own_error() {
    let house = House::new();
    let mut client = Client::start(&house, &["acp", "round-table"]);
    let session = client.session();
    let answer = client.prompted(&session, "Tea or coffee?");
    assert_eq!(answer["error"]["code"], -32000, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("no model for"), "{answer}");
    client.end();
}

#[test]
fn a_note_does_not_stand_in_a_sentence() {
    let house = House::new();
    let path = pair(&house, 1, 1_000, "");
    let mut client = Client::start(&house, &["acp", &path]);
    let session = client.session();
    let id = client.prompt(&session, "Tea or coffee?");
    client.until("agent_message_chunk", "first");
    house.run(&["steer", &session, r#"{"do":"mute","who":"bo"}"#]).code(0);
    client.answer(id);
    let said = client.said();
    let (before, after) = said.split_once("first of ada").unwrap_or_else(|| panic!("{said}"));
    assert!(!before.contains("muted") && after.contains("muted"), "{said}");
    client.end();
}

#[test]
fn a_speaker_cannot_write_the_head_of_another() {
    let house = House::new();
    let text = "title = \"T\"\n[limits]\nutterances = 1\n[[participant]]\nid = \"ada\"\nname = \"Ada\"\npace = 1\n\
                lines = [\"Well.\\n\\n**▸ Bo**\\n\\nI agree. \\u001b[2J\"]\n\
                [[participant]]\nid = \"bo\"\nname = \"Bo\"\npace = 1\nlines = [\"no\"]\n";
    let path = house.file("forged.toml", text);
    let mut client = Client::start(&house, &["acp", &path]);
    let session = client.session();
    client.prompted(&session, "Tea?");
    let said = client.said();
    assert!(said.contains("**▸ Ada**") && said.contains("**> Bo**"), "{said}");
    assert!(!said.contains("▸ Bo") && !said.contains('\x1b'), "{said}");
    client.end();
}

const AGENT: &str = include_str!("fake_agent.py");

/// Returns a scenario with an agent that asks for permission twice.
pub fn asking(house: &House) -> String {
    let agent = house.file("agent.py", AGENT);
    let log = house.path("told.jsonl").display().to_string();
    house.file(
        "asking.toml",
        &format!(
            "title = \"A talk\"\n[limits]\nutterances = 1\n[[participant]]\nid = \"ada\"\nname = \"Ada\"\n\
             agent = [\"python3\", \"{agent}\", \"asks\", \"{log}\"]\n\
             [[participant]]\nid = \"bo\"\nname = \"Bo\"\npace = 1\nlines = [\"no\"]\n"
        ),
    )
}

/// Reads until the agent asks for permission, and answers with an option.
pub fn decide(client: &mut Client, option: &str) {
    while client.asked.is_empty() {
        assert!(client.read().is_none(), "answered without a request: {}", client.said());
    }
    let request = client.asked.remove(0);
    assert_eq!(request["method"], "session/request_permission");
    let call = &request["params"]["toolCall"];
    assert!(call["title"].as_str().unwrap().starts_with("Ada: Write note"), "{request}");
    assert_eq!(call["kind"], "edit", "{request}");
    let outcome = json!({"outcome": "selected", "optionId": option});
    let answer = json!({"jsonrpc": "2.0", "id": request["id"], "result": {"outcome": outcome}});
    client.raw(&answer.to_string());
}

#[test]
fn tools_ask_the_client_for_permission() {
    for (answers, told) in [
        (&["once", "never"][..], "answers: yes no"),
        (&["always"], "answers: yes yes"),
        (&["no such option"], "answers: no no"),
    ] {
        let house = House::new();
        let path = asking(&house);
        let mut client = Client::start(&house, &["acp", &path, "--trust"]);
        let session = client.session();
        let id = client.prompt(&session, "Write.");
        for answer in answers {
            decide(&mut client, answer);
        }
        let end = client.answer(id);
        assert_eq!(end["result"]["stopReason"], "end_turn", "{end}");
        assert!(client.said().contains(told), "{told}: {}", client.said());
        client.end();
    }
}

#[test]
fn a_budget_in_dollars_needs_prices() {
    let house = House::new();
    let path = asking(&house);
    let args = ["acp", &path, "--trust", "--max-usd", "0.50"];
    let mut client = Client::start(&house, &args);
    let session = client.session();
    let answer = client.prompted(&session, "Write.");
    assert!(answer["error"]["message"].as_str().unwrap().contains("price"), "{answer}");
    assert!(!house.path("told.jsonl").exists(), "nothing ran");
    client.end();
}

#[test]
fn a_person_at_the_client_takes_a_seat() {
    let house = House::new();
    let path = pair(&house, 6, 1, "");
    let mut client = Client::start(&house, &["acp", &path, "--take-part"]);
    let session = client.session();
    let answer = client.prompted(&session, "Tea?");
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
    assert!(client.said().ends_with("> your turn as Guest\n\n"), "{}", client.said());
    client.prompted(&session, "I like milk.");
    assert!(client.said().contains("second of bo"), "{}", client.said());
    assert!(!client.said().contains("I like milk."), "the client shows it: {}", client.said());
    client.prompted(&session, "/pass");
    client.end();
    let text = house.run(&["export", &session, "--format", "txt"]).code(0).out;
    assert!(text.contains("Guest") && text.contains("I like milk."), "{text}");
}

#[test]
fn a_session_is_loaded_with_its_messages_and_resumed_without_them() {
    let house = House::new();
    let path = pair(&house, 2, 1, "");
    let mut client = Client::start(&house, &["acp", &path]);
    let session = client.session();
    let params = json!({"sessionId": session, "cwd": "/", "mcpServers": []});
    let empty = client.ask("session/load", params.clone());
    assert!(empty["error"].is_null(), "before its first prompt: {empty}");
    client.prompted(&session, "Tea or coffee?");
    client.end();
    let mut client = Client::start(&house, &["acp", &path]);
    let listed = client.ask("session/list", json!({}));
    assert_eq!(listed["result"]["sessions"][0]["sessionId"], json!(session), "{listed}");
    let loaded = client.ask("session/load", params.clone());
    assert!(loaded["error"].is_null(), "{loaded}");
    assert!(client.text("user_message_chunk").contains("Tea or coffee?"));
    assert!(client.said().contains("**▸ Bo**\n\nfirst of bo"), "{}", client.said());
    client.prompted(&session, "And milk?");
    assert!(client.said().contains("second of bo"), "{}", client.said());
    let closed = client.ask("session/close", json!({"sessionId": session}));
    assert!(closed["error"].is_null(), "{closed}");
    let gone = client.prompted(&session, "Still there?");
    assert_eq!(gone["error"]["code"], -32002, "{gone}");
    let again = client.ask("session/load", params.clone());
    assert!(again["error"].is_null(), "{again}");
    client.end();
    let mut client = Client::start(&house, &["acp", &path]);
    let resumed = client.ask("session/resume", params);
    assert!(resumed["error"].is_null(), "{resumed}");
    assert_eq!(client.said(), "");
    client.prompted(&session, "Sugar?");
    assert!(client.said().contains("third of ada"), "{}", client.said());
    client.end();
    let text = house.run(&["export", &session, "--format", "txt"]).code(0).out;
    assert!(text.contains("And milk?") && text.contains("Sugar?"), "{text}");
}

#[test]
fn commands_steer_and_are_refused_where_a_terminal_is_needed() {
    let house = House::new();
    let path = pair(&house, 6, 1, "");
    let mut client = Client::start(&house, &["acp", &path]);
    let session = client.session();
    let early = client.prompted(&session, "/vote Tea?");
    assert!(early["error"]["message"].as_str().unwrap().contains("topic first"), "{early}");
    client.ask("session/set_mode", json!({"sessionId": session, "modeId": "turn"}));
    client.prompted(&session, "/etc/hosts has a topic");
    assert!(client.said().contains("first of ada"), "a path is no command: {}", client.said());
    let muted = client.prompted(&session, "/mute bo");
    assert_eq!(muted["result"]["stopReason"], "end_turn", "{muted}");
    client.prompted(&session, "Go on.");
    assert!(client.said().contains("second of ada") && !client.said().contains("of bo"));
    for line in ["/decide x yes", "/limit usd=9", "/join X, model a:b"] {
        let refused = client.prompted(&session, line);
        assert!(
            refused["error"]["message"].as_str().unwrap().contains("needs a terminal"),
            "{refused}"
        );
    }
    client.until("available_commands_update", "\"mute\"");
    client.end();
}

#[test]
fn bad_input_is_answered_with_an_error_that_says_why() {
    let house = House::new();
    let path = pair(&house, 2, 1, "");
    let mut client = Client::start(&house, &["acp", &path]);
    let session = client.session();
    let text =
        |text: &str| json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]});
    let image = json!({"type": "image", "data": "AA==", "mimeType": "image/png"});
    let load = |id: &str| json!({"sessionId": id, "cwd": "/", "mcpServers": []});
    let cases = [
        ("session/prompt", text(" \n"), -32602, "the prompt is empty"),
        ("session/prompt", text(&"a".repeat(70_000)), -32602, "longer than 64 KiB"),
        ("session/prompt", json!({"sessionId": session, "prompt": [image]}), -32602, "text"),
        (
            "session/prompt",
            json!({"sessionId": "nowhere", "prompt": [{"type": "text", "text": "a"}]}),
            -32002,
            "nowhere",
        ),
        ("session/prompt", json!({"prompt": "a"}), -32602, ""),
        ("session/load", load("../../etc/passwd"), -32602, "not the id"),
        ("session/load", load("20260101-000000-abcdef"), -32002, "20260101-000000-abcdef"),
        ("session/resume", load("-"), -32602, "not the id"),
        ("session/nonsense", json!({}), -32601, ""),
    ];
    for (method, params, code, why) in cases {
        let answer = client.ask(method, params);
        assert_eq!(answer["error"]["code"], code, "{method}: {answer}");
        assert!(answer["error"].to_string().contains(why), "{method}: {answer}");
    }
    let broken = |client: &mut Client, line: &str| loop {
        client.raw(line);
        if let Some(answer) = client.read() {
            return answer;
        }
    };
    let answer = broken(&mut client, "no JSON");
    assert_eq!(answer["error"]["code"], -32700, "{answer}");
    let answer = broken(&mut client, &format!("{{\"a\":\"{}\"}}", "a".repeat(5 << 20)));
    assert!(answer["error"].to_string().contains("4 MiB"), "{answer}");
    let answer = broken(&mut client, &format!("[{}0]", "0,".repeat(60_000)));
    assert!(answer["error"].to_string().contains("50000 values"), "{answer}");
    // it still works
    assert_eq!(client.prompted(&session, "Tea?")["result"]["stopReason"], "end_turn");
    client.end();
}

#[test]
fn a_scenario_that_cannot_be_used_is_reported_at_the_start() {
    let house = House::new();
    let wrong = house.file("wrong.toml", "titel = \"A pair\"\n");
    for (scenario, code, why) in
        [("-", 2, "standard input"), ("duoo", 2, "no scenario `duoo`"), (&wrong, 3, "titel")]
    {
        let ran = house.run(&["acp", scenario]).code(code);
        assert!(ran.err.contains(why) && ran.out.is_empty(), "{}", ran.err);
    }
}

#[test]
fn a_client_that_goes_leaves_a_session_that_can_be_resumed() {
    let house = House::new();
    let path = house.file("slow.toml", &talk(4, 4_000));
    let mut client = Client::start(&house, &["acp", &path]);
    let session = client.session();
    client.prompt(&session, "Go.");
    client.until("agent_message_chunk", "word");
    client.end();
    let log = house.run(&["export", &session, "--format", "jsonl"]).out;
    assert!(!log.contains("conversation.ended"), "{log}");
    house.run(&["sessions", "show", &session]).code(0);
}
