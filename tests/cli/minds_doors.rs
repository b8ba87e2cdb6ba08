//! Every way to start or change a conversation, with every spelling of a model.

use crate::house::House;
use crate::server::Server;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Stdio;

const SETTINGS: &str = "\n[words]\nant = \"near:ant\"\nbee = \"near:bee\"\n";
/// Words, and the models that sit down.
const SPELLINGS: [(&str, &str); 8] = [
    ("ant", "near:ant"),
    ("near:bee", "near:bee"),
    ("cow:1b", "near:cow:1b"),
    ("near", "near:ant"),
    ("qwen", "near:qwen3:4b"),
    ("Ada=bee", "near:bee"),
    ("antt", ""),
    ("no-such-word", ""),
];

struct Room {
    house: House,
    server: Server,
    file: String,
}

impl Room {
    fn new() -> Room {
        let names = &["ant", "bee", "cow:1b", "qwen3:4b"];
        let server = Server::serving("I think so. ANSWER: 4", None, usize::MAX, names);
        let house = House::new();
        let near = format!("[providers.near]\nwire = \"openai\"\nbase_url = \"{}\"\n", server.url);
        house.file(".config/colloquium/config.toml", &format!("{near}{SETTINGS}"));
        let file = house.file(
            "one.toml",
            "title = \"One\"\ntopic = \"Why?\"\n[limits]\nutterances = 1\n[answer]\nform = \"number\"\n\
             [[participant]]\nid = \"ada\"\nname = \"Ada\"\n",
        );
        house.file("items.jsonl", "{\"id\":\"a\",\"question\":\"2 + 2?\",\"answer\":4}\n");
        Room { house, server, file }
    }

    /// Returns the models of the turns in all sessions, without repetitions.
    fn spoke(&self) -> Vec<String> {
        let mut found = vec![];
        for folder in ["data/sessions", "out"] {
            logs(&self.house.path(folder), &mut found);
        }
        found
    }
}

fn logs(folder: &Path, found: &mut Vec<String>) {
    for log in fs::read_dir(folder).into_iter().flatten().flatten() {
        if log.path().is_dir() {
            logs(&log.path(), found);
        }
        let text = fs::read_to_string(log.path()).unwrap_or_default();
        for event in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            let model = event["data"]["model"].as_str().map(str::to_owned);
            if event["kind"] == "call.started"
                && let Some(model) = model
                && model != "rehearsed"
                && !found.contains(&model)
            {
                found.push(model);
            }
        }
    }
}

