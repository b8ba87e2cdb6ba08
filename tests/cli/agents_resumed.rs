//! Sessions of agents that go on: after a crash, in a new process, in a resumed conversation.

use crate::agents::{logged_lines, notes, run, talk};
use crate::house::House;
use serde_json::json;

#[test]
fn a_crash_opens_a_new_session_with_the_talk_so_far() {
    let house = House::new();
    let path = talk(&house, "crash", 3, "on_failure = { retry = 1 }");
    let ran = run(&house, &path, &[]).code(0);
    assert!(ran.out.contains("half a"), "what was shown stays: {}", ran.out);
    let told_all = logged_lines(&house);
    assert_eq!(notes(&told_all, "started").len(), 1);
    let id = house.sessions()[0]["id"].as_str().unwrap().to_owned();
    house.run(&["resume", &id, "--headless", "--trust", "--max-utterances", "5"]).code(0);
    let after = logged_lines(&house);
    assert_eq!(notes(&after, "started").len(), 2, "a new process");
    let again = notes(&after, "prompt").last().unwrap().as_str().unwrap().to_owned();
    assert!(
        again.contains("You like tea.") && again.contains("The conversation so far:"),
        "{again}"
    );
    assert!(again.contains("Coffee, says Bo.") && again.contains("by=\"you\""), "{again}");
}

#[test]
fn a_new_process_continues_the_session_where_the_agent_can() {
    for (how, retries, resumed, again) in
        [("resumes", 1, true, false), ("forgets", 1, true, true), ("doomed", 2, true, true)]
    {
        let house = House::new();
        let path = talk(&house, how, 3, &format!("on_failure = {{ retry = {retries} }}"));
        run(&house, &path, &[]).code(0);
        let told = logged_lines(&house);
        let processes = 1 + retries;
        assert_eq!(notes(&told, "started").len(), processes, "{how}");
        let first = notes(&told, "started")[0];
        let named = notes(&told, "resumed").first().map(|id| id.as_str().unwrap().to_owned());
        assert_eq!(named, resumed.then(|| format!("s-{first}")), "{how}");
        assert_eq!(notes(&told, "resumed").len(), 1, "a session that crashed twice is given up");
        let last = notes(&told, "prompt").last().unwrap().as_str().unwrap().to_owned();
        assert!(last.contains("Coffee, says Bo."), "{how}: {last}");
        assert_eq!(last.contains("You like tea."), again, "{how}: {last}");
        assert_eq!(last.contains("The conversation so far:"), again, "{how}: {last}");
        assert_eq!(notes(&told, "closed"), [&json!(true)], "{how}: {told:?}");
    }
}

#[test]
fn a_resumed_conversation_continues_the_sessions_of_its_agents() {
    let house = House::new();
    let path = talk(&house, "resumes", 1, "");
    run(&house, &path, &[]).code(0);
    let id = house.sessions()[0]["id"].as_str().unwrap().to_owned();
    let more = |id: &str, turns: &str| {
        house.run(&["resume", id, "--headless", "--trust", "--max-utterances", turns]).code(0);
        let told = logged_lines(&house);
        let last = notes(&told, "prompt").last().unwrap().as_str().unwrap().to_owned();
        (notes(&told, "resumed").len(), last)
    };
    let (resumed, last) = more(&id, "3");
    assert_eq!(resumed, 1, "{last}");
    assert!(last.contains("Coffee, says Bo.") && !last.contains("You like tea."), "{last}");
    assert!(!last.contains("turn 1 of"), "its own words are not told: {last}");
    // a branch is another conversation: the agent's session goes on in the parent
    house.run(&["fork", &id, "--at", "2", "--headless", "--trust"]).code(0);
    let told = logged_lines(&house);
    assert_eq!(notes(&told, "resumed").len(), 1, "{told:?}");
    let last = notes(&told, "prompt").last().unwrap().as_str().unwrap().to_owned();
    assert!(last.contains("You like tea.") && last.contains("Coffee, says Bo."), "{last}");
}

#[test]
fn faults_of_the_keys_are_told() {
    let house = House::new();
    let path = talk(&house, "plain", 1, "tools = [\"read_file\"]\ntemperature = 1.0");
    let check = house.run(&["check", &path]).code(3);
    let all = check.out + &check.err;
    assert!(all.contains("an agent brings its own tools"), "{all}");
    let other = "title = \"t\"\n[[participant]]\nid = \"a\"\nname = \"A\"\nlines = [\"x\"]\nfolder = \"w\"\n";
    let check = house.run(&["check", &house.file("other.toml", other)]).code(3);
    assert!((check.out + &check.err).contains("is for agents"), "the key has no meaning");
}
