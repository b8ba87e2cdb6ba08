//! The whole program in a terminal: its display, and the restored terminal on every way to exit.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail where it stands")]

mod allowed;
mod asked;
mod attached;
#[path = "../canary/mod.rs"]
mod canary;
mod connected;
mod editor;
mod exits;
mod exports;
mod failures;
mod guests;
mod handover;
mod house;
mod kills;
mod linear;
mod long;
mod own;
#[path = "../program/mod.rs"]
mod program;
mod quiet;
mod scripted;
mod secrets;
#[path = "../cli/server.rs"]
mod server;
mod talk;
mod trusting;
mod waiting;
mod ways;

use house::House;
use rustix::process::Signal;

const QUICK: &str = r#"
title = "Quick"
[limits]
utterances = 3
[[participant]]
id = "ada"
lines = ["Good morning to you."]
pace = 1
[[participant]]
id = "bo"
lines = ["And a good one to you."]
pace = 1
"#;

#[test]
fn a_talk_is_watched_to_its_limit_and_left() {
    let house = House::new();
    let mut program = house.run(&["run", &house.file("quick.toml", QUICK)]);
    program.until("3 turns, as planned");
    program.until("And a good one to you.");
    program.keys("/more-round\r");
    program.until("5 turns, as planned");
    program.keys("/quit\r");
    let left = program.left();
    assert_eq!(left.code, 0);
    assert!(left.told.contains("5 turns, finished as planned; resume: "), "{}", left.told);
    let listed = house.piped(&["sessions", "list"]).stdout;
    let listed = String::from_utf8_lossy(&listed);
    assert!(listed.contains("  ended ") && !listed.contains("unfinished"), "{listed}");
    left.restored();
}

#[test]
fn left_session_is_resumed() {
    let house = House::new();
    let mut program = house.run(&["demo"]);
    program.until("Ada speaking");
    program.keys("/stop\r");
    program.until("PAUSED");
    program.keys("/quit\r");
    program.left().restored();
    let mut again = house.run(&["resume", "--last"]);
    again.until("stopped by you");
    again.until("PAUSED");
    again.keys("Hello, table\r");
    again.until("Hello, table");
    again.keys("/resume\r");
    again.until("RUNNING");
    again.keys("/quit\r");
    let left = again.left();
    assert_eq!(left.code, 0);
    left.restored();
}

#[test]
fn finished_session_is_opened_for_reading() {
    let house = House::new();
    let file = house.path("quick.jsonl");
    let path = file.to_str().unwrap();
    let talk = house.file("quick.toml", QUICK);
    assert!(house.piped(&["run", &talk, "--headless", "--out-session", path]).status.success());
    let before = std::fs::read_to_string(&file).unwrap();
    let mut program = house.run(&["resume", path]);
    program.until("finished, read-only");
    program.keys("q");
    let left = program.left();
    assert_eq!(left.code, 0);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before, "nothing is written");
    let mut program = house.run(&["resume", path]);
    program.until("finished, read-only");
    program.keys("i");
    program.until("PAUSED");
    program.keys("/more-round\r");
    program.until("of 5");
    program.keys("/quit\r");
    program.left().restored();
    assert!(std::fs::read_to_string(&file).unwrap().starts_with(&before));
}

#[test]
fn every_way_out_gives_the_terminal_back() {
    let house = House::new();
    for (signal, code) in
        [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130), (Signal::QUIT, 131)]
    {
        let mut program = house.run(&["demo", "--no-save"]);
        program.until("Ada waiting");
        program.signal(signal);
        let left = program.left();
        assert_eq!(left.code, code, "{}", left.told);
        left.restored();
    }
    let mut program = house.run(&["demo", "--no-save"]);
    program.until("Ada speaking");
    program.keys("\u{3}");
    program.until("again: leave, not saved");
    assert!(program.shown().contains("RUNNING"), "nobody is stopped: {}", program.shown());
    program.keys("\u{3}");
    let left = program.left();
    assert_eq!(left.code, 0);
    left.restored();
}

#[test]
fn from_the_first_run_to_a_debate_and_home_again() {
    let house = House::new();
    let mut program = house.run(&[]);
    program.until("offline, one minute");
    program.keys("\r");
    program.until("speaking");
    program.keys("/stop\r");
    program.until("PAUSED");
    program.keys("/new\r");
    program.until("offline, one minute");
    assert!(!program.shown().contains("Should cities ban"), "a demo without words of yours");
    program.keys("\u{3}\u{3}");
    let left = program.left();
    assert_eq!(left.code, 0, "{}", left.told);
    left.restored();
}

#[test]
fn a_topic_opens_the_start_screen_and_a_typo_does_not() {
    let house = House::new();
    let mut program = house.run(&["Should we move to Mars?", "--glyphs", "ascii"]);
    program.until("Should we move to Mars?");
    program.until("NO MODEL YET");
    program.keys("\r");
    program.until("1 2 3 choose");
    program.signal(Signal::TERM);
    let left = program.left();
    assert_eq!(left.code, 143, "{}", left.told);
    left.restored();
    let typo = house.run(&["dmeo"]).left();
    assert_eq!(typo.code, 2);
}

#[test]
fn missing_terminal_prints_the_command() {
    let house = House::new();
    let ran = house.piped(&["demo"]);
    assert_eq!(ran.status.code(), Some(2));
    let told = String::from_utf8(ran.stderr).unwrap();
    assert!(
        told.contains("not a terminal") && told.contains("colloquium demo --headless"),
        "{told}"
    );
}
