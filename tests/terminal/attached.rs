//! A conversation on two screens, and one that goes on in the background.

use crate::house::House;
use rustix::process::{Pid, Signal, kill_process};

/// A conversation of many short turns, slow enough to be seen.
const LONG: &str = r#"
title = "Long"
[limits]
utterances = 4000
[[participant]]
id = "ada"
name = "Ada"
lines = ["Good morning to you, and to all of you who came here today."]
pace = 60
[[participant]]
id = "bo"
name = "Bo"
lines = ["Good evening, then, and thanks for all the words of the morning."]
pace = 60
"#;

/// Line that leaves a conversation to the background.
const DETACH: &str = "/detach\r";

/// A message typed on the second screen is on the first; the second one leaves without ending the conversation, and
/// the first one leaves it to the background, where it can be attached to again.
#[test]
fn two_screens_show_one_conversation_which_outlives_both() {
    let house = House::new();
    let path = house.file("long.toml", LONG);
    let mut first = house.run(&["run", &path]);
    first.until("Good morning");
    let mut second = house.run(&["attach", "--as", "laptop"]);
    second.until("attached as laptop");
    second.keys("Hello from afar.\r");
    first.until("Hello from afar.");
    first.until("from laptop");
    second.until("Hello from afar.");
    second.keys("/quit\r");
    let left = second.left();
    assert_eq!(left.code, 0, "{}", left.told);
    assert!(left.told.contains("the conversation goes on; attach again: "), "{}", left.told);
    first.keys(DETACH);
    let left = first.left();
    assert_eq!(left.code, 0, "{}", left.told);
    assert!(left.told.contains("it runs in the background; attach: "), "{}", left.told);
    let list = |house: &House| {
        let list = house.piped(&["sessions", "list", "--json"]);
        let all: serde_json::Value = serde_json::from_slice(&list.stdout).unwrap();
        all[0].clone()
    };
    let listed = list(&house);
    assert_eq!(listed["state"], "running", "{listed}");
    let mut third = house.run(&["attach", "--read-only"]);
    third.until("watching as guest");
    third.until("Good");
    let stopped = house.piped(&["stop", listed["id"].as_str().unwrap()]);
    assert_eq!(stopped.status.code(), Some(0), "{}", String::from_utf8_lossy(&stopped.stderr));
    third.keys("q");
    third.left();
    let log = std::fs::read_to_string(listed["path"].as_str().unwrap()).unwrap();
    assert!(log.contains("\"conversation.reopened\"") && log.contains("Hello from afar."), "{log}");
    let seqs = log.lines().map(|line| {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        event["seq"].as_u64().unwrap()
    });
    assert!(seqs.enumerate().all(|(n, seq)| n as u64 == seq), "no event is lost or doubled");
}

/// Without a screen, a conversation is left to the background in the same way.
#[test]
fn the_text_mode_leaves_a_conversation_to_the_background() {
    let house = House::new();
    let path = house.file("long.toml", LONG);
    let mut program = house.run(&["run", &path, "--accessible"]);
    program.until("Good morning");
    program.keys("/detach\r");
    program.until("detaching after the current turn");
    let left = program.left();
    assert_eq!(left.code, 0, "{}", left.told);
    assert!(left.told.contains("it runs in the background; attach: "), "{}", left.told);
    let list = house.piped(&["sessions", "list", "--json"]);
    let listed: serde_json::Value = serde_json::from_slice(&list.stdout).unwrap();
    assert_eq!(listed[0]["state"], "running", "{listed}");
    let id = listed[0]["id"].as_str().unwrap();
    let stopped = house.piped(&["stop", id]);
    assert_eq!(stopped.status.code(), Some(0), "{}", String::from_utf8_lossy(&stopped.stderr));
}

/// After a kill of the engine, an attached screen says so, and the session goes on exactly.
#[test]
fn an_attached_screen_reports_that_the_engine_is_gone() {
    let house = House::new();
    let path = house.file("long.toml", LONG);
    let started = house.piped(&["run", &path, "--detach"]);
    let id = String::from_utf8_lossy(&started.stdout).trim().to_owned();
    let mut screen = house.run(&["attach", "--as", "laptop"]);
    screen.until("attached as laptop");
    let of_talk = |entry: &std::fs::DirEntry| {
        let line = std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
        line.contains(&path) && line.contains("--background")
    };
    let engine = std::fs::read_dir("/proc").unwrap().flatten().find(of_talk).unwrap();
    let pid = engine.file_name().to_str().unwrap().parse().unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    let left = screen.left();
    assert_eq!(left.code, 6, "{}", left.told);
    let told = left.told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("the process that ran the conversation is gone"), "{told}");
    assert!(told.contains(&format!("resume {id}")), "{told}");
    let resumed = house.piped(&["resume", &id, "--detach"]);
    assert_eq!(resumed.status.code(), Some(0), "{}", String::from_utf8_lossy(&resumed.stderr));
    let stopped = house.piped(&["stop", &id]);
    assert_eq!(stopped.status.code(), Some(0), "{}", String::from_utf8_lossy(&stopped.stderr));
}
