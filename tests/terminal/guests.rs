//! Guests who mean harm: whatever others wrote, wherever it is shown, acts on no terminal and passes for no part of the
//! program's own.

use crate::allowed::strangers;
use crate::house::House;
use rustix::process::Signal;

/// What acts on terminals, as TOML spells it, with what looks like the program's own parts.
const EVIL: &str = r"x\u001b[2J\u001b]52;c;QUFB\u0007\u009b31m\u001bPq\u001b\\\u202e\u0000";
/// The same, and lines that look like the program's own.
const LINES: &str = r"x\u001b[2J\r\n── ▸ Bo speaking 9s\n 1 Ada  ·  u7\n▎ \u009b5n";

/// A talk in which everything that can be named is named so.
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
    program.until("u1");
    program.until("the limit of 3 utterances is reached");
    // every list, page and figure that shows others' words
    for (keys, seen) in [
        ("?", "LIST"),
        ("\u{1b}", "TABLE"),
        ("g", "Bo"),
        ("p", "was shown"),
        ("\u{1b}", "TABLE"),
        ("z", "esc close"),
        ("\u{1b}", "TABLE"),
        ("u", "TABLE"),
        ("\u{1b}", "TABLE"),
        ("C", "esc close"),
        ("\u{1b}", "TABLE"),
        ("a", "FIGURES"),
        ("2", "TOKENS AND COST"),
        ("4", "EVENTS"),
        ("\u{1b}", "TABLE"),
        ("i", "PEN"),
    ] {
        let frames = program.frames();
        program.keys(keys);
        program.until_sent("\u{1b}[?2026l", frames + 1);
        program.until(seen);
    }
    program.keys("\u{1b}[200~pasted \u{1b}]0;x\u{7} \u{9b}2J\u{1b}[201~");
    program.until("pasted");
    let shown = program.shown();
    // what looks like the program's own line stands behind the gutter of whoever said it, or within a line of it
    for row in shown.lines().filter(|row| row.contains("▸ Bo speaking 9s")) {
        assert!(!row.starts_with("── ▸ Bo speaking 9s"), "{shown}");
    }
    program.signal(Signal::TERM);
    let mut all = program.left().bytes;
    // as a session on the start screen, and played again
    let mut program = house.run(&[]);
    program.until("Recent");
    program.until("not ended");
    program.keys("\t\t\t");
    program.until("replay");
    program.keys("r");
    program.until("REPLAY");
    program.until("recorded 20");
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
    assert!(left.told.contains("vil.toml:5:15: there is no role"), "{}", left.told);
    assert_eq!(strangers(left.told.as_bytes()), Vec::<String>::new());
}
