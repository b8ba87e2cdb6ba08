//! `--cast`: people for a topic, proposed by the model.

use crate::house::House;
use crate::server::Server;

const PEOPLE: &str = r#"{"people": [
    {"id": "ada", "name": "Nora", "trade": "night porter", "wants": "You want the gate kept open until two.", "loses": "You would lose the {{ flat }} over the gate.", "changes": "You would change your mind if nobody came after midnight", "speaks": "slow, with pauses"},
    {"id": "bo", "name": "Emil", "trade": "baker", "wants": "You want sleep.", "loses": "You would lose the morning shift.", "changes": "You would change your mind if the noise were measured."},
    {"id": "cy", "name": "Nora", "trade": "cleaner", "wants": "You want a key.", "loses": "You would lose an hour a night.", "changes": "You would change your mind if somebody else carried the bins."}]}"#;
const TOPIC: [&str; 3] = ["round-table", "--topic", "Should the gate be shut at ten?"];

fn args<'a>(server: &'a Server, more: &[&'a str]) -> Vec<&'a str> {
    let model = ["--endpoint", &server.url, "--model", "endpoint:tiny", "--headless"];
    [&["run"], &TOPIC[..], &model[..], more].concat()
}

#[test]
fn the_cast_for_a_topic_is_asked_for_once_and_sits_in_the_prompts() {
    let server = Server::start(PEOPLE, None);
    let house = House::new();
    let ran =
        house.run(&args(&server, &["--cast", "--max-utterances", "1", "--set", "result=\"none\""]));
    let ran = ran.code(0);
    assert!(ran.err.contains("Nora, night porter"), "{}", ran.err);
    assert!(ran.err.contains("You would lose the morning shift."), "{}", ran.err);
    let asked = server.asked.lock().unwrap();
    assert!(asked[0].contains("You cast a debate"), "{}", asked[0]);
    assert!(asked[0].contains("Should the gate be shut at ten?"), "{}", asked[0]);
    for words in [
        "You are Nora, night porter. Your answer is yes. You want the gate kept open until two.",
        "over the gate. You would change your mind if nobody came after midnight. You speak so: slow, with pauses.",
        "Emil (baker, says no), Cy (cleaner)",
    ] {
        assert!(asked[1].contains(words), "{words}: {}", asked[1]);
    }
    // the person replaces the persona of `any_topic`; a name that somebody has is not given twice
    assert!(!asked[1].contains("To the question below"), "{}", asked[1]);
    assert!(asked[1..].iter().all(|body| !body.contains("You cast a debate")));
}

#[test]
fn a_cast_that_cannot_be_read_or_seated_is_an_error_with_the_way_out() {
    let server = Server::start("I would rather not.", None);
    let house = House::new();
    let refused = house.run(&args(&server, &["--cast"])).code(4);
    assert!(refused.err.contains("tiny proposed no readable cast"), "{}", refused.err);
    assert!(refused.err.contains("leave out --cast"), "{}", refused.err);
    assert_eq!(server.asked.lock().unwrap().len(), 2, "asked again once");
    assert!(house.sessions().is_empty());
    let mut other = args(&server, &["--cast"]);
    other[1] = "brainstorm";
    let refused = house.run(&other).code(2);
    assert!(refused.err.contains("any_topic"), "{}", refused.err);
}

#[test]
fn another_topic_changes_the_people_unless_one_is_given_a_persona() {
    for (set, words) in [
        ("participant.ada.timeout=60", "Bo (says no)"),
        ("participant.ada.role=\"porter\"", "Bo (joiner, says no)"),
    ] {
        let server = Server::start(PEOPLE, None);
        let house = House::new();
        house.run(&args(&server, &["--max-utterances", "1", "--set", set])).code(0);
        let asked = server.asked.lock().unwrap();
        assert!(asked[0].contains(words), "{words}: {}", asked[0]);
    }
}

#[test]
fn a_jury_with_a_seat_for_the_person_votes_on_another_topic_without_a_screen() {
    let server = Server::start(PEOPLE, None);
    let house = House::new();
    let mut all = args(&server, &["--dry-run"]);
    all[1] = "oxford";
    let ran = house.run(&all).code(0);
    assert!(ran.out.contains("Should the gate be shut at ten?"), "{}", ran.out);
    assert!(ran.out.contains("are the jury: they vote before the first word"), "{}", ran.out);
}

#[test]
fn without_the_option_the_bundled_cast_speaks() {
    let server = Server::start(PEOPLE, None);
    let house = House::new();
    house.run(&args(&server, &["--max-utterances", "1"])).code(0);
    let asked = server.asked.lock().unwrap();
    assert!(asked[0].contains("Bo (says no)"), "{}", asked[0]);
}
