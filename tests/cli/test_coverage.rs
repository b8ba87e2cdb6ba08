//! `colloquium test --coverage`: every part of a scenario is counted, by actual hits.

use crate::house::{House, Ran};
use crate::server::Server;
use serde_json::Value;

/// Returns the points of a run's only scenario, as `kind name: hits`.
fn points(ran: Ran) -> Vec<String> {
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    let all = json["coverage"]["scenarios"][0]["points"].as_array().unwrap();
    let text = |p: &Value, key: &str| p[key].as_str().unwrap().to_owned();
    all.iter().map(|p| format!("{} {}: {}", text(p, "kind"), text(p, "name"), p["hits"])).collect()
}

fn covered(house: &House, file: &str) -> Vec<String> {
    points(house.run(&["test", "--coverage", "--format", "json", file]))
}

/// A dependency without a condition is met or not; one with a condition goes both ways.
#[test]
fn coverage_counts_dependencies_stages_and_stop_rules() {
    let house = House::new();
    let text = |limit: u32| {
        format!(
            "[scenario]\ntitle = \"C\"\npolicy = \"depends\"\nlimits = {{ utterances = {limit} }}\n\
             [[scenario.participant]]\nid = \"ada\"\n[[scenario.participant]]\nid = \"bo\"\n\
             [[scenario.participant.after]]\nparticipant = \"ada\"\n[[scenario.participant]]\nid = \"cy\"\n\
             [[scenario.participant.after]]\nparticipant = \"bo\"\nwhen = \"turn_count > 9\"\n\
             [[scenario.stop]]\nword = \"NEVER\"\n[[scenario.stop]]\nword = \"ENOUGH\"\n\
             [[voice]]\nseat = \"all\"\nlines = [\"Well.\"]\n[[voice]]\nseat = \"bo\"\nlines = [\"ENOUGH\"]\n\
             [[expect]]\nthat = \"exit < 9\"\n"
        )
    };
    let file = house.file("d.test.toml", &text(9));
    let expected = [
        "dependency bo after ada: 1",
        "dependency cy after bo when turn_count > 9: false: 2",
        "dependency cy after bo when turn_count > 9: true: 0",
        "participant ada: 1",
        "participant bo: 1",
        "participant cy: 0",
        // of two stop words, the spoken one
        "stop word ENOUGH: 1",
        "stop word NEVER: 0",
    ];
    assert_eq!(covered(&house, &file), expected);
    let file = house.file("d.test.toml", &text(1));
    let points = covered(&house, &file);
    for part in ["dependency bo after ada: 0", "stop word ENOUGH: 0"] {
        assert!(points.iter().any(|p| p == part), "{part}: {points:?}");
    }
    // a rule that asks counts as reached, though it ends nothing
    let asks = text(3)
        .replace("policy = \"depends\"\n", "")
        .replace("word = \"ENOUGH\"\n", "word = \"ENOUGH\"\nthen = \"ask\"\n")
        + "[[steer]]\nwhen = \"paused\"\nevery = true\ndo = \"resume\"\n";
    let asks = asks
        .lines()
        .filter(|l| !l.contains("after") && !l.contains("turn_count"))
        .collect::<Vec<_>>();
    let asks: String = asks
        .join("\n")
        .replace("\nparticipant = \"ada\"", "")
        .replace("\nparticipant = \"bo\"", "");
    let file = house.file("d.test.toml", &asks);
    let points = covered(&house, &file);
    assert!(points.contains(&"stop word ENOUGH: 1".to_owned()), "{points:?}");
}

/// All stages of a bundled scenario are reached by its tests together, but not by a single one of them.
#[test]
fn the_stages_of_a_conversation_are_counted() {
    let house = House::new();
    let of =
        |name: &str| format!("{}/assets/scenarios/{name}.test.toml", env!("CARGO_MANIFEST_DIR"));
    let points = covered(&house, &of("breed-advisor-facts"));
    let stages: Vec<&String> = points.iter().filter(|p| p.starts_with("stage ")).collect();
    assert_eq!(stages.len(), 3, "{points:?}");
    assert!(stages.iter().all(|p| !p.ends_with(": 0")), "{stages:?}");
}

/// The stop word of a simulated person belongs to the test, not to the scenario.
#[test]
fn a_simulated_person_adds_nothing_to_a_scenario() {
    let house = House::new();
    let server = Server::start("Thanks. DONE", None);
    let config = format!("[providers.mine]\nwire = \"openai\"\nbase_url = \"{}\"\n", server.url);
    house.file(".config/colloquium/config.toml", &config);
    let file = house.file(
        "p.test.toml",
        "[scenario]\ntitle = \"S\"\nlimits = { utterances = 4 }\n[[scenario.participant]]\nid = \"me\"\nhuman = true\n\
         [[scenario.participant]]\nid = \"bo\"\n[[voice]]\nseat = \"bo\"\nlines = [\"Hm.\"]\n[[voice]]\nseat = \"me\"\n\
         model = \"mine:tiny\"\nperson = { goal = \"leave\" }\n[[expect]]\nthat = \"ended.reason == 'stop_word'\"",
    );
    let ran = house.run(&["test", "--ask", "--coverage", "--format", "json", &file]);
    assert_eq!(points(ran), ["participant bo: 0", "participant me: 1"]);
}
