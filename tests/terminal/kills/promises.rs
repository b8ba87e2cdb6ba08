//! Waiting and steering: nothing hangs, and every command gets exactly one receipt.

use crate::kills::house::{House, talk};
use serde_json::{Value, json};

/// One command per verb, with a moment at which it has an effect.
fn verbs() -> Vec<Value> {
    let during = json!({"utterance": 2, "words": 2});
    let mut lines = vec![
        json!({"do": "pause"}),
        json!({"do": "pause_now"}),
        json!({"do": "continue"}),
        json!({"do": "decide", "tool": "none", "yes": true}),
        json!({"do": "cancel_step", "step": 1}),
        json!({"do": "answer_step", "step": 1, "text": "yes"}),
        json!({"do": "rerun_step", "step": 1}),
        json!({"do": "edit_step", "step": 1, "set": {"goal": "found"}}),
        json!({"do": "add_step", "set": {"description": "tell"}}),
        json!({"do": "move_step", "step": 1}),
        json!({"do": "resume"}),
        json!({"do": "step", "n": 2}),
        json!({"do": "hold", "on": true}),
        json!({"do": "say", "text": "hello"}),
        json!({"do": "cut_in", "text": "why"}),
        json!({"do": "note", "text": "n"}),
        json!({"do": "lift_note", "note": "q"}),
        json!({"do": "whisper", "text": "w", "to": "bo"}),
        json!({"do": "speak_as", "text": "mouth", "who": "ada"}),
        json!({"do": "speak", "text": "words", "who": "eve"}),
        json!({"do": "pass", "who": "eve"}),
        json!({"do": "edit_queued", "of": "q", "text": "t"}),
        json!({"do": "drop_queued", "of": "q"}),
        json!({"do": "floor", "to": "ada"}),
        json!({"do": "skip"}),
        json!({"do": "mute", "who": "bo"}),
        json!({"do": "unmute", "who": "bo"}),
        json!({"do": "leave", "who": "bo"}),
        json!({"do": "join", "participant": {"id": "zed", "lines": ["zed speaks"]}}),
        json!({"do": "change", "who": "bo", "set": {"name": "Bob"}}),
        json!({"do": "retry"}),
        json!({"do": "reroll"}),
        json!({"do": "choose", "utterance": 1, "alternative": 1}),
        json!({"do": "edit", "utterance": 1, "text": "e"}),
        json!({"do": "hide", "utterance": 1}),
        json!({"do": "unhide", "utterance": 1}),
        json!({"do": "vote", "question": "q?"}),
        json!({"do": "verdict"}),
        json!({"do": "limit", "set": {"utterances": 3}}),
        json!({"do": "mark"}),
        json!({"do": "rename", "text": "T"}),
        json!({"do": "end"}),
    ];
    for line in &mut lines {
        line["during"] = during.clone();
        line["id"] = "own".into();
    }
    lines
}

#[test]
fn every_verb_of_the_schema_is_one_event_and_gets_its_answer() {
    let house = House::new();
    let schema: Value = serde_json::from_str(&house.run(&["schema", "steer"]).code(0).out).unwrap();
    let mut known: Vec<&str> =
        schema["oneOf"].as_array().unwrap().iter().map(|v| v["title"].as_str().unwrap()).collect();
    let verbs = verbs();
    let mut tried: Vec<&str> = verbs.iter().map(|l| l["do"].as_str().unwrap()).collect();
    known.sort_unstable();
    tried.sort_unstable();
    assert_eq!(tried, known, "the table is the schema");
    let path = house.file("talk.toml", &talk(4, 6));
    let mut given = 0;
    let mut refused = 0;
    for line in &verbs {
        let steer = house
            .file("one.jsonl", &format!("{line}\n{{\"when\":\"paused\",\"do\":\"resume\"}}\n"));
        let args =
            ["run", &path, "--headless", "--no-save", "--format", "jsonl", "--steer", &steer];
        let out = house.run(&args).code(0).out;
        let events: Vec<Value> = out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        let own = |e: &&Value| {
            e["kind"].as_str().unwrap().starts_with("command.")
                && (e["data"]["id"] == "own" || e["data"]["line"]["id"] == "own")
        };
        let commands: Vec<&Value> = events.iter().filter(own).collect();
        let [command] = commands[..] else { panic!("{line}: {} events", commands.len()) };
        let data = &command["data"];
        if command["kind"] == "command.refused" {
            assert!(!data["why"].as_str().unwrap().is_empty(), "{line}");
            assert_eq!(data["line"]["do"], line["do"]);
            refused += 1;
            continue;
        }
        assert_eq!(data["do"], line["do"]);
        let answers = ["done", "delivered", "too_late"];
        let answered = events.iter().any(|e| {
            e["kind"] == "receipt"
                && e["data"]["of"] == data["key"]
                && answers.iter().any(|a| e["data"]["is"] == *a)
        });
        assert!(answered, "{line}: no receipt");
        given += 1;
    }
    println!("{} verbs: {given} carried out, {refused} refused with a reason", verbs.len());
}

