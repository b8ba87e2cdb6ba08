//! Imported history: messages from before a conversation, and reports of its calls.

use crate::house::House;
use crate::server::Server;
use serde_json::json;

const TALK: &str = "title = \"A talk\"\ntopic = \"Tea\"\n[limits]\nutterances = 1\n\
    [[participant]]\nid = \"ada\"\nname = \"Ada\"\n[[participant]]\nid = \"bo\"\nname = \"Bo\"\n";

#[test]
fn earlier_exchanges_are_part_of_the_talk_and_the_last_question_its_topic() {
    let server = Server::start("I agree.", None);
    let house = House::new();
    let path = house.file("talk.toml", TALK);
    let earlier = json!([
        {"role": "system", "content": "Be kind."},
        {"role": "user", "name": "Zoe", "content": "What of coffee?"},
        {"role": "assistant", "name": "bo", "content": "Too strong."},
        {"role": "user", "content": "And of milk?"},
    ]);
    let history = house.file("history.json", &earlier.to_string());
    let model = ["--endpoint", &server.url, "--model", "endpoint:tiny"];
    let args = [&["run", &path, "--headless", "--history", &history], &model[..]].concat();
    let ran = house.run(&args).code(0);
    let order =
        ["And of milk?", "Zoe: What of coffee?", "Bo, written by you\n  Too strong.", "[1] Ada"];
    let places: Vec<_> = order
        .iter()
        .map(|told| ran.out.find(told).unwrap_or_else(|| panic!("{told}: {}", ran.out)))
        .collect();
    assert!(places.is_sorted(), "{}", ran.out);
    let asked = server.asked.lock().unwrap()[0].clone();
    for shown in ["The question: And of milk?", "What of coffee?", "Too strong.", "Be kind."] {
        assert!(asked.contains(shown), "{shown}: {asked}");
    }
    // a resume repeats nothing of the history
    let more = [&["resume", "--last", "--headless", "--max-utterances", "2"], &model[..2]].concat();
    let ran = house.run(&more).code(0);
    assert!(ran.out.contains("[2] Bo") && !ran.out.contains("coffee"), "{}", ran.out);
    // a dry run shows the history
    let ran = house.run(&[&args[..], &["--dry-run"]].concat()).code(0);
    assert!(ran.out.contains("Too strong."), "{}", ran.out);

    for (wrong, told) in [
        (
            json!([{"role": "assistant", "name": "eve", "content": "x"}]),
            "no participant named \"eve\"; there are ada, bo",
        ),
        (json!([{"role": "poet", "content": "x"}]), "unknown variant `poet`"),
        (json!({"role": "user"}), "history.json: invalid type"),
    ] {
        house.file("history.json", &wrong.to_string());
        let ran = house.run(&args).code(3);
        assert!(ran.err.contains(told), "{wrong}: {}", ran.err);
    }
}

#[test]
fn calls_are_told_to_whoever_asks_and_kept_in_a_file() {
    let server = Server::start("I agree.", None);
    let house = House::new();
    let path = house.file("talk.toml", TALK);
    let log = house.path("log");
    let model = ["--endpoint", &server.url, "--model", "endpoint:tiny"];
    let args = [&["run", &path, "--headless"], &model[..]].concat();
    let ran = house.run(&[&args[..], &["-v"]].concat()).code(0);
    assert!(
        ran.err.contains(": endpoint:tiny, ~") && ran.err.contains("of ada: said in "),
        "{}",
        ran.err
    );
    let ran =
        house.run(&[&args[..], &["-q", "--log-file", log.to_str().unwrap()]].concat()).code(0);
    assert!(!ran.err.contains("said in"), "{}", ran.err);
    let kept = std::fs::read_to_string(&log).unwrap();
    for told in ["of ada: said in ", "session: ", "saved: ", " tokens, no price"] {
        assert!(kept.contains(told), "{told}: {kept}");
    }
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&log).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    house.run(&["run", "nothing", "--headless", "--log-file", log.to_str().unwrap()]).code(2);
    let kept = std::fs::read_to_string(&log).unwrap();
    assert!(kept.contains("error: no scenario `nothing`"), "{kept}");
}

/// Chats of other programs have assistants without a name.
#[test]
fn an_assistant_without_a_name_spoke_elsewhere() {
    let house = House::new();
    let path = house.file("talk.toml", &crate::house::talk(2, 2));
    let chat = json!([{"role": "user", "content": "Is it cold?"}, {"role": "assistant", "content": "Very."}]);
    let file = house.file("chat.json", &chat.to_string());
    let run = |more: &[&str]| {
        house.run(&[&["run", &path, "--headless", "--no-save", "--history", &file], more].concat())
    };
    let ran = run(&[]).code(0);
    assert!(
        ran.out.contains("assistant, written by you") && ran.out.contains("Very."),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("[2] Bo"), "nobody but the table speaks: {}", ran.out);
    let ran = run(&["--history-as", "Old Bot"]).code(0);
    assert!(ran.out.contains("Old Bot, written by you"), "{}", ran.out);
    let ran = run(&["--history-as", "bo"]).code(0);
    assert!(ran.out.contains("Bo, written by you"), "{}", ran.out);
    let ran = run(&["--history-as", "operator"]).code(3);
    assert!(ran.err.contains("is not a valid name"), "{}", ran.err);
}
