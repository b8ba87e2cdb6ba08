//! Accessible mode without a screen: a conversation as append-only text, started, steered and ended by numbers and
//! commands.

use crate::house::House;
use crate::program::PROGRAM;

#[test]
fn a_talk_is_begun_steered_and_ended_by_numbers() {
    let house = House::new();
    let mut program = house.run(&["--accessible"]);
    program.until("(--accessible)");
    program.until("5 quit");
    program.keys("2\r");
    program.until("Topic?");
    program.keys("\r");
    // the list of scenarios is longer than the terminal
    program.until("planner-executor: ");
    program.keys("1\r");
    program.until("Which models?");
    program.keys("sk-ant-0123456789abcdef\r");
    program.until("This looks like a key");
    program.keys("\r");
    program.until("And you?");
    program.keys("1\r");
    program.until("Begin?");
    program.keys("\r");
    program.until("Accessible mode");
    // pause first, so that no output arrives while typing
    program.keys("/pause now\r");
    program.until("-- paused");
    program.keys("\r");
    program.until(" 9 /vote");
    program.keys("1\r");
    program.until("-- paused by you");
    program.keys("7\r");
    program.until("Who?");
    program.keys("2\r");
    program.until("What text?");
    program.keys("Be brief.\r");
    program.until("you whispered to");
    program.keys("Hello to all of you.\r");
    program.until("] you");
    program.keys("/vote\r");
    program.until("What is the question?");
    program.keys("Shall we?\r");
    program.until("Options, separated by");
    program.keys("\r");
    program.until("Shall we?");
    program.keys("/step\r");
    program.until("resumed for one turn");
    program.keys("\r");
    program.until("10 /end");
    program.keys("10\r");
    program.until("closing statements");
    program.keys("2\r");
    program.until("-- ended by you");
    let left = program.left();
    assert_eq!(left.code, 0);
    assert!(left.told.contains("ended by you"), "{}", left.told);
    assert!(!left.told.contains('\u{1b}'), "nothing but text");
}

const PERSON: &str = r#"
title = "With a person"
[limits]
utterances = 3
[[participant]]
id = "ada"
lines = ["Good morning to you."]
pace = 1
[[participant]]
id = "me"
name = "Me"
human = true
"#;

#[test]
fn a_person_at_the_table_is_asked_and_a_dumb_terminal_is_enough() {
    let house = House::new();
    let scenario = house.file("person.toml", PERSON);
    let command = format!("TERM=dumb exec '{PROGRAM}' run {scenario}");
    let mut program = house.shell(&command);
    program.until("(TERM=dumb)");
    program.until("your turn as Me: type your message, or /pass");
    program.keys("I am here.\r");
    program.until("[2] Me");
    program.until("limit reached: 3 turns");
    program.keys("/more\r");
    program.until("your turn as Me");
    program.keys("/detach\r");
    program.until("cannot detach: Me speaks at this screen");
    program.keys("/flor 1\r");
    program.until("the nearest is /floor");
    program.keys("/leave\r");
    let left = program.left();
    assert_eq!(left.code, 0);
    assert!(left.told.contains("resume: colloquium resume"), "{}", left.told);
    assert!(!left.told.contains('\u{1b}'), "nothing but text");
}

const SLOW: &str = r#"
title = "Slow"
[[participant]]
id = "bo"
lines = ["Good morning."]
pace = 1
[[participant]]
id = "ada"
lines = ["Good morning to you, and to everybody who has come here today from near and far."]
pace = 5000
"#;

#[test]
fn ctrl_c_stops_the_gentlest_thing_first_and_leaves_only_at_the_second_in_a_row() {
    let house = House::new();
    let scenario = house.file("slow.toml", SLOW);
    let mut program = house.run(&["--accessible", "run", &scenario]);
    // the next participant has the floor as soon as this is shown
    program.until("Good morning.");
    program.keys("/status\r");
    program.until("-- running: ada");
    program.keys("\u{3}");
    program.until("-- paused");
    program.keys("/whisper\r");
    program.until("Who?");
    program.keys("\u{3}");
    program.until("question cancelled");
    program.keys("\u{3}");
    program.until("press ctrl-c again to quit (saved)");
    program.keys("\u{3}");
    let left = program.left();
    assert_eq!(left.code, 0);
    assert!(left.told.contains("not ended; resume: colloquium resume"), "{}", left.told);
}
