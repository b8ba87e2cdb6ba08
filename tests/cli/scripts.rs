//! Input of a script in a seat, observed from outside.

use crate::house::House;
use crate::program::until;

/// Two scripts that save their input, in a conversation with hidden names.
const BLIND: &str = r#"
title = "Blind"
policy = "phases"
[[participant]]
id = "ada"
name = "Ada"
script = ["sh", "-c", "cat >> ada.json; echo Ask @bo."]
[[participant]]
id = "bo"
name = "Bo"
script = ["sh", "-c", "cat >> bo.json; echo It was @ada who spoke."]
[[phase]]
name = "only"
anonymous = "stable"
rounds = 2
"#;

#[test]
fn where_names_are_hidden_a_script_is_told_none() {
    let house = House::new();
    let path = house.file("blind.toml", BLIND);
    let steer =
        house.file("steer.jsonl", r#"{"after":{"utterance":1},"do":"say","text":"Bo, why?"}"#);
    house.run(&["run", &path, "--headless", "--trust", "--steer", &steer]).code(0);
    // the operator asks Bo, who has the next turn anyway
    for (own, other, times) in [("ada", "bo", 2), ("bo", "ada", 2)] {
        let told = std::fs::read_to_string(house.path(&format!("{own}.json"))).unwrap();
        let calls = serde_json::Deserializer::from_str(&told).into_iter::<serde_json::Value>();
        let calls: Vec<_> = calls.map(Result::unwrap).collect();
        assert_eq!(calls.len(), times, "{told}");
        for call in calls {
            let whole = call["history"].as_array().unwrap().iter().chain([&call["last"]]);
            for said in whole.chain([&call["operator"], &call["prompt"]]) {
                let said = said.to_string().to_lowercase();
                let told = said.split(|c: char| !c.is_alphanumeric()).any(|word| word == other);
                assert!(!told, "{own} is told of {other}: {said}");
            }
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_that_is_killed_outright_takes_its_scripts_along() {
    let house = House::new();
    let script = "(setsid sleep 600 & echo $! > other.pid) ; echo $$ > own.pid; sleep 600";
    let path = house.file(
        "town.toml",
        &format!(
            "title = \"T\"\n[[participant]]\nid = \"x\"\nscript = [\"sh\", \"-c\", {script:?}]\n"
        ),
    );
    let mut program = house.command(&["run", &path, "--headless", "--trust"]).spawn().unwrap();
    let pid = |name: &str| -> Option<u32> {
        std::fs::read_to_string(house.path(name)).ok()?.trim().parse().ok()
    };
    let pids = until("the script runs", || Some([pid("own.pid")?, pid("other.pid")?]));
    program.kill().unwrap();
    program.wait().unwrap();
    let lives = |pid: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    until("its scripts end", || (!pids.iter().any(lives)).then_some(()));
}

/// The page on scripts: its program speaks, and each line that it shows fits the schema of lines.
#[test]
fn the_example_of_the_help_speaks_and_its_lines_fit_the_schema() {
    let house = House::new();
    let page = house.run(&["help", "scripts"]).code(0).out;
    let code: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("    ")).collect();
    let from = |begin: &str| code.iter().position(|line| line.starts_with(begin)).unwrap();
    let program = &code[from("import json")..=from("print(")];
    house.file("sam.py", &program.join("\n"));
    let seat = &code[from("[[participant]]")..=from("script =")];
    let talk = format!(
        "title = \"A talk\"\n[limits]\nturns = 2\n[[participant]]\nname = \"Ada\"\nlines = [\"Tea.\"]\n{}\n",
        seat.join("\n")
    );
    let path = house.file("talk.toml", &talk);
    let ran = house.run(&["run", &path, "--headless", "--trust"]).code(0);
    assert!(ran.out.contains("[2] Sam\n  I have heard 1 messages."), "{ran:?}");
    let schema = serde_json::from_str(&house.run(&["schema", "script"]).code(0).out).unwrap();
    let fits = jsonschema::draft202012::new(&schema).unwrap();
    for line in [r#"{"delta": "Tea, "}"#, r#"{"error": "no tea"}"#, r#"{"pass": true}"#] {
        assert!(page.contains(line), "{line}");
        assert!(fits.is_valid(&serde_json::from_str(line).unwrap()), "{line}");
    }
    let last = r#"{"text": "Tea, then.", "structured": {"cups": 2}, "finish": "stop", "usage": {"input": 120, "output": 4}}"#;
    assert!(fits.is_valid(&serde_json::from_str(last).unwrap()));
    assert!(!fits.is_valid(&serde_json::json!({"words": "tea"})));
}

#[test]
fn bytes_that_are_not_text_are_a_failure_with_its_reason() {
    let house = House::new();
    for output in [r"caf\351", r#"{\"text\":\"caf\351\"}"#] {
        let script = format!("printf '{output}\\n'").replace("\\\"", "\"");
        let path = house.file(
            "town.toml",
            &format!(
                "title = \"T\"\nlimits.turns = 1\n[[participant]]\nid = \"x\"\non_failure = {{ retry = 0 }}\n\
                 script = [\"sh\", \"-c\", {script:?}]\n"
            ),
        );
        let ran = house.run(&["run", &path, "--headless", "--trust"]);
        assert!(ran.out.contains("wrote bytes that are not UTF-8"), "{script}: {ran:?}");
    }
}
