//! `colloquium test` on the built binary: its output for a person who tests conversations.

use crate::house::House;
use serde_json::Value;

/// Two seats of a test.
const TALK: &str = r#"
[scenario]
title = "A talk"
limits = { utterances = 4 }
[[scenario.participant]]
id = "ada"
[[scenario.participant]]
id = "bo"
[[voice]]
seat = "all"
lines = ["One thing here.", "Another thing there."]
"#;

/// Writes a test of [`TALK`].
fn test(house: &House, name: &str, rest: &str) -> String {
    let text = format!("title = \"{name}\"\n{TALK}\n{rest}");
    house.file(&format!("{name}.test.toml"), &text)
}

#[test]
fn true_expectations_pass_and_false_ones_show_values() {
    let house = House::new();
    test(
        &house,
        "good",
        r#"
        [[steer]]
        id = "q"
        after = { utterance = 2 }
        do = "say"
        text = "And the costs?"
        [[expect]]
        that = "ended.reason == 'utterance_limit' and utterances[1].participant == 'bo'"
        [[expect]]
        that = "receipts.q.is == 'delivered' and exit == 0 and utterances[1].at > 0"
        [[expect]]
        that = "'And the costs?' in prompt('ada', 2) and 'And the costs?' not in prompt('ada', 1)"
        [[expect]]
        speakers = ["ada", "bo", "ada", "bo"]
        [[expect]]
        prompt = { of = "bo", turn = 1 }
        contains = "One thing here."
        lacks = ["Another thing"]
        "#,
    );
    let ran = house.run(&["test"]).code(0);
    assert!(ran.out.contains("pass      good.test.toml"), "{}", ran.out);
    assert!(ran.out.contains("1 passed (4 turns, "), "{}", ran.out);
    assert!(house.sessions().is_empty(), "a test keeps no session");

    test(
        &house,
        "bad",
        r#"
        [[expect]]
        that = "ended.reason == 'goal' and utterances[1].participant == 'bo'"
        why = "it must come to a goal"
        [[expect]]
        speakers = ["ada", "ada"]
        [[expect]]
        prompt = { of = "bo", turn = 9 }
        contains = "x"
        "#,
    );
    let ran = house.run(&["test"]).code(1);
    for part in [
        "FAIL      bad.test.toml  bad",
        "line 15: ended.reason == 'goal' and utterances[1].participant == 'bo'",
        "it must come to a goal",
        "ended.reason = \"utterance_limit\"",
        "utterances[1].participant = \"bo\"",
        "#2 bo: One thing here.",
        "they diverge at #2",
        "`bo` was asked 2 times",
        "run it alone: colloquium test bad.test.toml",
        "1 passed, 1 failed",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
}

/// Bad input is reported as an error of the file, with its position, before anything runs.
#[test]
fn test_faults_are_reported_with_position() {
    let house = House::new();
    let faulty = |rest: &str, parts: &[&str]| {
        let file = test(&house, "faulty", rest);
        for command in ["test", "check"] {
            let ran = house.run(&[command, &file]).code(3);
            for part in parts {
                assert!(ran.err.contains(part), "{command}: {part}: {}", ran.err);
            }
        }
    };
    faulty(
        "[[expect]]\nthat = \"endet.reason == 'goal'\"",
        &["expect[1].that: unknown name `endet`; the nearest is `ended`", "faulty.test.toml:15:9"],
    );
    faulty("", &["expect: is missing: the test could not fail"]);
    for fixed in ["true", "5", "1 == 1"] {
        faulty(&format!("[[expect]]\nthat = \"{fixed}\""), &["expect[1].that: uses nothing of"]);
    }
    faulty(
        "[[expect]]\nthta = \"true\"",
        &["expect[1].thta: unknown key", "nearest key is `that`"],
    );
    faulty(
        "[[steer]]\ndo = \"pasue\"\n[[expect]]\nthat = \"ended\"",
        &["steer[1]", "nearest is `pause`"],
    );
    faulty(
        "[[expect]]\nthat = \"case.n > 2\"\n[[case]]\nname = \"a\"\nm = 3",
        &["the case \"a\" has no `n`"],
    );
    faulty(
        "[[voice]]\nseat = \"cy\"\nlines = [\"x\"]\n[[expect]]\nthat = \"ended\"",
        &["the scenario has no participant `cy`"],
    );
    let scenario = "scenario = \"../secret.toml\"\n[[expect]]\nthat = \"ended\"";
    let file = house.file("deep/out.test.toml", scenario);
    house.file("secret.toml", "key = \"s3cret\"");
    let mut command = house.command(&["test", &file]);
    let output = command.current_dir(house.path("deep")).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{err}");
    assert!(err.contains("outside the folder of the file") && !err.contains("s3cret"), "{err}");
}

#[test]
fn a_command_without_effect_fails_the_test() {
    let house = House::new();
    for (steer, expect, why) in [
        ("after = { utterance = 99 }\ndo = \"pause\"", "ended", Some("it never came due")),
        ("do = \"mute\"\nwho = \"nobody\"", "ended", Some("nobody")),
        ("after = { utterance = 99 }\ndo = \"pause\"", "ended or receipts", None),
    ] {
        let text = format!("{TALK}[[steer]]\n{steer}\n[[expect]]\nthat = \"{expect}\"\n");
        let file = house.file("idle.test.toml", &text);
        let line = TALK.matches('\n').count() + 1;
        let ran = house.run(&["test", &file]).code(why.map_or(0, |_| 1));
        if let Some(why) = why {
            let place = format!("line {line}: ");
            assert!(ran.out.contains(why) && ran.out.contains(&place), "{}", ran.out);
        }
    }
}

#[test]
fn finding_nothing_is_a_failure() {
    let house = House::new();
    assert!(house.run(&["test"]).code(2).err.contains("no test found"));
    assert!(house.run(&["test", "no/such"]).code(2).err.contains("no/such"));
    test(&house, "one", "[[expect]]\nthat = \"ended\"");
    assert!(house.run(&["test", "--filter", "two"]).code(2).err.contains("--filter two"));
    assert!(house.run(&["test", "--shard", "3/2"]).code(2).err.contains("as in --shard 1/4"));
}

#[test]
fn cases_filters_lists_and_shards_choose_tests() {
    let house = House::new();
    let cases = "[[expect]]\nthat = \"utterances | length == case.n and case.word in topic\"\n\
         [[case]]\nname = \"two\"\nn = 2\nword = \"tea\"\n[[case]]\nname = \"three\"\nn = 3\nword = \"milk\"\n\
         [[case]]\nname = \"four\"\nn = 5\nword = \"mud\"";
    let text = format!(
        "topic = \"About {{{{ case.word }}}}\"\nset = {{ \"limits.utterances\" = \"{{{{ case.n }}}}\" }}\n{TALK}{cases}"
    );
    house.file("n.test.toml", &text);
    let list = house.run(&["test", "--list"]).code(0).out;
    assert_eq!(list, "n.test.toml::two\nn.test.toml::three\nn.test.toml::four\n");
    assert!(house.run(&["test"]).code(0).out.contains("3 passed (10 turns"));
    assert!(house.run(&["test", "--filter", "thr"]).code(0).out.contains("1 passed (3 turns"));
    let shard = |part: &str| house.run(&["test", "--list", "--shard", part]).code(0).out;
    assert_eq!([shard("1/2"), shard("2/2")].map(|s| s.lines().count()), [2, 1]);
    let alone = house.run(&["test", "--set"]).code(2);
    assert!(alone.err.contains("--set"), "{}", alone.err);
}

/// A call fails in the ways that a test requests, and the engine reacts as to a real model.
#[test]
fn failures_on_purpose_are_failures() {
    let house = House::new();
    let voices = r#"
        [scenario]
        title = "Failures"
        limits = { utterances = 6 }
        [[scenario.participant]]
        id = "ada"
        reply = { schema = { type = "object", required = ["n"] } }
        [[scenario.participant]]
        id = "bo"
        [[voice]]
        seat = "ada"
        lines = [{ fail = "429", wait = "2s" }, { bad_json = true, text = '{"n": 1}' }, { text = '{"n": 2}', tokens = [900, 7] }]
        [[voice]]
        seat = "bo"
        lines = [{ silence = true }, { silence = true }, { text = "one two three four", cut = 2 }, { text = "late", slow = "30s" }]
        [[expect]]
        that = "turns[0].structured.n == 2 and utterances[0].calls == 3 and utterances[0].at < 1"
        [[expect]]
        that = "turns[1].outcome == 'failed' and turns[1].error.class == 'silence'"
        [[expect]]
        that = "events['call.retried'] >= 2 and utterances[0].took > 2"
        "#;
    house.file("f.test.toml", voices);
    let ran = house.run(&["test"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
}

#[test]
fn a_golden_transcript_is_blessed_once_and_kept_from_then_on() {
    let house = House::new();
    let rest = "[[expect]]\ntranscript = \"talk.golden.md\"\n[[expect]]\nprompt = { of = \"bo\" }\nfile = \"bo.txt\"";
    let file = test(&house, "golden", rest);
    let missing = house.run(&["test"]).code(1);
    assert!(missing.out.contains("the file is not there; --bless writes it"), "{}", missing.out);
    let blessed = house.run(&["test", "--bless"]).code(0);
    assert!(blessed.out.contains("wrote talk.golden.md"), "{}", blessed.out);
    let golden = std::fs::read_to_string(house.path("talk.golden.md")).unwrap();
    assert!(golden.contains("One thing here."), "{golden}");
    house.run(&["test"]).code(0);
    let changed =
        std::fs::read_to_string(&file).unwrap().replace("Another thing", "A different thing");
    std::fs::write(&file, changed).unwrap();
    let ran = house.run(&["test"]).code(1);
    for part in ["- Another thing there.", "+ A different thing there."] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
}

#[test]
fn every_form_of_the_report_keeps_the_outcomes_apart() {
    let house = House::new();
    test(&house, "a", "[[expect]]\nthat = \"ended\"");
    test(&house, "b", "[[expect]]\nthat = \"exit == 1\"");
    test(&house, "c", "[[expect]]\nthat = \"utterances[99].text.lower() == 'x'\"");
    let json = house.run(&["test", "--format", "json"]).code(1).out;
    let json: Value = serde_json::from_str(&json).unwrap();
    let sums =
        ["pass", "fail", "error", "undecided", "cancelled"].map(|o| json["outcomes"][o].as_u64());
    assert_eq!(sums, [1, 1, 1, 0, 0].map(Some), "{json:#}");
    let junit = house.run(&["test", "--format", "junit"]).code(1).out;
    for part in
        ["<testsuites", "<failure", "type=\"fail\"", "<error", "type=\"error\"", "c.test.toml"]
    {
        assert!(junit.contains(part), "{part}: {junit}");
    }
    let tap = house.run(&["test", "--format", "tap"]).code(1).out;
    for part in ["1..3\n", "ok 1 - a.test.toml", "not ok 2 - b.test.toml", "outcome: error"] {
        assert!(tap.contains(part), "{part}: {tap}");
    }
    house.run(&["test", "c.test.toml"]).code(3);
    let fast =
        house.run(&["test", "--fail-fast", "--jobs", "1", "b.test.toml", "c.test.toml"]).code(1);
    assert!(fast.out.contains("0 passed, 1 failed, 1 cancelled"), "{}", fast.out);
}

/// Rates over runs have an interval, and a rate below the threshold fails.
#[test]
fn runs_have_rates() {
    let house = House::new();
    let rest = |pass: &str| {
        format!(
            "runs = 10\n{TALK}\n[[expect]]\nthat = \"run < 7\"\npass = {pass}\n\
             [[expect]]\nthat = \"rate(\\\"ended.reason == 'utterance_limit'\\\") == 1\""
        )
    };
    house.file("r.test.toml", &rest("0.7"));
    let ran = house.run(&["test"]).code(0);
    assert!(ran.out.contains("rate: 7 of 10 (70 %, 95 % interval 40 to 89 %)"), "{}", ran.out);
    house.file("r.test.toml", &rest("0.8"));
    let ran = house.run(&["test"]).code(1);
    assert!(ran.out.contains("run < 7"), "{}", ran.out);
}

/// A file with excessive demands ends with a clear error, in bounded time.
#[test]
fn hostile_tests_are_bounded() {
    let house = House::new();
    let cases = "[[case]]\n".repeat(20_000);
    let file = house.file("m.test.toml", &format!("{TALK}[[expect]]\nthat = \"ended\"\n{cases}"));
    assert!(house.run(&["test", &file]).code(3).err.contains("20000 cases, more than 10000"));
    let endless = "timeout = \"1s\"\n".to_owned()
        + &TALK.replace("utterances = 4", "utterances = 100000")
        + "[[expect]]\nthat = \"ended\"";
    let file = house.file("e.test.toml", &endless);
    let ran = house.run(&["test", &file]).code(3);
    assert!(ran.out.contains("it ran longer than 1 s"), "{}", ran.out);
    let script = "[scenario]\ntitle = \"S\"\n[[scenario.participant]]\nid = \"ada\"\nscript = [\"touch\", \"ran\"]\n\
        [[voice]]\nseat = \"ada\"\nscript = true\n[[expect]]\nthat = \"ended\"";
    let file = house.file("s.test.toml", script);
    let ran = house.run(&["test", &file]).code(3);
    assert!(ran.out.contains("add --trust"), "{}", ran.out);
    assert!(!house.path("ran").exists());
    house.run(&["test", "--trust", &file]).code(0);
    assert!(house.path("ran").exists());
}

/// Coverage of a scenario is reported as text and as JSON, and too little of it fails.
#[test]
fn coverage_lists_unreached_parts() {
    let house = House::new();
    let stop = "[[scenario.stop]]\nword = \"AGREED\"\n[[voice]]";
    let rest = "[[steer]]\nat = \"0s\"\ndo = \"note\"\ntext = \"Be brief.\"\n[[expect]]\nthat = \"exit == 0\"";
    house.file("c.test.toml", &format!("{}\n{rest}", TALK.replace("[[voice]]", stop)));
    let ran = house.run(&["test", "--coverage"]).code(0);
    for part in [
        "coverage  A talk: 2 of 3",
        "not reached: stop word AGREED",
        "commands given: note\n",
        "commands not given: pause, pause_now,",
        "coverage  66.7 % of all",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    let json = house.run(&["test", "--coverage", "--format", "json"]).code(0).out;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["coverage"]["scenarios"][0]["points"].as_array().unwrap().len(), 3);
    let commands = &json["coverage"]["scenarios"][0]["commands"];
    assert_eq!((commands["note"].as_u64(), commands["pause"].as_u64()), (Some(1), Some(0)));
    let under = house.run(&["test", "--fail-under", "70"]).code(1);
    assert!(under.err.contains("coverage is 66.7 %, below --fail-under 70"), "{}", under.err);
    house.run(&["test", "--fail-under", "60"]).code(0);
}

/// A session speaks again; a changed prompt is described, and --bless accepts it.
#[test]
fn a_recording_speaks_again_and_notices_changed_prompts() {
    let house = House::new();
    house.file(
        "town.toml",
        &crate::house::talk(4, 3)
            .replace("id = \"ada\"", "id = \"ada\"\npersona = \"You like tea.\""),
    );
    house.run(&["run", "./town.toml", "--headless", "--out-session", "tape.jsonl"]).code(0);
    let test = "scenario = \"town.toml\"\n[[voice]]\nseat = \"all\"\nrecording = \"tape.jsonl\"\n\
        [[expect]]\nthat = \"utterances | length == 4 and utterances[0].text.startswith('A1')\"\n";
    house.file("r.test.toml", test);
    let ran = house.run(&["test"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let town = std::fs::read_to_string(house.path("town.toml")).unwrap();
    house.file("town.toml", &town.replace("like tea", "hate milk"));
    let ran = house.run(&["test"]).code(1);
    for part in ["the prompt of ada, turn 1 matches tape.jsonl", "[-like tea.-] {+hate milk.+}"] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    house.run(&["test", "--bless"]).code(0);
    house.run(&["test"]).code(0);
    house.file("r.test.toml", &format!("set = {{ \"limits.utterances\" = 6 }}\n{test}"));
    let ran = house.run(&["test"]).code(3);
    assert!(ran.out.contains("tape.jsonl has 2 matching turns of `ada`"), "{}", ran.out);
}

/// Actual events become the expectations of a new test: from a rehearsed cast, and from a session.
#[test]
fn test_is_generated_from_a_run() {
    let house = House::new();
    house.run(&["scenarios", "new", "./tea.toml"]).code(0);
    house.run(&["test", "tea.test.toml"]).code(0);
    assert!(house.run(&["test", "--new", "tea.toml"]).code(2).err.contains("tea.test.toml"));
    std::fs::remove_file(house.path("tea.test.toml")).unwrap();
    house.run(&["test", "--new", "tea.toml"]).code(0);
    house.run(&["test"]).code(0);
    std::fs::remove_file(house.path("tea.test.toml")).unwrap();
    let say =
        house.file("say.jsonl", r#"{"after":{"utterance":1},"do":"say","text":"And \"milk\"?"}"#);
    let args = [
        "run",
        "./tea.toml",
        "--rehearsed",
        "--headless",
        "--steer",
        &say,
        "--out-session",
        "tea.jsonl",
    ];
    house.run(&args).code(0);
    house.run(&["test", "--new", "tea.toml", "--session", "./tea.jsonl"]).code(0);
    let written = std::fs::read_to_string(house.path("tea.test.toml")).unwrap();
    assert!(written.contains(r#"text = "And \"milk\"?""#), "{written}");
    let ran = house.run(&["test"]);
    assert_eq!(ran.code, 0, "{}{}\n{written}", ran.out, ran.err);
}

/// A changed scenario reruns its own tests, and no others.
#[test]
fn watch_reruns_tests_of_a_changed_file() {
    let house = House::new();
    let town = crate::house::talk(4, 3);
    house.file("town.toml", &town);
    let expect = "[[expect]]\nthat = \"utterances | length == 4\"\n";
    house.file("town.test.toml", &format!("scenario = \"town.toml\"\n{expect}"));
    test(&house, "other", expect);
    let (child, mut out) = house.start(&["test", "--watch"]);
    crate::house::read_until(&mut out, &["2 passed"]);
    house.file("town.toml", &town.replace("utterances = 4", "utterances = 3"));
    crate::house::read_until(&mut out, &["FAIL", "town.test.toml"]);
    crate::house::read_until(&mut out, &["0 passed, 1 failed"]);
    // an unreadable scenario is reported, and tried again after its next change
    house.file("town.toml", "title = ");
    house.file("town.toml", &town);
    crate::house::read_until(&mut out, &["1 passed ("]);
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(crate::house::end(child).code, 130);
}
