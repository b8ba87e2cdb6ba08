//! Bundled scenarios: each one is valid, has a correct description, and plays rehearsed to its own end.

use crate::house::House;
use crate::program::PROGRAM;
use colloquium::scenario::{about, bundled, bundled_names};

/// End of each scenario without an operator.
const ENDS: &[(&str, &str)] = &[
    ("round-table", "as planned"),
    ("oxford", "finished, 13 turns"),
    ("crux", "finished, 16 turns"),
    ("formal-debate", "finished: Nadia wins"),
    ("moderated-panel", "finished: goal"),
    ("socratic-seminar", "as planned"),
    ("brainstorm", "finished, "),
    ("code-review", " said "),
    ("negotiation", " said "),
    ("iterative-analysis", "finished, "),
    ("writing-room", "finished, "),
    ("debug-loop", "finished, "),
    ("story-game", " said "),
    ("delegates", "as planned"),
    ("breed-advisor", " said "),
    ("consensus", "finished: consensus"),
    ("planner-executor", "finished, 6 turns"),
];

/// Scenarios that end with a result; the others end with an answer, a ranking or a story of their own.
const RESULTS: &[&str] = &[
    "round-table",
    "oxford",
    "crux",
    "formal-debate",
    "moderated-panel",
    "socratic-seminar",
    "brainstorm",
    "code-review",
    "negotiation",
];

#[test]
fn every_bundled_scenario_plays_to_its_own_end() {
    let names: Vec<&str> = bundled_names().collect();
    assert_eq!(names, ENDS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    let house = House::new();
    let list = house.run(&["scenarios", "list"]).code(0).out;
    for (name, end) in ENDS {
        let about = about(bundled(name).unwrap());
        assert!(about.ends_with('.') && list.contains(&about), "{name}: {about}");
        let check = house.run(&["check", name]).code(0);
        assert_eq!(check.err, "", "{name} has no warning");
        let show = house.run(&["scenarios", "show", name]).code(0).out;
        assert_eq!(show.trim_end(), bundled(name).unwrap().trim_end());
        let ran = house.run(&["run", name, "--rehearsed", "--headless", "--no-save"]).code(0);
        assert!(ran.out.contains(end), "{name}: {}", ran.out);
        let has_result = ran.out.contains("] result\n");
        assert_eq!(has_result, RESULTS.contains(name), "{name}: {}", ran.out);
        assert!(
            !ran.out.contains(" failed: ") && !ran.out.contains("warning"),
            "{name}: {}",
            ran.out
        );
    }
}

/// Rehearsed characters are worth watching only if they react to the operator.
#[test]
fn every_rehearsed_cast_reacts_to_the_operator() {
    let house = House::new();
    let say = house
        .file("say.jsonl", r#"{"after":{"utterance":1},"do":"say","text":"what of Thursday"}"#);
    for (name, _) in ENDS {
        let args = ["run", name, "--rehearsed", "--headless", "--no-save", "--steer", &say];
        let out = house.run(&args).code(0).out;
        assert!(out.matches("what of Thursday").count() > 1, "{name} answers: {out}");
    }
}

/// Tests of the bundled scenarios double as documentation: each scenario has one beside it, and all pass.
#[test]
fn every_bundled_scenario_has_tests_that_pass() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/scenarios");
    for (name, _) in ENDS {
        let beside = format!("{folder}/{name}.test.toml");
        assert!(std::path::Path::new(&beside).is_file(), "{beside} is not there");
    }
    let ran = House::new().run(&["test", folder]).code(0);
    assert!(ran.out.contains(" passed ("), "{}", ran.out);
}

/// A program in another language drives a conversation through standard input and output.
#[test]
fn the_example_in_python_drives_a_run() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/examples/drive.py");
    let lines = std::fs::read_to_string(example).unwrap().lines().count();
    assert!(lines <= 40, "an example of {lines} lines is no example");
    let house = House::new();
    let output = house
        .other("python3")
        .args([example, "round-table", "--rehearsed"])
        .env("COLLOQUIUM", PROGRAM)
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{out}{}", String::from_utf8_lossy(&output.stderr));
    for part in ["  3 cy", "say: delivered", "ended: operator"] {
        assert!(out.contains(part), "{part}: {out}");
    }
}

/// A stateless server has one turn at a time; the client supplies the known facts.
#[test]
fn the_example_in_python_advises_turn_by_turn() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/examples/advise.py");
    let lines = std::fs::read_to_string(example).unwrap().lines().count();
    assert!(lines <= 40, "an example of {lines} lines is no example");
    let house = House::new();
    let scenario = house.file("advice.toml", ADVICE);
    let mut running = house
        .other("python3")
        .args([example, &scenario, "fen"])
        .env("COLLOQUIUM", PROGRAM)
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let messages = b"I live in a flat.\nI have no allergies.\n";
    std::io::Write::write_all(&mut running.stdin.take().unwrap(), messages).unwrap();
    let output = running.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{out}");
    let expected = "A flat, then.\n  {\"home\": \"flat\"}, gathering\n\
                    None, and flat.\n  {\"home\": \"flat\", \"allergies\": \"none\"}, complete\n";
    assert_eq!(out, expected);
}

const ADVICE: &str = r#"
title = "Advice"
[[participant]]
id = "fen"
reply = { keep = "profile", says = "words", schema = { type = "object", required = ["words"], properties = { words = { type = "string" }, profile = { type = "object" } } } }
lines = [
  { when = "'allergies' in operator.said", text = '{"words": "None, and {{ profile.home }}.", "profile": {"allergies": "none"}}' },
  { when = "'flat' in operator.said", text = '{"words": "A flat, then.", "profile": {"home": "flat"}}' },
]
[profile]
fields = ["home", "allergies"]
[[stage]]
name = "gathering"
when = "count(profile, fields) < 2"
[[stage]]
name = "complete"
"#;

