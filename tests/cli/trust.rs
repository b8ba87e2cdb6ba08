//! A file runs nothing before somebody said so.

use crate::house::House;

/// A seat that leaves a trace when it is run.
const TALK: &str = "title = \"A talk\"\n[limits]\nutterances = 1\n\
    [[participant]]\nid = \"x\"\nscript = [\"sh\", \"-c\", \"echo ran >> trace; echo hello\"]\n";

#[test]
fn a_script_runs_only_when_its_file_is_trusted() {
    let house = House::new();
    let path = house.file("folder/talk.toml", TALK);
    let trace = house.path("folder/trace");
    for args in [["run", &path, "--headless"], ["run", "./folder/talk.toml", "--headless"]] {
        let ran = house.run(&args).code(3);
        assert!(ran.err.contains("sh -c echo ran") && ran.err.contains("--trust"), "{}", ran.err);
        assert!(!trace.exists());
    }
    house.fed(&["run", "-", "--headless"], TALK).code(3);
    let ran = house.run(&["run", &path, "--headless", "--trust"]).code(0);
    assert!(ran.out.contains("[1] x\n  hello\n"), "{}", ran.out);
    assert!(trace.exists(), "a script runs in the folder of its scenario");

    // a session is a file like any other
    let more = ["resume", "--last", "--headless", "--max-utterances", "2"];
    let ran = house.run(&more).code(3);
    assert!(ran.err.contains("--trust"), "{}", ran.err);
    let ran = house.run(&[&more[..], &["--trust"]].concat()).code(0);
    assert!(ran.out.contains("[2] x\n  hello\n"), "{}", ran.out);
}

#[test]
fn the_own_folder_is_trusted_and_a_link_into_it_is_not_enough() {
    let house = House::new();
    house.file(".config/colloquium/scenarios/mine.toml", TALK);
    house.run(&["run", "mine", "--headless"]).code(0);
    let elsewhere = house.file("folder/talk.toml", TALK);
    let link = house.path(".config/colloquium/scenarios/link.toml");
    std::os::unix::fs::symlink(elsewhere, &link).unwrap();
    house.run(&["run", link.to_str().unwrap(), "--headless"]).code(3);
    house.run(&["run", "link", "--headless"]).code(3);
}

#[test]
fn a_seat_that_joins_by_a_steering_line_runs_nothing_either() {
    let house = House::new();
    let join = r#"{"after":{"utterance":1},"do":"join","participant":{"id":"eve","script":["sh","-c","echo ran > trace"]}}"#;
    let steer = house.file("steer.jsonl", join);
    let ran = house.run(&["demo", "--headless", "--steer", &steer]).code(0);
    assert!(ran.out.contains("eve failed: "), "{}", ran.out);
    assert!(!house.path("trace").exists());
    house.run(&["demo", "--headless", "--steer", &steer, "--trust"]).code(0);
    assert!(house.path("trace").exists());
}
