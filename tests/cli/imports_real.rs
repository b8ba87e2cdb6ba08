//! `import` of files in the shapes that other programs write today: sub-agents in their own files, beside the session or
//! inside it, and what those programs add to the words of people.

use crate::house::House;
use serde_json::Value;

/// Imports a file of `tests/imports`. Returns its ATIF export, its messages, and the notices of the import.
fn imported(house: &House, file: &str) -> (Value, Vec<String>, String) {
    let path = format!("{}/tests/imports/{file}", env!("CARGO_MANIFEST_DIR"));
    let ran = house.run(&["import", &path]).code(0);
    let found = atif(house, ran.out.trim());
    let said = said(&found);
    // there and back
    let again = house.file("again.json", &found.to_string());
    let second = house.run(&["import", &again]).code(0).out;
    assert_eq!(atif(house, second.trim()), found);
    (found, said, ran.err)
}

fn atif(house: &House, id: &str) -> Value {
    let text = house.run(&["export", id, "--format", "atif", "--whispers"]).code(0).out;
    let mut value: Value = serde_json::from_str(&text).unwrap();
    value.as_object_mut().unwrap().remove("session_id");
    value
}

/// Returns a line for each message, with its private messages and uses of tools.
fn said(atif: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut lines = vec![];
    for step in list(&atif["steps"]) {
        let to = list(&step["extra"]["to"]);
        let to: String = to.iter().map(|to| format!(" > {}", text(to))).collect();
        lines.push(format!("{}{to}: {}", text(&step["extra"]["name"]), text(&step["message"])));
        for whisper in list(&step["extra"]["whispers"]) {
            lines.push(format!("  > {}: {}", text(&whisper["to"]), text(&whisper["text"])));
        }
        let results = list(&step["observation"]["results"]);
        for call in list(&step["tool_calls"]) {
            let id = &call["tool_call_id"];
            let result = results.iter().find(|result| result["source_call_id"] == *id);
            let result = result.map_or("-".into(), |result| text(&result["content"]));
            lines.push(format!("  {}: {result}", text(&call["function_name"])));
        }
    }
    lines
}

#[test]
fn a_session_of_claude_code_has_the_words_of_people_and_all_sub_agents() {
    let (found, said, err) = imported(&House::new(), "claude/tour.jsonl");
    assert_eq!(
        said,
        [
            "-: Show me the garden.",
            "Claude: First I look at the beds.",
            "  Read: Roses and beans.",
            "-: Beans first, please.",
            "Claude: Two helpers look closer.",
            "  Agent: Forty beans.\n\nagentId: bean1\n<usage>subagent_tokens: 12</usage>",
            "  Workflow: Workflow launched in background.",
            "agent bean1: Forty beans.",
            "  Bash: wc: beans: no such file",
            "agent rose1: The roses are red.",
            "Claude: Forty beans, and the roses are red.",
            "-: /compact keep the beans and the peas",
            "-: And a picture?",
            "Claude: A fine one.",
        ]
    );
    assert_eq!(found["extra"]["title"], "A tour of the garden");
    assert_eq!(found["steps"][1]["reasoning_content"], Value::Null, "a signature is no thought");
    assert_eq!(found["steps"][1]["metrics"]["completion_tokens"], 40, "of the last line");
    let voices = found["agent"]["extra"]["participants"].as_array().unwrap();
    let voices: Vec<&str> = voices.iter().map(|seat| seat["voice"].as_str().unwrap()).collect();
    let haiku = "claude-haiku-4-5-20251001";
    assert_eq!(voices, [haiku, haiku, "claude-sonnet-4-6"]);
    // the notice of a task, an error of the program, a summary, reminders and the output of a
    // command; the request of a workflow
    assert!(err.contains("left out: 1 image, 7 notices, 1 request\n"), "{err}");
}

/// Lines without a time, by a clock that is behind, before their parents, or twice are in the order of their parents; a
/// branch that the person left counts as messages of another branch.
#[test]
fn a_resumed_session_of_claude_code_follows_the_parents_of_its_lines() {
    let (_, said, err) = imported(&House::new(), "claude/resumed.jsonl");
    assert_eq!(
        said,
        [
            "-: First question.",
            "Claude: First answer.",
            "-: Second question.",
            "Claude: Second answer.",
            "-: Third question.",
            "Claude: Third answer.",
            "sub-agent: I looked.",
            "-: Fourth question.",
            "Claude: Fourth answer.",
        ]
    );
    assert!(err.contains("left out: 2 messages of another branch, 1 request\n"), "{err}");
}

#[test]
fn sub_agents_beside_a_session_of_claude_code_belong_to_it_by_its_id() {
    let (found, said, _) = imported(&House::new(), "claude/beside.jsonl");
    assert_eq!(
        said,
        [
            "-: Where does the path go?",
            "agent 9f3e: It ends at the pond.",
            "Claude: It goes to the pond.",
            "  Task: To the pond.",
        ]
    );
    assert_eq!(found["extra"]["title"], "Where the path goes");
}

#[test]
fn a_trajectory_has_its_sub_agents_at_the_steps_that_started_them() {
    let (found, said, err) = imported(&House::new(), "atif/delegated.json");
    assert_eq!(
        said,
        [
            "-: What grows here?",
            "gardener: I ask.",
            "  Task: Beans.",
            "  look: Green.",
            "gardener search-1: ",
            "  > gardener-search-2: Find the seeds.",
            "  delegate: -",
            "gardener search-2: In the shed.",
            "gardener search-1: Beans come from seeds.",
            "gardener: ",
            "  > gardener-search-1: And peas?",
            "gardener search-1: Peas too.",
            "- > summarizer: Summarise.",
            "summarizer: Beans, peas.",
            "gardener: Beans and peas.",
            "  observation: The end of the day.",
            "watcher: I only watched.",
        ]
    );
    let voices = found["agent"]["extra"]["participants"].as_array().unwrap();
    assert_eq!(voices[1]["voice"], "small");
    // of the harness
    assert!(err.contains("left out: 1 notice\n"), "{err}");
}

#[test]
fn a_trajectory_of_a_terminal_has_its_output_without_ids() {
    let (_, said, err) = imported(&House::new(), "atif/terminal.json");
    assert_eq!(
        said,
        [
            "-: Write hello.txt.",
            "terminus-2: Analysis: empty.\nPlan: write.",
            "  bash_command: New terminal output:\nhello.txt",
            "  bash_command: -",
            "terminus-2: Done.",
        ]
    );
    assert!(err.contains("left out: 1 image, 1 notice, 1 sub-agent\n"), "{err}");
}
