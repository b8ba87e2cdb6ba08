//! The socket of a running conversation: clients follow it and steer it, and nobody else gets anything.

use crate::house::{House, end, read_until, talk};
use crate::program::{HANG, until};
use colloquium::live::server;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;

/// A conversation in a process of its own.
pub struct Talk {
    pub house: House,
    pub child: Child,
    pub out: BufReader<std::process::ChildStdout>,
    pub log: PathBuf,
}

/// A conversation whose turns take 8 s each.
fn slow() -> String {
    talk(40, 2_000)
}

impl Talk {
    fn start(scenario: &str, more: &[&str]) -> Talk {
        Talk::start_in(House::new(), scenario, more)
    }

    pub fn start_in(house: House, scenario: &str, more: &[&str]) -> Talk {
        let path = house.file("talk.toml", scenario);
        let log = house.path("talk.jsonl");
        let session = log.to_str().unwrap();
        let args = [
            &["run", &path, "--headless", "--pace", "--format", "jsonl", "--out-session", session],
            more,
        ];
        let (child, mut out) = house.start(&args.concat());
        read_until(&mut out, &["conversation.opened"]);
        Talk { house, child, out, log }
    }

    fn socket(&self) -> PathBuf {
        socket(&self.house, &self.log)
    }

    fn greet(&self) -> Client {
        greet(&self.socket())
    }

    fn attach(&self, from: u64, name: &str) -> Client {
        let mut client = self.greet();
        client.send(&json!({"attach": {"from": from, "name": name}}).to_string());
        let attached = client.next().unwrap();
        client.name = attached["attached"]["name"].as_str().unwrap_or_default().to_owned();
        assert!(!client.name.is_empty(), "{attached}");
        client
    }

    fn steer(&self, args: &[&str]) -> crate::house::Ran {
        let session = self.log.to_str().unwrap();
        self.house.run(&[&[args[0], session], &args[1..]].concat())
    }

