//! `recording` as a voice in a scenario: a session speaks again, without model or network.

use crate::house::House;

/// Returns a home with two rehearsed participants, and the same two with a session as their voice.
fn house() -> House {
    let house = House::new();
    let talk = "title = \"Tea\"\ntopic = \"Tea or coffee?\"\nlimits = { utterances = 4 }\n\
        [[participant]]\nid = \"ada\"\npersona = \"You like tea.\"\nlines = [\"Tea.\", \"Still tea.\"]\n\
        [[participant]]\nid = \"bo\"\nlines = [\"Coffee.\", \"Still coffee.\"]\n";
    house.file("talk.toml", talk);
    house.run(&["run", "talk.toml", "--headless", "--out-session", "tape.jsonl"]).code(0);
    house.file("again.toml", &again(talk));
    house
}

fn again(talk: &str) -> String {
    let voice = |line: &str| {
        if line.starts_with("lines") {
            "recording = \"tape.jsonl\"\n".to_owned()
        } else {
            format!("{line}\n")
        }
    };
    talk.lines().map(voice).collect()
}

fn change(house: &House, from: &str, to: &str) {
    let text = std::fs::read_to_string(house.path("again.toml")).unwrap();
    assert!(text.contains(from));
    house.file("again.toml", &text.replace(from, to));
}

#[test]
fn a_session_speaks_again_and_a_changed_prompt_is_shown_in_words() {
    let house = house();
    let run = ["run", "again.toml", "--headless"];
    let ran = house.run(&run).code(0);
    let words = ["Tea.", "Coffee.", "Still tea.", "Still coffee."];
    let said = |out: &str| words.map(|word| out.contains(&format!("\n  {word}\n")));
    assert_eq!(said(&ran.out), [true; 4], "{}", ran.out);
    assert!(!ran.out.contains("warning") && !ran.err.contains("warning"), "{}{}", ran.out, ran.err);
    assert!(!ran.err.contains("window"), "{}", ran.err);

    change(&house, "like tea", "hate milk");
    let ran = house.run(&run).code(0);
    let why = "warning: the prompt of ada, turn 1 differs from tape.jsonl";
    assert!(ran.err.contains(why), "{}", ran.err);
    for part in [why, "You [-like tea.-] {+hate milk.+}"] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    assert!(!ran.out.contains("the prompt of bo"), "{}", ran.out);
    assert_eq!(said(&ran.out), [true; 4], "{}", ran.out);
}

/// A turn that is missing in the recording is never shown as a connection error.
#[test]
fn a_turn_that_was_not_recorded_is_told() {
    let house = house();
    change(&house, "utterances = 4", "utterances = 5");
    let ran = house.run(&["run", "again.toml", "--headless"]).code(1);
    let why = "tape.jsonl has 2 matching turns of `ada`, but this is turn 3";
    assert!(ran.out.contains(why), "{}", ran.out);
    assert!(!ran.out.contains("connection"), "{}", ran.out);
}

#[test]
fn a_session_that_cannot_speak_is_told_before_anything_starts() {
    for (file, why) in [
        ("none.jsonl", "ada: the recording none.jsonl: could not open none.jsonl"),
        ("../secret.jsonl", "ada: the recording ../secret.jsonl: is outside the folder"),
        ("talk.toml", "ada: the recording talk.toml: "),
    ] {
        let house = house();
        change(&house, "tape.jsonl", file);
        let before = house.sessions().len();
        let ran = house.run(&["run", "again.toml", "--headless"]).code(3);
        assert!(ran.err.contains(why), "{}", ran.err);
        assert_eq!(house.sessions().len(), before, "nothing was begun");
    }
    let house = house();
    change(&house, "id = \"ada\"", "id = \"cy\"");
    let ran = house.run(&["run", "again.toml", "--headless"]).code(3);
    assert!(ran.err.contains("cy: the recording tape.jsonl: has no turns of `cy`"), "{}", ran.err);
    change(&house, "recording =", "lines = [\"x\"]\nrecording =");
    let ran = house.run(&["check", "again.toml"]).code(3);
    assert!(ran.err.contains("is a second voice of \"cy\" beside `lines`"), "{}", ran.err);
}

/// A resumed conversation continues with the next recorded turn.
#[test]
fn a_resumed_conversation_goes_on_where_the_recording_is() {
    let house = house();
    let run = ["run", "again.toml", "--headless", "--max-utterances", "2"];
    house.run(&[&run[..], &["--out-session", "part.jsonl"]].concat()).code(0);
    let ran = house.run(&["resume", "part.jsonl", "--headless", "--max-utterances", "4"]).code(0);
    for words in ["Still tea.", "Still coffee."] {
        assert!(ran.out.contains(&format!("\n  {words}\n")), "{words}: {}", ran.out);
    }
    assert!(!ran.err.contains("warning"), "{}", ran.err);
}

/// A time of day in a prompt does not change later turns: each one is spoken, and variable parts can be declared.
#[test]
fn differences_between_runs_can_be_ignored() {
    let house = house();
    let test = |ignore: &str| {
        format!(
            "scenario = \"talk.toml\"\n[[voice]]\nseat = \"all\"\nrecording = \"tape.jsonl\"\n{ignore}\n\
             [[expect]]\nspeakers = [\"ada\", \"bo\", \"ada\", \"bo\"]\n[[expect]]\nthat = \"utterances[3].text == 'Still coffee.'\"\n"
        )
    };
    let talk = std::fs::read_to_string(house.path("talk.toml")).unwrap();
    let at = |time: &str| talk.replace("Tea or coffee?", &format!("Tea or coffee at {time}?"));
    house.file("talk.toml", &at("10:42"));
    std::fs::remove_file(house.path("tape.jsonl")).unwrap();
    house.run(&["run", "talk.toml", "--headless", "--out-session", "tape.jsonl"]).code(0);
    house.file("talk.toml", &at("11:07"));
    house.file("t.test.toml", &test(""));
    let ran = house.run(&["test"]).code(1);
    for turn in ["ada, turn 1", "bo, turn 1", "ada, turn 2", "bo, turn 2"] {
        assert!(
            ran.out.contains(&format!("the prompt of {turn} matches tape.jsonl")),
            "{}",
            ran.out
        );
    }
    assert!(ran.out.contains("[-10:42?-] {+11:07?+}") && !ran.out.contains("line "), "{}", ran.out);
    house.file("t.test.toml", &test("ignore = \"[0-9]{2}:[0-9]{2}\""));
    house.run(&["test"]).code(0);
}
