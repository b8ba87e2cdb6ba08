//! Printed output: three formats, lines identical to the file's, and equal bytes in two runs.

use crate::house::{House, talk};
use std::fs;

#[test]
fn the_demo_reads_well_as_text_and_markdown() {
    let house = House::new();
    let text = house.run(&["demo", "--headless"]).code(0);
    assert!(
        text.out
            .starts_with("Should cities ban private cars?\nrehearsed demo: no model was called\n"),
        "{}",
        text.out
    );
    assert!(text.out.contains("\n[1] Ada (transport planner)\n  I'll start with a Tuesday."));
    assert!(text.out.ends_with("-- 9 turns, as planned\n\n"));
    assert_eq!(text.out.matches("9 turns").count(), 1, "{}", text.out);
    assert!(text.err.starts_with("session: 20260101-000000-000000 ("), "{}", text.err);
    assert!(text.err.contains("\nrehearsed demo: no model was called\n"), "{}", text.err);
    assert!(text.err.contains("saved: 20260101-000000-000000, 9 turns, finished as planned"));
    let hint = "resume: colloquium resume 20260101-000000-000000 --headless --max-turns 18\n";
    assert!(text.err.ends_with(hint), "{}", text.err);
    let words: Vec<&str> = hint.trim().split(' ').skip(2).collect();
    assert!(house.run(&words).code(0).out.contains("[18] "), "what is offered works");

    let md = house.run(&["demo", "--headless", "--format", "md", "--quiet"]).code(0);
    assert!(
        md.out.starts_with(
            "# Should cities ban private cars?\n\n*rehearsed demo: no model was called"
        )
    );
    assert!(md.out.contains("\n## 1 · Ada (transport planner)\n\n> I'll start with a Tuesday."));
    assert_eq!(md.err, "");
}

#[test]
fn jsonl_is_the_file_byte_for_byte_and_the_same_twice() {
    let house = House::new();
    let file = |name: &str| house.path(name).to_str().unwrap().to_owned();
    let play = |name: &str| {
        house
            .run(&["demo", "--headless", "--format", "jsonl", "--out-session", &file(name)])
            .code(0)
            .out
    };
    let one = play("one.jsonl");
    let two = play("two.jsonl");
    assert_eq!(one, fs::read_to_string(file("one.jsonl")).unwrap());
    assert_eq!(one, two, "the same seed gives the same bytes");
    let other = house.run(&["demo", "--headless", "--format", "jsonl", "--seed", "7", "--no-save"]);
    assert_ne!(one, other.code(0).out);
    println!("{} lines, {} bytes, equal", one.lines().count(), one.len());
    let taken = house.run(&["demo", "--headless", "--out-session", &file("one.jsonl")]).code(6);
    assert!(taken.err.contains("one.jsonl"), "{}", taken.err);
}

#[test]
fn two_rehearsals_have_two_files_and_show_repeats_the_output() {
    let house = House::new();
    let first = house.run(&["demo", "--headless"]).code(0);
    house.run(&["demo", "--headless"]).code(0);
    assert!(house.path("data/sessions/20260101-000000-000000-2.jsonl").exists());
    let id = "20260101-000000-000000";
    // what is shown later begins with the result
    let lines = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.retain(|line| !line.is_empty() && !line.ends_with("] result"));
        lines.sort();
        lines
    };
    let shown = house.run(&["sessions", "show", id]).code(0).out;
    assert_eq!(lines(&shown), lines(&first.out));
    assert!(shown.find("to check:").unwrap() < shown.find("[1] Ada").unwrap(), "{shown}");
    let bytes = fs::read_to_string(house.path(&format!("data/sessions/{id}.jsonl"))).unwrap();
    assert_eq!(house.run(&["sessions", "show", id, "--format", "jsonl"]).code(0).out, bytes);
    house.run(&["demo", "--headless", "--no-save"]).code(0);
    assert_eq!(house.sessions().len(), 2, "nothing is kept of a session that is not to be saved");
}

#[test]
fn a_scenario_comes_from_a_file_from_standard_input_or_from_the_own_folder() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(2, 3));
    let said = house.run(&["run", &path, "--headless"]).code(0).out;
    assert_eq!(house.fed(&["run", "-", "--headless"], &talk(2, 3)).code(0).out, said);
    house.file(".config/colloquium/scenarios/mine.toml", &talk(2, 3));
    assert_eq!(house.run(&["run", "mine", "--headless"]).code(0).out, said);
    let shorter = ["run", "mine", "--headless", "--set", "limits.utterances=1"];
    assert!(!house.run(&shorter).code(0).out.contains("[2]"));
    assert!(
        !house
            .run(&["run", "mine", "--headless", "--max-utterances", "1"])
            .code(0)
            .out
            .contains("[2]")
    );
}

#[test]
fn a_new_scenario_is_right_and_can_be_played() {
    let house = House::new();
    house.run(&["scenarios", "new", "mine"]).code(0);
    let check = house.run(&["check", "mine", "round-table"]).code(0);
    assert!(check.out.contains("seat     bo, Bo (for coffee)"), "{}", check.out);
    assert!(check.out.contains("  order  ") && check.out.contains("    2 Bo  ("), "{}", check.out);
    assert_eq!(check.err, "");
    house.run(&["run", "mine", "--rehearsed", "--headless"]).code(0);
    house.run(&["scenarios", "new", "mine"]).code(2);
    for taken in ["round-table", "", " "] {
        house.run(&["scenarios", "new", taken]).code(2);
    }
    assert!(
        house.run(&["scenarios", "list"]).code(0).out.contains("mine  Tea or coffee? (your own)")
    );
}

