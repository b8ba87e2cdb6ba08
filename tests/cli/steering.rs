//! Steering without a screen: from a file, from standard input, and requests that wait for the operator.

use crate::house::{House, end, read_until, talk};
use std::io::{BufReader, Write};
use std::process::Stdio;

const QUESTION: &str =
    r#"{"during":{"utterance":2,"words":5},"do":"cut_in","text":"Who pays for it?"}"#;

#[test]
fn cut_in_changes_the_next_reply() {
    let house = House::new();
    let file = house.file("steer.jsonl", &format!("# a question\n\n{QUESTION}\n"));
    let from_file = house.run(&["demo", "--headless", "--steer", &file]).code(0);
    let from_stdin = house.fed(&["demo", "--headless", "--steer", "-"], QUESTION).code(0);
    for ran in [&from_file, &from_stdin] {
        assert!(ran.out.contains("\n[2] Bo (joiner), cut off\n  Ada, I was one"), "{}", ran.out);
        assert!(ran.out.contains("\n[after 2] you cut in\n  Who pays for it?\n"), "{}", ran.out);
        assert!(ran.out.contains("\n[3] Bo (joiner)\n  \"Who pays for it?\""), "{}", ran.out);
    }
    // on standard input somebody may still raise the limit, so that it is reported
    let noted = "\n-- limit reached: 10 turns\n";
    let talk = from_stdin.out.replace(noted, "").replace("finished as", "10 turns, as");
    assert_eq!(from_file.out, talk, "the same deeds, the same talk");
    let again = house.fed(&["demo", "--headless", "--steer", "-"], QUESTION).code(0);
    assert_eq!(again.out, from_stdin.out);
}

