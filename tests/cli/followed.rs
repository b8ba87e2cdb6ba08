//! Sessions from another process: followed while they are written, and counted all together.

use crate::house::{House, end, read_until, talk};
use std::io::{BufReader, Write};
use std::process::Stdio;

/// A running conversation is followed from another terminal, live and to its end, without steering.
#[test]
fn a_running_session_is_followed_and_a_finished_one_is_printed_whole() {
    let house = House::new();
    let said = house.run(&["demo", "--headless"]).code(0);
    let watched = house.run(&["watch", "--last", "--headless"]).code(0);
    assert_eq!(watched.out, said.out, "one that is over is printed whole");
    let path = house.file("talk.toml", &talk(2, 4));
    let mut command = house.command(&["run", &path, "--headless", "--steer", "-", "-q"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut operator = child.stdin.take().unwrap();
    read_until(&mut out, &["-- limit reached: 2 turns"]);
    let (watcher, mut seen) = house.start(&["watch", "--last", "--headless"]);
    read_until(&mut seen, &["-- limit reached: 2 turns"]);
    writeln!(operator, r#"{{"do":"limit","set":{{"utterances":3}}}}"#).unwrap();
    read_until(&mut seen, &["[3] Ada"]);
    drop(operator);
    read_until(&mut seen, &["-- finished as planned"]);
    end(watcher).code(0);
    read_until(&mut out, &["-- finished as planned"]);
    end(child).code(0);
}

/// A file without events and without a writer is no conversation to wait for.
#[test]
fn watching_an_empty_file_ends_with_an_error() {
    let house = House::new();
    let path = house.file("empty.jsonl", "");
    let ran = house.run(&["watch", &path, "--headless"]).code(6);
    assert!(ran.err.contains("is empty, and no process writes it"), "{}", ran.err);
}

/// Figures over all sessions: each one counts once, a branch only from its branch point.
#[test]
fn figures_of_all_sessions_together() {
    let house = House::new();
    house.run(&["demo", "--headless", "-q"]).code(0);
    house.run(&["demo", "formal-debate", "--headless", "-q"]).code(0);
    house.run(&["fork", "--last", "--at", "2", "--headless", "--rehearsed", "-q"]);
    let ran = house.run(&["analyze", "--all", "--format", "json"]).code(0);
    let all: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(all["sessions"], 3, "{all}");
    let figures = all["figures"].to_string();
    for expected in ["models", "sides", "winners", "ends", "utterance_limit", "\"won\":2"] {
        assert!(figures.contains(expected), "{expected}: {figures}");
    }
    let ran = house.run(&["analyze", "--all", "--format", "csv", "--table", "sides"]).code(0);
    assert!(ran.out.starts_with("side,judged,won,drawn,share"), "{}", ran.out);
    let ran = house.run(&["analyze", "--all", "--table", "x"]).code(2);
    assert!(ran.err.contains("the tables are models, sides, winners, ends"), "{}", ran.err);
}
