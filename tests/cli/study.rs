//! Figures of sessions: their values in every format, and two sessions side by side.

use crate::house::{House, talk};
use serde_json::Value;

fn json(house: &House, args: &[&str]) -> Value {
    serde_json::from_str(&house.run(args).code(0).out).unwrap()
}

fn rows<'a>(figures: &'a Value, name: &str) -> &'a Vec<Value> {
    figures["figures"][name]["rows"].as_array().unwrap_or_else(|| panic!("{name}: {figures}"))
}

#[test]
fn the_figures_of_the_demo_read_as_they_should() {
    let house = House::new();
    house.run(&["demo", "--headless"]).code(0);
    let text = house.run(&["analyze", "--last"]).code(0).out;
    insta::assert_snapshot!("analyze__demo", text);
    let md = house.run(&["analyze", "--last", "--format", "md", "--table", "mentions"]).code(0).out;
    insta::assert_snapshot!("analyze__demo_md", md);
}

#[test]
fn shares_are_counted_by_words_without_the_operator() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(3, 9));
    let steer = house.file(
        "steer.jsonl",
        "{\"after\":{\"utterance\":2},\"do\":\"say\",\"text\":\"three words here\"}\n",
    );
    house.run(&["run", &path, "--headless", "--steer", &steer]).code(0);
    let figures = json(&house, &["analyze", "--last", "--format", "json"]);
    let shares = rows(&figures, "shares");
    let of = |who: &str| shares.iter().find(|r| r["participant"] == who).unwrap();
    assert_eq!((&of("Ada")["utterances"], &of("Bo")["utterances"]), (&2.into(), &1.into()));
    assert_eq!((&of("Ada")["words"], &of("Bo")["words"]), (&20.into(), &10.into()));
    assert_eq!(of("Ada")["words_share"], 0.666667);
    assert_eq!((&of("you")["words"], &of("you")["words_share"]), (&3.into(), &Value::Null));
    let events = rows(&figures, "events");
    assert!(events.iter().any(|e| e["what"] == "say" && e["words"] == "three words here"));
    assert_eq!(events.last().unwrap()["what"], "end");
}

#[test]
fn repetitions_are_found() {
    let house = House::new();
    let again = talk(4, 9).replace("A2", "A1").replace("B1", "A1");
    house.run(&["run", &house.file("talk.toml", &again), "--headless"]).code(0);
    let figures = json(&house, &["analyze", "--last", "--format", "json"]);
    let repetition = rows(&figures, "repetition");
    let shares: Vec<_> =
        repetition.iter().map(|r| (&r["like_own"], &r["like_other"], &r["novelty"])).collect();
    let zero = Value::from(0.0);
    let one = Value::from(1.0);
    assert_eq!(shares[0], (&zero, &zero, &one));
    assert_eq!(shares[1], (&zero, &one, &zero));
    assert_eq!(shares[2], (&one, &one, &zero));
    let events = rows(&figures, "events");
    let repeats: Vec<_> = events.iter().filter(|e| e["what"] == "repetition").collect();
    assert_eq!(repeats[0]["utterance"], 2);
}

#[test]
fn two_sessions_stand_side_by_side_from_where_they_part() {
    let house = House::new();
    house.run(&["run", &house.file("a.toml", &talk(4, 9)), "--headless"]).code(0);
    let one = house.run(&["sessions", "path", "--last"]).code(0).out;
    // the same conversation with the same seed, in which the operator sends a message after the second utterance
    let steer = house
        .file("steer.jsonl", "{\"after\":{\"utterance\":2},\"do\":\"say\",\"text\":\"Stop.\"}\n");
    let a = house.path("a.toml");
    let two = house.path("data/other.jsonl");
    let a = a.to_str().unwrap();
    let two = two.to_str().unwrap();
    house.run(&["run", a, "--headless", "--steer", &steer, "--out-session", two]).code(0);
    let args = ["analyze", one.trim(), two, "--format", "json"];
    let figures = json(&house, &args);
    let shares = rows(&figures, "shares");
    assert_eq!((&shares[0]["a_utterances"], &shares[0]["b_utterances"]), (&1.into(), &1.into()));
    assert_eq!((&shares[2]["a_words"], &shares[2]["b_words"]), (&0.into(), &1.into()));
    let text = house.run(&args[..3]).code(0).out;
    assert!(text.contains("they diverge after turn 2"), "{text}");
    let said = text.split("COMPARISON").nth(1).unwrap();
    for words in ["[A B 3] Ada\n  A2 word", "[B after 2] you\n  Stop."] {
        assert!(said.contains(words), "no {words:?} in\n{said}");
    }
    assert!(!said.contains("[A 2]") && !said.contains("A1"), "what both share is left out: {said}");
    let rows = figures["side_by_side"]["rows"].as_array().unwrap();
    assert_eq!((&rows[0]["utterance"], &rows[0]["b"][0]["text"]), (&2.into(), &"Stop.".into()));
    let md = house.run(&[args[0], args[1], args[2], "--format", "md"]).code(0).out;
    assert!(md.contains("## A B 3"), "{md}");
    house.run(&["analyze", one.trim(), two, "--last"]).code(2);
}

