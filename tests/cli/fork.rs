//! Branches by command: the old future is kept, and only the requested changes take effect.

use crate::house::{House, talk};
use std::fs;

/// Returns a home in which the demo was played, and its session.
fn played() -> (House, String) {
    let house = House::new();
    house.run(&["demo", "--headless"]).code(0);
    (house, "20260101-000000-000000".into())
}

#[test]
fn a_branch_keeps_the_past_verbatim_and_leaves_the_parent_alone() {
    let (house, parent) = played();
    let file = house.path(&format!("data/sessions/{parent}.jsonl"));
    let before = fs::read_to_string(&file).unwrap();
    let edit = ["--edit", "As the operator would have it.", "--say", "Please go on, @cy."];
    let mut args = vec!["fork", &parent, "--at", "3", "--headless"];
    args.extend(edit);
    let branch = house.run(&args).code(0);
    assert_eq!(fs::read_to_string(&file).unwrap(), before, "the parent stays as it is");
    assert!(branch.out.starts_with("-- branched from \"Should"), "{}", branch.out);
    assert!(branch.out.contains("edited by you\n  As the operator would have it."));
    assert!(branch.out.contains("you\n  Please go on, @cy."), "{}", branch.out);
    let child = house.path("data/sessions/20260101-000000-000000-2.jsonl");
    let lines = fs::read_to_string(&child).unwrap();
    let kept = lines.lines().zip(before.lines()).take_while(|(a, b)| a == b).count();
    let forked = lines.lines().nth(kept).unwrap();
    assert!(forked.contains("\"kind\":\"conversation.forked\""), "{forked}");
    let last = before.lines().nth(kept - 1).unwrap();
    assert!(last.contains("\"turn.ended\"") && last.contains("\"number\":3"), "{last}");
    // a branch of the branch, from before the first message, with another seed
    let args = ["fork", "20260101-000000-000000-2", "--at", "0", "--seed", "7", "--headless"];
    let third = house.run(&args).code(0);
    assert!(third.out.contains("as planned"), "{}", third.out);
    assert_eq!(house.sessions().len(), 3);
    let tree = house.run(&["sessions", "tree"]).code(0).out;
    let rows: Vec<&str> = tree.lines().map(|l| l.split("  Should").next().unwrap()).collect();
    let id = |n: &str| format!("20260101-000000-000000{n}");
    assert_eq!(
        rows,
        [id(""), format!("+ after #3  {}", id("-2")), format!("  + after #0  {}", id("-3"))]
    );
    // the second call uses the cache beside the logs
    assert_eq!(house.run(&["sessions", "tree"]).code(0).out, tree);
}

#[test]
fn a_branch_is_kept_where_it_is_asked_to_be_or_nowhere() {
    let (house, parent) = played();
    let file = house.path("branch.jsonl");
    let args = ["fork", &parent, "--at", "3", "--headless"];
    let to_file = [&args[..], &["--out-session", file.to_str().unwrap()]].concat();
    house.run(&to_file).code(0);
    assert!(fs::read_to_string(&file).unwrap().contains("conversation.forked"));
    let again = house.run(&to_file);
    assert!(again.code != 0 && again.err.contains("branch.jsonl"), "{again:?}");
    let unsaved = house.run(&[&args[..], &["--no-save", "--format", "jsonl"]].concat()).code(0);
    assert!(unsaved.out.contains("conversation.forked"), "{}", unsaved.out);
    assert_eq!(house.sessions().len(), 1, "neither stands among the sessions");
}

#[test]
fn impossible_fork_is_reported() {
    let (house, parent) = played();
    let fork = |more: &[&str]| {
        let mut args = vec!["fork", &parent, "--headless"];
        args.extend(more);
        house.run(&args)
    };
    assert!(fork(&["--at", "99"]).code(2).err.contains("no turn 99"));
    assert!(fork(&["--at", "0", "--edit", "x"]).code(2).err.contains("--edit needs a turn"));
    let other = fork(&["--at", "2", "--model", "ollama:llama3"]).code(2);
    assert!(other.err.contains("no participant uses a model"), "{}", other.err);
    let screen = house.run(&["fork", &parent, "--at", "2"]).code(2);
    assert!(screen.err.contains("--headless"), "{}", screen.err);
    assert_eq!(house.sessions().len(), 1, "nothing was begun");
}

#[test]
fn a_branch_of_a_foreign_file_runs_nothing_unless_told_to() {
    let house = House::new();
    let script = house.file("say.sh", "#!/bin/sh\necho Hello from a script\n");
    let scenario = format!(
        "title = \"A talk\"\n[limits]\nutterances = 2\n\
         [[participant]]\nid = \"cy\"\nscript = [\"sh\", {script:?}]\n"
    );
    let file = house.file("foreign.toml", &scenario);
    let path = house.path("foreign.jsonl").to_str().unwrap().to_owned();
    house.run(&["run", &file, "--headless", "--trust", "--out-session", &path]).code(0);
    let args = ["fork", &path, "--at", "1", "--headless"];
    assert!(house.run(&args).code(3).err.contains("not trusted"));
    let told: Vec<&str> = args.into_iter().chain(["--trust"]).collect();
    assert!(house.run(&told).code(0).out.contains("[2] cy"));
}

#[test]
fn names_commands_that_were_queued_in_the_parent() {
    let house = House::new();
    let vote = r#"{"during":{"utterance":2,"words":1},"do":"vote","question":"Stay?"}"#;
    let steer = house.file("steer.jsonl", vote);
    let path = house.file("talk.toml", &talk(4, 9));
    house.run(&["run", &path, "--headless", "--steer", &steer]).code(0);
    let parent = house.sessions()[0]["id"].as_str().unwrap().to_owned();
    let branch = house.run(&["fork", &parent, "--at", "2", "--headless"]).code(0);
    let notice = "queued in the parent: vote; carried out in the branch";
    assert!(branch.err.contains(notice), "{}", branch.err);
    let branch = house.run(&["fork", &parent, "--at", "1", "--headless"]).code(0);
    assert!(!branch.err.contains("queued in the parent"), "{}", branch.err);
}
