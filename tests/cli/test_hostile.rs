//! Malicious test files: each ends with a clear error, in bounded time and memory, and touches nothing outside.

use crate::house::House;

const TALK: &str = "[scenario]\ntitle = \"A talk\"\nlimits = { utterances = 4 }\n[[scenario.participant]]\nid = \"ada\"\n\
    [[scenario.participant]]\nid = \"bo\"\n[[voice]]\nseat = \"all\"\nlines = [\"One thing.\", \"Another thing.\"]\n";

/// Every key with a file name rejects files outside of the folder, by any path.
#[test]
fn no_key_leads_out_of_the_folder() {
    let house = House::new();
    house.file("secret.md", "s3cret");
    house.file("deep/x", "");
    std::os::unix::fs::symlink("../secret.md", house.path("deep/link.md")).unwrap();
    std::os::unix::fs::symlink("../new.md", house.path("deep/dangling.md")).unwrap();
    let keys = [
        ("", "scenario = \"{}\"", "[[expect]]\nthat = \"ended\""),
        (TALK, "files = \"{}\"", "[[expect]]\nthat = \"ended\""),
        (TALK, "", "[[expect]]\ntranscript = \"{}\""),
        (TALK, "", "[[expect]]\nprompt = { of = \"bo\" }\nfile = \"{}\""),
        (TALK, "", "[[expect]]\njudge = \"ollama:x\"\nquestion = \"?\"\nagainst = \"{}\""),
        (
            &TALK.replace("lines = [\"One thing.\", \"Another thing.\"]", "recording = \"{}\""),
            "",
            "[[expect]]\nthat = \"ended\"",
        ),
    ];
    for (talk, before, after) in keys {
        for path in ["../secret.md", "/etc/hostname", "link.md", "dangling.md", ".."] {
            let text = format!("{before}\n{talk}\n{after}").replace("{}", path);
            house.file("deep/h.test.toml", &text);
            let output = house
                .command(&["test", "--bless", "h.test.toml"])
                .current_dir(house.path("deep"))
                .output()
                .unwrap();
            let err = String::from_utf8(output.stderr).unwrap();
            let told = String::from_utf8(output.stdout).unwrap();
            assert_eq!(output.status.code(), Some(3), "{text}\n{err}{told}");
            assert!(!err.contains("s3cret") && !told.contains("s3cret"), "{err}{told}");
            assert!(err.contains("h.test.toml:"), "the place is told: {err}");
        }
    }
    assert!(!house.path("new.md").exists(), "nothing is written through a link");
    assert_eq!(std::fs::read_to_string(house.path("secret.md")).unwrap(), "s3cret");
}

/// A pipe or a device in place of a file is rejected without waiting.
#[test]
fn a_pipe_is_not_waited_for() {
    let house = House::new();
    let pipe = house.path("pipe.md");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let file = house.file("p.test.toml", &format!("{TALK}[[expect]]\ntranscript = \"pipe.md\""));
    for args in [&["test", &file][..], &["test", "--bless", &file]] {
        let ran = house.run(args).code(3);
        assert!(ran.out.contains("it is a named pipe, not a regular file"), "{}", ran.out);
    }
    let recorded =
        TALK.replace("lines = [\"One thing.\", \"Another thing.\"]", "recording = \"pipe.md\"");
    let file = house.file("r.test.toml", &format!("{recorded}[[expect]]\nthat = \"ended\""));
    let ran = house.run(&["test", &file]).code(3);
    assert!(ran.err.contains("is not a session"), "{}", ran.err);
}