/// Printed commands are never a dead end: after any end, a participant answers a person who resumes. A finished
/// conversation asks nobody before the person says something.
#[test]
fn every_printed_resume_goes_on_when_a_person_says_something() {
    let say = r#"{"do":"say","text":"Wait: what about the organ?"}"#;
    for (name, end) in ENDS {
        let house = House::new();
        let ran = house.run(&["demo", name, "--headless"]).code(0);
        let line = ran.err.rsplit("colloquium resume ").next().unwrap();
        let line = line.lines().next().unwrap().trim();
        let id = line.split(' ').next().unwrap();
        let log = house.path(&format!("data/sessions/{id}.jsonl"));
        let ended = std::fs::read(&log).unwrap();
        for steered in [false, true] {
            std::fs::write(&log, &ended).unwrap();
            let mut args: Vec<&str> = std::iter::once("resume").chain(line.split(' ')).collect();
            let waits = line.ends_with(" --steer -");
            if steered && !waits {
                args.extend(["--steer", "-"]);
            }
            let again = house.fed(&args, if steered { say } else { "" }).code(0);
            let out = &again.out;
            if waits && !steered {
                assert!(!out.contains("\n["), "{name} ({end}) asks nobody: {out}");
                continue;
            }
            let first = out.find("\n[").unwrap_or_else(|| panic!("{name} ({end}): {again:?}"));
            let spoken = out[first..].matches("\n[").count();
            assert!(spoken > usize::from(steered), "{name} ({end}) goes on: {out}");
            assert!(
                // its participants fill in forms without a field for an answer
                !steered
                    || name == &"iterative-analysis"
                    || out.matches("about the organ").count() > 1,
                "{name} answers: {out}"
            );
        }
    }
}

/// An answer to the operator comes before the next line in the same turn, so that all lines still fit together.
#[test]
fn the_demo_goes_on_without_contradictions_after_a_cut_in() {
    let house = House::new();
    let readme =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let cut_in = readme.lines().find(|line| line.contains("\"do\":\"cut_in\"")).unwrap();
    let words = house.file("cut.jsonl", cut_in);
    let out = house.run(&["demo", "--headless", "--steer", &words]).code(0).out;
    let at = |text: &str| out.find(text).unwrap_or_else(|| panic!("{text}: {out}"));
    assert!(at("And who pays for all this?\"") < at("Cy, what would you measure first?"), "{out}");
    assert!(at("Cy, what would you measure first?") < at("Not traffic, Ada."), "{out}");
    assert!(at("My mother drives") < at("only now she's Cy's mother"), "{out}");
    assert!(at("Before Ada answers") < at("Granted, Bo"), "{out}");
}

#[test]
fn the_consensus_demo_answers_a_second_question() {
    let house = House::new();
    let words = house.file("say.jsonl", r#"{"do":"say","text":"And the organ?"}"#);
    house.run(&["demo", "consensus", "--headless"]).code(0);
    let ran = house.run(&["resume", "--last", "--rehearsed", "--headless", "--steer", &words]);
    let again = ran.code(0).out;
    assert!(again.contains("-- finished: consensus"), "{again}");
    assert!(again.contains("\"And the organ?\" We begin with the lamp"), "{again}");
    for earlier in ["Four thousand is two hundred", "She couldn't see any more", "We spend three"] {
        assert!(!again.contains(earlier), "an answer to the first question: {again}");
    }
}

/// The template of executors takes no part.
#[test]
fn the_cast_of_a_plan_has_no_template_of_executors() {
    let house = House::new();
    house.run(&["demo", "planner-executor", "--headless"]).code(0);
    let page = house.run(&["export", "--last", "--format", "html"]).code(0).out;
    let cast = page.split("class=\"cast\"").nth(1).unwrap().split("</ul>").next().unwrap();
    assert!(cast.contains("<b>Ruth</b>") && cast.contains("<b>Clerk 1</b>"), "{cast}");
    assert!(!cast.contains("<b>Clerk</b>"), "{cast}");
    assert!(!cast.contains("has not spoken"), "{cast}");
}

/// The user gets a turn in every scenario except the planner's, which assigns the work itself.
#[test]
fn a_person_can_take_part_in_every_scenario() {
    let house = House::new();
    for (name, _) in ENDS.iter().filter(|(name, _)| *name != "planner-executor") {
        let told = house.run(&["run", name, "--rehearsed", "--take-part", "--dry-run"]).code(0).out;
        // a moderator chooses by replies
        let is_open = told.contains("depends on the replies");
        assert!(told.contains("Guest  (") || told.contains(", guest") || is_open, "{name}: {told}");
        assert!(!told.contains("never speaks"), "{name}: {told}");
    }
    let steer = house.file("steer.jsonl", "");
    let run = ["run", "round-table", "--rehearsed", "--take-part", "--max-utterances", "1"];
    let ran = house.run(&[&run[..], &["--headless", "--steer", &steer]].concat()).code(0);
    assert!(ran.out.contains("rehearsed demo: no model was called"), "{}", ran.out);
    let args = ["run", "planner-executor", "--rehearsed", "--take-part", "--dry-run"];
    let told = house.run(&args).code(0).err;
    assert!(told.contains("you take part: no turns, but the planner hears you"), "{told}");
}
