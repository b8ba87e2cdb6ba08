//! Drafts in an external editor: it gets the terminal, and the draft survives even if the editor fails.

use crate::house::{House, Program};
use crate::program::{HANG, PROGRAM};
use rustix::process::Signal;
use std::time::Instant;

#[test]
fn a_draft_goes_to_the_editor_and_comes_back() {
    let house = House::new();
    let seen = house.file("seen", "");
    let script =
        house.file("editor.sh", &format!("cat \"$1\" > {seen}; printf ' and more' >> \"$1\"\n"));
    let mut program = with_editor(&house, &format!("sh {script}"));
    program.until("Ada speaking");
    program.keys("Hello\u{1b}e");
    program.until_sent("\u{1b}[?1049h", 2);
    program.until("Hello and more");
    program.keys("!");
    program.until("Hello and more!");
    assert_eq!(std::fs::read_to_string(&seen).unwrap(), "Hello");
    program.signal(Signal::TERM);
    program.left().restored();
}

#[test]
fn an_editor_that_fails_or_empties_the_file_leaves_the_draft() {
    let house = House::new();
    for (editor, told) in [
        ("false", "false failed"),
        ("truncate -s 0", "the file was empty"),
        ("/nowhere/editor", "failed"),
        ("", "set EDITOR"),
    ] {
        let mut program = with_editor(&house, editor);
        program.until("Ada speaking");
        program.keys("Keep me\u{1b}e");
        program.until(told);
        program.until("Keep me");
        program.signal(Signal::TERM);
        program.left().restored();
    }
}

/// Runs the demo with an editor configured.
fn with_editor(house: &House, editor: &str) -> Program {
    house.shell(&format!("EDITOR='{editor}' exec '{PROGRAM}' demo --no-save"))
}

#[test]
fn a_draft_is_there_again_when_the_session_goes_on() {
    let house = House::new();
    let mut program = house.run(&["demo"]);
    program.until("Ada speaking");
    program.keys("/stop\r");
    program.until("PAUSED");
    program.keys("not said yet\u{10}");
    program.until("of 47");
    program.keys("quit\r");
    assert_eq!(program.left().code, 0);
    let mut again = house.run(&["resume", "--last"]);
    again.until("not said yet");
    again.keys(", until now");
    again.until("not said yet, until now");
    let draft = house.path(".local/state/colloquium/draft.json");
    let begun = Instant::now();
    while !std::fs::read_to_string(&draft).is_ok_and(|draft| draft.contains("yet, until now")) {
        assert!(begun.elapsed() < HANG, "the draft is not saved");
        std::thread::yield_now();
    }
    again.signal(Signal::KILL);
    again.left();
    let mut last = house.run(&["resume", "--last"]);
    last.until("not said yet, until now");
    last.signal(Signal::TERM);
    last.left().restored();
}
