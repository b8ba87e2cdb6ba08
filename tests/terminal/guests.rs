//! Hostile text from others: wherever it is shown, it has no effect on the terminal and does not imitate the program's
//! own interface.

use crate::allowed::strangers;
use crate::house::House;
use rustix::process::Signal;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

/// Terminal sequences in TOML notation, with text that imitates the program's interface.
const EVIL: &str = r"x\u001b[2J\u001b]52;c;QUFB\u0007\u009b31m\u001bPq\u001b\\\u202e\u0000";
/// The same with lines that imitate the program's interface.
const LINES: &str = r"x\u001b[2J\r\n── ▸ Bo speaking 9s\n 1 Ada  ·  u7\n▎ \u009b5n";

/// Returns a scenario whose names and texts are all hostile.
fn hostile() -> String {
    format!(
        r#"
title = "Evil\u202e ▸ DONE u9/9"
topic = "{LINES}"
[limits]
utterances = 3
[[participant]]
id = "ada"
name = "Ada\u202e ▸ speaking"
role = "\u202e── PAUSED"
persona = "{LINES}"
lines = ["{LINES} {EVIL} &#27;[5n **\u001b[?1049l** [{EVIL}](https://example.org/{EVIL}) `{EVIL}`\n\n```{EVIL}\n{EVIL}\n```\n\n| {EVIL} | b |\n|---|---|\n| c | {EVIL} |"]
pace = 1
[[participant]]
id = "bo"
name = "Bo"
script = ["/bin/sh", "-c", "cat >/dev/null; printf '\\033[2J\\033]0;x\\007 out'; printf '\\033[2J\\233 err\\n' >&2; exit 3"]
"#
    )
}

#[test]
fn nothing_hostile_reaches_the_terminal_from_anywhere() {
    let house = House::new();
    let file = house.file("hos\u{1b}[2Jtile.toml", &hostile());
    let mut program = house.run(&["run", "--trust", &file]);
    program.until("#1");
    program.until("3 turns, 1 reply failed");
    // every list, page and analysis that shows text of others
    for (keys, seen) in [
        ("/keys\r", "VIEW"),
        ("\u{1b}", "/ commands"),
        ("/prompt\r", "Prompt for"),
        ("\u{1b}", "/ commands"),
        ("/versions\r", "PICK"),
        ("\u{1b}", "/ commands"),
        ("/table\r", "At the table"),
        ("\u{1b}", "/ commands"),
        ("/analysis\r", "ANALYSIS"),
        ("2", "TOKENS AND COST"),
        ("4", "EVENTS"),
        ("\u{1b}", "/ commands"),
    ] {
        let frames = program.frames();
        program.keys(keys);
        program.until_sent("\u{1b}[?2026l", frames + 1);
        program.until(seen);
    }
    program.keys("\u{1b}[200~pasted \u{1b}]0;x\u{7} \u{9b}2J\u{1b}[201~");
    program.until("pasted");
    let shown = program.shown();
    // an imitated status line is indented by the speaker's gutter, or is inside a line
    for row in shown.lines().filter(|row| row.contains("▸ Bo speaking 9s")) {
        assert!(!row.starts_with("── ▸ Bo speaking 9s"), "{shown}");
    }
    program.signal(Signal::TERM);
    let mut all = program.left().bytes;
    // as a session on the start screen, and in a replay
    let mut program = house.run(&[]);
    program.until("incomplete, ");
    program.keys("\u{1b}[B");
    program.until("replay");
    program.keys("r");
    program.until("REPLAY");
    program.signal(Signal::TERM);
    let left = program.left();
    left.restored();
    all.extend(left.bytes);
    assert_eq!(strangers(&all), Vec::<String>::new());
}

#[test]
fn a_hostile_theme_is_refused_with_its_line_and_no_harm() {
    let house = House::new();
    let theme = "[meta]\nname = \"x\"\nappearance = \"dark\"\n[roles]\n\"\\u001b[2J\" = \"red\"\n";
    let file = house.file("e\u{1b}[2Jvil.toml", theme);
    let left = house.run(&["demo", "--no-save", "--theme", &file]).left();
    assert_eq!(left.code, 3, "{}", left.told);
    let told = left.told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("vil.toml:5:15: unknown role"), "{told}");
    assert_eq!(strangers(left.told.as_bytes()), Vec::<String>::new());
}

/// A scenario whose log is easy to forge.
const HONEST: &str = r#"
title = "The title"
topic = "The topic"
[limits]
utterances = 2
[[participant]]
id = "ada"
name = "The name"
role = "the role"
lines = ["The words."]
pace = 1
[[participant]]
id = "bo"
lines = ["x"]
pace = 1
"#;

