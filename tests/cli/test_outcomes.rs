//! The five outcomes of `colloquium test`: one record for each test in any case, in every report format.

use crate::house::{House, end};
use crate::server::Server;
use serde_json::Value;
use std::io::{BufRead, BufReader};

/// A rehearsed conversation for the tests.
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

fn test(house: &House, name: &str, before: &str, expects: &str) -> String {
    house.file(&format!("{name}.test.toml"), &format!("{before}\n{TALK}\n{expects}"))
}

/// Returns the id and outcome of every record.
fn outcomes(json: &str) -> Vec<(String, String)> {
    let json: Value = serde_json::from_str(json).unwrap();
    let text = |v: &Value| v.as_str().unwrap().to_owned();
    let all: Vec<_> = json["tests"].as_array().unwrap().clone();
    for outcome in ["pass", "fail", "error", "undecided", "cancelled"] {
        let of = all.iter().filter(|t| t["outcome"] == outcome).count();
        assert_eq!(json["outcomes"][outcome], of, "{outcome}: {json:#}");
    }
    all.iter().map(|t| (text(&t["id"]), text(&t["outcome"]))).collect()
}

/// A file that cannot be loaded is an error, just like a test that cannot be run.
#[test]
fn a_file_with_a_fault_has_a_record_in_every_form() {
    let house = House::new();
    test(&house, "good", "", "[[expect]]\nthat = \"ended\"");
    let fault = test(&house, "wrong", "", "[[expect]]\nthta = \"true\"");
    let json = house.run(&["test", "--format", "json"]).code(3);
    assert!(json.err.contains("expect[1].thta: unknown key"), "{}", json.err);
    let expected = [("good.test.toml", "pass"), ("wrong.test.toml", "error")];
    assert_eq!(outcomes(&json.out), expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    for (form, parts) in [
        (
            "text",
            &["ERROR     wrong.test.toml\n    error: expect[1].thta: unknown key\n", "1 error "][..],
        ),
        ("tap", &["1..2", "not ok 2 - wrong.test.toml", "      --> wrong.test.toml:15:1"]),
        ("junit", &["<error message=\"expect[1].thta: unknown key", "errors=\"1\""]),
    ] {
        let ran = house.run(&["test", "--format", form]).code(3);
        for part in parts {
            assert!(ran.out.contains(part), "{form}: {part}: {}", ran.out);
        }
    }
    let of = |args: &[&str]| {
        outcomes(&house.run(&[&["test", "--format", "json"], args].concat()).code(3).out).len()
    };
    assert_eq!(of(&["--filter", "wrong.test.toml::a case"]), 1, "its cases are not known");
    assert_eq!(of(&[&fault]), 1, "a file alone has a record too");
    assert_eq!([of(&["--shard", "1/2"]), of(&["--shard", "2/2"])], [2, 0], "once over all shards");
}

/// A signal leaves one record for each test, finished or not.
#[test]
fn an_interrupt_leaves_one_record_for_each_test() {
    let house = House::new();
    test(&house, "a", "", "[[expect]]\nthat = \"ended\"");
    let endless = TALK.replace("utterances = 4", "utterances = 100000");
    house.file("b.test.toml", &format!("{endless}[[expect]]\nthat = \"ended\""));
    test(&house, "c", "", "[[expect]]\nthat = \"ended\"");
    let interrupted = |form: &str| {
        let args = ["test", "--format", form, "--jobs", "1", "-v"];
        let mut child = house.command(&args).spawn().unwrap();
        let mut told = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("a.test.toml: pass") {
            line.clear();
            assert!(told.read_line(&mut line).unwrap() > 0, "{form}: it ended before");
        }
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        let ran = end(child);
        assert_eq!(ran.code, 130, "{form}: {}", ran.out);
        ran.out
    };
    let names = [("a", "pass"), ("b", "cancelled"), ("c", "cancelled")];
    let expected = names.map(|(name, outcome)| (format!("{name}.test.toml"), outcome.to_owned()));
    assert_eq!(outcomes(&interrupted("json")), expected);
    let text = interrupted("text");
    assert!(text.contains("1 passed, 2 cancelled"), "{text}");
    let tap = interrupted("tap");
    for part in ["1..3\n", "ok 1 - a.test.toml\n", "ok 3 - c.test.toml # SKIP cancelled"] {
        assert!(tap.contains(part), "{part}: {tap}");
    }
    let junit = interrupted("junit");
    assert!(junit.contains("tests=\"3\" skipped=\"2\""), "{junit}");
    assert_eq!(junit.matches("<testcase").count(), 3, "{junit}");
}

/// A threshold applies to failed runs only. An evaluation error in one run is an error all the same, and a threshold
/// that can still be reached is undecided.
#[test]
fn a_threshold_hides_no_error_and_decides_nothing_that_is_open() {
    let house = House::new();
    let broken = "[[expect]]\nthat = \"run != 1 or utterances[99].text.lower() == 'x'\"";
    let file = test(&house, "e", "runs = 4\npass = 0.5", broken);
    let ran = house.run(&["test", &file]).code(3);
    assert!(ran.out.contains("line 15, run == 1 (error)"), "{}", ran.out);
    let file = test(&house, "e", "runs = 4", &format!("{broken}\npass = 0.5"));
    house.run(&["test", &file]).code(3);

    let server = Server::start("I would rather not say, {n}.", None);
    let config = format!("[providers.mine]\nwire = \"openai\"\nbase_url = \"{}\"\n", server.url);
    house.file(".config/colloquium/config.toml", &config);
    let judged = "[[expect]]\nthat = \"run > 0\"\n[[expect]]\njudge = \"mine:tiny\"\nquestion = \"Is it polite?\"";
    let file = test(&house, "u", "runs = 2\npass = 0.5", judged);
    house.run(&["test", "--ask", &file]).code(7);
    let file = test(&house, "u", "runs = 2", judged);
    house.run(&["test", "--ask", &file]).code(1);
    // all of k: a single run that fails is enough, unless the test says otherwise
    let file = test(&house, "k", "runs = 5", "[[expect]]\nthat = \"run != 3\"");
    let ran = house.run(&["test", &file]).code(1);
    assert!(ran.out.contains("rate: 4 of 5 (80 %"), "{}", ran.out);
    // each case separately: two that pass do not make up for a third
    let cases = "[[case]]\nname = \"a\"\n[[case]]\nname = \"b\"\n[[case]]\nname = \"c\"\nbad = 1";
    let expect = "[[expect]]\nthat = \"run != 0 or 'bad' not in case\"\n";
    let file = test(&house, "p", "runs = 2\npass = 0.9", &format!("{expect}{cases}"));
    let ran = house.run(&["test", &file]).code(1);
    assert!(ran.out.contains("2 passed, 1 failed"), "{}", ran.out);
}

/// A rule for each utterance stops the run at the first violation, and may only use facts known at that point.
#[test]
fn a_rule_for_each_utterance_stops_at_the_first_breach() {
    let house = House::new();
    let file = test(
        &house,
        "r",
        "",
        "[[expect]]\neach = \"'there' not in utterance.text\"\nwhy = \"not there\"",
    );
    let ran = house.run(&["test", &file]).code(1);
    for part in [
        "line 14: each: 'there' not in utterance.text",
        "not there",
        "broken by #3",
        "utterance.text = \"Another thing there.\"",
        "1 failed (3 turns",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    assert!(!ran.out.contains("#4"), "nobody speaks after the breach: {}", ran.out);
    let file = test(&house, "h", "", "[[expect]]\neach = \"history | length < 3\"");
    assert!(house.run(&["test", &file]).code(1).out.contains("broken by #3"));
    let file = test(&house, "o", "", "[[expect]]\neach = \"utterances[99].text.lower() == 'x'\"");
    assert!(
        house.run(&["test", &file]).code(3).out.contains("(error): each: "),
        "no value is an error"
    );
    for (rule, unknown) in [
        ("each = \"cost < 1\"", "expect[1].each: unknown name `cost`"),
        ("that = \"utterance.text == 'x'\"", "expect[1].that: unknown name `utterance`"),
    ] {
        let file = test(&house, "n", "", &format!("[[expect]]\n{rule}"));
        let ran = house.run(&["test", &file]).code(3);
        assert!(ran.err.contains(unknown), "{}", ran.err);
    }
}

/// An empty list expects no speaker or no tool call.
#[test]
fn nothing_is_expected_with_an_empty_list() {
    let house = House::new();
    let file = test(&house, "t", "", "[[expect]]\ntool_calls = []");
    house.run(&["test", &file]).code(0);
    let file = test(&house, "s", "", "[[expect]]\nspeakers = []");
    let ran = house.run(&["test", &file]).code(1);
    assert!(
        ran.out.contains("speakers  nobody") && ran.out.contains("ada bo ada bo"),
        "{}",
        ran.out
    );
    let tools = "[scenario]\ntitle = \"T\"\nlimits = { utterances = 1 }\n[[scenario.tool]]\nname = \"weather\"\n\
        script = [\"true\"]\nabout = \"The weather.\"\nparameters = { type = \"object\" }\n[[scenario.participant]]\nid = \"ada\"\ntools = [\"weather\"]\n\
        [[voice]]\nseat = \"ada\"\nlines = [{ tool_calls = [{ tool = \"weather\" }] }, \"Rain.\"]\n\
        [[tool]]\nname = \"weather\"\nresults = [\"Rain.\"]\n[[expect]]\ntool_calls = []";
    let file = house.file("c.test.toml", tools);
    let ran = house.run(&["test", &file]).code(1);
    assert!(ran.out.contains("tool calls: 1 made, 0 expected"), "{}", ran.out);
}

/// Every trigger of a command fires at its point, in virtual time.
#[test]
fn commands_fire_at_every_point() {
    let house = House::new();
    let text = r#"
        [scenario]
        title = "A talk"
        limits = { utterances = 6 }
        guards = "off"
        [[scenario.participant]]
        id = "me"
        human = true
        [[scenario.participant]]
        id = "bo"
        model = "ollama:x"
        [[voice]]
        seat = "me"
        human = true
        [[voice]]
        seat = "bo"
        pace = 100
        lines = [
          { when = "'refund' in last.text", text = "A refund it is, as you asked for it." },
          "Nothing much to say about that at all.",
        ]
        [[steer]]
        do = "speak"
        who = "me"
        text = "I want a refund."
        [[steer]]
        id = "mid"
        during = { utterance = 2, words = 3 }
        do = "pause_now"
        [[steer]]
        when = "paused"
        do = "resume"
        [[steer]]
        id = "moment"
        at = "1s"
        do = "note"
        text = "Be brief."
        [[steer]]
        id = "whenever"
        when = "turn_count == 3"
        do = "mark"
        [[steer]]
        id = "each"
        after = { participant = "bo" }
        every = true
        do = "speak"
        who = "me"
        text = "Again."
        [[expect]]
        speakers = ["me", "bo", "me", "bo", "me", "bo"]
        [[expect]]
        that = "utterances[1].text.startswith('A refund it') and utterances[3].text == 'Nothing much to say about that at all.'"
        [[expect]]
        that = "utterances[2].text == 'Again.' and receipts.each.all | length >= 4"
        [[expect]]
        that = "receipts.mid.is == 'done' and receipts.moment.is == 'delivered' and receipts.whenever.is == 'done'"
        [[expect]]
        that = "utterances[3].at < 1 and utterances[5].at > 1 and 'Be brief.' in prompt('bo', 3) and 'Be brief.' not in prompt('bo', 2)"
        [[expect]]
        that = "cost == 0 and tokens.output > 0 and exit == 0 and ms == case.ms"
        [[case]]
        name = "in virtual time"
        ms = 3700
        "#;
    let file = house.file("points.test.toml", text);
    let ran = house.run(&["test", &file]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

#[test]
fn a_value_that_is_not_true_or_false_is_an_error_with_the_way_out() {
    let house = House::new();
    for (condition, fix) in [
        ("utterances[0].text", "a text is not true or false; compare it"),
        ("ended and utterances[0].text", "a text is not true or false; compare it"),
        ("turn_count", "a number is not true or false; compare it"),
        ("utterances", "a list is not true or false; compare its length"),
    ] {
        let expects = format!("[[expect]]\nthat = \"{condition}\"");
        let path = test(&house, "a", "", &expects);
        let ran = house.run(&["test", &path]).code(3);
        assert!(ran.out.contains(fix) && ran.out.contains(condition), "{condition}: {}", ran.out);
        let line = std::fs::read_to_string(&path).unwrap().lines().count() - 1;
        assert!(
            ran.out.contains(&format!("line {line} (error): {condition}")),
            "{condition}: {}",
            ran.out
        );
    }
    for condition in ["ended", "not utterances", "utterances[0].text != ''"] {
        let path = test(&house, "a", "", &format!("[[expect]]\nthat = \"{condition}\""));
        let ran = house.run(&["test", &path]);
        assert_eq!(ran.code == 1, condition.starts_with("not"), "{condition}: {}", ran.out);
    }
}