#[test]
fn whatever_waits_without_anybody_ends_with_its_cause() {
    let house = House::new();
    let manual = talk(4, 3).replacen("[limits]", "policy = \"manual\"\n[limits]", 1);
    let human = format!("{}[[participant]]\nid = \"eve\"\nhuman = true\n", talk(4, 3));
    let pauses = format!(
        "{}[[participant]]\nid = \"x\"\nscript = [\"false\"]\non_failure = {{ retry = 0, then = \"pause\" }}\n",
        talk(4, 3)
    );
    let tables = [
        ("manual", manual, "no one is there to give it"),
        ("human", human, "no one is there to speak"),
        ("pauses", pauses, "no one is there to resume"),
        ("talk", talk(4, 3), ""),
    ];
    let never = house.file("never.jsonl", "{\"when\":\"1 == 2\",\"do\":\"resume\"}\n");
    let late = house.file("late.jsonl", "{\"after\":{\"utterance\":99},\"do\":\"resume\"}\n");
    let pause = house.file("pause.jsonl", "{\"after\":{\"utterance\":1},\"do\":\"pause\"}\n");
    let mut cases = 0;
    for (name, scenario, cause) in &tables {
        let path = house.file(&format!("{name}.toml"), scenario);
        let args = ["run", &path, "--headless", "--trust", "--no-save"];
        house.run(&args).code(if cause.is_empty() { 0 } else { 3 });
        for steer in [&never, &late, &pause, "-"] {
            let ran = house.run(&[&args[..], &["--steer", steer]].concat());
            let paused = steer == pause && *name != "manual";
            let code = if cause.is_empty() && !paused { 0 } else { 1 };
            let cause = if paused { "no one is there to resume" } else { cause };
            assert_eq!(ran.code, code, "{name} with {steer}: {}", ran.err);
            assert!(ran.err.contains(cause), "{name} with {steer}: {}", ran.err);
            cases += 1;
        }
    }
    println!("{cases} cases, 0 hangs");
}

#[test]
fn a_condition_still_sees_all_that_was_said_when_it_asks() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(4, 3));
    let steer = house.file(
        "steer.jsonl",
        "{\"when\":\"paused\",\"do\":\"resume\"}\n\
         {\"when\":\"history|length == 2 and utterances[1].participant == 'bo'\",\"do\":\"say\",\"text\":\"Two.\"}\n",
    );
    let out = house.run(&["run", &path, "--headless", "--steer", &steer]).code(0).out;
    assert!(out.contains("[after 2] you\n  Two."), "{out}");
}

#[test]
fn ended_conversation_offers_a_continuation() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(4, 3));
    house.run(&["run", &path, "--headless"]).code(0);
    let low = house.run(&["resume", "--last", "--headless", "--max-utterances", "1"]).code(0);
    assert!(low.err.trim_end().ends_with("--max-turns 8"), "{}", low.err);
    // no option raises rounds, so the offered steer line must do it
    let rounds = house.file("rounds.toml", &talk(9, 3).replace("utterances = 9", "rounds = 2"));
    let ran = house.run(&["run", &rounds, "--headless"]).code(0);
    let steered = |err: &str| {
        let offer = err.split("resume: ").nth(1).unwrap().trim();
        let (line, resume) = offer.strip_prefix("echo '").unwrap().split_once("' | ").unwrap();
        assert!(resume.ends_with(" --steer -"), "{offer}");
        let steer = house.file("offered.jsonl", line);
        house.run(&["resume", "--last", "--headless", "--steer", &steer]).code(0)
    };
    let raised = steered(&ran.err);
    assert!(raised.out.contains("-- new limit: 4 rounds"), "{}", raised.out);
    assert!(raised.out.contains("[8] "), "{}", raised.out);
    // if all seats are muted, or the conversation is paused, the offered line must undo that
    let muted = ["ada", "bo"]
        .map(|s| format!("{{\"after\":{{\"utterance\":1}},\"do\":\"mute\",\"who\":\"{s}\"}}\n"));
    for stopped in [&*muted.concat(), "{\"after\":{\"utterance\":1},\"do\":\"pause\"}\n"] {
        let steer = house.file("stop.jsonl", stopped);
        let ran = house.run(&["run", &path, "--headless", "--steer", &steer]).code(1);
        assert!(steered(&ran.err).out.contains("[4] "), "{}", ran.err);
    }
    let taken = house.run(&["run", &path, "--headless", "--out-session", &path]).code(6);
    assert!(taken.err.contains("does not exist yet"), "{}", taken.err);
}
