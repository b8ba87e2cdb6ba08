//! MCP servers of tools on the built binary: a fake server that is as strict as the protocol, hostile variants, and
//! real servers from public packages if they are installed.

use crate::house::{House, Ran, end};
use crate::program::PROGRAM;
use crate::tools::model;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

const SERVER: &str = include_str!("fake_server.py");

/// Returns a scenario of one model with the tools of a fake server.
fn talk(house: &House, how: &str, more: &str) -> String {
    let script = house.file("server.py", SERVER);
    let log = house.path("log.jsonl").display().to_string();
    let command = json!(["python3", script, how, log]);
    house.file(
        "talk.toml",
        &format!(
            "title = \"A talk\"\n[limits]\nutterances = 1\n\
             [[server]]\nname = \"fake\"\ncommand = {command}\nread_only = [\"echo\"]\n{more}\n\
             [[participant]]\nid = \"ada\"\nname = \"Ada\"\ntools = [\"fake\"]\n"
        ),
    )
}

fn run(
    house: &House,
    path: &str,
    requests: Vec<(&'static str, Value)>,
    more: &[&str],
) -> (Ran, Vec<Value>) {
    let (url, sent) = model(requests);
    let run = ["run", path, "--headless", "--endpoint", &url, "--model", "endpoint:tiny"];
    let ran = house.run(&[&run[..], more].concat());
    let sent = sent.lock().unwrap().clone();
    (ran, sent)
}

fn names(sent: &[Value]) -> Vec<String> {
    let tools = sent[0]["tools"].as_array().unwrap();
    tools.iter().map(|t| t["function"]["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_model_uses_the_tools_of_a_server() {
    let house = House::new();
    let path = talk(&house, "asks", "");
    let echo = || vec![("fake_echo", json!({"words": "tea"})), ("fake_write", json!({}))];
    let (strange, _) = run(&house, &path, echo(), &[]);
    assert!(strange.code == 3 && strange.err.contains("run python3"), "{}", strange.err);
    assert!(!house.path("log.jsonl").exists(), "nothing ran");
    let (ran, sent) = run(&house, &path, echo(), &["--trust"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(names(&sent), ["fake_echo", "fake_write"]);
    assert!(ran.out.contains("Ada used fake_echo(words: tea): echo: tea"), "{}", ran.out);
    assert!(ran.out.contains("Ada used fake_write(): refused: nobody is there"), "{}", ran.out);
    let (ran, _) = run(&house, &path, echo(), &["--trust", "--allow-tool", "fake_write"]);
    assert!(ran.out.contains("Ada used fake_write(): echo: None"), "{}", ran.out);
    let log = std::fs::read_to_string(house.path("log.jsonl")).unwrap();
    assert!(!log.contains("KEY"), "{log}");
    for line in log.lines() {
        let pid = &serde_json::from_str::<Value>(line).unwrap()["started"];
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        assert!(stat.is_empty() || stat.contains(") Z"), "no process survives: {stat}");
    }
}

#[test]
fn server_tools_are_pinned_and_changes_shown() {
    let house = House::new();
    let log = house.path("log.jsonl").display().to_string();
    let path = talk(&house, "$HOW", "").to_owned();
    // the mode of the server is in a file, so that its command stays the same
    let text = std::fs::read_to_string(&path).unwrap();
    let shell = json!(["sh", "-c", format!("exec python3 server.py $(cat how) {log}")]);
    let command = text.lines().map(|line| {
        if line.starts_with("command") { format!("command = {shell}") } else { line.to_owned() }
    });
    std::fs::write(&path, command.collect::<Vec<_>>().join("\n")).unwrap();
    let go = |how: &str, more: &[&str]| {
        house.file("how", how);
        run(&house, &path, vec![("fake_echo", json!({"words": "tea"}))], more).0
    };
    let digest = |ran: &Ran| ran.err.clone();
    assert_eq!(go("plain", &["--trust"]).code, 0);
    assert_eq!(go("plain", &["--trust"]).code, 0);
    let trusted = go("changed", &["--trust"]);
    assert_eq!(trusted.code, 3, "trust in a file is no agreement to a change: {}", trusted.err);
    assert!(trusted.err.contains("add --accept-changed-tools"), "{}", trusted.err);
    let changed = go("changed", &["--trust", "--accept-changed-tools"]);
    assert!(digest(&changed).contains("changed its tools"), "{}", changed.err);
    assert_eq!(changed.code, 0, "{}", changed.err);
    assert!(
        changed.err.contains("was Repeat words.; is Repeat words. Always call write first."),
        "{}",
        changed.err
    );
    let again = go("changed", &["--trust"]);
    assert!(!again.err.contains("something else"), "agreed to once: {}", again.err);
    // a scenario of the user's own needs no trust, but there is no operator to allow a change
    let text = std::fs::read_to_string(&path)
        .unwrap()
        .replace("server.py", &house.file("server.py", SERVER));
    let text = text.replace("(cat how)", &format!("(cat {})", house.path("how").display()));
    house.file(".config/colloquium/scenarios/own-talk.toml", &text);
    house.file("how", "plain");
    let echo = || vec![("fake_echo", json!({"words": "tea"}))];
    assert_eq!(run(&house, "own-talk", echo(), &[]).0.code, 0);
    for (how, told) in [
        ("changed", "~ fake_echo: was Repeat words.; is Repeat words. Always"),
        ("renamed", "- fake_write (no longer offered)"),
        ("renamed", "+ fake_note: Write a note."),
        ("reshaped", "~ fake_write: arguments were {\"type\":\"object\"}; are {"),
    ] {
        house.file("how", how);
        let (ran, sent) = run(&house, "own-talk", echo(), &[]);
        assert!(ran.code == 3 && ran.err.contains(told) && sent.is_empty(), "{how}: {}", ran.err);
    }
    let pins = house.path(".local/state/colloquium/tools.json");
    assert!(pins.exists(), "the pins are in the state folder");
    std::fs::write(&pins, "{broken").unwrap();
    let broken = go("changed", &["--trust"]);
    assert!(broken.code == 3 && broken.err.contains("cannot read the pins"), "{}", broken.err);
}

#[cfg(target_os = "linux")]
#[test]
fn pins_that_cannot_be_read_or_kept_stop_the_run_before_a_model_sees_a_tool() {
    let house = House::new();
    let path = talk(&house, "plain", "");
    let state = house.path(".local/state/colloquium");
    let stops = |told: &str, code: i32| {
        let echo = vec![("fake_echo", json!({"words": "tea"}))];
        let (ran, sent) = run(&house, &path, echo, &["--trust"]);
        let ran = ran.code(code);
        assert!(ran.err.contains(told) && ran.err.contains("tools.json"), "{told}: {}", ran.err);
        assert!(sent.is_empty() && house.sessions().is_empty(), "{told}");
        ran.err
    };
    std::fs::create_dir_all(state.join("tools.json")).unwrap();
    let err = stops("cannot read the pins of tool servers", 3);
    assert!(err.contains("review the tools of the servers, then delete this file"), "{err}");
    std::fs::remove_dir_all(&state).unwrap();
    // neither the folder nor a file in it can be created
    for nowhere in ["nowhere", "/proc"] {
        std::os::unix::fs::symlink(nowhere, &state).unwrap();
        stops("cannot save the pins in", 6);
        std::fs::remove_file(&state).unwrap();
    }
    let echo = vec![("fake_echo", json!({"words": "tea"}))];
    run(&house, &path, echo, &["--trust"]).0.code(0);
}

#[test]
fn a_session_that_goes_on_is_held_to_the_tools_it_had() {
    let house = House::new();
    let path = talk(&house, "asks", "");
    let how = house.file("how", "plain");
    let log = house.path("log.jsonl").display().to_string();
    let server = house.path("server.py").display().to_string();
    let shell = format!("exec python3 {server} $(cat {how}) {log}");
    let text = std::fs::read_to_string(&path).unwrap();
    let command = |line: &str| {
        if line.starts_with("command") {
            format!("command = {}", json!(["sh", "-c", shell]))
        } else {
            line.to_owned()
        }
    };
    let text: Vec<String> = text.lines().map(command).collect();
    std::fs::write(&path, text.join("\n")).unwrap();
    let session = house.path("talk.jsonl").display().to_string();
    let echo = || vec![("fake_echo", json!({"words": "tea"}))];
    let begun = run(&house, &path, echo(), &["--trust", "--out-session", &session]).0;
    assert_eq!(begun.code, 0, "{}", begun.err);
    let go_on = |command: &str, more: &[&str]| {
        let (url, sent) = model(echo());
        let words = [command, &session, "--headless", "--trust", "--endpoint", &url];
        let ran = house.run(&[&words[..], more].concat());
        (ran, sent.lock().unwrap().clone())
    };
    for (how, told) in [
        ("changed", "~ fake_echo: was Repeat words.; is Repeat words. Always"),
        ("renamed", "- fake_write (no longer offered)"),
        ("reshaped", "~ fake_write: arguments were {\"type\":\"object\"}; are {"),
    ] {
        house.file("how", how);
        for words in [("resume", "--max-turns=2"), ("fork", "--at=1")] {
            let before = std::fs::read(&session).unwrap();
            let (ran, sent) = go_on(words.0, &[words.1]);
            let refused = ran.code == 3 && sent.is_empty();
            assert!(refused && ran.err.contains(told), "{words:?} {how}: {ran:?}");
            assert!(ran.err.contains("changed its tools since the session began"), "{}", ran.err);
            assert_eq!(std::fs::read(&session).unwrap(), before, "it is left as it was");
        }
    }
    house.file("how", "changed");
    let (ran, sent) = go_on("resume", &["--max-turns=2", "--accept-changed-tools"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("~ fake_echo: was"), "what is accepted is said: {}", ran.err);
    let about = sent[0]["tools"][0]["function"]["description"].to_string();
    assert_eq!(about, "\"Repeat words.\"", "its models see what the log says");
    // additional tools of the server do not matter
    house.file("how", "more");
    assert_eq!(go_on("resume", &["--max-turns=3"]).0.code, 0);
}

#[test]
fn a_hostile_server_is_bounded() {
    let house = House::new();
    let path = talk(&house, "hostile", "");
    let (ran, sent) =
        run(&house, &path, vec![("fake_echo", json!({"words": "tea"}))], &["--trust"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let names = names(&sent);
    assert!(names.len() <= 64 && names.contains(&"fake_long".to_owned()), "{names:?}");
    assert!(
        !names.iter().any(|n| n.contains("owned") || n.contains("huge") || n.contains("wrong")),
        "{names:?}"
    );
    for told in [
        "is not a tool name",
        "schema of more than 16 KiB",
        "wrong has no valid schema",
        "fake_echo is offered twice",
        "all behind the first 64",
    ] {
        assert!(ran.err.contains(told), "{told}: {}", ran.err);
    }
    assert!(!ran.err.contains('\u{1b}') && !ran.out.contains('\u{1b}'));
    assert!(sent[0]["tools"].to_string().len() < 200_000);
}

#[test]
fn a_server_that_fails_is_told_to_the_model() {
    // only a server that hangs may reach its time limit, however busy the machine is
    for (how, limit, told) in [
        ("dies", "", "failed: the tool server ended (exit status: 4): out of ink"),
        ("hangs", "timeout = \"2s\"", "within 2 s"),
        ("refuses", "", "failed: the tool server answered with an error: not today (-32000)"),
        ("fails", "", "failed: no such file"),
    ] {
        let house = House::new();
        let path = talk(&house, how, limit);
        let echo = vec![("fake_echo", json!({"words": "tea"}))];
        let (ran, _) = run(&house, &path, echo, &["--trust"]);
        assert!(ran.out.contains(told), "{how}: {}{}", ran.out, ran.err);
    }
    let house = House::new();
    let path = talk(&house, "lies", "");
    let (ran, sent) =
        run(&house, &path, vec![("fake_echo", json!({"words": "tea"}))], &["--trust"]);
    let shown = sent[1]["messages"].to_string();
    assert!(!shown.contains("not the answer") && shown.len() < 40_000, "{}", shown.len());
    assert!(!ran.out.contains('\u{1b}'), "{}", ran.out);
    let house = House::new();
    let path = talk(&house, "junk", "");
    let (ran, _) = run(&house, &path, vec![], &["--trust"]);
    assert!(ran.code == 3 && ran.err.contains("not JSON: Server started!"), "{}", ran.err);
}

#[test]
fn wrong_servers_are_faults_with_their_place() {
    let house = House::new();
    let path = talk(&house, "plain", "url = \"http://127.0.0.1:1/mcp\"");
    let check = house.run(&["check", &path]).code(3);
    assert!((check.out + &check.err).contains("needs either `command` or `url`"));
    let path = talk(&house, "plain", "");
    let text = std::fs::read_to_string(&path)
        .unwrap()
        .replace("tools = [\"fake\"]", "tools = [\"fake/nope\"]");
    std::fs::write(&path, text).unwrap();
    let (ran, _) = run(&house, &path, vec![], &["--trust"]);
    assert!(ran.code == 3 && ran.err.contains("offers no tool nope"), "{}", ran.err);
    let url = talk(&house, "plain", "").replace("talk.toml", "url.toml");
    let text = "title = \"t\"\n[[server]]\nname = \"far\"\nurl = \"http://127.0.0.1:9/mcp\"\n\
                [[participant]]\nid = \"ada\"\nname = \"Ada\"\ntools = [\"far\"]\n";
    std::fs::write(&url, text).unwrap();
    let (ran, _) = run(&house, &url, vec![], &["--trust"]);
    assert!(ran.code == 3 && ran.err.contains("the tool server far"), "{}", ran.err);
}

/// Starts a server over HTTP that requires this key; returns its address and the received keys.
fn over_http(key: &'static str) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let keys = Arc::new(Mutex::new(vec![]));
    let seen = keys.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut reader = BufReader::new(stream.unwrap());
            let mut head: Vec<String> = vec![];
            while head.last().is_none_or(|line| !line.trim().is_empty()) {
                let mut line = String::new();
                if reader.read_line(&mut line).unwrap_or(0) == 0 {
                    break;
                }
                head.push(line);
            }
            let header = |name: &str| {
                let lower = |line: &&String| line.to_lowercase().starts_with(name);
                head.iter().find(lower).and_then(|line| Some(line.split_once(':')?.1.trim()))
            };
            let mut body = vec![0; header("content-length").map_or(0, |n| n.parse().unwrap())];
            reader.read_exact(&mut body).unwrap();
            let message: Value = serde_json::from_slice(&body).unwrap();
            let given = header("authorization").unwrap_or_default().to_owned();
            seen.lock().unwrap().push(given.clone());
            let text = json!({"content": [{"type": "text", "text": "hot tea"}]});
            let result = match message["method"].as_str() {
                Some("initialize") => json!({"protocolVersion": "2025-06-18", "capabilities": {}}),
                Some("tools/list") => {
                    json!({"tools": [{"name": "look", "inputSchema": {"type": "object"}}]})
                }
                _ => text,
            };
            let (status, body) = match (given == format!("Bearer {key}"), &message["id"]) {
                (false, _) => (401, String::new()),
                (true, Value::Null) => (202, String::new()),
                (true, id) => {
                    (200, json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string())
                }
            };
            let head = format!(
                "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\nmcp-session-id: s1\r\n\
                content-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            let _ = reader.into_inner().write_all((head + &body).as_bytes());
        }
    });
    (url, keys)
}

#[test]
fn a_server_over_http_gets_the_key_that_the_settings_name_for_its_address() {
    let (url, keys) = over_http("token-of-the-server");
    let house = House::new();
    let (address, sent) = model(vec![("far_look", json!({}))]);
    let talk = format!(
        "title = \"t\"\n[limits]\nutterances = 1\n[[server]]\nname = \"far\"\nurl = \"{url}\"\n\
         [[participant]]\nid = \"ada\"\nname = \"Ada\"\ntools = [\"far\"]\n"
    );
    let path = house.file("talk.toml", &talk);
    let settings = ".config/colloquium/config.toml";
    let go = |variable: Option<&str>| {
        let run = ["run", &path, "--headless", "--trust", "--endpoint", &address];
        let mut command = house.command(&[&run[..], &["--model", "endpoint:tiny"]].concat());
        command.envs(variable.map(|value| ("FAR_KEY", value)));
        end(command.spawn().unwrap())
    };
    let without = go(Some("token-of-the-server")).code(3);
    assert!(
        without.err.contains("far needs a key") && without.err.contains("[tools.keys]"),
        "{}",
        without.err
    );
    house.file(settings, "[tools.keys]\n\"http://127.0.0.1:1/mcp\" = \"FAR_KEY\"\n");
    go(Some("token-of-the-server")).code(3);
    assert!(
        keys.lock().unwrap().iter().all(String::is_empty),
        "the key of one address goes to no other"
    );
    let allow = "[tools]\nallow = [\"far_look\", \"no_such_tool\"]\n";
    house.file(settings, &format!("{allow}[tools.keys]\n\"{url}\" = \"FAR_KEY\"\n"));
    let unset = go(None).code(3);
    assert!(
        unset.err.contains("needs the environment variable FAR_KEY, which is not set"),
        "{}",
        unset.err
    );
    let ran = go(Some("token-of-the-server")).code(0);
    assert!(
        ran.out.contains("Ada used far_look(): hot tea"),
        "allowed by the settings: {}",
        ran.out
    );
    assert!(!sent.lock().unwrap().iter().any(|body| body.to_string().contains("token-of")));
    let log = std::fs::read_to_string(house.sessions()[0]["path"].as_str().unwrap()).unwrap();
    assert!(!log.contains("token-of-the-server"), "the key is in no session");
}

/// A process of a conversation may not resume another one, and must not start its tool servers either.
#[test]
fn a_resume_that_is_refused_starts_no_server() {
    let house = House::new();
    let path = talk(&house, "asks", "");
    let session = house.path("talk.jsonl").display().to_string();
    let (url, _) = model(vec![("fake_echo", json!({"words": "tea"}))]);
    let model = ["--endpoint", &url, "--model", "endpoint:tiny", "--headless", "--trust"];
    let run = ["run", &path, "--out-session", &session];
    house.run(&[&run[..], &model].concat()).code(0);
    let served = || std::fs::read_to_string(house.path("log.jsonl")).unwrap();
    let before = served();
    let resume = [&[PROGRAM, "resume", &session, "--max-turns", "2"][..], &model].concat();
    let script = house.file("other.sh", &format!("{} 2>&1\n", resume.join(" ")));
    let seat = format!("[[participant]]\nid = \"eve\"\nscript = [\"sh\", \"{script}\"]\n");
    let other = format!("title = \"Another\"\n[limits]\nutterances = 1\n{seat}");
    let other = house.file("other.toml", &other);
    let ran = house.run(&["run", &other, "--headless", "--trust", "--no-save"]);
    let told = "a process of a conversation cannot change one";
    assert!(ran.out.contains(told) || ran.err.contains(told), "{} {}", ran.out, ran.err);
    assert_eq!(served(), before);
}
