//! Agents in tests: asked once, with consent, and recorded.

use crate::house::House;

const AGENT: &str = include_str!("fake_agent.py");
/// Log of the fake agent.
const LOG: &str = "told.jsonl";

/// Returns the number of lines that the fake agent logged.
fn logged(house: &House) -> usize {
    std::fs::read_to_string(house.path(LOG)).unwrap_or_default().lines().count()
}

#[test]
fn a_tested_agent_is_asked_once_and_its_replies_are_kept() {
    for (how, that) in [
        (
            "tools",
            "'turn 1' in utterances[0].text and tool_calls[0].tool == 'Read notes.txt' and tool_calls[0].result == 'buy tea'",
        ),
        // nobody can be asked for permission in a test
        ("asks", "utterances[0].text == 'answers: no no'"),
    ] {
        let house = House::new();
        house.file("agent.py", AGENT);
        let talk = format!(
            "title = \"A talk\"\n[limits]\nutterances = 2\n[[participant]]\nid = \"ada\"\n\
             agent = [\"python3\", \"agent.py\", \"{how}\", \"{}\"]\n\
             [[participant]]\nid = \"bo\"\nlines = [\"Coffee.\"]\n",
            house.path(LOG).display()
        );
        house.file("talk.toml", &talk);
        let test = format!("scenario = \"talk.toml\"\n[[expect]]\nthat = \"{that}\"\n");
        house.file("a.test.toml", &test);
        let ran = house.run(&["test", "--ask"]).code(3);
        assert!(
            ran.out.contains("would run python3") && ran.out.contains("--trust"),
            "{}",
            ran.out
        );
        assert!(logged(&house) == 0, "nothing was started");
        house.run(&["test", "--ask", "--trust"]).code(0);
        let before = logged(&house);
        let ran = house.run(&["test"]).code(0);
        assert!(ran.out.contains("0 asked, 1 recorded"), "{}", ran.out);
        assert_eq!(logged(&house), before, "recorded replies start nothing");
    }
}
