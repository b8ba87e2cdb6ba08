//! Interaction with the desktop: the window title, a link opened by the system, a pasted key, a recorded conversation.

use crate::allowed::strangers;
use crate::house::{House, Program};
use crate::program::{PROGRAM, until};
use rustix::process::Signal;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const LINKS: &str = r#"
title = "Links"
[limits]
utterances = 1
[[participant]]
id = "ada"
lines = ["See https://a.example/page?x=1 and https://good.example@evil.example/ please."]
pace = 1
[[participant]]
id = "bo"
lines = ["x"]
"#;

/// Runs the program with an `xdg-open` that writes its argument to a file. Returns the file's path too.
fn with_opener(house: &House, args: &str) -> (Program, String) {
    let opened = house.file("opened", "");
    let opener = house.program("xdg-open", &format!("#!/bin/sh\nprintf %s \"$1\" > {opened}\n"));
    let folder = opener.rsplit_once('/').unwrap().0;
    (house.shell(&format!("PATH={folder}:$PATH exec '{PROGRAM}' {args}")), opened)
}

#[test]
fn a_link_is_shown_whole_and_opened_by_the_system_and_the_title_is_safe() {
    let house = House::new();
    let scenario = house.file("links.toml", LINKS);
    let (mut program, opened) = with_opener(&house, &format!("run {scenario}"));
    program.until("1 turn, as planned");
    program.until_sent("\u{1b}]0;DONE Links", 1);
    program.until_sent("\u{1b}]8;;https://a.example/page?x=1\u{1b}\\", 1);
    program.keys("/links\r");
    program.until("PICK");
    program.keys("\r");
    program.until("host        a.example");
    program.keys("\r");
    program.until("opened with xdg-open");
    let is_open = || fs::read_to_string(&opened).unwrap() == "https://a.example/page?x=1";
    until("the link is opened", || is_open().then_some(()));
    program.keys("/links\r");
    program.until("PICK");
    program.keys("good");
    program.until("1 of 1");
    program.keys("\r");
    program.until("Not opened: the part before @ hides the real host");
    program.until("host        evil.example");
    program.signal(Signal::TERM);
    let left = program.left();
    left.restored();
    assert_eq!(strangers(&left.bytes), Vec::<String>::new());
    assert!(!String::from_utf8_lossy(&left.bytes).contains("]8;;https://good"));
    let bytes = String::from_utf8_lossy(&left.bytes).into_owned();
    let kept = bytes.find("\u{1b}[22;2t").unwrap();
    let back = bytes.rfind("\u{1b}[23;2t").unwrap();
    assert!(kept < bytes.find("\u{1b}]0;").unwrap() && bytes.rfind("\u{1b}]0;").unwrap() < back);
}

#[test]
fn a_key_is_pasted_and_never_shown() {
    let house = House::new();
    let mut program = house.run(&[]);
    program.until("bring your own models");
    program.keys("Are trains better?\t");
    program.until("1 2 3 choose");
    program.keys("1\r");
    program.until("paste your key");
    program.keys("\u{1b}[200~sk-canary-of-the-key\n\u{1b}[201~");
    program.until("20 characters");
    program.keys("\r");
    program.until("is saved in");
    program.until("Are trains better?");
    // the first clears the topic
    program.keys("\u{3}\u{3}\u{3}");
    let left = program.left();
    assert!(!String::from_utf8_lossy(&left.bytes).contains("canary"), "the key was shown");
    left.restored();
    let keys = house.path(".config/colloquium/keys");
    let file = fs::read_dir(&keys).unwrap().next().unwrap().unwrap();
    assert_eq!(fs::read_to_string(file.path()).unwrap(), "sk-canary-of-the-key");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let told = house.piped(&["doctor"]);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.contains("keys/") && !told.contains("canary"), "{told}");
}

/// Returns the files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    entries.flat_map(|entry| below(entry.path())).collect()
}

#[test]
fn a_key_typed_into_a_topic_or_a_filter_is_in_no_file() {
    let house = House::new();
    house.file("own.txt", "");
    let mut program = house.run(&[]);
    program.until("offline, one minute");
    program.keys("Is sk-canary-0of-the-key mine?\r");
    program.until("take it out of the topic first");
    program.keys("\u{3}\t\r");
    program.until("Who sits at the table?");
    program.keys("sk-canary-0of-the-key");
    program.until("21 characters");
    program.keys("\u{1b}");
    program.until("who sits there");
    program.keys("\u{3}\u{3}");
    let left = program.left();
    assert!(!String::from_utf8_lossy(&left.bytes).contains("canary"), "the key was shown");
    left.restored();
    let files = files(&house.path(""));
    assert!(!files.is_empty());
    for file in files {
        let text = fs::read(&file).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&text).contains("canary"), "{}", file.display());
    }
}

#[test]
fn a_recorded_talk_plays_from_the_first_page() {
    let house = House::new();
    let mut program = house.run(&[]);
    program.until("A library without");
    program.keys("\u{1b}[B\r");
    program.until("REPLAY");
    program.keys("q");
    // back on the screen where the replay was started
    program.until("offline, one minute");
    program.keys("\u{3}\u{3}");
    let left = program.left();
    assert_eq!(left.code, 0, "{}", left.told);
    left.restored();
}
