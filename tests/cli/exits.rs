//! Exit codes: a tiny case for each one, with the message for the user.

use crate::house::{House, end, talk};

const LINES: &str =
    "[[participant]]\nid = \"ada\"\nname = \"Ada\"\nlines = [\"one two three four\"]\n";

fn scenario(more: &str) -> String {
    format!("title = \"A talk\"\n{more}")
}

#[test]
fn every_end_has_its_code() {
    let house = House::new();
    let human = "[limits]\nutterances = 3\n[[participant]]\nid = \"eve\"\nhuman = true\n";
    let fails = "[limits]\nutterances = 2\n[[participant]]\nid = \"x\"\nscript = [\"false\"]\n";
    let stops =
        fails.replace("[\"false\"]", "[\"false\"]\non_failure = { retry = 0, then = \"stop\" }");
    let fails = fails.replace("[\"false\"]", "[\"false\"]\non_failure = { retry = 0 }");
    let cases: &[(i32, &str, String, &[&str], &str)] = &[
        (0, "a limit", talk(2, 3), &[], "as planned"),
        (
            0,
            "a condition",
            scenario(&format!("{LINES}[[stop]]\nwhen = \"true\"\n")),
            &[],
            "finished: condition",
        ),
        (1, "a failure", scenario(&stops), &["--trust"], "false"),
        (
            2,
            "another topic",
            scenario(&format!("topic = \"t\"\n{LINES}")),
            &["--topic", "u"],
            "the rehearsed lines are about another topic",
        ),
        (2, "a bad --set", talk(2, 3), &["--set", "x"], "needs `=`"),
        (2, "a bad number", talk(2, 3), &["--max-utterances", "0"], "--max-utterances"),
        (3, "a fault", scenario("nonsense = 1\n"), &[], "nonsense: unknown key"),
        (
            3,
            "a --set that does not fit",
            talk(2, 3),
            &["--set", "limits.utterances=no"],
            "limits.utterances",
        ),
        (3, "not trusted", scenario(&fails), &[], "--trust"),
        (3, "a human seat", scenario(human), &[], "`eve` is a human participant"),
        (4, "no model", scenario("[[participant]]\nid = \"ada\"\n"), &[], "--model"),
        (
            4,
            "no model, but lines",
            scenario("[[participant]]\nid = \"ada\"\n[rehearsed]\nada = [\"Yes.\"]\n"),
            &[],
            "--rehearsed plays",
        ),
        (
            2,
            "no such provider",
            scenario("[[participant]]\nid = \"ada\"\n"),
            &["--model", "a:b"],
            "no provider `a`",
        ),
        (5, "a time limit", talk(4, 300), &["--max-time", "1s"], "stopped at the time limit"),
        (7, "skipped", scenario(&format!("{fails}{LINES}")), &["--trust", "--strict"], "skipped"),
        (
            0,
            "skipped, and nobody minds",
            scenario(&format!("{fails}{LINES}")),
            &["--trust"],
            "2 turns, without x (failed twice)",
        ),
    ];
    for (code, what, text, args, told) in cases {
        let path = house.file("case.toml", text);
        let args = [&["run", &path, "--headless"], *args].concat();
        let ran = house.run(&args);
        assert_eq!(ran.code, *code, "{what}: {}", ran.err);
        assert!(ran.err.contains(told), "{what}: {}", ran.err);
    }
    println!("{} cases, {} codes", cases.len(), 8);
}

#[test]
fn wrong_usage_names_the_way_out() {
    let house = House::new();
    let cases: &[(&[&str], &str)] = &[
        (&[], "--headless"),
        (&["demo"], "colloquium demo --headless"),
        (&["run", "round-table"], "--headless"),
        (&["A topic with a space"], "--headless"),
        (&["dmeo"], "the nearest is `demo`"),
        (&["run", "round-tabel", "--headless"], "the nearest is `round-table`"),
        (&["run", "./nothing.toml", "--headless"], "cannot read the scenario ./nothing.toml"),
        (&["run", "-", "--steer", "-", "--headless"], "cannot both read standard input"),
        (&["demo", "--headless", "--no-such-option"], "--no-such-option"),
        (&["demo", "--headless", "--steer", "nothing.jsonl"], "nothing.jsonl"),
        (&["resume", "--headless", "2026"], "no session 2026"),
        (&["resume", "--headless", "--last"], "no sessions yet"),
        (&["sessions", "lst"], "no command `lst`; the nearest is `list`"),
        (&["scenarios", "shw"], "the nearest is `show`"),
        (&["rnu"], "the nearest is `run`"),
        (&["demo", "--max-turns", "0"], "'--max-turns <N>': 0 is less than 1"),
        (&["demo", "--max-utterances", "x"], "'--max-utterances <N>': not a whole number"),
        (&["demo", "--max-tokens", "99999999999999999999"], "the number is too large"),
    ];
    for (args, told) in cases {
        let ran = house.run(args).code(2);
        assert!(ran.err.contains(told), "{args:?}: {}", ran.err);
        assert!(ran.err.starts_with("error: ") && ran.out.is_empty(), "{args:?}: {}", ran.err);
    }
    house.run(&["--help"]).code(0);
    assert!(house.run(&["--version"]).code(0).out.starts_with("colloquium "));
}

