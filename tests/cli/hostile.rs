//! Hostile session files: no output acts on a terminal, and no message imitates a heading of the program.

use crate::house::House;
use serde_json::{Value, json};

/// Returns whether a character acts on a terminal, reorders or hides text, besides control characters.
fn acts(c: char) -> bool {
    let invisible = matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{e0000}'..='\u{e007f}');
    invisible || (c.is_control() && !matches!(c, '\n' | '\t'))
}

#[track_caller]
fn inert(what: &str, text: &str) -> usize {
    if let Some(at) = text.find(acts) {
        panic!("{what}: {:?}", text.get(at.saturating_sub(20)..).unwrap_or_default());
    }
    text.chars().count()
}

const HOSTILE: &str = r##"
title = "Title \u202Eeltit\u202C \u200B"
topic = "Topic \u001B]0;owned\u0007 \u009B31m"
[limits]
utterances = 2
[[participant]]
id = "ada"
name = "Ada \u202Eoperator"
role = "role \u2066x"
lines = ["""
\u001B[2J\u001B]8;;http://x\u0007link\u001B]8;;\u0007
[after 1] you
-- ended by you
## 9 · Bo
</blockquote><h2>Bo</h2> ![x](http://x/y) \u202Egnp"""]
[[participant]]
id = "bo"
name = "Bo \u202E"
lines = ["\u0000\u0008\u007F\u0085 fine \U000E0041"]
"##;

#[test]
fn hostile_texts_are_inert_in_every_output() {
    let house = House::new();
    let path = house.file("hostile.toml", HOSTILE);
    let steer = house.file(
        "steer.jsonl",
        "{\"after\":{\"utterance\":1},\"do\":\"say\",\"text\":\"\\u001b[31m \\u202e\"}\n",
    );
    let mut checked = 0;
    for format in ["text", "md", "jsonl"] {
        let ran =
            house.run(&["run", &path, "--headless", "--format", format, "--steer", &steer]).code(0);
        checked += inert(format, &ran.out) + inert("stderr", &ran.err);
    }
    let commands: &[&[&str]] = &[
        &["sessions", "list"],
        &["sessions", "list", "--json"],
        &["sessions", "show", "--last"],
        &["export", "--last", "--format", "md"],
        &["export", "--last", "--format", "txt"],
        &["export", "--last", "--format", "html"],
        &["export", "--last", "--format", "json"],
        &["export", "--last", "--format", "jsonl"],
        &["export", "--last", "--format", "csv"],
        &["export", "--last", "--format", "cast"],
        &["analyze", "--last"],
        &["analyze", "--last", "--format", "md"],
        &["analyze", "--last", "--format", "json"],
        &["analyze", "--last", "--format", "csv", "--table", "shares"],
        &["analyze", "--last", "--format", "csv", "--table", "events"],
        &["check", &path],
        &["scenarios", "show", &path],
        &["check", "\u{1b}[31m\u{202e}"],
        &["run", "\u{1b}[31m", "--headless"],
        &["demo", "--headless", "--set", "a.\u{1b}\u{202e}=1"],
        &["demo", "--\u{1b}[31m"],
        &["\u{1b}[31m\u{202e}"],
        &["sessions", "show", "\u{1b}[31m"],
        &["sessions", "search", "fine"],
        &["sessions", "search", "\u{1b}", "--json"],
        &["sessions", "rename", "--last", "--title", "\u{1b}[31m\u{202e}"],
        &["sessions", "redact", "--last", "--text", "\u{1b}]8;;http"],
        &["sessions", "delete", "--last"],
        &["export", "\u{1b}[31m", "--format", "md"],
        &["analyze", "\u{1b}[31m", "--table", "\u{202e}"],
    ];
    for args in commands {
        let ran = house.run(args);
        checked += inert("stdout", &ran.out) + inert("stderr", &ran.err);
    }
    println!("{checked} characters, 0 that act");
}

#[test]
fn faults_that_quote_a_hostile_file_are_inert() {
    let house = House::new();
    let path = house.file(
        "bad.toml",
        "title = \"\\u001b[31m\"\n\"k\\u001b\\u202e\" = \"\u{1b}]0;x\u{7}\u{202e}\"\n",
    );
    let ran = house.run(&["check", &path]).code(3);
    inert("stderr", &ran.err);
}

#[test]
fn words_cannot_pass_for_a_head_a_note_or_a_heading() {
    let house = House::new();
    let path = house.file("hostile.toml", HOSTILE);
    let named = r#"{"do":"change","who":"bo","set":{"name":"operator"}}"#;
    let steer = house.file("steer.jsonl", named);
    let run = ["run", &path, "--headless", "--steer", &steer];
    let text = house.run(&run).code(0).out;
    let heads: Vec<&str> = text.lines().filter(|l| l.starts_with('[')).collect();
    assert_eq!(heads.len(), 2, "{heads:?}");
    assert!(heads[1].starts_with("[2] operator (participant bo)"), "{heads:?}");
    assert_eq!(text.lines().filter(|l| *l == "-- 2 turns, as planned").count(), 1, "{text}");
    let md = house.run(&[&run[..], &["--format", "md"]].concat()).code(0).out;
    assert_eq!(md.lines().filter(|l| l.starts_with("## ")).count(), 2, "{md}");
    assert!(!md.contains("> </blockquote>") && !md.contains(" ![x]"), "{md}");
    assert!(md.contains("> \\</blockquote>\\<h2>Bo\\</h2> \\![x](http://x/y)"), "{md}");
}

/// Sets the time and every summed number of an event to the maximum.
fn at_their_ends(line: &str) -> String {
    let mut event: Value = serde_json::from_str(line).unwrap();
    if event["seq"].as_u64() > Some(9) {
        event["ms"] = u64::MAX.into();
    }
    if event["kind"] == "turn.ended" {
        event["data"]["usage"] = json!({"input": u64::MAX, "output": u64::MAX});
        event["data"]["cost"] = json!(1e9);
        event["data"]["took_ms"] = u64::MAX.into();
    }
    if event["data"]["number"] == 9 {
        event["data"]["number"] = u32::MAX.into();
    }
    let parts = ["seq", "at", "ms", "in", "by", "cause", "kind", "data"];
    let parts = parts.iter().filter(|part| event.get(part).is_some());
    let parts: Vec<String> = parts.map(|part| format!("\"{part}\":{}", event[part])).collect();
    let body = format!("{{{}", parts.join(","));
    let crc = crc32c::crc32c(body.as_bytes());
    format!("{body},\"crc\":\"{crc:08x}\"}}\n")
}

#[test]
fn numbers_may_be_as_large_as_a_file_can_name_them() {
    let house = House::new();
    house.run(&["demo", "--headless"]).code(0);
    let log = house.run(&["export", "--last", "--format", "jsonl"]).code(0).out;
    let path = house.file("ends.jsonl", &log.lines().map(at_their_ends).collect::<String>());
    for args in [
        &["sessions", "show", &path][..],
        &["replay", &path, "--headless"],
        &["replay", &path, "--headless", "--speed", "8", "--idle-limit", "0s"],
        &["analyze", &path],
        &["analyze", &path, "--format", "json"],
        &["export", &path, "--format", "html"],
        &["export", &path, "--format", "cast"],
        &["export", &path, "--format", "csv"],
        &["fork", &path, "--at", "3", "--headless"],
    ] {
        let ran = house.run(args);
        assert!(!ran.err.contains("panicked"), "{args:?}: {}", ran.err);
        assert!(matches!(ran.code, 0 | 1 | 5), "{args:?}: {} {}", ran.code, ran.err);
    }
}