/// Ways that take a word; each returns what a person reads.
type Door = (&'static str, fn(&Room, &str) -> String);

const DOORS: [Door; 9] = [
    ("run", |room, word| by(room, &["run", &room.file, "--headless", "--model", word])),
    ("talk", |room, word| {
        by(room, &["talk", "Why?", word, "--kind", &room.file, "--headless", "--max-turns", "1"])
    }),
    ("ask", |room, word| by(room, &["ask", "Why?", "--panel", &room.file, "--model", word])),
    ("batch", |room, word| {
        let items = room.house.path("items.jsonl").display().to_string();
        let out = room.house.path("out").display().to_string();
        let args = ["batch", &room.file, "--items", &items, "--out", &out, "--model", word];
        by(room, &args)
    }),
    ("file", |room, word| {
        let text = fs::read_to_string(&room.file).unwrap();
        let file = room.house.file("own.toml", &format!("{text}model = \"{}\"\n", bare(word)));
        by(room, &["run", &file, "--headless"])
    }),
    ("resume", |room, word| {
        let lines = format!("{}lines = [\"Hm.\"]\n", fs::read_to_string(&room.file).unwrap());
        let file = room.house.file("lines.toml", &lines);
        by(room, &["run", &file, "--headless"]);
        let change = format!("participant.ada.model={}", bare(word));
        by(room, &["resume", "--last", "--headless", "--set", &change, "--max-turns", "2"])
    }),
    ("change", |room, word| steered(room, &json!({"model": bare(word)}))),
    ("mcp", |room, word| mcp(room, word)),
    ("acp", |room, word| acp(room, word)),
];

fn bare(word: &str) -> &str {
    word.strip_prefix("Ada=").unwrap_or(word)
}

fn by(room: &Room, args: &[&str]) -> String {
    let ran = room.house.run(args);
    format!("{}\n{}", ran.out, ran.err)
}

/// Changes the model of a participant who speaks lines.
fn steered(room: &Room, set: &Value) -> String {
    let line = json!({"after": {"utterance": 1}, "do": "change", "who": "ada", "set": set});
    let steer = room.house.file("steer.jsonl", &format!("{line}\n"));
    let text = fs::read_to_string(&room.file).unwrap().replace("utterances = 1", "utterances = 2");
    let file = room.house.file("lines.toml", &format!("{text}lines = [\"Hm.\"]\n"));
    by(room, &["run", &file, "--headless", "--steer", &steer])
}

#[cfg(feature = "mcp")]
fn mcp(room: &Room, word: &str) -> String {
    mcp_with(room, word, &["mcp"])
}

#[cfg(feature = "mcp")]
fn mcp_with(room: &Room, word: &str, args: &[&str]) -> String {
    let server = room.house.command(args).stdin(Stdio::piped()).spawn().unwrap();
    let mut client = crate::mcp_client::Client::new(server);
    let cast = json!([{"name": "Ada", "model": bare(word)}]);
    let told = client.call("convene", json!({"cast": cast, "topic": "Why?", "max_turns": 1}));
    client.end();
    told.to_string().replace("\\\"", "\"")
}

#[cfg(feature = "acp")]
fn acp(room: &Room, word: &str) -> String {
    prompted(room, &["acp", &room.file, "--model", word])
}

#[cfg(feature = "acp")]
fn prompted(room: &Room, args: &[&str]) -> String {
    let mut client = crate::acp::Client::start(&room.house, args);
    let session = client.session();
    let told = client.prompted(&session, "Why?");
    client.end();
    told.to_string().replace("\\\"", "\"")
}

#[test]
fn every_door_takes_every_spelling_and_an_unknown_word_starts_nothing() {
    for (door, open) in DOORS {
        for (word, model) in SPELLINGS {
            let room = Room::new();
            let told = open(&room, word);
            let spoke = room.spoke();
            if model.is_empty() {
                assert!(spoke.is_empty(), "{door} {word}: {spoke:?}");
                assert!(room.server.asked.lock().unwrap().is_empty(), "{door} {word}");
                let fault = format!("no model \"{word}\"");
                assert!(told.contains(&fault), "{door} {word}: {told}");
                let offers =
                    !word.starts_with("ant") || told.contains("did you mean ant (near:ant)?");
                assert!(offers && told.contains("usable now: "), "{door} {word}: {told}");
            } else {
                assert_eq!(spoke, [model], "{door} {word}: {told}");
            }
        }
    }
}

#[cfg(all(feature = "mcp", feature = "acp"))]
#[test]
fn an_endpoint_of_a_server_is_a_default_for_participants_without_a_model() {
    let unused = Server::serving("Unused.", None, usize::MAX, &["spare"]);
    let endpoint = ["--endpoint", &unused.url];
    for model in [&[][..], &["--model", "endpoint:spare"]] {
        let args = [&endpoint[..], model].concat();
        let room = Room::new();
        let told = mcp_with(&room, "near:bee", &[&["mcp"], &args[..]].concat());
        assert_eq!(room.spoke(), ["near:bee"], "{told}");
        let room = Room::new();
        let text = fs::read_to_string(&room.file).unwrap();
        let file = room.house.file("own.toml", &format!("{text}model = \"near:bee\"\n"));
        let told = prompted(&room, &[&["acp", &file], &args[..]].concat());
        assert_eq!(room.spoke(), ["near:bee"], "{told}");
    }
    assert!(unused.asked.lock().unwrap().is_empty());
}