    /// Returns the events in the file.
    fn events(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(&self.log).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Ends the conversation and returns its events.
    fn stop(mut self) -> Vec<Value> {
        self.steer(&["stop"]).code(0);
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        assert!(!self.socket().exists(), "the socket is removed");
        let events = self.events();
        end(self.child).code(130);
        events
    }
}

/// Returns the path of the socket of a running conversation.
fn socket(house: &House, log: &Path) -> PathBuf {
    server::socket(&house.path(".local/state/colloquium/live"), log).unwrap()
}

/// Connects once the conversation listens, which is a moment after its first event.
fn connect(socket: &Path) -> UnixStream {
    until("a socket that listens", || UnixStream::connect(socket).ok())
}

/// Waits until a running conversation can be steered.
pub fn until_listening(house: &House, log: &Path) {
    connect(&socket(house, log));
}

/// Connects and reads the introduction.
fn greet(socket: &Path) -> Client {
    let stream = connect(socket);
    let mut client = Client::new(stream);
    client.hello = client.next().unwrap();
    client
}

/// A client that reads all the time, since one that does not is disconnected.
struct Client {
    stream: UnixStream,
    lines: Receiver<String>,
    hello: Value,
    name: String,
}

impl Drop for Client {
    fn drop(&mut self) {
        // the reading thread holds the connection open
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

impl Client {
    fn new(stream: UnixStream) -> Client {
        let (tx, lines) = channel();
        let reader = BufReader::new(stream.try_clone().unwrap());
        thread::spawn(move || {
            let mut lines = reader.lines().map_while(Result::ok);
            lines.try_for_each(|line| tx.send(line))
        });
        Client { stream, lines, hello: Value::Null, name: String::new() }
    }

    fn send(&mut self, line: &str) {
        self.stream.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// Returns the next message; `None` if the connection is closed.
    fn next(&mut self) -> Option<Value> {
        match self.lines.recv_timeout(HANG) {
            Ok(line) => Some(serde_json::from_str(&line).unwrap()),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("nothing comes"),
        }
    }

    /// Returns the messages up to the first that fits.
    fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut all = vec![];
        loop {
            let Some(message) = self.next() else { panic!("closed after {all:?}") };
            let found = fits(&message);
            all.push(message);
            if found {
                return all;
            }
        }
    }
}

fn receipts(events: &[Value]) -> Vec<&Value> {
    events.iter().filter(|e| e["kind"] == "receipt").collect()
}

fn without_pieces(messages: Vec<Value>) -> Vec<Value> {
    messages.into_iter().filter(|m| m["piece"].is_null()).collect()
}

/// Two terminals and a script steer one conversation; all see the same log, which names them.
#[test]
fn two_clients_and_a_script_steer_one_conversation() {
    let talk = Talk::start(&slow(), &[]);
    let mut first = talk.attach(0, "laptop");
    let mut second = talk.attach(0, "laptop");
    assert_eq!((&*first.name, &*second.name), ("laptop", "laptop-2"));
    assert_eq!(first.hello["hello"]["may"], "steer");
    assert_eq!(first.hello["hello"]["title"], "A talk");
    first.send(r#"{"do":"mark","text":"one","id":"x"}"#);
    second.until(|m| m["kind"] == "receipt");
    second.send(r#"{"do":"mark","text":"two","id":"x"}"#);
    first.until(|m| m["data"]["text"] == "two");
    let script = talk.steer(&["steer", r#"{"do":"mark","text":"three"}"#]).code(0);
    let receipt: Value = serde_json::from_str(&script.out).unwrap();
    assert_eq!((&receipt["line"], &receipt["is"]), (&json!(1), &json!("done")), "{receipt}");
    let said = talk.steer(&["say", "Hello.", "--no-wait"]).code(0);
    assert_eq!(said.out, "", "{}", said.err);
    let bad = talk.steer(&["steer", r#"{"do":"pausee"}"#]).code(1);
    assert!(bad.out.contains("refused") && bad.err.contains("nearest is `pause`"), "{}", bad.err);
    // nothing that a client sends starts a program
    let command = r#"["sh","-c","echo ran > trace"]"#;
    for seat in [
        format!(r#"{{"do":"join","participant":{{"id":"eve","script":{command}}}}}"#),
        format!(r#"{{"do":"change","who":"ada","set":{{"agent":{command}}}}}"#),
        r#"{"do":"change","who":"ada","set":{"model":"agent:opencode"}}"#.to_owned(),
        r#"{"do":"join","participant":{"id":"eve","http":{"url":"http://127.0.0.1:1/"}}}"#
            .to_owned(),
    ] {
        let refused = talk.steer(&["steer", &seat]);
        assert!(refused.err.contains("only at the screen that runs"), "{seat}: {}", refused.err);
    }
    let mut third = talk.attach(0, "later");
    let events = talk.stop();
    let given = events.iter().filter(|e| e["kind"] == "command.given");
    let from: Vec<&str> = given.map(|e| e["data"]["from"].as_str().unwrap()).collect();
    assert_eq!(from, ["laptop", "laptop-2", "script", "script"]);
    // a client that comes late gets the file line by line, and all get the same
    let all = without_pieces(third.until(|m| !m["bye"].is_null()));
    assert_eq!(all.last(), Some(&json!({"bye": "ended"})));
    assert_eq!(all[..all.len() - 1], events[..]);
    for mut client in [first, second] {
        assert_eq!(client.until(|m| !m["bye"].is_null()).last(), Some(&json!({"bye": "ended"})));
    }
}

/// Sends commands from several clients at once and checks that each has one receipt, in the order of the log.
fn storm(clients: usize, each: usize) {
    const OPEN: usize = 32;
    let talk = Talk::start(&slow(), &[]);
    let seen: Vec<Vec<u64>> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..clients)
            .map(|n| {
                let talk = &talk;
                scope.spawn(move || {
                    let mut client = talk.attach(0, &format!("client{n}"));
                    let (mut sent, mut done, mut seqs) = (0, 0, vec![]);
                    while done < each {
                        while sent < each && sent - done < OPEN {
                            client.send(
                                &json!({"do": "mark", "text": format!("{n}.{sent}")}).to_string(),
                            );
                            sent += 1;
                        }
                        let message = client.next().unwrap();
                        if let Some(seq) = message["seq"].as_u64() {
                            seqs.push(seq);
                        }
                        let of = message["data"]["of"].as_str().unwrap_or_default();
                        let own = of.starts_with(&format!("live:client{n}:"));
                        done += usize::from(message["kind"] == "receipt" && own);
                    }
                    seqs
                })
            })
            .collect();
        all.into_iter().map(|client| client.join().unwrap()).collect()
    });
    for seqs in &seen {
        let expected: Vec<u64> = (0..seqs.len() as u64).collect();
        assert_eq!(*seqs, expected, "no event is missed or repeated");
    }
    let events = talk.stop();
    let mut given = BTreeMap::new();
    let mut texts = BTreeMap::<String, Vec<usize>>::new();
    for event in events.iter().filter(|e| e["kind"] == "command.given") {
        let from = event["data"]["from"].as_str().unwrap().to_owned();
        let number = event["data"]["text"].as_str().unwrap().split_once('.').unwrap().1;
        texts.entry(from.clone()).or_default().push(number.parse().unwrap());
        assert!(given.insert(event["data"]["key"].as_str().unwrap().to_owned(), from).is_none());
    }
    assert_eq!(given.len(), clients * each);
    for (client, numbers) in &texts {
        assert!(numbers.iter().copied().eq(0..each), "{client}: in the order in which they came");
    }
    let receipts = receipts(&events);
    let of: BTreeSet<&str> = receipts.iter().map(|r| r["data"]["of"].as_str().unwrap()).collect();
    assert_eq!((receipts.len(), of.len()), (clients * each, clients * each));
}

#[test]
fn every_command_of_eight_clients_has_one_receipt() {
    storm(8, 50);
}

#[test]
#[ignore = "a minute: cargo test --release --test cli ten_thousand -- --ignored"]
fn ten_thousand_commands_of_eight_clients_have_one_receipt_each() {
    storm(8, 1_250);
}

/// Clients are killed after each byte of what they send: no half command acts.
#[test]
fn clients_that_die_at_any_byte_change_nothing() {
    let talk = Talk::start(&slow(), &[]);
    let text = "{\"attach\":{\"name\":\"dying\"}}\n{\"do\":\"mark\",\"text\":\"half\"}";
    for cut in 0..=text.len() {
        let mut client = talk.greet();
        client.stream.write_all(&text.as_bytes()[..cut]).unwrap();
    }
    for junk in ["\n", "no\n", "[1]\n", "{\"attach\":{\"name\":7}}\n", "\u{0}\u{ff}\n"] {
        let mut client = talk.greet();
        client.stream.write_all(junk.as_bytes()).unwrap();
        client.until(|m| m["error"]["code"] == "line");
    }
    let mut last = talk.attach(0, "last");
    last.send(r#"{"do":"mark","text":"whole"}"#);
    last.until(|m| m["kind"] == "receipt");
    let events = talk.stop();
    let commands = events.iter().filter(|e| e["kind"].as_str().unwrap().starts_with("command."));
    let texts: Vec<&Value> = commands.map(|e| &e["data"]["text"]).collect();
    assert_eq!(texts, ["whole"]);
}

#[test]
fn clients_stay_within_their_bounds() {
    let talk = Talk::start(&slow(), &[]);
    let code = |client: &mut Client| {
        let last = client.until(|m| !m["error"].is_null()).pop().unwrap();
        assert_eq!(client.next(), None, "the connection is closed");
        last["error"]["code"].as_str().unwrap().to_owned()
    };
    for (name, expected) in [("Ada", "name"), ("operator", "name"), ("a b", "name")] {
        let mut client = talk.greet();
        client.send(&json!({"attach": {"name": name}}).to_string());
        assert_eq!(code(&mut client), expected, "{name}");
    }
    let mut client = talk.greet();
    client.send(r#"{"do":"pause"}"#);
    assert_eq!(code(&mut client), "line", "before it attaches");
    let mut client = talk.attach(0, "long");
    let long = "x".repeat(1024 * 1024 + 1);
    let _ = client.stream.write_all(long.as_bytes());
    assert_eq!(code(&mut client), "too_long");
    let mut client = talk.attach(0, "many");
    for _ in 0..65 {
        client.send(r#"{"when":"turn_count > 1000","do":"mark"}"#);
    }
    assert_eq!(code(&mut client), "too_many");
    let mut client = talk.greet();
    client.send(r#"{"attach":{"watch":true}}"#);
    client.until(|m| !m["attached"].is_null());
    client.send(r#"{"do":"pause"}"#);
    assert_eq!(code(&mut client), "watch_only");
    let all: Vec<Client> = (0..16).map(|_| talk.attach(0, "one")).collect();
    let full = UnixStream::connect(talk.socket()).unwrap();
    assert_eq!(code(&mut Client::new(full)), "full");
    drop(all);
    let commands = |e: &&Value| e["kind"].as_str().unwrap().starts_with("command.");
    let events = talk.stop();
    assert_eq!(events.iter().filter(commands).count(), 0, "{events:?}");
}

/// A pause by a script keeps a conversation without a screen, although the script is gone.
#[test]
fn a_paused_conversation_waits_for_the_next_client() {
    let talk = Talk::start(&slow(), &[]);
    let mut client = talk.attach(0, "watcher");
    talk.steer(&["steer", r#"{"do":"pause_now"}"#]).code(0);
    client.until(|m| m["kind"] == "paused");
    drop(client);
    let hello = talk.greet().hello.clone();
    assert_eq!(hello["hello"]["state"], "paused", "{hello}");
    talk.steer(&["steer", r#"{"do":"resume"}"#]).code(0);
    let events = talk.stop();
    assert!(events.iter().any(|e| e["kind"] == "resumed"));
}

/// The engine is killed while clients are attached: they notice, the session goes on exactly, and they attach again.
#[test]
fn clients_of_a_killed_engine_attach_again_after_the_resume() {
    let talk = Talk::start(&slow(), &[]);
    let mut client = talk.attach(0, "laptop");
    client.send(r#"{"do":"mark","text":"before"}"#);
    client.until(|m| m["kind"] == "receipt");
    let pid = client.hello["hello"]["pid"].as_i64().unwrap();
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    while client.next().is_some_and(|message| message["bye"].is_null()) {}
    let Talk { house, mut child, log, .. } = talk;
    child.wait().unwrap();
    let session = log.to_str().unwrap();
    let failed = house.run(&["steer", session, r#"{"do":"pause"}"#]).code(6);
    assert!(failed.err.contains("not running") && failed.err.contains("resume"), "{}", failed.err);
    let (child, mut out) =
        house.start(&["resume", session, "--headless", "--pace", "--format", "jsonl"]);
    read_until(&mut out, &["conversation.reopened"]);
    let talk = Talk { house, child, out, log };
    let mut again = talk.attach(0, "laptop");
    let seen = again.until(|m| m["kind"] == "conversation.reopened");
    assert!(seen.iter().any(|m| m["data"]["text"] == "before"));
    again.send(r#"{"do":"mark","text":"after"}"#);
    again.until(|m| m["kind"] == "receipt");
    drop(again);
    talk.stop();
}

#[test]
fn the_settings_and_unsaved_conversations_open_no_socket() {
    let house = House::new();
    house.file(".config/colloquium/config.toml", "live = false\n");
    let mut talk = Talk::start_in(house, &slow(), &[]);
    read_until(&mut talk.out, &["call.started"]);
    assert!(!talk.house.path(".local/state/colloquium/live").exists());
    let failed = talk.steer(&["say", "Hello."]).code(6);
    assert!(failed.err.contains("takes no clients"), "{}", failed.err);
    talk.child.kill().unwrap();
    talk.child.wait().unwrap();
}

/// Lets other users use the socket of a conversation and replace it.
fn open_to_others(talk: &Talk) {
    let socket = talk.socket();
    for path in socket.ancestors().take_while(|path| path.starts_with(talk.house.home.path())) {
        let open = if path == socket { 0o666 } else { 0o777 };
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(open)).unwrap();
    }
}

/// The folder and the socket belong to the user alone; where the folder is opened by force, the peer is still checked.
#[test]
fn a_process_of_another_user_gets_nothing() {
    let talk = Talk::start(&slow(), &[]);
    drop(talk.greet());
    let socket = talk.socket();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(socket.parent().unwrap()), mode(&socket)), (0o700, 0o600));
    if !rustix::process::geteuid().is_root() {
        // only root can start a process of another user
        return;
    }
    open_to_others(&talk);
    let script = "import socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\n\
                  print(repr(s.recv(100)))";
    let mut python = talk.house.other("python3");
    python.args(["-c", script]).arg(&socket).uid(65_534).gid(65_534).stdout(Stdio::piped());
    let other = end(python.stderr(Stdio::piped()).spawn().unwrap()).code(0);
    assert_eq!(other.out, "b''\n");
    talk.stop();
}

/// A program of another user that listens in the place of a conversation gets no commands.
#[test]
fn a_socket_of_another_user_is_not_used() {
    if !rustix::process::geteuid().is_root() {
        // only root can start a process of another user
        return;
    }
    let talk = Talk::start(&slow(), &[]);
    drop(talk.greet());
    let socket = talk.socket();
    open_to_others(&talk);
    let script = "import os, socket, sys\nos.remove(sys.argv[1])\ns = socket.socket(socket.AF_UNIX)\n\
                  s.bind(sys.argv[1])\nos.chmod(sys.argv[1], 0o777)\ns.listen()\nprint('ready', flush=True)\n\
                  c = s.accept()[0]\nprint(repr(c.recv(100)))";
    let mut python = talk.house.other("python3");
    python.args(["-c", script]).arg(&socket).uid(65_534).gid(65_534);
    let mut python = python.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(python.stdout.take().unwrap());
    read_until(&mut said, &["ready"]);
    let ran = talk.steer(&["say", "A secret."]).code(6);
    assert!(ran.err.contains("belongs to another user"), "{}", ran.err);
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "b''\n");
    python.wait().unwrap();
    let Talk { mut child, .. } = talk;
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A runtime folder whose path is too long for a socket is passed over by the conversation and by its clients.
#[test]
fn a_long_runtime_folder_is_no_obstacle() {
    let house = House::new();
    let runtime = house.path(&"d".repeat(110));
    std::fs::create_dir(&runtime).unwrap();
    let path = house.file("talk.toml", &slow());
    let run = |args: &[&str]| {
        let ran = house.command(args).env("XDG_RUNTIME_DIR", &runtime).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap()
    };
    let id = run(&["run", &path, "--detach"]);
    run(&["say", id.trim(), "Hello.", "--no-wait"]);
    run(&["stop", id.trim()]);
    assert!(run(&["export", id.trim(), "--format", "jsonl"]).contains("Hello."));
}

/// A folder for the sockets that leads elsewhere is not used, and what is there is left alone.
#[test]
fn a_linked_folder_of_sockets_is_refused() {
    let house = House::new();
    let (state, elsewhere) = (house.path(".local/state/colloquium"), house.path("elsewhere"));
    std::fs::create_dir_all(&state).unwrap();
    std::fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, state.join("live")).unwrap();
    let path = house.file("talk.toml", &slow());
    let ran = house.run(&["run", &path, "--detach"]).code(1);
    assert!(ran.err.contains("live: it is a link, not a folder"), "{}", ran.err);
    // in the foreground the conversation runs, and says so
    let (mut child, _out) = house.start(&["run", &path, "--headless", "--pace"]);
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let line = lines.find(|line| line.starts_with("nobody can attach: ")).expect("a line");
    assert!(line.ends_with("live: it is a link, not a folder"), "{line}");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
}

#[test]
fn a_stopped_conversation_delays_no_list_and_a_command_says_that_it_waits() {
    let house = House::new();
    let path = house.file("talk.toml", &slow());
    let stopped = [(); 2].map(|()| {
        let (child, mut out) =
            house.start(&["run", &path, "--headless", "--pace", "--format", "jsonl"]);
        let opened = read_until(&mut out, &["conversation.opened"]);
        (child, out, opened)
    });
    let all = house.sessions();
    let ids: Vec<&str> = all.iter().filter_map(|s| s["id"].as_str()).collect();
    assert_eq!(ids.len(), 2, "{all:?}");
    // a note acts in the next prompt
    house.run(&["steer", ids[0], r#"{"do":"pause_now"}"#]).code(0);
    let note =
        house.run(&["steer", ids[0], r#"{"do":"note","text":"Be brief."}"#, "--timeout", "3"]);
    assert!(
        note.err.contains("waits: the conversation is paused; ctrl-c stops waiting"),
        "{note:?}"
    );
    assert!(note.err.contains("no receipt within the time limit"), "{note:?}");
    for (child, ..) in &stopped {
        signal(child, rustix::process::Signal::STOP);
    }
    // the time limit holds for the connection too
    let late = house.run(&["say", ids[0], "Hello.", "--timeout", "1"]).code(1);
    assert!(late.err.contains("no receipt within the time limit"), "{late:?}");
    let list = house.run(&["sessions", "list"]).code(0);
    assert_eq!(list.out.matches("not answering").count(), 2, "{list:?}");
    for (mut child, ..) in stopped {
        signal(&child, rustix::process::Signal::KILL);
        child.wait().unwrap();
    }
}

fn signal(child: &Child, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, signal).unwrap();
}
