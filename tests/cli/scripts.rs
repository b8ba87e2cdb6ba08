//! What a script in a seat is told, seen from outside.

use crate::house::House;

/// Two scripts that keep what they are told, in a blind table.
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
script = ["sh", "-c", "cat >> bo.json; echo It was Ada who spoke."]
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
    for (own, other) in [("ada", "bo"), ("bo", "ada")] {
        let told = std::fs::read_to_string(house.path(&format!("{own}.json"))).unwrap();
        let calls = serde_json::Deserializer::from_str(&told).into_iter::<serde_json::Value>();
        let calls: Vec<_> = calls.map(Result::unwrap).collect();
        assert_eq!(calls.len(), 2, "{told}");
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