#[test]
fn reports_line_of_non_text() {
    let house = House::new();
    let talk = house.file("talk.toml", &talk(2, 2));
    for (name, text) in [("bad.toml", "title = \"x\"\n"), ("bad.jsonl", "{\"do\":\"mark\"}\n")] {
        let bytes = [text.as_bytes(), b"\xff\xfe\n"].concat();
        std::fs::write(house.path(name), bytes).unwrap();
    }
    let [toml, lines] = ["bad.toml", "bad.jsonl"].map(|n| house.path(n).display().to_string());
    let cases: [&[&str]; 2] = [&["check", &toml], &["run", &toml, "--headless"]];
    for args in cases {
        let ran = house.run(args).code(3);
        assert!(ran.err.contains(", line 2: not UTF-8"), "{args:?}: {}", ran.err);
    }
    let ran = house.run(&["run", &talk, "--headless", "--steer", &lines]).code(3);
    for words in ["bad.jsonl is not in Unicode: read as Windows-1252", "bad.jsonl, line 2"] {
        assert!(ran.err.contains(words), "{}", ran.err);
    }
}

#[test]
fn check_shows_every_fault_of_every_file() {
    let house = House::new();
    let bad = "title = \"\"\ntopci = \"x\"\npolicy = \"round_robbin\"\n[limits]\nutterances = 0\n\
               [[participant]]\nid = \"Ada\"\nlines = [\"x\"]\n";
    let bad = house.file("bad.toml", bad);
    let good = house.file("good.toml", &talk(2, 2));
    let ran = house.run(&["check", &bad, &good]).code(3);
    for (line, key) in
        [(1, "title"), (2, "topci"), (3, "policy"), (5, "limits.utterances"), (7, "id")]
    {
        assert!(ran.err.contains(&format!("bad.toml:{line}:")), "line {line}: {}", ran.err);
        assert!(ran.err.contains(key), "{key}: {}", ran.err);
    }
    assert!(ran.err.matches("hint: ").count() >= 5, "{}", ran.err);
    assert!(ran.out.contains("seat     ada, Ada: 4 rehearsed lines"), "{}", ran.out);
}

/// The help lists each reason with its exit code and whether it is settled.
#[test]
fn the_help_has_a_row_for_every_reason() {
    use colloquium::model::StopReason;
    let help = House::new().run(&["help", "exit-codes"]).code(0).out;
    for reason in StopReason::ALL {
        let name = reason.as_str();
        let row = help.lines().find(|line| line.split_whitespace().next() == Some(name));
        let row = row.unwrap_or_else(|| panic!("no row for {name}: {help}"));
        let cells: Vec<&str> = row.split_whitespace().collect();
        let settled = if reason.settled() { "yes" } else { "no" };
        assert_eq!(cells[1..3], [&reason.exit_code().to_string(), settled], "{row}");
        assert!(cells.len() > 4, "no meaning: {row}");
    }
    let distinct: std::collections::BTreeSet<_> = StopReason::ALL.iter().collect();
    assert_eq!(distinct.len(), StopReason::ALL.len());
}

/// A command in vain makes a run with `--strict` fail.
#[test]
fn a_refused_command_is_a_loss() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(2, 2));
    let nobody = r#"{"after":{"utterance":1},"do":"floor","to":"nobody"}"#;
    let lines = house.file("steer.jsonl", nobody);
    let run = ["run", &*path, "--headless", "--steer", &*lines];
    house.run(&run).code(0);
    let strict = house.run(&[&run[..], &["--strict"]].concat()).code(7);
    assert!(strict.err.contains("1 command was refused"), "{}", strict.err);
}