/// Replaces every text of a log that others could have written, and renews the checksums.
fn forged(log: &str) -> String {
    let evil = EVIL.trim_end_matches(r"\u0000");
    let mut forged = log.to_owned();
    for text in [
        "The title",
        "The topic",
        "The name",
        "the role",
        "The words.",
        "place 1 of 2",
        "place 2 of 2",
    ] {
        assert!(log.contains(&format!("\"{text}\"")), "{text} is not in {log}");
        forged = forged.replace(&format!("\"{text}\""), &format!("\"▸ {text} ── {evil}\""));
    }
    let model = format!("\"model\":\"▸ rehearsed ── {evil}\"");
    forged = forged.replace("\"model\":\"rehearsed\"", &model);
    let ended = format!("\"reason\":\"utterance_limit\",\"text\":\"▸ why {evil}\"");
    forged = forged.replace("\"reason\":\"utterance_limit\"", &ended);
    let sealed = |line: &str| {
        let body = line.rsplit_once(",\"crc\":").unwrap().0;
        format!("{body},\"crc\":\"{:08x}\"}}\n", crc32c::crc32c(body.as_bytes()))
    };
    forged.lines().map(sealed).collect()
}

#[test]
fn a_forged_log_acts_on_no_terminal_and_draws_no_part_of_the_program() {
    let house = House::new();
    let talk = house.file("talk.toml", HONEST);
    let ran = house.piped(&["run", &talk, "--headless", "--format", "jsonl"]);
    let file = house.file("forged.jsonl", &forged(&String::from_utf8(ran.stdout).unwrap()));
    let mut all = vec![];
    for args in [&["replay", &file][..], &["replay", &file, "--glyphs", "ascii"]] {
        let mut program = house.run(args);
        program.until("REPLAY");
        program.until("PAUSED");
        program.until("starting");
        program.keys(" ");
        program.until("END");
        program.until("The words.");
        let shown = program.shown();
        assert!(!shown.contains("▸ The name") && !shown.contains("▸ why"), "{shown}");
        for (keys, seen) in [("p", "Prompt for"), ("\u{1b}", "The words."), ("a", "ANALYSIS")] {
            program.keys(keys);
            program.until(seen);
        }
        program.signal(Signal::TERM);
        let left = program.left();
        left.restored();
        all.extend(left.bytes);
    }
    for args in [
        &["replay", &file, "--headless"][..],
        &["export", &file, "--format", "md"],
        &["analyze", &file],
        &["resume", &file, "--headless", "--max-utterances", "3"],
        &["fork", &file, "--headless", "--at", "1"],
    ] {
        let ran = house.piped(args);
        for told in [ran.stdout, ran.stderr] {
            let shown = String::from_utf8(told).unwrap();
            assert!(!shown.contains("▸ The name"), "{args:?}: {shown}");
            all.extend(shown.into_bytes());
        }
    }
    assert_eq!(strangers(&all), Vec::<String>::new());
}

/// Starts a server whose only model has a hostile name, and returns its URL.
fn listing() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
                let body = format!(r#"{{"object":"list","data":[{{"id":"tiny ▸ {EVIL}"}}]}}"#);
                let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json";
                let head = format!("{head}\r\ncontent-length: {}\r\nconnection: close", body.len());
                let _ = write!(stream, "{head}\r\n\r\n{body}");
            });
        }
    });
    url
}

#[test]
fn a_models_name_acts_on_no_terminal_wherever_it_comes_from() {
    let house = House::new();
    let settings = format!("[providers.near]\nwire = \"openai\"\nbase_url = {:?}\n", listing());
    let settings = house.file("settings.toml", &settings);
    let listed = house.piped(&["models", "-c", &settings]);
    let mut all = [listed.stdout, listed.stderr].concat();
    assert!(String::from_utf8_lossy(&all).contains("tiny"), "{}", String::from_utf8_lossy(&all));
    let mut program = house.run(&["-c", &settings]);
    program.until("tiny <U+25B8>");
    program.signal(Signal::TERM);
    all.extend(program.left().bytes);
    let talk = house.file("talk.toml", &HONEST.replace("lines = [\"x\"]\npace = 1\n", ""));
    let model = "near:x ▸ speaking\u{1b}[2J\u{9b}5n\u{202e}";
    let mut program = house.run(&["run", &talk, "--model", model, "-c", &settings]);
    program.until("bo failed");
    program.signal(Signal::TERM);
    all.extend(program.left().bytes);
    assert_eq!(strangers(&all), Vec::<String>::new());
}
