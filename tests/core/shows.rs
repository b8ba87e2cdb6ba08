//! Visibility in a phase: the messages its speakers see, the names on them, and hidden content.

use crate::harness::*;
use colloquium::model::*;
use colloquium::state::Entry;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Returns a blind opening of four seats, then two simultaneous rounds with the visibility `shows`.
fn table_with(shows: Value) -> payload::Opened {
    let at_once = |rounds: u32| json!({"name": "simultaneous", "options": {"rounds": rounds}});
    let who = ["a", "b", "c", "d"];
    let mut second = json!({"name": "second", "who": who, "open": true, "policy": at_once(2)});
    second.as_object_mut().unwrap().extend(shows.as_object().unwrap().clone());
    let scenario = json!({
        "policy": {"name": "phases"},
        "phase": [{"name": "opening", "who": who, "policy": at_once(1)}, second],
    });
    table(scenario, who.map(seat).to_vec())
}

/// Returns voices that state their name and the number of the contribution; `c` never gives an answer.
fn numbered() -> Stage {
    stage(|ask| {
        let round = ask.number.unwrap_or(0).div_ceil(4);
        let text = format!("{}{round}", ask.seat.id);
        match &*ask.seat.id {
            "c" => Play::Words(text, 10),
            id => Play::Data(text, json!({"answer": format!("yes {id}")})),
        }
    })
}