/// Returns the validator of a printed schema.
fn printed_schema(house: &House, of: &str) -> jsonschema::Validator {
    let schema = house.run(&["schema", of]).code(0).out;
    jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap()
}

#[track_caller]
fn assert_valid(schema: &jsonschema::Validator, line: &str, source: &str) {
    let value: serde_json::Value = serde_json::from_str(line).unwrap();
    let faults: Vec<String> = schema.iter_errors(&value).map(|e| e.to_string()).collect();
    assert!(faults.is_empty(), "{source}: {line}\n{faults:#?}");
}

/// Lines of session files of every version match `schema event`.
#[test]
fn session_lines_fit_the_schema_of_events() {
    let house = House::new();
    let schema = printed_schema(&house, "event");
    let steer = house.file(
        "steer.jsonl",
        r#"{"after":{"utterance":1},"do":"rename","text":"x"}
{"after":{"utterance":2},"do":"pause"}
{"after":{"utterance":2},"do":"resume"}
{"during":{"utterance":3,"words":5},"do":"cut_in","text":"why?"}"#,
    );
    let log =
        house.run(&["demo", "--headless", "--format", "jsonl", "--steer", &steer]).code(0).out;
    let mut lines = 0;
    for line in log.lines() {
        assert_valid(&schema, line, "demo");
        lines += 1;
    }
    for folder in ["tests/old_sessions", "assets/sessions"] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let log = path.extension().is_some_and(|ending| ending == "jsonl");
            let whole = text.lines().filter(|line| log && line.ends_with('}'));
            for line in whole {
                assert_valid(&schema, line, &path.display().to_string());
                lines += 1;
            }
        }
    }
    println!("{lines} lines fit");
    assert!(lines > 1_000, "{lines}");
    for wrong in [
        r#"{"seq":0,"at":"x","ms":0,"by":"engine","kind":"resumed","data":{"steps":"2"},"crc":"0"}"#,
        r#"{"seq":0,"at":"x","ms":0,"by":"engine","kind":"resumed","data":{}}"#,
        r#"{"seq":0,"at":"x","ms":0,"by":"engine","kind":"vote.closed","data":{},"crc":"0"}"#,
    ] {
        assert!(!schema.is_valid(&serde_json::from_str(wrong).unwrap()), "{wrong}");
    }
}

/// The schema of steering lines accepts every line that the program accepts.
#[test]
fn steering_lines_fit_their_schema() {
    let house = House::new();
    let schema = printed_schema(&house, "steer");
    for (line, fits) in [
        (r#"{"after":{"utterance":3},"do":"pause"}"#, true),
        (r#"{"during":{"utterance":4,"words":20},"id":"q","do":"cut_in","text":"why?"}"#, true),
        (r#"{"at":"5000ms","in":7,"do":"limit","set":{"utterances":30}}"#, true),
        (
            r#"{"when":"turn_count > 2","do":"note","text":"brief","to":["ada"],"for":"standing"}"#,
            true,
        ),
        (r#"{"do":"note","text":"brief","to":"ada"}"#, true),
        (r#"{"do":"vote","question":"Tea?","count":["borda"],"tie":"random"}"#, true),
        (r#"{"do":"vote","question":"Tea?","count":["judge"]}"#, false),
        (r#"{"do":"move_step","step":2,"before":1}"#, true),
        (r#"{"do":"move_step","step":"2"}"#, false),
        (r#"{"do":"edit_step","step":2,"set":{"after":[1],"executor":false}}"#, true),
        (r#"{"do":"edit_step","step":2,"set":{"persona":"x"}}"#, false),
        (r#"{"do":"add_step","set":{"goal":"done","after":1}}"#, true),
        (r#"{"do":"change","who":"ada","set":{"weight":2}}"#, true),
        (r#"{"do":"say"}"#, false),
        (r#"{"do":"step","n":0}"#, false),
    ] {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(schema.is_valid(&value), fits, "{line}");
        let parsed = colloquium::model::SteerLine::parse(line);
        assert!(!fits || parsed.is_ok(), "{line}: {parsed:?}");
    }
}

/// A rehearsal carries the time of its run; a seed or a date in the environment makes runs byte-identical.
#[test]
fn a_rehearsal_carries_its_date_unless_it_is_to_be_the_same() {
    let house = House::new();
    let lines = |args: &[&str], date: Option<&str>| {
        let mut command =
            house.command(&[&["demo", "--headless", "--format", "jsonl"], args].concat());
        command.env_remove("SOURCE_DATE_EPOCH");
        if let Some(date) = date {
            command.env("SOURCE_DATE_EPOCH", date);
        }
        let out = command.output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    };
    let at = |lines: &str| {
        let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
        first["at"].as_str().unwrap().to_owned()
    };
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let year = 1970 + now / 31_556_952;
    let plain = at(&lines(&[], None));
    assert!(plain[..4].parse::<u64>().unwrap().abs_diff(year) <= 1, "{plain}");
    assert_eq!(lines(&["--seed", "7"], None), lines(&["--seed", "7"], None));
    assert!(at(&lines(&["--seed", "7"], None)).starts_with("2026-01-01"));
    assert_eq!(at(&lines(&[], Some("0"))), "1970-01-01T00:00:00.000Z");
    let names = house.run(&["sessions", "list", "--all"]).code(0).out;
    assert!(names.contains("19700101-000000") && names.contains("20260101-000000-"), "{names}");
}
