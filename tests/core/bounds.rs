//! Bounds on what the operator adds to a conversation: each is refused with the limit, and nothing else changes.

use crate::harness::*;
use colloquium::model::*;
use serde_json::{Value, json};

/// Plays a short conversation and returns the reason of each refusal.
async fn refusals(steer: &[Value]) -> Vec<String> {
    let ran = play(round_robin(&["a", "b"], 2), plain(), steer).await;
    assert_eq!(ran.state.utterances, 2);
    let why = |e: &Event| match &e.kind {
        Kind::CommandRefused(r) => Some(r.why.to_string()),
        _ => None,
    };
    ran.events.iter().filter_map(why).collect()
}

#[tokio::test]
async fn refuses_words_of_more_than_256_kib() {
    let say = |kib: usize| json!({"do": "say", "text": "w".repeat(kib << 10)});
    let note = json!({"do": "note", "text": "w".repeat(4 << 20)});
    let refused = refusals(&[say(1), say(4096), note]).await;
    assert_eq!(
        refused,
        [
            "`say` has 4097 KiB, and a command has at most 256 KiB: shorten the text",
            "`note` has 4097 KiB, and a command has at most 256 KiB: shorten the text",
        ]
    );
}

#[tokio::test]
async fn refuses_more_than_fifty_notes_for_a_seat() {
    let note = |n: usize| json!({"do": "note", "id": format!("n{n}"), "to": "b", "for": "standing", "text": "Be brief."});
    let mut steer: Vec<Value> = (0..60).map(note).collect();
    steer.push(json!({"do": "lift_note", "note": "n7"}));
    steer.push(note(60));
    steer.push(json!({"do": "note", "to": "a", "text": "Be kind."}));
    let refused = refusals(&steer).await;
    let why = "b has 50 notes already; remove one with `lift_note`, or wait for its turn";
    assert_eq!(refused, vec![why; 10]);
}

#[tokio::test]
async fn refuses_more_than_two_hundred_seats() {
    let join =
        |n: usize| json!({"do": "join", "participant": {"id": format!("s{n}"), "lines": ["x"]}});
    let steer: Vec<Value> = (0..200).map(join).collect();
    let ran = play(round_robin(&["a", "b"], 2), plain(), &steer).await;
    assert_eq!(ran.state.seats.len(), 200);
    let refused = ran.events.iter().filter(
        |e| matches!(&e.kind, Kind::CommandRefused(r) if r.why.contains("all 200 seats are taken")),
    );
    assert_eq!(refused.count(), 2);
}
