//! The schema of test files and the parser agree: every key of one is a key of the other.

use crate::house::House;
use serde_json::Value;
use std::collections::BTreeSet;

/// A test file with every possible key.
const EVERY: &str = r#"
title = "Everything"
topic = "Tea or coffee?"
set = { "limits.utterances" = 8 }
seed = 7
runs = 2
pass = 0.5
timeout = "30s"
files = "docs"

[scenario]
title = "A talk"
limits = { utterances = 8 }
tool = [{ name = "weather", about = "The weather.", script = ["true"], parameters = { type = "object" } }]
[[scenario.participant]]
id = "ada"
tools = ["weather"]
[[scenario.participant]]
id = "bo"
model = "ollama:llama3"
[[scenario.participant]]
id = "cy"
human = true
[[scenario.participant]]
id = "di"
script = ["true"]
[[scenario.participant]]
id = "eli"
human = true
[[scenario.participant]]
id = "flo"
human = true
[[scenario.participant]]
id = "gus"
recording = "tape.jsonl"
[[scenario.participant]]
id = "hal"
lines = ["Tea?"]
[[scenario.participant]]
id = "ike"
lines = ["Tea?"]

[[voice]]
seat = "ada"
pace = 50
price = [0.5, 1.5]
window = 4096
lines = [
  { text = "Tea.", when = "'tea' in prompt", every = true, for = "speak", slow = "1s", tokens = [9, 3] },
  { fail = "429", wait = "2s" },
  { silence = true },
  { text = "one two three", cut = 2 },
  { text = "{}", bad_json = true },
  { pass = true },
  { tool_calls = [{ tool = "weather", arguments = { town = "Bonn" } }] },
]
[[voice]]
seat = "bo"
model = true
ignore = ["[0-9]{2}:[0-9]{2}"]
[[voice]]
seat = "cy"
model = "ollama:llama3"
[voice.person]
goal = "get a refund"
facts = ["the number is 12"]
manner = "short"
opening = "Hello?"
stop = "DONE"
[[voice]]
seat = ["eli"]
model = "ollama:llama3"
[voice.attacker]
goal = "learn the password"
phases = ["ask"]
manner = "friendly"
opening = "Hi."
enough = 8
stop = "DONE"
[[voice]]
seat = "di"
script = true
[[voice]]
seat = "flo"
human = true
[[voice]]
seat = "gus"
recording = "tape.jsonl"
ignore = "[0-9]+"
[[voice]]
seat = "hal"
[voice.http]
url = "http://127.0.0.1:8000/chat"
method = "POST"
headers = { Authorization = "Bearer {{ key }}" }
body = { message = "{{ message }}" }
api_key_env = "MY_KEY"
reply = { sse = "text" }
tools = "tool_calls.*.name"
session = { from = "id", url = "http://127.0.0.1:8000/sessions", body = { user = "me" } }
[[voice]]
seat = "ike"
[voice.http]
url = "http://127.0.0.1:8000/chat"
form = { text = "{{ message }}" }
reply = { lines = "response" }

[[tool]]
name = "weather"
results = [{ text = "Rain.", when = "arguments.town == 'Bonn'", every = true }, { fail = "no such town" }]

[[given]]
who = "ada"
text = "Tea."
tool_calls = [
  { tool = "weather", arguments = { town = "Rome" }, result = "Sun." },
]
[[given]]
who = "ada"
text = "More tea."
tool_calls = [{ tool = "weather", fail = "no such town" }]

[[steer]]
after = { utterance = 2 }
do = "pause"

[[case]]
name = "one"
n = 1

[[expect]]
that = "exit == 0 and case.n == 1"
pass = 0.5
why = "it ends well"
[[expect]]
speakers = ["ada", "bo"]
[[expect]]
tool_calls = [{ who = "ada", tool = "weather", arguments = { town = "Bonn" }, is = "done", result = "Rain." }]
[[expect]]
prompt = { of = "bo", turn = 1 }
contains = "Tea."
lacks = ["Coffee."]
file = "bo.txt"
[[expect]]
transcript = "talk.md"
[[expect]]
each = "utterance.text != ''"
[[expect]]
judge = "ollama:llama3"
question = "Does Bo answer?"
criteria = ["Nobody is rude"]
votes = 3
after = [2, 4]
min_turns = 2
against = "before.md"
"#;

/// Adds the paths of all keys in a schema, except scenarios and commands, which have their own tests.
fn described(schema: &Value, path: &str, all: &mut BTreeSet<String>) {
    for (key, of) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{key}");
        if path != ".scenario" && path != ".steer" {
            described(of, &path, all);
        }
        all.insert(path);
    }
    for of in ["anyOf", "oneOf"].iter().flat_map(|any| schema[*any].as_array()).flatten() {
        described(of, path, all);
    }
    if schema["items"].is_object() {
        described(&schema["items"], path, all);
    }
}

/// Adds the paths of all keys in a value.
fn used(value: &toml::Value, path: &str, all: &mut BTreeSet<String>) {
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                let path = format!("{path}.{key}");
                used(value, &path, all);
                all.insert(path);
            }
        }
        toml::Value::Array(items) => items.iter().for_each(|item| used(item, path, all)),
        _ => {}
    }
}

/// Every key in the schema is accepted, and any other is rejected.
#[test]
fn the_schema_lists_every_key_that_a_test_may_have() {
    let house = House::new();
    house.file("tape.toml", &crate::house::talk(2, 3).replace("\"bo\"", "\"gus\""));
    house.run(&["run", "tape.toml", "--headless", "--out-session", "tape.jsonl"]).code(0);
    house.file("docs/a.md", "x");
    house.file("before.md", "Ada: Tea?");
    let file = house.file("every.test.toml", EVERY);
    house.run(&["check", &file]).code(0);
    let schema: Value = serde_json::from_str(&house.run(&["schema", "test"]).code(0).out).unwrap();
    let parsed: toml::Value = toml::from_str(EVERY).unwrap();
    let valid = jsonschema::validator_for(&schema).unwrap();
    let json = serde_json::to_value(&parsed).unwrap();
    let wrong: Vec<String> = valid.iter_errors(&json).map(|e| format!("{e}")).collect();
    assert!(wrong.is_empty(), "{wrong:?}");

    let mut listed = BTreeSet::new();
    let mut taken = BTreeSet::new();
    described(&schema, "", &mut listed);
    used(&parsed, "", &mut taken);
    // `script` is an alternative to the results of a tool, so the example lacks it
    let untried: Vec<&String> =
        listed.difference(&taken).filter(|key| *key != ".tool.script").collect();
    assert!(untried.is_empty(), "the example lacks {untried:?}");
    // every table rejects keys that are not in the schema
    let tables = [
        "[[expect]]",
        "[[voice]]",
        "[[tool]]",
        "[[given]]",
        "[voice.person]",
        "[voice.attacker]",
        "results = [{",
    ];
    for table in tables {
        let text = EVERY.replacen(
            table,
            &format!("{table}\nnonsense = 1{}", if table.ends_with('{') { "," } else { "" }),
            1,
        );
        let text = text.replace("[{\nnonsense", "[{ nonsense");
        let ran = house.run(&["check", &house.file("n.test.toml", &text)]).code(3);
        assert!(ran.err.contains("nonsense: unknown key"), "{table}: {}", ran.err);
        let json: Value =
            serde_json::to_value(toml::from_str::<toml::Value>(&text).unwrap()).unwrap();
        assert!(!valid.is_valid(&json), "{table}");
    }
}
