//! Queries to the terminal at the start. Answers are never mistaken for keys.

use crate::house::House;

/// The last query, which every terminal answers.
const QUESTION: &str = "\u{1b}[c";
const LIGHT: &str = "\u{1b}]11;rgb:fafa/fafa/fafa\u{1b}\\\u{1b}[?0u\u{1b}[?62;22c";
const DARK: &str = "\u{1b}]11;rgb:1010/1010/1414\u{7}\u{1b}[?62;22c";

#[test]
fn the_colours_are_right_for_the_ground_that_the_terminal_tells() {
    let house = House::new();
    // the nearest of the 256 colours to the theme's green on each background
    for (answer, green, newline) in
        [(LIGHT, "1;38;5;22m", "shift-enter"), (DARK, "1;38;5;114m", "ctrl-j")]
    {
        let mut program = house.run(&["demo", "--no-save"]);
        // before the program asks: it waits for a tenth of a second, and this machine may be slower
        program.keys(answer);
        program.until_sent(QUESTION, 1);
        program.until("Ada speaking");
        program.until_sent("\u{1b}[?2026l", 2);
        assert!(program.sent().contains(green), "{answer:?} {:?}", program.sent());
        program.keys("so");
        program.until(&format!("{newline} new line"));
        assert_eq!(program.sent().contains("\u{1b}[>5u"), answer == LIGHT, "its keyboard");
        // the first clears the draft
        program.keys("\u{3}\u{3}\u{3}");
        let left = program.left();
        left.restored();
        assert_eq!(left.keyboards(), 0, "what was pushed was popped");
    }
}

#[test]
fn late_answer_of_the_terminal_is_not_a_key() {
    let house = House::new();
    let mut program = house.run(&["demo", "--no-save"]);
    program.until("Ada speaking");
    program.keys(LIGHT);
    program.keys("so");
    program.until("\u{2502}  so");
    assert!(!program.shown().contains("rgb"));
    program.signal(rustix::process::Signal::TERM);
    program.left().restored();
}

#[test]
fn a_named_theme_or_a_far_terminal_is_not_asked() {
    let house = House::new();
    let mut program = house.run(&["demo", "--no-save", "--theme", "nord"]);
    program.until("Ada speaking");
    assert!(!program.sent().contains(QUESTION));
    program.keys("/stop\r");
    program.until("PAUSED");
    program.keys("/quit\r");
    program.left().restored();
}

#[test]
fn cut_terminal_answer_leaves_nothing_in_the_composer() {
    let house = House::new();
    // within the colour, before its end, within the flags, within the last answer
    for (at, rest_comes) in [(2, true), (13, true), (24, true), (28, true), (34, true), (13, false)]
    {
        let (came, rest) = LIGHT.split_at(at);
        let mut program = house.run(&["demo", "--no-save"]);
        program.keys(came);
        program.until_sent(QUESTION, 1);
        program.until("Ada speaking");
        program.keys(if rest_comes { rest } else { "" });
        program.keys("so");
        program.until("\u{2502}  so");
        let shown = program.shown();
        assert!(!shown.contains("rgb") && !shown.contains("fafa"), "{came:?}: {shown}");
        program.signal(rustix::process::Signal::TERM);
        program.left().restored();
    }
}

#[test]
fn reports_of_the_terminal_type_nothing_and_lines_at_once_are_a_paste() {
    let house = House::new();
    let mut program = house.run(&["demo", "--no-save"]);
    program.until("Ada speaking");
    for whole in
        ["\u{1b}P>|tmux 3.4\u{1b}\\", "\u{1b}]52;c;aGVsbG8=\u{1b}\\", "\u{1b}_Gi=31;OK\u{1b}\\"]
    {
        program.keys(whole);
    }
    program.keys("so");
    program.until("\u{2502}  so");
    program.keys("\u{1b}");
    program.keys("[<64;10;10M");
    program.keys(" on");
    program.until("\u{2502}  so on");
    program.keys(", one\rtwo\rthree");
    program.until("three");
    let shown = program.shown();
    assert!(shown.contains("\u{2502}  so on, one"), "nothing was sent: {shown}");
    program.signal(rustix::process::Signal::TERM);
    program.left().restored();
}

#[test]
fn keypads_other_keyboards_and_a_paste_without_its_end_keep_all_keys() {
    let house = House::new();
    let mut program = house.run(&["demo", "--no-save"]);
    program.until("Ada speaking");
    // digits and signs of a keypad in application mode, cut at every byte
    for byte in "so \u{1b}Op\u{1b}Oy\u{1b}Ok\u{1b}[57404u".chars() {
        program.keys(&byte.to_string());
    }
    program.until("\u{2502}  so 09+5");
    program.keys("\u{1b}[200~, one\rtwo");
    program.until("two");
    assert!(program.shown().contains("\u{2502}  so 09+5, one"), "{}", program.shown());
    // Ctrl-C of xterm's modifyOtherKeys, of a Georgian keyboard, and as ever
    for byte in "\u{1b}[27;5;99~\u{1b}[4330::99;5u\u{3}".chars() {
        program.keys(&byte.to_string());
    }
    program.left().restored();
}