/// Returns the messages in a seat's prompt of the last round, in order.
fn shown(ran: &Ran, id: &str) -> String {
    let last = ran.seen.iter().rev().find(|r| *r.seat.id == *id).expect("it was asked");
    last.prompt.blocks.iter().map(|b| b.text().to_string()).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn phase_defines_visible_messages() {
    for (sees, expected) in [
        ("all", "a1 b1 c1 d1 a2 b2 c2 d2"),
        ("question", ""),
        ("own", "b1 b2"),
        ("last_round", "a2 b2 c2 d2"),
        ("others_last", "b1 a2 b2 c2 d2"),
        ("opening", "a1 b1 c1 d1 b2"),
        ("neighbours", "a1 b1 c1 a2 b2 c2"),
        ("answers", "b1 yes a b2 yes d"),
    ] {
        let ran = play(table_with(json!({ "sees": sees })), numbered(), &[]).await;
        assert_eq!(shown(&ran, "b"), expected, "{sees}");
    }
    let mut own = table_with(json!({}));
    own.participants[1].sees = Some(Sees::Own);
    let ran = play(own, numbered(), &[]).await;
    assert_eq!((shown(&ran, "b"), shown(&ran, "a").len()), ("b1 b2".into(), 23), "or the seat");
}

#[tokio::test]
async fn listed_seats_are_seen_and_the_own_messages() {
    let list = json!({"sees": "listed", "seen": ["a", "c"]});
    let ran = play(table_with(list), numbered(), &[]).await;
    assert_eq!(shown(&ran, "b"), "a1 b1 c1 a2 b2 c2");
    assert_eq!(shown(&ran, "d"), "a1 c1 d1 a2 c2 d2");
    let mut own = table_with(json!({}));
    own.participants[1].sees = Some(Sees::Listed);
    own.participants[1].seen = vec!["d".into()];
    let ran = play(own, numbered(), &[]).await;
    assert_eq!(
        (shown(&ran, "b"), shown(&ran, "a").len()),
        ("b1 d1 b2 d2".into(), 23),
        "or the seat"
    );
}

/// Three of four agree: only the fourth is asked again, and nobody once it agrees too.
#[tokio::test]
async fn majority_keeps_its_answer_without_a_call() {
    let stage = stage(|ask| {
        let answer = if *ask.seat.id == *"d" && ask.number < Some(6) { "no" } else { "yes" };
        Play::Data(format!("{} says {answer}", ask.seat.id), json!({"answer": answer}))
    });
    let mut table = table_with(json!({"keeps": true}));
    table.scenario["answer"] = json!({"of": ["a", "b", "c", "d"]});
    table.scenario["phase"][1]["policy"]["options"]["rounds"] = json!(5);
    let ran = play(table, stage, &[]).await;
    assert_eq!(ran.who(), "a b c d d d");
    let found = ran.state.answered().unwrap();
    assert_eq!((found.answer.as_deref(), found.of), (Some("yes"), 4));
}

#[tokio::test]
async fn reader_count_excludes_seats_that_did_not_see_the_text() {
    let edit = json!({"after": {"utterance": 11}, "do": "edit", "utterance": 1, "text": "other"});
    for (sees, readers) in [("all", 8), ("own", 2), ("question", 0), ("opening", 8)] {
        let ran =
            play(table_with(json!({ "sees": sees })), numbered(), std::slice::from_ref(&edit))
                .await;
        let first = ran.state.utterance(1).unwrap();
        let read =
            |e: &&Entry| ran.state.shown_to(e).contains(&first.seq) && e.reads_earlier(first);
        let count = ran.state.entries.iter().filter(read).count();
        assert_eq!((first.text().to_string(), count), ("other".into(), readers), "{sees}");
    }
}

#[tokio::test]
async fn the_operator_is_heard_whatever_is_seen() {
    let say = json!({"after": {"utterance": 5}, "do": "say", "text": "well"});
    let ran = play(table_with(json!({"sees": "question"})), numbered(), &[say]).await;
    assert_eq!(shown(&ran, "b"), "well");
}

/// Returns the labels of each call in the last two rounds, by seat.
fn labels(ran: &Ran) -> Vec<(SeatId, BTreeMap<SeatId, Text>)> {
    let call = |e: &Event| match &e.kind {
        Kind::CallStarted(c) => {
            let who = ran.seen.iter().find(|r| r.turn == c.turn)?.seat.id.clone();
            Some((who, c.labels.clone()))
        }
        _ => None,
    };
    ran.events.iter().filter_map(call).skip(4).collect()
}

#[tokio::test]
async fn names_are_hidden_behind_labels_that_are_logged() {
    for (anonymous, of_all, of_a) in [("stable", 1, 1), ("per_round", 2, 2), ("per_viewer", 4, 1)] {
        let ran = play(table_with(json!({ "anonymous": anonymous })), numbered(), &[]).await;
        let labels = labels(&ran);
        let all: BTreeSet<_> = labels.iter().map(|(_, l)| l.clone()).collect();
        let of: BTreeSet<_> =
            labels.iter().filter(|(who, _)| **who == *"a").map(|(_, l)| l).collect();
        assert_eq!((all.len(), of.len()), (of_all, of_a), "{anonymous}: {all:?}");
        for request in ran.seen.iter().skip(4) {
            let own = &labels.iter().find(|(who, _)| *who == request.seat.id).unwrap().1;
            assert_eq!(own.len(), 4);
            // if labels differ per viewer, no prompt states a label of its reader
            let told = request.prompt.system.contains("to the others you are Speaker ");
            assert_eq!(told, anonymous != "per_viewer", "{}", request.prompt.system);
            assert!(!request.prompt.system.contains("a, b"), "{}", request.prompt.system);
            for block in &request.prompt.blocks {
                let Block::Other { who, name, .. } = block else { continue };
                assert!(name.starts_with("Speaker "), "{who} is {name}");
            }
        }
        assert!(ran.seen.iter().take(4).all(|r| !r.prompt.system.contains("Speaker")));
    }
}

#[tokio::test]
async fn a_label_is_a_name_that_a_mention_may_use() {
    let stage = stage(|ask| {
        let other = ask.prompt.blocks.iter().find_map(|b| match b {
            Block::Other { who, name, .. } if **who == *"c" => Some(name.clone()),
            _ => None,
        });
        Play::Words(other.map_or("well".into(), |name| format!("what says @{name}?")), 10)
    });
    let ran = play(table_with(json!({"anonymous": "per_viewer"})), stage, &[]).await;
    let said = ran.state.entries.iter().find(|e| e.number == Some(6)).unwrap();
    assert_eq!(*said.mentions, ["c"], "{}", said.text());
}

#[tokio::test]
async fn private_thoughts_are_in_the_log_and_in_no_prompt() {
    let mut table = table_with(json!({"thinks": true, "words": [70, 150]}));
    table.participants[0].voice = VoiceSpec::Model(ModelSpec::default());
    let stage = stage(|ask| {
        let thinks = &*ask.seat.id == "a";
        Play::Words(if thinks { "<think>they are wrong</think> I see" } else { "hm" }.into(), 10)
    });
    let ran = play(table, stage, &[]).await;
    let thought = ran.events.iter().find_map(|e| match &e.kind {
        Kind::TurnEnded(t) if t.think.is_some() => Some((t.text.clone(), t.think.clone())),
        _ => None,
    });
    assert_eq!(thought, Some(("I see".into(), Some("they are wrong".into()))));
    assert!(ran.seen.iter().all(|r| !shown(&ran, &r.seat.id).contains("wrong")));
    let rules = |skip: usize| {
        let asked = ran.seen.iter().filter(|r| *r.seat.id == *"a").nth(skip).unwrap();
        asked.messages.last().unwrap().text.to_string()
    };
    assert!(rules(1).contains("between <think> and </think>"), "{}", rules(1));
    assert!(rules(1).contains("In 70 to 150 words."), "{}", rules(1));
    assert!(!rules(0).contains("<think>"));
}

#[tokio::test]
async fn phase_ends_after_the_round_of_its_condition() {
    let until = |when: &str| {
        let mut table = table_with(json!({ "until": when }));
        table.scenario["phase"][1]["policy"]["options"]["rounds"] = json!(9);
        table
    };
    let ran = play(until("turn_count >= 9"), numbered(), &[]).await;
    assert_eq!((ran.state.utterances, ran.reason()), (12, "completed"), "a whole round");
    let closed = ran.events.iter().filter_map(|e| match &e.kind {
        Kind::ThreadClosed(c) => Some(c.reason),
        _ => None,
    });
    let closed: Vec<StopReason> = closed.collect();
    assert_eq!(closed[..2], [StopReason::RoundLimit, StopReason::Condition]);
    let mut wrong = until("trun_count > 2");
    wrong.scenario["phase"][1]["policy"]["options"]["rounds"] = json!(3);
    let ran = play(wrong, numbered(), &[]).await;
    assert_eq!(ran.state.utterances, 16);
    assert_eq!(
        ran.state.warnings.iter().map(|w| &*w.text).collect::<Vec<_>>(),
        ["[[phase]] second: until = \"trun_count > 2\", character 1: unknown name `trun_count`"]
    );
}

/// Returns a seat's last prompt for a spoken turn.
fn last_prompt(ran: &Ran, id: &str) -> colloquium::model::Prompt {
    let asked =
        |r: &&colloquium::voice::CallRequest| *r.seat.id == *id && r.purpose == Purpose::Speak;
    (*ran.seen.iter().rev().find(asked).expect("it was asked").prompt).clone()
}

#[tokio::test]
async fn summary_reader_sees_a_summary_of_everything() {
    let sums = stage(|ask| match ask.purpose {
        Purpose::Summarise => Play::Words(format!("SUM of {}", ask.prompt.blocks.len()), 5),
        _ => Play::Words(format!("{} speaks", ask.seat.id), 10),
    });
    let ran = play(table_with(json!({"sees": "summary"})), sums, &[]).await;
    assert_eq!(shown(&ran, "b"), "SUM of 5", "of the last summary and the four words since");
    let made = ran.seen.iter().filter(|r| r.purpose == Purpose::Summarise).count();
    assert_eq!(made, 2, "one for all, before each round");
    let failing = stage(|ask| match ask.purpose {
        Purpose::Summarise => Play::Fail(5, ErrorClass::Failed),
        _ => Play::Words(format!("{} speaks", ask.seat.id), 10),
    });
    let ran = play(table_with(json!({"sees": "summary"})), failing, &[]).await;
    assert_eq!(ran.reason(), "completed");
    assert_eq!(last_prompt(&ran, "b").blocks.len(), 8, "all of it, where none can be had");
}

/// Returns participants that name one another, and a clerk who summarises with the names in the prompt.
fn with_names(sees: &str) -> (payload::Opened, Stage) {
    let mut table = table_with(json!({"anonymous": "per_viewer", "sees": sees}));
    for (seat, name) in table.participants.iter_mut().zip(["Ann", "Bo", "Cy", "Dag"]) {
        seat.name = name.into();
    }
    let stage = stage(|ask| match ask.purpose {
        Purpose::Summarise => {
            let all: Vec<&str> = ask.prompt.blocks.iter().map(|b| &**b.text()).collect();
            let names = ask.prompt.blocks.iter().filter_map(|b| match b {
                Block::Other { name, .. } => Some(&**name),
                _ => None,
            });
            Play::Words(format!("SUM {} {}", names.collect::<Vec<_>>().join(" "), all.join(" ")), 5)
        }
        _ => Play::Words(format!("{} says: Bo, you and @c are wrong", ask.seat.name), 5),
    });
    (table, stage)
}

#[tokio::test]
async fn labels_take_the_place_of_mentions_and_of_no_other_words() {
    let (table, stage) = with_names("summary");
    let ran = play(table, stage, &[]).await;
    let prompt = last_prompt(&ran, "a");
    let text = prompt.blocks.iter().map(|b| b.text().to_string()).collect::<String>();
    assert!(text.starts_with("SUM"), "{text}");
    assert!(!text.contains("@c "), "{text}");
    let labels = &ran.seen.iter().rev().find(|r| *r.seat.id == *"a").unwrap().turn;
    let own = ran.events.iter().find_map(|e| match &e.kind {
        Kind::CallStarted(c) if c.turn == *labels => Some(c.labels.clone()),
        _ => None,
    });
    let cy = &own.unwrap()[&SeatId::from("c")];
    assert!(text.contains(&format!("Bo, you and @{cy}")), "{cy} is Cy in {text}");
    for sums in ran.seen.iter().filter(|r| r.purpose == Purpose::Summarise) {
        let task = sums.prompt.task.as_ref().unwrap();
        assert!(!task.contains("Ann") && task.contains("Speaker"), "{task}");
        let told = format!("{:?}", sums.prompt.blocks);
        assert!(told.contains("Bo, you and @Speaker") && !told.contains("@c "), "{told}");
    }
    let (table, stage) = with_names("all");
    let ran = play(table, stage, &[]).await;
    let text = format!("{:?}", last_prompt(&ran, "a").blocks);
    assert!(text.contains("Bo, you and @Speaker") && !text.contains("@c "), "{text}");
}

/// Labels differ between readers: one reader's Speaker A has another label for the next, also in quoted messages.
#[tokio::test]
async fn a_label_that_was_said_is_read_as_the_readers_own() {
    let stage = stage(|ask| {
        let other = ask.prompt.blocks.iter().find_map(|b| match b {
            Block::Other { who, name, .. } if **who == *"c" => Some(name.clone()),
            _ => None,
        });
        Play::Words(other.map_or("well".into(), |name| format!("I mean {name}.")), 10)
    });
    let ran = play(table_with(json!({"anonymous": "per_viewer"})), stage, &[]).await;
    let labels = labels(&ran);
    let of = |id: &str| labels.iter().rev().find(|(who, _)| **who == *id).unwrap().1.clone();
    let c = SeatId::from("c");
    let mine = of("a")[&c].clone();
    let yours = of("b")[&c].clone();
    assert_ne!(mine, yours, "this seed deals them differently");
    let prompt = last_prompt(&ran, "b");
    let said = prompt.blocks.iter().find_map(|b| match b {
        Block::Other { who, text, .. } if **who == *"a" && text.starts_with("I mean") => {
            Some(text.to_string())
        }
        _ => None,
    });
    assert_eq!(said, Some(format!("I mean {yours}.")));
}

#[tokio::test]
async fn joiner_takes_the_next_label() {
    let join = json!({"after": {"utterance": 5}, "do": "join", "participant": {"id": "e", "lines": ["hm"]}});
    let ran = play(table_with(json!({"anonymous": "stable"})), numbered(), &[join]).await;
    let all = labels(&ran);
    let first = &all[0].1;
    let last = &all.last().unwrap().1;
    assert!(last.len() == 5 && &*last[&SeatId::from("e")] == "Speaker E", "{last:?}");
    assert!(first.iter().all(|(seat, label)| last[seat] == *label), "{first:?} {last:?}");
}

/// Anonymity holds for every voice: a script gets labels and nothing that identifies a seat.
#[tokio::test]
async fn a_script_is_told_no_names_where_they_are_hidden() {
    for anonymous in ["stable", "per_round", "per_viewer"] {
        let mut opened = table_with(json!({"anonymous": anonymous}));
        for seat in &mut opened.participants {
            seat.name = format!("Name-{}", seat.id).into();
            seat.role = Some(format!("role-{}", seat.id).into());
        }
        let ran = play(opened, numbered(), &[]).await;
        let last = ran.seen.iter().rev().find(|r| *r.seat.id == *"b").unwrap();
        let facts = last.facts.to_string();
        for other in ["a", "c", "d"] {
            assert!(!facts.contains(&format!("-{other}\"")), "{anonymous}: {facts}");
        }
        assert!(last.facts["seats"][0].get("utterances").is_none(), "{facts}");
        let own = last.prompt.system.contains("under another label");
        assert_eq!(own, anonymous == "per_viewer", "{}", last.prompt.system);
    }
}

#[tokio::test]
async fn each_condition_that_reads_a_missing_key_warns_once() {
    let mut table = table_with(json!({"until": "context.depth > 2"}));
    table.scenario["stop"] = json!([
        {"when": "context.score > 3"},
        {"when": "context.get('score', 0) > 3 or context.score is defined"},
    ]);
    let ran = play(table, numbered(), &[]).await;
    let told: Vec<&str> = ran.state.warnings.iter().map(|w| &*w.text).collect();
    assert_eq!(
        told,
        [
            "[[stop]] when = \"context.score > 3\": context.score is not set yet",
            "[[phase]] second: until = \"context.depth > 2\": context.depth is not set yet",
        ]
    );
}