/// Nobody hears the rest of a line that was cut, so its speaker goes on before the others answer it.
#[test]
fn a_rehearsed_speaker_cut_in_early_goes_on_with_the_sentence() {
    let house = House::new();
    let cut = |words: u32, text: &str| {
        let during = format!(r#"{{"utterance":2,"words":{words}}}"#);
        let line = format!(r#"{{"during":{during},"do":"cut_in","text":"{text}"}}"#);
        let file = house.file("steer.jsonl", &line);
        house.run(&["demo", "--headless", "--steer", &file]).code(0).out
    };
    let early = cut(20, "Who pays for it?");
    let (before, after) = early.split_once("\n[3] Bo (joiner)\n").expect(&early);
    assert!(before.contains("and a door for a lady on\n"), "{early}");
    assert!(after.contains("\n  Transit van, forty kilos of glue, and a door for a lady on the"));
    assert!(!after.contains("one of your 412") && after.contains("\n[4] Cy"), "{early}");
    assert!(cut(66, "Who pays for it?").contains("\n[3] Cy "), "after two thirds it is said");
    let other = cut(20, "Who pays for it, @cy?");
    assert!(other.contains("\n[3] Cy "), "the words are for another: {other}");
}

#[test]
fn a_bad_line_stops_a_file_and_not_standard_input() {
    let house = House::new();
    let file = house.file("steer.jsonl", "{\"do\":\"pause\"}\n{\"do\":\"pausee\"}\nno\n");
    let ran = house.run(&["demo", "--headless", "--steer", &file]).code(3);
    assert!(
        ran.err.contains("steer.jsonl, line 2: no command `pausee`; the nearest is `pause`"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("steer.jsonl, line 3: "), "{}", ran.err);
    assert_eq!(ran.out, "");
    let names = "{\"when\":\"trun_count > 1\",\"do\":\"pause\"}\n{\"when\":\"last\",\"do\":\"pause\"}\n\
                 {\"when\":\"topic | lowr\",\"do\":\"pause\"}\n";
    let file = house.file("names.jsonl", names);
    let ran = house.run(&["demo", "--headless", "--steer", &file]).code(3);
    for expected in [
        "line 1: `when`, character 1: unknown name `trun_count`; the nearest is `turn_count`",
        "line 2: `when`, character 1: `last` is known only to rehearsed lines",
        "line 3: `when`, character 9: no filter `lowr`; the nearest is `lower`",
    ] {
        assert!(ran.err.contains(expected), "{expected}: {}", ran.err);
    }
    let ran = house.fed(&["demo", "--headless", "--steer", "-"], names).code(0);
    assert!(ran.out.contains("unknown name `trun_count`"), "{}", ran.out);
    let ran =
        house.fed(&["demo", "--headless", "--steer", "-"], "{\"do\":\"pausee\"}\nno\n").code(0);
    assert!(ran.out.contains("-- pausee refused: no command `pausee`"), "{}", ran.out);
    assert!(ran.out.contains("-- a steering line refused: not JSON"), "{}", ran.out);
}

#[test]
fn byte_order_mark_is_accepted_and_empty_text_rejected() {
    let house = House::new();
    let lines = "\u{feff}{\"do\":\"mark\",\"text\":\"seen\"}\r\n\r\n";
    let file = house.file("steer.jsonl", lines);
    let history = house.file("history.json", "\u{feff}[{\"role\":\"user\",\"content\":\"Hm.\"}]");
    let path = house.file("talk.toml", &talk(1, 3));
    let by_file = house.run(&["run", &path, "--headless", "--steer", &file]).code(0);
    let long = format!("{{\"do\":\"say\",\"text\":\"{}\"}}", "x".repeat(70_000));
    let input = format!(
        "{lines}{{\"do\":\"say\",\"text\":\" \"}}\n{{\"do\":\"edit\",\"utterance\":1,\"text\":\"x\"}}\n{long}\n"
    );
    let by_stdin = house.fed(&["run", &path, "--headless", "--steer", "-"], &input).code(0);
    assert!(by_file.out.contains("-- mark: seen") && by_stdin.out.contains("-- mark: seen"));
    for told in [
        "-- say refused: `text` is empty",
        "-- edit refused: no turn 1; none has ended yet",
        "-- a steering line refused: the line is longer than 64 KiB",
    ] {
        assert!(by_stdin.out.contains(told), "{told}: {}", by_stdin.out);
    }
    house.run(&["run", &path, "--headless", "--history", &history]).code(0);
}

#[test]
fn human_seat_needs_a_stand_in_or_steering() {
    let house = House::new();
    let seat = "[[participant]]\nid = \"eve\"\nname = \"Eve\"\nhuman = true\n";
    let human = format!("{}{seat}", talk(3, 3));
    let path = house.file("human.toml", &human);
    house.run(&["run", &path, "--headless"]).code(3);
    let stand_in =
        house.file("stand_in.toml", &format!("{human}stand_in = {{ lines = [\"I pass.\"] }}\n"));
    let ran = house.run(&["run", &stand_in, "--headless"]).code(0);
    assert!(ran.out.contains("[3] Eve, a stand-in\n  I pass.\n"), "{}", ran.out);
    let words = r#"{"during":{"utterance":3},"do":"speak","who":"eve","text":"Here I am."}"#;
    let steer = house.file("steer.jsonl", words);
    let by_file = house.run(&["run", &path, "--headless", "--steer", &steer]).code(0);
    let by_stdin = house.fed(&["run", &path, "--headless", "--steer", "-"], words).code(0);
    for ran in [by_file, by_stdin] {
        assert!(ran.out.contains("-- your turn as Eve\n"), "{}", ran.out);
        assert!(ran.out.contains("[3] Eve\n  Here I am.\n"), "{}", ran.out);
    }
    let nothing = house.file("nothing.jsonl", r#"{"do":"mark"}"#);
    let ran = house.run(&["run", &path, "--headless", "--steer", &nothing]).code(1);
    assert!(
        ran.err.contains("eve has the floor") && ran.err.contains("colloquium resume"),
        "{}",
        ran.err
    );
}

#[test]
fn a_manual_table_is_led_by_its_steer_file() {
    let house = House::new();
    let path = house
        .file("manual.toml", &talk(4, 3).replacen("[limits]", "policy = \"manual\"\n[limits]", 1));
    house.run(&["run", &path, "--headless"]).code(3);
    let steer = house.file(
        "steer.jsonl",
        "{\"do\":\"floor\",\"to\":\"bo\"}\n{\"after\":{\"utterance\":1},\"do\":\"floor\",\"to\":\"ada\"}\n\
         {\"after\":{\"utterance\":2},\"do\":\"end\"}\n",
    );
    let ran = house.run(&["run", &path, "--headless", "--steer", &steer]).code(0);
    let at = |text: &str| ran.out.find(text).unwrap_or_else(|| panic!("{text}: {}", ran.out));
    assert!(at("[1] Bo") < at("[2] Ada") && at("[2] Ada") < at("-- ended by you"));
}

#[test]
fn every_way_of_speaking_is_told_apart() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(4, 6));
    let steer = house.file(
        "steer.jsonl",
        r#"{"after":{"utterance":1},"id":"go","do":"say","text":"Go on."}
{"after":{"utterance":1},"do":"whisper","to":"bo","text":"Be brief."}
{"after":{"utterance":2},"do":"speak_as","who":"ada","text":"I give in."}
{"after":{"utterance":2},"do":"note","to":"bo","text":"Be kind."}
{"after":{"utterance":2},"do":"edit","utterance":2,"text":"Better."}
{"after":{"utterance":2},"do":"mute","who":"ada"}
{"after":{"utterance":3},"do":"reroll"}
{"after":{"utterance":3},"do":"hide","utterance":1,"text":"wrong"}
{"after":{"utterance":3},"do":"choose","utterance":3,"alternative":1}
{"after":{"utterance":3},"do":"drop_queued","of":"go"}
"#,
    );
    let ran = house.run(&["run", &path, "--headless", "--steer", &steer]).code(0);
    for told in [
        "[after 1] you\n  Go on.",
        "[after 1] you whispered to Bo\n  Be brief.",
        "[after 2] Ada, written by you\n  I give in.",
        "[after 2] your note to Bo, for the next turn\n  Be kind.",
        "[2] Bo, edited by you\n  Better.",
        "-- Ada muted",
        "[3] Bo, retried (version 2)",
        "-- turn 1 hidden: wrong",
        "-- version 1 of turn 3 chosen",
        "-- drop_queued came too late: ",
    ] {
        assert!(ran.out.contains(told), "{told}: {}", ran.out);
    }
    let shown = house.run(&["sessions", "show", "--last"]).code(0).out;
    assert!(shown.contains("[1] Ada, hidden\n\n") && !shown.contains("A1"), "{shown}");
}

#[test]
fn while_standard_input_is_open_somebody_may_still_act() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(2, 3));
    let mut command = house.command(&["run", &path, "--headless", "--steer", "-"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut operator = child.stdin.take().unwrap();
    read_until(&mut out, &["-- limit reached: 2 turns"]);
    writeln!(operator, r#"{{"do":"limit","set":{{"utterances":3}}}}"#).unwrap();
    read_until(&mut out, &["[3] Ada"]);
    read_until(&mut out, &["-- limit reached: 3 turns"]);
    drop(operator);
    read_until(&mut out, &["-- finished as planned"]);
    end(child).code(0);
}

#[test]
fn a_line_whose_moment_never_comes_is_told_and_may_come_after_a_resume() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(2, 3));
    let late = r#"{"after":{"utterance":3},"do":"mark","text":"third","id":"m3"}"#;
    let lines = format!("{late}\n{{\"after\":{{\"utterance\":1}},\"do\":\"mark\"}}\n");
    let steer = house.file("steer.jsonl", &lines);
    let out = house.path("x.jsonl").to_str().unwrap().to_owned();
    let ran = house.run(&["run", &path, "--headless", "--steer", &steer, "--out-session", &out]);
    let ran = ran.code(0);
    assert_eq!(ran.err.matches("never fired").count(), 1, "{}", ran.err);
    assert!(ran.err.contains("never fired: {\"after\":{\"utterance\":3},"), "{}", ran.err);
    let told = "too late: the conversation ended first: {\"after\"";
    assert!(ran.out.contains(told), "{}", ran.out);
    let log = std::fs::read_to_string(&out).unwrap();
    let receipt = log.lines().find(|l| l.contains("\"too_late\"")).unwrap();
    assert!(receipt.contains("\"id\":\"m3\""), "{receipt}");
    let on = ["resume", &out, "--headless", "--max-utterances", "4", "--steer", &steer];
    let ran = house.run(&on).code(0);
    assert!(!ran.err.contains("never due") && ran.out.contains("-- mark: third"), "{}", ran.out);
}

/// An open pipe is read like a file, as the shell passes it in `--steer <(...)`.
#[test]
fn a_pipe_is_read_as_a_steer_file() {
    let house = House::new();
    let lines = format!("{QUESTION}\n");
    let ran = house.fed(&["demo", "--headless", "--steer", "/dev/stdin"], &lines).code(0);
    assert!(ran.out.contains("[after 2] you cut in\n  Who pays for it?"), "{}", ran.out);
}

#[test]
fn a_name_behind_a_wide_sign_has_the_floor() {
    let house = House::new();
    let seat =
        |id: &str| format!("[[participant]]\nid = {id:?}\nname = {id:?}\nlines = [\"a\", \"b\"]\n");
    let talk = house.file(
        "talk.toml",
        &format!("title = \"t\"\n[limits]\nutterances = 1\n{}{}", seat("ada"), seat("bo")),
    );
    let steer = house.file("steer.jsonl", "{\"do\":\"say\",\"text\":\"＠bo what?\"}\n");
    let ran = house.run(&["run", &talk, "--headless", "--steer", &steer]).code(0);
    assert!(ran.out.contains("[1] bo\n"), "{}", ran.out);
}
