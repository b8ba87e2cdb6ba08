//! Sessions of every kind, written by an earlier program: each opens, replays to the same text, and resumes.
//!
//! The files are never rewritten. When the format grows, sessions of the new program are added beside them.

use crate::house::House;
use insta::assert_snapshot;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the paths of the sessions, sorted by name.
fn sessions() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/old_sessions");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut sessions: Vec<PathBuf> = files.collect();
    sessions.sort();
    assert!(sessions.len() >= 29, "{}", sessions.len());
    sessions
}

fn name(session: &Path) -> &str {
    session.file_stem().unwrap().to_str().unwrap()
}

#[test]
fn every_old_session_opens_and_replays_to_the_same_text() {
    let house = House::new();
    let mut all = String::new();
    for session in sessions() {
        let log = fs::read_to_string(&session).unwrap();
        let path = house.file(&format!("{}.jsonl", name(&session)), &log);
        let replayed = house.run(&["replay", &path, "--headless"]).code(0).out;
        house.run(&["sessions", "show", &path]).code(0);
        let figures = house.run(&["analyze", &path, "--format", "json"]).code(0).out;
        serde_json::from_str::<serde_json::Value>(&figures).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), log, "reading changes nothing");
        all.push_str(&format!("===== {}\n{replayed}", name(&session)));
    }
    assert_snapshot!("replayed", all);
}

#[test]
fn every_old_session_goes_on_after_its_own_lines() {
    let house = House::new();
    let resumed = |session: PathBuf| {
        let log = fs::read_to_string(&session).unwrap();
        let path = house.file(&format!("{}.jsonl", name(&session)), &log);
        let ended = log.lines().filter(|line| line.contains(r#""kind":"turn.ended""#)).count();
        let more = (ended + 2).to_string();
        let args = ["--headless", "--max-utterances", &more, "--max-tokens", "1000", "--trust"];
        let ran = house.run(&[&["resume", &path], &args[..]].concat());
        let now = fs::read_to_string(&path).unwrap();
        let whole = &log[..=log.rfind('\n').unwrap()];
        assert!(now.starts_with(whole) && now.len() > whole.len(), "{path}: {}", ran.err);
        format!("===== {}, exit {}\n{}", name(&session), ran.code, ran.out)
    };
    // some wait before a retry, so all run at the same time
    let all: String = std::thread::scope(|scope| {
        let started: Vec<_> =
            sessions().into_iter().map(|session| scope.spawn(|| resumed(session))).collect();
        started.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_snapshot!("resumed", all);
}
