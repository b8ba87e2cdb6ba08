//! Logs of an earlier program: read, played, inspected, branched and resumed, with their lines unchanged.

use crate::house::House;
use colloquium::model::{Event, Kind, Ms, Seq, ThreadId, Wall};
use colloquium::session::encode;
use serde_json::value::RawValue;
use std::fs;

/// Events without any of the newer keys, with one removed key, and an event of an unknown kind.
const LINES: [(&str, &str, &str); 8] = [
    (
        "engine",
        "conversation.opened",
        r#"{"format":1,"program":"colloquium 0.0.1","seed":1,"rehearsed":true,"parallel":1,"colour":"grey","scenario":{"title":"An old talk","policy":{"name":"round_robin"},"limits":{"utterances":2}},"participants":[{"id":"ada","name":"Ada","voice":{"lines":{"lines":[{"text":"Words of then."},{"text":"Words of now."}],"pace":0}},"timeouts":{"connect":10,"first":120,"silence":60,"total":600},"on_failure":{"retry":1,"then":"skip"}}]}"#,
    ),
    (
        "engine",
        "batch.opened",
        r#"{"for":"policy","purpose":"speak","seats":["ada"],"why":"place 1 of 1","memo":{"at":0}}"#,
    ),
    ("engine", "floor.granted", r#"{"batch":1,"participant":"ada","number":1}"#),
    (
        "engine",
        "call.started",
        r#"{"turn":2,"model":"rehearsed","parameters":{"line":0},"digest":"00"}"#,
    ),
    ("ada", "delta", r#"{"pieces":[[2,"say","Words of then.",[6,5,3,5,5,5]]]}"#),
    ("engine", "weather.changed", r#"{"to":"rain",  "since":1.50}"#),
    (
        "ada",
        "turn.ended",
        r#"{"turn":2,"call":3,"purpose":"speak","number":1,"outcome":"said","text":"Words of then."}"#,
    ),
    ("operator", "command.given", r#"{"key":"0:1","do":"mark","text":"here"}"#),
];

fn old(house: &House) -> (String, String) {
    let lines = LINES.into_iter().enumerate().map(|(seq, (by, kind, data))| {
        let data = RawValue::from_string(data.to_owned()).unwrap();
        let kind = Kind::read(kind, &data).unwrap_or_else(|e| panic!("{kind}: {e}"));
        let event = Event {
            seq: Seq(seq as u64),
            at: Wall(1_700_000_000_000),
            ms: Ms(seq as u64 * 100),
            thread: ThreadId::ROOT,
            by: by.into(),
            cause: None,
            kind,
        };
        encode(&event).unwrap()
    });
    let log: String = lines.collect();
    (house.file("data/sessions/20200101-000000-old.jsonl", &log), log)
}

#[test]
fn an_old_log_is_read_played_looked_at_and_exported() {
    let house = House::new();
    let (path, log) = old(&house);
    let text = house.run(&["replay", "20200101", "--headless"]).code(0).out;
    for words in ["An old talk", "[1] Ada\n  Words of then.", "weather.changed", "mark: here"] {
        assert!(text.contains(words), "no {words:?} in\n{text}");
    }
    assert_eq!(house.run(&["sessions", "show", "20200101"]).code(0).out, text);
    let lines = house.run(&["replay", &path, "--headless", "--format", "jsonl"]).code(0).out;
    assert_eq!(lines, log, "byte for byte, also what nobody knows");
    assert_eq!(house.sessions()[0]["state"], "unfinished");
    let figures = house.run(&["analyze", &path, "--format", "json"]).code(0).out;
    assert!(figures.contains("\"utterances\": 1"), "{figures}");
    for format in ["md", "txt", "csv", "json", "jsonl", "html", "cast"] {
        let out = house.run(&["export", &path, "--format", format]).code(0).out;
        // a recorded screen draws the text word by word
        assert!(out.contains("Words"), "{format}: {out}");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), log, "reading changes nothing");
}

#[test]
fn an_old_log_is_branched_off_and_gone_on_with_after_its_own_lines() {
    let house = House::new();
    let (path, log) = old(&house);
    let branch = house.path("branch.jsonl");
    let to = branch.to_str().unwrap();
    let args = ["fork", &path, "--at", "1", "--headless", "--out-session", to];
    let told = house.run(&args).code(0).out;
    assert!(told.contains("[2] Ada\n  Words of now."), "{told}");
    let kept: String = log.split_inclusive('\n').take(7).collect();
    assert!(fs::read_to_string(&branch).unwrap().starts_with(&kept));
    let told = house.run(&["resume", &path, "--headless"]).code(0).out;
    assert!(told.contains("[2] Ada\n  Words of now."), "{told}");
    let now = fs::read_to_string(&path).unwrap();
    assert!(now.starts_with(&log) && now.len() > log.len(), "nothing of it was written again");
}
