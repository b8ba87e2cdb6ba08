//! Lists and checks as JSON, and the texts for editors and coding agents.

use crate::house::House;
use serde_json::{Value, json};
use std::fs;

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Returns the indented blocks of the skill: the scenario, then the test.
fn examples(skill: &str) -> Vec<String> {
    let mut blocks = vec![];
    for title in ["    title = \"Tabs or spaces\"", "    title = \"Both speak twice"] {
        let from = skill.find(title).unwrap();
        let lines = skill[from..].lines().take_while(|l| l.is_empty() || l.starts_with("    "));
        let lines: Vec<&str> = lines.map(|l| l.strip_prefix("    ").unwrap_or(l)).collect();
        blocks.push(lines.join("\n"));
    }
    blocks
}

#[test]
fn scenarios_and_branches_are_listed_as_json() {
    let house = House::new();
    house.run(&["scenarios", "new", "mine"]).code(0);
    let listed = parse(&house.run(&["scenarios", "list", "--json"]).code(0).out);
    let row = |name: &str| {
        let rows = listed.as_array().unwrap();
        rows.iter().find(|row| row["name"] == name).unwrap().clone()
    };
    assert_eq!(row("round-table")["title"], "Should cities ban private cars?");
    assert!(row("round-table")["about"].as_str().unwrap().starts_with("Round table:"));
    assert_eq!(row("mine")["title"], "Tea or coffee?");
    assert!(row("mine")["path"].as_str().unwrap().ends_with("mine.toml"));
    house.run(&["demo", "--headless"]).code(0);
    let parent = "20260101-000000-000000";
    house.run(&["fork", parent, "--at", "3", "--headless"]).code(0);
    let tree = parse(&house.run(&["sessions", "tree", "--json"]).code(0).out);
    let place = |i: usize| json!([tree[i]["id"], tree[i]["depth"], tree[i]["after"]]);
    assert_eq!(place(0), json!([parent, 0, null]));
    assert_eq!(place(1), json!(["20260101-000000-000000-2", 1, 3]));
    assert_eq!(tree[1]["parent"], parent);
}

#[test]
fn a_check_reports_each_fault_with_its_position_as_json() {
    let house = House::new();
    fs::write(
        house.path("bad.toml"),
        "title = \"T\"\ntopik = 1\n[[participant]]\nid = \"a\"\nlines = [\"x\"]\n",
    )
    .unwrap();
    let bad = house.path("bad.toml");
    let bad = bad.to_str().unwrap();
    let checked = house.run(&["check", "--json", "round-table", bad, "nowhere.toml"]).code(3);
    let rows = parse(&checked.out);
    assert_eq!((&rows[0]["valid"], &rows[0]["faults"]), (&json!(true), &json!([])));
    assert_eq!(rows[1]["valid"], false);
    let fault = &rows[1]["faults"][0];
    assert_eq!(json!([fault["line"], fault["column"], fault["severity"]]), json!([2, 1, "error"]));
    assert!(fault["fix"].as_str().unwrap().contains("topic"), "{fault}");
    assert!(rows[2]["error"].as_str().unwrap().contains("nowhere.toml"), "{}", rows[2]);
    assert_eq!(house.run(&["check", "--json", "round-table"]).code(0).err, "");
}

#[test]
fn the_examples_of_the_skill_are_valid_and_pass() {
    let house = House::new();
    let skill = house.run(&["help", "--skill"]).code(0).out;
    assert!(skill.starts_with("---\nname: colloquium\ndescription: "), "{skill}");
    let (scenario, test) = (house.path("mine.toml"), house.path("mine.test.toml"));
    let examples = examples(&skill);
    fs::write(&scenario, &examples[0]).unwrap();
    fs::write(&test, &examples[1]).unwrap();
    house.run(&["check", scenario.to_str().unwrap(), test.to_str().unwrap()]).code(0);
    house.run(&["test", test.to_str().unwrap()]).code(0);
}

#[test]
fn a_new_scenario_names_its_schema_for_editors() {
    let house = House::new();
    let path = house.path("mine.toml");
    house.run(&["scenarios", "new", path.to_str().unwrap()]).code(0);
    for (file, of) in [("mine.toml", "scenario"), ("mine.test.toml", "test")] {
        let text = fs::read_to_string(house.path(file)).unwrap();
        let schema = text.lines().next().unwrap().strip_prefix("#:schema ").unwrap();
        let printed = house.run(&["schema", of]).code(0).out;
        assert_eq!(fs::read_to_string(schema).unwrap(), printed, "{file}");
    }
    house.run(&["check", path.to_str().unwrap()]).code(0);
}
