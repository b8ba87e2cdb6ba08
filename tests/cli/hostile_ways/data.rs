//! Data that a command reads: the items of a batch and the state of a person, with hostile values, as processes.

use crate::hostile_ways::hostile_values;
use crate::program::{self, PROGRAM};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Memory that a process may write to, in KiB.
const MEMORY_KIB: u32 = 64 << 10;
/// Bytes of a text in a file of many: longer ones are tried one by one.
const TEXT_MAX: usize = 1 << 10;

/// A folder with a file of somebody else, in which the program runs.
struct Ground {
    home: tempfile::TempDir,
    marker: PathBuf,
    victim: PathBuf,
}

impl Ground {
    fn new() -> Ground {
        let home = program::home();
        let [marker, victim] = ["marker", "victim"].map(|name| home.path().join(name));
        fs::write(&victim, "secret-of-the-victim\n").unwrap();
        Ground { home, marker, victim }
    }

    /// Returns the hostile texts; one of them names a pipe that nobody writes to.
    fn texts(&self) -> Vec<String> {
        let pipe = self.home.path().join("pipe");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let [a, b, c] = [&self.marker, &pipe, &self.victim].map(|path| path.display().to_string());
        hostile_values::texts(&a, &b, &c)
    }

    /// Runs the program and checks that no value acted; returns its exit code and its output.
    fn run(&self, arguments: &[&str], input: &str) -> (i32, String) {
        let limit = format!(
            "ulimit -d {MEMORY_KIB}; exec timeout -s KILL {} \"$@\"",
            program::HANG.as_secs()
        );
        let out = program::command("/bin/sh", self.home.path())
            .args(["-c", &limit, "sh", PROGRAM])
            .args(arguments)
            .output()
            .unwrap();
        let said = [out.stdout, out.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        let shown: String = said.chars().take(500).collect();
        let code = out.status.code().unwrap_or(-1);
        assert!((0..=30).contains(&code), "{arguments:?}, {input}: {:?}: {shown}", out.status);
        assert!(!self.marker.exists(), "{arguments:?}, {input}: acted");
        assert!(!said.contains('\u{1b}'), "{arguments:?}, {input}: control characters: {shown}");
        assert!(!said.contains("secret-of"), "{arguments:?}, {input}: shows the victim: {shown}");
        assert_eq!(fs::read_to_string(&self.victim).unwrap(), "secret-of-the-victim\n");
        (code, said)
    }
}

/// Returns the paths of all files below a folder.
fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { below(&path) } else { vec![path] }).collect()
}

const SCENARIO: &str = r#"
title = "T"
topic = "{{ item.question }}"
item = { question = "?" }
answer = { form = "text" }
limits = { utterances = 1 }
[[participant]]
id = "a"
pace = 1
lines = ["{{ item.question }} ANSWER: {{ item.other }}"]
"#;

#[test]
fn items_with_hostile_values_are_questions_or_faults() {
    let ground = Ground::new();
    let home = ground.home.path();
    fs::write(home.join("s.toml"), SCENARIO).unwrap();
    let texts = ground.texts();
    let batch = ["batch", "s.toml", "--items", "items.jsonl", "--out", "out", "--skip-damaged"];
    let mut finished = 0;
    let mut tried = |lines: &[Value], input: &str| {
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        fs::write(home.join("items.jsonl"), lines.join("\n")).unwrap();
        let before = below(home).len();
        ground.run(&batch, input);
        finished += below(&home.join("out")).len();
        for format in ["text", "html"] {
            ground.run(&["batch", "report", "out", "--format", format], input);
        }
        fs::remove_dir_all(home.join("out")).ok();
        let left = below(home).into_iter().filter(|path| !path.starts_with(home.join(".local")));
        assert!(left.count() <= before, "{input}: a file was made outside the output folder");
    };
    for key in ["id", "question", "answer", "topic", "other", "item"] {
        let short = texts.iter().filter(|text| text.len() <= TEXT_MAX);
        let item = |value: &str| {
            let mut item = json!({"question": "?", "answer": "x", "other": "y"});
            item[key] = value.into();
            item
        };
        let lines: Vec<Value> = short.map(|text| item(text)).collect();
        tried(&lines, key);
    }
    for text in texts.iter().filter(|text| text.len() > TEXT_MAX) {
        let shown: String = text.chars().take(20).collect();
        tried(&[json!({"id": text, "question": "?"}), json!({"question": text})], &shown);
    }
    assert!(finished > 100, "{finished} files of results and sessions");
}

const ADVISOR: &str = r#"
title = "T"
limits = { utterances = 1 }
profile = { known = { known = "nothing", dog = "none" } }
[[participant]]
id = "a"
pace = 1
lines = ["{{ profile.known }} {{ profile.dog }}"]
"#;

#[test]
fn states_with_hostile_values_are_facts_or_faults() {
    let ground = Ground::new();
    let home = ground.home.path();
    fs::write(home.join("s.toml"), ADVISOR).unwrap();
    let state = home.join("state.json");
    let run = ["run", "s.toml", "--headless", "--no-save", "--state", "state.json"];
    let (code, _) = ground.run(&run, "no state");
    assert_eq!(code, 0);
    for mut text in ground.texts() {
        text.truncate(text.floor_char_boundary(TEXT_MAX));
        let facts = json!({"profile": {"known": text, "dog": text, (text.as_str()): text},
            "stage": text, "ranking": [text], (text.as_str()): text});
        for whole in [facts.to_string(), json!({ "profile": text }).to_string(), text.clone()] {
            fs::write(&state, &whole).unwrap();
            let (code, said) = ground.run(&run, &whole);
            let kept = fs::read_to_string(&state).unwrap();
            assert!(code == 0 || kept == whole, "{whole}: {code}, but changed: {said}");
        }
    }
}
