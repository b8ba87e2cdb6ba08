//! Clients of a running conversation: the delay of a word and of a command.

use crate::program;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Words to measure.
const WORDS: usize = 200;
/// Goals: a word at the second client after the first, and a command at the second client.
const WORD: Duration = Duration::from_millis(5);
const COMMAND: Duration = Duration::from_millis(20);
const TALK: &str =
    "[limits]\nutterances = 40\n[[participant]]\nid = \"ada\"\npace = 4\nlines = [\"LINE\"]\n";

/// A conversation in a process of its own, which ends with the value.
struct Talk {
    home: TempDir,
    child: Child,
}

impl Talk {
    fn start() -> Talk {
        let home = program::home();
        let path = home.path().join("talk.toml");
        fs::write(&path, TALK.replace("LINE", &"word ".repeat(2_000))).unwrap();
        let mut command = program::colloquium(home.path());
        command.args(["run", "talk.toml", "--headless", "--pace"]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        Talk { home, child }
    }

    fn attach(&self, name: &str) -> BufReader<UnixStream> {
        let folder = self.home.path().join(".local/state/colloquium/live");
        let mut client = loop {
            let found = fs::read_dir(&folder).into_iter().flatten().flatten().next();
            let stream = found.map(|entry| UnixStream::connect(entry.path()));
            if let Some(Ok(stream)) = stream {
                break BufReader::new(stream);
            }
            std::thread::yield_now();
        };
        send(&mut client, &json!({"attach": {"name": name}}));
        client
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

fn send(client: &mut BufReader<UnixStream>, line: &Value) {
    client.get_mut().write_all(format!("{line}\n").as_bytes()).unwrap();
}

fn next(client: &mut BufReader<UnixStream>) -> Value {
    let mut line = String::new();
    client.read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap()
}

fn median(mut all: Vec<Duration>) -> Duration {
    all.sort_unstable();
    all[all.len() / 2]
}

#[divan::bench(sample_count = 1, sample_size = 1)]
fn a_word_at_two_clients(bencher: divan::Bencher) {
    let talk = Talk::start();
    let words = |name: &str| {
        let mut client = talk.attach(name);
        let mut came = BTreeMap::new();
        while came.len() < WORDS {
            let message = next(&mut client);
            if message["piece"]["as"] == "say" {
                came.insert(message["piece"]["ms"].as_u64().unwrap(), Instant::now());
            }
        }
        came
    };
    bencher.bench_local(|| {
        let (first, second) = std::thread::scope(|scope| {
            let second = scope.spawn(|| words("second"));
            (words("first"), second.join().unwrap())
        });
        let apart = first.iter().filter_map(|(ms, at)| {
            let other = second.get(ms)?;
            Some(other.max(at).duration_since(*other.min(at)))
        });
        let apart = median(apart.collect());
        println!("a word is at the second client {apart:?} after the first (median of {WORDS})");
        assert!(apart < WORD, "{apart:?}");
    });
}

#[divan::bench(sample_count = 1, sample_size = 50)]
fn a_command_at_the_other_client(bencher: divan::Bencher) {
    let talk = Talk::start();
    let (mut first, mut second) = (talk.attach("first"), talk.attach("second"));
    let mut number = 0;
    bencher.bench_local(|| {
        number += 1;
        let text = format!("mark {number}");
        let begun = Instant::now();
        send(&mut first, &json!({"do": "mark", "text": text}));
        while next(&mut second)["data"]["text"] != *text {}
        assert!(begun.elapsed() < COMMAND, "{:?}", begun.elapsed());
    });
}
