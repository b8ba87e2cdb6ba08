//! Scenarios, items and results that the tests of batches share.

use crate::house::House;
use serde_json::Value;
use std::fs;

/// One item with its key.
pub const ITEM: &str = "{\"id\":\"a\",\"question\":\"2 + 2?\",\"answer\":4}\n";

/// First lines of a scenario over items; its participants and phases follow.
pub const HEAD: &str = "title = \"T\"\ntopic = \"{{ item.question }}\"\npolicy = \"phases\"\n[item]\nquestion = \"?\"\n";

/// First round of a debate.
pub const ANSWERS: &str =
    "[[phase]]\nname = \"answers\"\norder = \"simultaneous\"\nsees = \"question\"\n";

/// Round after [`ANSWERS`].
pub const REVISION: &str =
    "[[phase]]\nname = \"revision\"\norder = \"simultaneous\"\nsees = \"others_last\"\n";

/// Scenario over items whose answers are numbers, from its title; its participants and phases are the rest.
macro_rules! numbers {
    ($title:literal, $rest:literal) => {
        concat!(
            "title = \"",
            $title,
            "\"\ntopic = \"{{ item.question }}\"\npolicy = \"phases\"\n[item]\nquestion = \"?\"\n",
            "[answer]\nform = \"number\"\n",
            $rest
        )
    };
}
pub(crate) use numbers;

/// Two voices that say the fields `one` and `two` of an item; their phases follow.
pub const VOICES: &str = numbers!(
    "Voices",
    r#"
[[participant]]
id = "ada"
lines = ["{{ item.one }}"]
[[participant]]
id = "bo"
lines = ["{{ item.two }}"]
"#
);

/// A solver that is right on every sum that does not begin with a 1.
pub const SOLVER: &str = numbers!(
    "Solver",
    r#"
[[participant]]
id = "ada"
lines = ["It is as it is.\nANSWER: {{ item.right }}"]

[[participant]]
id = "bo"
lines = ["ANSWER: {{ item.said }}"]

[[phase]]
name = "answers"
order = "simultaneous"
sees = "question"

[[phase]]
name = "revision"
when = "agreement < 1"
order = "simultaneous"
sees = "others_last"
"#
);

pub fn at(house: &House, name: &str) -> String {
    house.path(name).display().to_string()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub fn results(house: &House, path: &str) -> Vec<Value> {
    lines(&fs::read_to_string(house.home.path().join(path)).unwrap())
}

/// Returns a question whose answer is its number, answered correctly.
pub fn item(n: u32) -> String {
    format!("{{\"id\":\"{n}\",\"question\":\"{n}?\",\"answer\":{n},\"right\":{n},\"said\":{n}}}\n")
}

/// Returns the rows of a table of the report as comma-separated values, without the header.
pub fn rows(house: &House, of: &str, table: &str) -> Vec<String> {
    let args = ["batch", "report", of, "--format", "csv", "--table", table];
    let csv = house.run(&args).code(0).out;
    csv.lines().skip(1).map(str::to_owned).collect()
}

/// Writes a scenario with [`HEAD`]; returns its path.
pub fn scenario(house: &House, name: &str, rest: &str) -> String {
    house.file(&format!("{name}.toml"), &format!("{HEAD}{rest}"))
}

/// Runs a scenario over items; returns the folder of the results.
pub fn run_items(house: &House, scenario: &str, items: &str, name: &str) -> String {
    let items = house.file(&format!("{name}.jsonl"), items);
    let out = at(house, name);
    house.run(&["batch", scenario, "--items", &items, "--out", &out]).code(0);
    out
}

/// Writes settings that state a large window for models of a test server; returns their path.
pub fn windows(house: &House, models: &[&str]) -> String {
    let window = |model: &&str| format!("[models.\"endpoint:{model}\"]\nwindow = 100000\n");
    house.file("c.toml", &models.iter().map(window).collect::<String>())
}