/// A participant that never ran because its dependency failed counts as a loss, even if the conversation ended for
/// another reason.
#[test]
fn strict_counts_plans_and_participants_that_could_not_run() {
    let house = House::new();
    let work = "title = \"Work\"\ntopic = \"Tea\"\npolicy = { name = \"plan\", executor = \"hand\", replan = false }\n\
        [[participant]]\nid = \"ann\"\npace = 1\n\
        lines = ['{\"steps\": [{\"number\": 1, \"goal\": \"It is one.\"}, {\"number\": 2, \"goal\": \"It is two.\"}]}', \"The answer.\"]\n\
        [[participant]]\nid = \"hand\"\npace = 1\nlines = [{ text = \"ERROR: no tea\", when = \"step.number == 1\" }, \"TASK COMPLETE: two\"]\n";
    let path = house.file("work.toml", work);
    let ran = house.run(&["run", &path, "--headless"]).code(0);
    assert!(ran.out.contains("-- the plan ended: 1 of 2 completed, 1 failed (1)\n"), "{}", ran.out);
    let strict = house.run(&["run", &path, "--headless", "--strict"]).code(7);
    assert!(strict.err.contains("1 step of the plan failed or is blocked"), "{}", strict.err);
    let all = house.file("all.toml", &work.replace(", when = \"step.number == 1\"", ""));
    let failed = house.run(&["run", &all, "--headless"]).code(1);
    assert!(failed.err.contains("failed"), "{}", failed.err);
}

/// Each face tells an end with its losses by the same words.
#[test]
fn only_an_end_without_losses_is_as_planned() {
    let house = House::new();
    let talk = "title = \"Tea\"\nresult = \"scribe\"\n[limits]\nutterances = 3\n\
        [[participant]]\nid = \"ada\"\nname = \"Ada\"\n\
        lines = [\"Good morning.\", \"Tea it is.\", { text = \"no object\", for = \"result\" }]\n\
        [[participant]]\nid = \"bob\"\nname = \"Bob\"\nscript = [\"false\"]\non_failure = { retry = 0 }\n";
    let path = house.file("talk.toml", talk);
    let ran = house.run(&["run", &path, "--headless", "--trust"]).code(0);
    let lost = "without Bob (failed twice), no result: the reply could not be read";
    assert!(ran.out.ends_with(&format!("-- 3 turns, {lost}\n\n")), "{}", ran.out);
    assert!(ran.err.contains("warning: without Bob (failed twice)\n"), "{}", ran.err);
    assert!(ran.err.contains(&format!(", 3 turns, {lost}; resume: ")), "{}", ran.err);
    assert_eq!(ran.err.matches("warning: no result").count(), 1, "{}", ran.err);
    let facts = house.run(&["export", "--last", "--format", "json"]).code(0).out;
    assert!(!format!("{}{}{facts}", ran.out, ran.err).contains("as planned"));
    for from in ["the log", "the summary beside it"] {
        let listed = house.run(&["sessions", "list", "--json"]).code(0).out;
        assert!(
            listed.contains("incomplete") && !listed.contains("as planned"),
            "{from}: {listed}"
        );
    }
    let well = talk.replace("script = [\"false\"]", "lines = [\"And to you.\"]");
    let well =
        house.file("well.toml", &well.replace(", { text = \"no object\", for = \"result\" }", ""));
    let ran = house.run(&["run", &well, "--headless"]).code(0);
    assert!(ran.out.ends_with("-- 3 turns, as planned\n\n"), "{}", ran.out);
    assert!(ran.err.contains("finished as planned"), "{}", ran.err);
    let listed = house.run(&["sessions", "list", "--json"]).code(0).out;
    assert!(listed.contains("incomplete") && listed.contains("as planned"), "{listed}");
}

#[test]
fn non_utf8_argument_is_reported_and_ignored() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let house = House::new();
    for bytes in [&b"\xff x"[..], b"\xff", b"a\xffb c"] {
        for before in [&[][..], &["--quiet"], &["sessions"], &["sessions", "show"]] {
            let mut command = house.command(before);
            let ran = end(command.arg(OsStr::from_bytes(bytes)).spawn().unwrap());
            assert!(matches!(ran.code, 2 | 6) && !ran.err.is_empty(), "{bytes:?}: {ran:?}");
        }
    }
    let mut command = house.command(&[]);
    let ran = end(command.arg(OsStr::from_bytes(b"\xff x")).spawn().unwrap()).code(2);
    assert!(ran.err.contains("is not valid UTF-8"), "{}", ran.err);
}

#[test]
fn a_limit_on_file_sizes_is_told_and_kills_nothing() {
    let house = House::new();
    let line = "ulimit -f 0; exec \"$0\" \"$@\"";
    let ran = house.shell(line, &["scenarios", "new", "town.toml"]).output().unwrap();
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(matches!(ran.status.code(), Some(1..=6)), "{:?} {told}", ran.status);
    assert!(told.contains("too large"), "{told}");
}
