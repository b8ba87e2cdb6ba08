//! A conversation on two screens, and one that goes on in the background.

use crate::house::House;

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

/// Keys that leave a conversation to the background: the prefix, then the key of READ.
const DETACH: &str = "\u{18}Z";

/// A message typed on the second screen is on the first; the second one leaves without ending the conversation, and
/// the first one leaves it to the background, where it can be attached to again.
#[test]
fn two_screens_show_one_conversation_which_outlives_both() {
    let house = House::with_defaults();
    let path = house.file("long.toml", LONG);
    let mut first = house.run(&["run", &path]);
    first.until("Good morning");
    let mut second = house.run(&["attach", "--as", "laptop"]);
    second.until("attached as laptop");
    second.keys("Hello from afar.\r");
    first.until("Hello from afar.");
    first.until("from laptop");
    second.until("Hello from afar.");
    second.keys("\u{1b}");
    second.until("q quit");
    second.keys("q");
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
    let house = House::with_defaults();
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
