//! Limits by count: near, reached, raised.

use crate::harness::*;
use colloquium::model::*;
use serde_json::{Value, json};

fn robin(limits: Value, seats: &[&str]) -> payload::Opened {
    let scenario = json!({"policy": {"name": "round_robin"}, "limits": limits});
    table(scenario, seats.iter().map(|s| seat(s)).collect())
}

#[tokio::test]
async fn each_limit_counts_its_own_unit() {
    let ran = play(robin(json!({"rounds": 2}), &["a", "b", "c"]), plain(), &[]).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b c a b c", "round_limit"));
    let ran = play(robin(json!({"per_seat": 2}), &["a", "b"]), plain(), &[]).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b a b", "exhausted"));
    let slow = stage(|_| Play::Words("one two three four".into(), 1_000));
    let ran = play(robin(json!({"seconds": 10}), &["a", "b"]), slow, &[]).await;
    assert_eq!((ran.state.entries.len(), ran.reason()), (3, "time_limit"));
    assert!((12_000..13_000).contains(&ran.state.ms.0), "who speaks finishes: {}", ran.state.ms);
}

#[tokio::test]
async fn a_resume_with_no_time_left_grants_nobody_the_floor() {
    let slow = || stage(|_| Play::Words("one two three four".into(), 1_000));
    let first = play(robin(json!({"seconds": 10}), &["a", "b"]), slow(), &[]).await;
    let again = resume(first.events, slow(), &[]).await;
    assert_eq!((again.state.entries.len(), again.reason()), (3, "time_limit"));
    let raise = [json!({"do": "limit", "set": {"seconds": 15}})];
    let raised = resume(again.events, slow(), &raise).await;
    assert_eq!((raised.state.entries.len(), raised.reason()), (4, "time_limit"));
}

#[tokio::test]
async fn one_seat_falls_silent_at_its_own_limit() {
    let mut table = robin(json!({"utterances": 6}), &["a", "b"]);
    table.participants[0].max_utterances = Some(1);
    assert_eq!(play(table, plain(), &[]).await.who(), "a b b b b b");
}

#[tokio::test]
async fn a_failed_call_spends_no_allowance_and_a_cut_with_words_does() {
    let stage = stage(|ask| match ask.number {
        Some(2) => Play::Fail(5, ErrorClass::NotFound),
        _ => Play::Words("one two three".into(), 10),
    });
    let steer = [json!({"during": {"utterance": 3, "words": 1}, "do": "skip"})];
    let ran = play(robin(json!({"utterances": 3}), &["a", "b"]), stage, &steer).await;
    let numbers: Vec<Option<u32>> = ran.state.entries.iter().map(|e| e.number).collect();
    assert_eq!(numbers, [Some(1), Some(3), Some(4)]);
}

#[tokio::test]
async fn a_limit_is_announced_holds_and_a_raise_goes_on() {
    let steer = [
        json!({"when": "at_limit == 'utterances'", "id": "r", "do": "resume"}),
        json!({"at": "1h", "do": "limit", "set": {"utterances": 7}}),
    ];
    let ran = play(robin(json!({"utterances": 5}), &["a", "b"]), plain(), &steer).await;
    assert_eq!((ran.state.entries.len(), ran.reason()), (7, "utterance_limit"));
    let of = |name: &str| ran.kinds().iter().filter(|k| **k == name).count();
    assert_eq!((of("limit.near"), of("limit.reached")), (2, 2));
    let refusal = ran.events.iter().find_map(|e| match &e.kind {
        Kind::CommandRefused(r) => Some(r.why.to_string()),
        _ => None,
    });
    assert!(refusal.expect("resume at a limit is refused").contains("raise it first"));
    assert!(ran.state.ms.0 >= 3_600_000);
}

#[tokio::test]
async fn a_simultaneous_round_does_not_overrun_the_limit() {
    let scenario = json!({"policy": {"name": "simultaneous"}, "limits": {"utterances": 4}});
    let ran = play(table(scenario, vec![seat("a"), seat("b"), seat("c")]), plain(), &[]).await;
    assert_eq!(ran.state.entries.len(), 4);
}

#[tokio::test]
async fn no_more_calls_run_at_once_than_allowed() {
    let scenario = json!({"policy": {"name": "simultaneous", "options": {"rounds": 1}}});
    let seats = (0..9).map(|i| seat(&format!("s{i}"))).collect();
    let mut table = table(scenario, seats);
    table.parallel = 3;
    let ran = play(table, plain(), &[]).await;
    let mut running = 0i32;
    let mut most = 0;
    for e in &ran.events {
        match e.kind {
            Kind::CallStarted(_) => running += 1,
            Kind::TurnEnded(_) => running -= 1,
            _ => {}
        }
        most = most.max(running);
    }
    assert_eq!((ran.state.entries.len(), most), (9, 3));
    assert!(ran.seen.iter().all(|r| r.prompt.blocks.is_empty()), "later ones are as blind");
}