/// Repeated content of cases is bounded in total; shared content is not counted.
#[test]
fn cases_repeat_a_bounded_amount() {
    let house = House::new();
    let words = "word ".repeat(10_000);
    let talk = TALK.replace("One thing.", &words);
    let cases = "[[case]]\n".repeat(1_800);
    let expect = "[[expect]]\nthat = \"ended\"\n";
    let file = house.file("m.test.toml", &format!("{talk}{expect}{cases}"));
    let ran = house.run(&["test", "--list", &file]).code(0);
    assert_eq!(ran.out.lines().count(), 1_800);
    let each = "set = { \"limits.utterances\" = 3 }";
    let file = house.file("m.test.toml", &format!("{each}\n{talk}{expect}{cases}"));
    let ran = house.run(&["test", "--list", &file]).code(3);
    assert!(
        ran.err.contains("1800 cases repeat") && ran.err.contains("split the file"),
        "{}",
        ran.err
    );
    let million = "[[case]]\n".repeat(1_000_000);
    let file = house.file("m.test.toml", &format!("{talk}{expect}{million}"));
    let ran = house.run(&["test", &file]).code(3);
    assert!(ran.err.contains("larger than"), "{}", ran.err);
}

/// Conditions and templates cannot loop endlessly; only a permitted script can.
#[test]
fn expressions_and_templates_end() {
    let house = House::new();
    for (lines, expect, told) in [
        ("[\"x\"]", "range(1000000000) | length > 3", "unknown name `range`"),
        ("[\"x\"]", "'x' * 1000000000 == ''", "`*` is not allowed here: it multiplies two numbers"),
        ("[{ when = \"range(9)\", text = \"x\" }, \"y\"]", "true", "unknown name `range`"),
    ] {
        let talk = TALK.replace("[\"One thing.\", \"Another thing.\"]", lines);
        let file = house.file("l.test.toml", &format!("{talk}[[expect]]\nthat = \"{expect}\""));
        let ran = house.run(&["test", &file]).code(3);
        assert!(ran.err.contains(told), "{told}: {}", ran.err);
    }
    let talk = TALK.replace(
        "One thing.",
        "{% for a in history %}{% for b in history %}{{ a }}{% endfor %}{% endfor %}",
    );
    let file = house.file("t.test.toml", &format!("{talk}[[expect]]\nthat = \"ended\""));
    let ran = house.run(&["test", &file]).code(3);
    assert!(
        ran.out.contains("invalid line") || ran.err.contains("error"),
        "{}{}",
        ran.out,
        ran.err
    );
}

/// A participant with a recording as its voice speaks in a test, and a script runs in the folder of its scenario.
#[test]
fn a_scenario_keeps_its_own_recordings_and_folder() {
    let house = House::new();
    house.file("talks/talk.toml", &crate::house::talk(4, 3));
    let tape = house.path("talks/tape.jsonl");
    house
        .run(&["run", "talks/talk.toml", "--headless", "--out-session", tape.to_str().unwrap()])
        .code(0);
    let again = "title = \"A talk\"\nlimits = { utterances = 4 }\n[[participant]]\nid = \"ada\"\nname = \"Ada\"\n\
        recording = \"tape.jsonl\"\n[[participant]]\nid = \"bo\"\nname = \"Bo\"\nscript = [\"sh\", \"./bo.sh\"]\n";
    house.file("talks/again.toml", again);
    house.file("talks/bo.sh", "cat > /dev/null\necho Beside the scenario.\n");
    let text = "scenario = \"talks/again.toml\"\n[[voice]]\nseat = \"bo\"\nscript = true\n\
        [[expect]]\nthat = \"utterances[0].text.startswith('A1') and 'Beside' in utterances[1].text\"\n";
    house.file("a.test.toml", text);
    let ran = house.run(&["test", "--trust", "a.test.toml"]).code(1);
    // Bo's reply differs: the changed prompt is shown, and nothing else is reported
    assert!(ran.out.contains("the prompt of ada, turn 2 matches talks/tape.jsonl"), "{}", ran.out);
    assert!(!ran.out.contains("line 5"), "{}", ran.out);
    house.file("talks/again.toml", &again.replace("tape.jsonl", "../../tape.jsonl"));
    let ran = house.run(&["test", "--trust", "a.test.toml"]).code(3);
    assert!(ran.err.contains("`ada`: the recording ../../tape.jsonl"), "{}", ran.err);
}