/// Both texts begin after the last shared turn, even if one session hides a shared turn later.
#[test]
fn a_turn_that_is_hidden_later_does_not_move_where_they_part() {
    let house = House::new();
    let a = house.file("a.toml", &talk(5, 9));
    house.run(&["run", &a, "--headless"]).code(0);
    let one = house.run(&["sessions", "path", "--last"]).code(0).out;
    let steer = house
        .file("steer.jsonl", "{\"after\":{\"utterance\":3},\"do\":\"hide\",\"utterance\":1}\n");
    let two = house.path("data/other.jsonl");
    let two = two.to_str().unwrap();
    house.run(&["run", &a, "--headless", "--steer", &steer, "--out-session", two]).code(0);
    let text = house.run(&["analyze", one.trim(), two]).code(0).out;
    assert!(text.contains("they diverge after turn 3"), "{text}");
    let said = text.split("COMPARISON").nth(1).unwrap();
    assert!(said.contains("-- B: turn 1 hidden"), "{said}");
    assert!(!said.contains("A1 word") && !said.contains("B1 word"), "what both share: {said}");
}

/// A session without votes beside a session with votes, in either order.
#[test]
fn a_table_that_only_one_session_has_stands_beside_nothing() {
    let house = House::new();
    let plain = house.path("data/plain.jsonl").to_str().unwrap().to_owned();
    let votes = house.path("data/votes.jsonl").to_str().unwrap().to_owned();
    let scenario = house.file("a.toml", &talk(4, 9));
    house.run(&["run", &scenario, "--headless", "--out-session", &plain]).code(0);
    let run = ["run", "consensus", "--rehearsed", "--headless", "--out-session", &votes];
    house.run(&run).code(0);
    for (a, b, with, without) in [(&plain, &votes, "b_", "a_"), (&votes, &plain, "a_", "b_")] {
        let figures = json(&house, &["analyze", a, b, "--format", "json"]);
        let rows = rows(&figures, "coordination");
        let cells = rows.iter().flat_map(|row| row.as_object().unwrap());
        let filled = |side: &str| {
            cells.clone().any(|(key, value)| key.starts_with(side) && !value.is_null())
        };
        assert!(filled(with) && !filled(without), "{rows:?}");
    }
}

#[test]
fn csv_is_one_figure_and_names_them_all() {
    let house = House::new();
    house.run(&["demo", "--headless"]).code(0);
    let ran = house.run(&["analyze", "--last", "--format", "csv"]).code(2);
    assert!(ran.err.contains("--table: shares, floor"), "{}", ran.err);
    let ran = house.run(&["analyze", "--last", "--table", "share"]).code(2);
    assert!(ran.err.contains("the tables are shares, floor"), "{}", ran.err);
    let csv = ["analyze", "--last", "--format", "csv", "--table", "floor"];
    let out = house.run(&csv).code(0).out;
    assert_eq!(out.lines().count(), 10, "{out}");
    assert!(out.starts_with("utterance,participant,at_ms,"), "{out}");
    let file = house.path("floor.csv");
    let to_file = [&csv[..], &["-o", file.to_str().unwrap()]].concat();
    assert_eq!(house.run(&to_file).code(0).out, "");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), out);
    let again = house.run(&to_file).code(2);
    assert!(again.err.contains("already exists"), "{}", again.err);
}
