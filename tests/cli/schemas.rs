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

#[test]
fn bundled_themes_fit_their_schema() {
    let house = House::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let theme = schema(&house, "theme");
    let themes = files(&root.join("themes"));
    assert!(themes.len() > 10, "{}", themes.len());
    for path in themes {
        let value: Value = toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        check(&theme, &value, &path.display().to_string());
    }
}

/// The template of `scenarios new`, with every key that it comments out, and the examples of the help pages.
#[test]
fn templates_and_examples_of_the_help_fit_their_schemas() {
    let house = House::new();
    let path = house.path("mine.toml").to_str().unwrap().to_owned();
    house.run(&["scenarios", "new", &path]).code(0);
    let template: Value = toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    check(&schema(&house, "scenario"), &template, "scenarios new");
    let help = |topic: &str| house.run(&["help", topic]).code(0).out;
    let settings = help("settings");
    let block = |begins: &str| {
        let rest = settings.lines().skip_while(|line| !line.trim_start().starts_with(begins));
        let lines = rest.take_while(|line| line.is_empty() || line.starts_with("    "));
        lines.map(|line| line.trim_start()).collect::<Vec<_>>().join("\n")
    };
    let config: Value = toml::from_str(&block("default_model")).unwrap();
    assert!(config.get("providers").is_some(), "{config}");
    check(&schema(&house, "config"), &config, "help settings");
    let steer = schema(&house, "steer");
    let steering = help("steering");
    let readme =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let lines = steering.lines().chain(readme.lines()).map(str::trim);
    let lines: Vec<Value> = lines
        .filter(|line| line.starts_with('{') && line.contains("\"do\":"))
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    assert!(lines.len() > 5, "{lines:?}");
    lines.iter().for_each(|line| check(&steer, line, &line.to_string()));
}
