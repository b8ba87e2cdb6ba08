//! Every bundled file is valid by the schema that the program prints.

use crate::house::House;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

fn schema(house: &House, of: &str) -> jsonschema::Validator {
    let printed = house.run(&["schema", of]).code(0).out;
    jsonschema::validator_for(&serde_json::from_str(&printed).unwrap()).unwrap()
}

#[track_caller]
fn check(schema: &jsonschema::Validator, value: &Value, whose: &str) {
    let faults: Vec<String> =
        schema.iter_errors(value).map(|e| format!("{whose}: {}: {e}", e.instance_path())).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns all TOML files of a folder, recursively.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
    let files = files.into_iter().filter(|path| path.extension().is_some_and(|e| e == "toml"));
    files.chain(folders.iter().flat_map(|folder| self::files(folder))).collect()
}

#[test]
fn bundled_scenarios_and_tests_fit_their_schemas() {
    let house = House::new();
    let scenario = schema(&house, "scenario");
    let test = schema(&house, "test");
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let all =
        ["scenarios", "panels", "examples"].map(|folder| files(&assets.join(folder))).concat();
    assert!(all.len() > 40, "{}", all.len());
    for path in all {
        let text = fs::read_to_string(&path).unwrap();
        let value: Value = toml::from_str(&text).unwrap();
        let whose = path.display().to_string();
        let schema = if whose.ends_with(".test.toml") { &test } else { &scenario };
        check(schema, &value, &whose);
    }
}

#[test]
fn steering_lines_on_plans_fit_their_schema() {
    let steer = schema(&House::new(), "steer");
    for line in [
        json!({"do": "cancel_step", "step": 1}),
        json!({"do": "answer_step", "step": 2, "text": "Yes."}),
        json!({"do": "move_step", "step": 3, "before": 1}),
        json!({"do": "edit_step", "step": 3, "set": {"goal": "done", "after": [1], "executor": false}}),
        json!({"do": "add_step", "set": {"description": "check it", "goal": "checked"}}),
    ] {
        check(&steer, &line, &line.to_string());
    }
    for line in [
        json!({"do": "cancel_step", "step": "1"}),
        json!({"do": "move_step", "step": 3, "before": "1"}),
        json!({"do": "edit_step", "step": 3, "set": {"persona": "x"}}),
    ] {
        assert!(!steer.is_valid(&line), "{line}");
    }
}
