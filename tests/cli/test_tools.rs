//! Tools in scripted tests: callers, results, and calls from before a test starts.

use crate::house::House;
use serde_json::json;

/// Ada has two tools, one with side effects.
const TALK: &str = r#"
title = "A weekend"
topic = "Bonn"
limits = { utterances = 2 }
[[tool]]
name = "weather"
about = "The weather of a town."
script = ["./weather.sh"]
read_only = true
[tool.parameters]
type = "object"
required = ["town"]
properties = { town = { type = "string" } }
[[tool]]
name = "book"
about = "Books a train."
script = ["./book.sh"]
parameters = { type = "object" }
[[participant]]
id = "ada"
tools = ["weather", "book", "read_file"]
[[participant]]
id = "bo"
lines = ["Fine."]
"#;

/// Returns a home with the scenario and one test of it.
fn house(test: &str) -> House {
    let house = House::new();
    house.file("town.toml", TALK);
    house.file("t.test.toml", &format!("scenario = \"town.toml\"\n{test}"));
    house
}

#[test]
fn a_voice_calls_tools_and_the_calls_are_expected() {
    let lines = r#"
        [[tool]]
        name = "weather"
        results = [
          "Rain in {{ arguments.town }}.",
          { when = "arguments.town == 'Rome'", text = "Sun." },
          { fail = "too often" },
        ]
        [[voice]]
        seat = "ada"
        lines = [
          { tool_calls = [
            { tool = "weather", arguments = { town = "{{ topic }}" } },
            { tool = "weather", arguments = { town = "Rome" } },
            { tool = "weather", arguments = { city = "Rome" } },
            { tool = "weather", arguments = { town = "Ulm" } },
            { tool = "book" },
          ] },
          { when = "'Rain in Bonn.' in prompt", text = "Rain." },
        ]
    "#;
    let good = r#"
        [[expect]]
        tool_calls = [
          { who = "ada", tool = "weather", arguments = { town = "Bonn" }, is = "done", result = "Rain in Bonn." },
          { arguments = { town = "Rome" }, result = "Sun." },
          { arguments = { city = "Rome" }, is = "failed" },
          { is = "failed", result = "too often" },
          { tool = "book", is = "refused" },
        ]
        [[expect]]
        that = "tool_calls[0].utterance == 1 and tool_calls | length == 5 and utterances[0].text == 'Rain.'"
        [[expect]]
        prompt = { of = "ada", turn = 1 }
        contains = ['## tool weather {"town":"Bonn"}', "Rain in Bonn."]
    "#;
    let house = house(&format!("{lines}{good}"));
    let ran = house.run(&["test"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);

    let bad = "[[expect]]\ntool_calls = [{ who = \"bo\" }]\n";
    house.file("t.test.toml", &format!("scenario = \"town.toml\"\n{lines}{bad}"));
    let ran = house.run(&["test"]).code(1);
    for part in [
        "call 1: who = \"ada\", not \"bo\"",
        r#"call 1: ada called weather with {"town":"Bonn"}; done: Rain in Bonn."#,
        "call 5: ada called book with {}; refused: nobody is there to allow it",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    let bad = "[[expect]]\ntool_calls = [{ who = \"ada\" }]\n";
    house.file("t.test.toml", &format!("scenario = \"town.toml\"\n{lines}{bad}"));
    let ran = house.run(&["test"]).code(1);
    assert!(ran.out.contains("tool calls: 5 made, 1 expected"), "{}", ran.out);
}

/// Tools run and files are read only if a test names them.
#[test]
fn a_tool_runs_only_if_the_test_says_so() {
    let calls = r#"
        [[voice]]
        seat = "ada"
        lines = [{ tool_calls = [
          { tool = "weather", arguments = { town = "Bonn" } },
          { tool = "read_file", arguments = { path = "a.txt" } },
          { tool = "read_file", arguments = { path = "../t.test.toml" } },
        ] }, "Done."]
        [[expect]]
        tool_calls = [
          { result = "Snow." }, { result = "One fact." }, { tool = "read_file", is = "failed" },
        ]
    "#;
    let house = house(calls);
    house.program("weather.sh", "#!/bin/sh\ncat > ran.txt; echo Snow.\n");
    house.file("docs/a.txt", "One fact.");
    let ran = house.run(&["test"]).code(3);
    let why =
        "`ada` called the tool `weather`, and the test does not say what it returns; add [[tool]]";
    assert!(ran.out.contains(why), "{}", ran.out);

    let real = format!(
        "scenario = \"town.toml\"\nfiles = \"docs\"\n[[tool]]\nname = \"weather\"\nscript = true\n{calls}"
    );
    house.file("t.test.toml", &real);
    let ran = house.run(&["test"]).code(3);
    assert!(ran.out.contains("runs scripts as tools; add --trust"), "{}", ran.out);
    assert!(!house.path("ran.txt").exists(), "nothing ran");
    let ran = house.run(&["test", "--trust"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(house.path("ran.txt").exists());

    let played = real.replace("script = true", "results = [\"Snow.\"]");
    house.file("t.test.toml", &played);
    house.run(&["test"]).code(0);
    house.file("t.test.toml", &played.replace("files = \"docs\"", ""));
    let ran = house.run(&["test"]).code(3);
    assert!(ran.out.contains("called the tool `read_file`"), "{}", ran.out);
}

/// Earlier calls need neither the tool nor the participant's voice, and a turn can continue after them.
#[test]
fn a_test_starts_after_given_tool_calls() {
    let house = house(
        r#"
        [[given]]
        who = "operator"
        text = "Welcome."
        [[given]]
        who = "ada"
        text = "Rome is dry."
        tool_calls = [{ tool = "weather", arguments = { town = "Rome" }, result = "Sun." }]
        [[given]]
        who = "bo"
        text = "And the train?"
        [[given]]
        who = "ada"
        tool_calls = [{ tool = "book", arguments = { seats = 2 }, fail = "sold out" }]
        [[voice]]
        seat = "ada"
        lines = ["No seats."]
        [[expect]]
        tool_calls = [
          { tool = "weather", is = "done", result = "Sun." },
          { tool = "book", arguments = { seats = 2 }, is = "failed", result = "sold out" },
        ]
        [[expect]]
        that = "utterances[0].text == 'Rome is dry.' and utterances[1].text == 'No seats.'"
        [[expect]]
        that = "calls | length == 1 and cost == 0 and tool_calls[1].utterance == 2"
        [[expect]]
        prompt = { of = "ada", turn = 1 }
        contains = ["Rome is dry.", "And the train?", '## tool book {"seats":2}', "sold out"]
        [[expect]]
        that = "'Welcome.' in transcript and 'Rome is dry' in transcript.split('And the train')[0]"
    "#,
    );
    let ran = house.run(&["test"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

#[test]
fn wrong_tools_of_a_test_are_told_with_their_place() {
    for (text, fault) in [
        (
            "[[tool]]\nname = \"wether\"\nresults = [\"x\"]",
            "no participant has the tool \"wether\"",
        ),
        ("[[tool]]\nname = \"weather\"", "returns nothing"),
        (
            "[[tool]]\nname = \"weather\"\nresults = [{ when = \"town == 'Rome'\", text = \"x\" }]",
            "unknown name `town`",
        ),
        (
            "[[tool]]\nname = \"weather\"\nresults = [{ text = \"x\", fail = \"y\" }]",
            "needs either `text` or `fail`",
        ),
        ("[[tool]]\nname = \"read_file\"\nscript = true", "\"read_file\" is not a script"),
        (
            "[[given]]\nwho = \"bo\"\ntool_calls = [{ tool = \"weather\", result = \"x\" }]",
            "`bo` has no tool \"weather\"",
        ),
        (
            "[[given]]\nwho = \"operator\"\ntool_calls = [{ tool = \"weather\", result = \"x\" }]",
            "gives tool calls to the operator",
        ),
        (
            "[[given]]\nwho = \"ada\"\ntool_calls = [{ tool = \"weather\" }]",
            "needs either `result` or `fail`",
        ),
        ("[[given]]\nwho = \"ada\"", "says nothing"),
        (
            "[[voice]]\nseat = \"bo\"\nlines = [{ tool_calls = [{ tool = \"weather\" }] }]",
            "`bo` calls tools and has none",
        ),
    ] {
        let ada = "[[voice]]\nseat = \"ada\"\nlines = [\"x\"]\n[[expect]]\nthat = \"exit == 0\"\n";
        let ran = house(&format!("{ada}{text}\n")).run(&["test"]).code(3);
        assert!(ran.err.contains(fault), "{text}\n{}", ran.err);
        assert!(ran.err.contains("t.test.toml:") && ran.err.contains("= hint: "), "{}", ran.err);
    }
    let ran = house("files = \"../..\"\n").run(&["test"]).code(3);
    assert!(ran.err.contains("files: is outside the folder"), "{}", ran.err);
}

/// A session with tool calls can be replayed with its tool results, and converted to a test.
#[test]
fn recorded_session_replays_tool_results() {
    let asked = vec![("weather", json!({"town": "Bonn"})), ("book", json!({"when": "{{ now }}"}))];
    let (url, _) = crate::tools::model(asked);
    let house = House::new();
    house.file("town.toml", &TALK.replace(", \"read_file\"", ""));
    for (name, says) in [("weather", "Snow in {{ town }}."), ("book", "Seat 4.")] {
        let text = format!("#!/bin/sh\ncat > /dev/null; echo '{says}'\n");
        house.program(&format!("{name}.sh"), &text);
    }
    let run = ["run", "town.toml", "--headless", "--trust", "--allow-tool", "book"];
    let model = ["--endpoint", &url, "--model", "endpoint:tiny", "--out-session", "tape.jsonl"];
    house.run(&[&run[..], &model[..]].concat()).code(0);
    for script in ["weather.sh", "book.sh"] {
        std::fs::remove_file(house.path(script)).unwrap();
    }
    let recorded = "scenario = \"town.toml\"\n[[steer]]\nat = \"0s\"\ndo = \"decide\"\ntool = \"book\"\nyes = true\n\
        [[voice]]\nseat = \"ada\"\nrecording = \"tape.jsonl\"\n\
        [[expect]]\ntool_calls = [{ result = \"Snow in {{ '{{' }} town }}.\" }, { tool = \"book\", result = \"Seat 4.\" }]\n";
    house.file("tape.test.toml", &recorded.replace("{{ '{{' }}", "{{"));
    let ran = house.run(&["test", "tape.test.toml"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);

    house.run(&["test", "--new", "town.toml", "--session", "./tape.jsonl"]).code(0);
    let written = std::fs::read_to_string(house.path("town.test.toml")).unwrap();
    let ran = house.run(&["test", "town.test.toml"]);
    assert_eq!(ran.code, 0, "{}{}\n{written}", ran.out, ran.err);
    for part in
        ["tool_calls = [{ tool = \"weather\"", "{ who = \"ada\", tool = \"book\"", "\"Seat 4.\""]
    {
        assert!(written.contains(part), "{part}: {written}");
    }
}
