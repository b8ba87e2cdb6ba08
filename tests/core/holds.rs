//! Messages while others speak: the next turn waits while the operator writes, for 60 s at most, and a message says which
//! turn it answers.

use crate::harness::*;
use colloquium::model::ReceiptIs::{Delivered, Done, Queued};
use colloquium::model::*;
use serde_json::{Value, json};

/// Returns the session times at which calls started, in seconds.
fn calls(ran: &Ran) -> Vec<u64> {
    let started = ran.events.iter().filter(|e| matches!(e.kind, Kind::CallStarted(_)));
    started.map(|e| e.ms.0 / 1_000).collect()
}

/// A hold during the first turn.
fn hold() -> Value {
    json!({"during": {"utterance": 1, "words": 2}, "id": "h", "do": "hold", "on": true})
}

#[tokio::test]
async fn a_hold_keeps_the_next_turn_from_starting_until_it_is_released() {
    let steer = [
        hold(),
        json!({"at": "20s", "id": "s", "do": "say", "text": "And who pays?"}),
        json!({"at": "20s", "id": "off", "do": "hold", "on": false}),
    ];
    let ran = play(round_robin(&["a", "b", "c"], 3), plain(), &steer).await;
    assert_eq!(ran.who(), "a operator b c", "the running turn ends, and the message comes next");
    assert!(calls(&ran)[1] >= 20, "{:?}", calls(&ran));
    assert_eq!(ran.receipts("h"), [Queued, Done]);
    assert_eq!(ran.receipts("off"), [Done]);
    assert_eq!(ran.receipts("s"), [Done, Delivered]);
    assert!(ran.state.running.at(ran.state.ms) < 5_000, "held time is not running time");
}

#[tokio::test]
async fn a_hold_that_nobody_releases_ends_after_a_minute_and_a_second_one_extends_it() {
    let ran = play(round_robin(&["a", "b"], 2), plain(), &[hold()]).await;
    assert!((60..62).contains(&calls(&ran)[1]), "{:?}", calls(&ran));
    assert_eq!(ran.receipts("h"), [Queued, Done]);
    let again = json!({"at": "50s", "id": "again", "do": "hold", "on": true});
    let ran = play(round_robin(&["a", "b"], 2), plain(), &[hold(), again]).await;
    assert!((110..112).contains(&calls(&ran)[1]), "{:?}", calls(&ran));
}

#[tokio::test]
async fn a_step_and_seats_of_the_same_batch_pass_a_hold() {
    let steer = [
        json!({"do": "pause"}),
        json!({"when": "paused and turn_count == 0", "do": "hold", "on": true}),
        json!({"when": "paused and turn_count == 0", "do": "step", "n": 2}),
        json!({"when": "paused and turn_count == 2", "do": "end"}),
    ];
    let ran = play(round_robin(&["a", "b", "c"], 9), plain(), &steer).await;
    assert_eq!(ran.who(), "a b");
    assert!(calls(&ran)[1] < 60, "{:?}", calls(&ran));
    let together = json!({"policy": {"name": "simultaneous", "options": {"rounds": 2}}});
    let mut opened = table(together, vec![seat("a"), seat("b")]);
    opened.parallel = 1;
    let ran = play(opened, plain(), &[hold()]).await;
    let at = calls(&ran);
    assert!(at[1] < 60 && at[2] >= 60, "{at:?}: the batch ends first, the next one waits");
}

#[tokio::test]
async fn a_resume_and_a_fork_start_without_the_hold() {
    let ran = play(round_robin(&["a", "b"], 2), plain(), &[hold()]).await;
    let ended = ran.events.iter().position(|e| matches!(e.kind, Kind::TurnEnded(_))).unwrap();
    let past = ran.events[..=ended].to_vec();
    let resumed = resume(past.clone(), plain(), &[]).await;
    assert_eq!(resumed.who(), "a b");
    assert!(calls(&resumed)[1] < 60, "{:?}", calls(&resumed));
    assert_eq!(resumed.receipts("h"), [Queued, Done]);
    let forked = fork(past, None, plain(), &[]).await;
    assert!(calls(&forked)[1] < 60, "{:?}", calls(&forked));
}

#[tokio::test]
async fn the_forecast_looks_past_a_hold() {
    let ran = play(round_robin(&["a", "b"], 2), plain(), &[hold()]).await;
    let ended = ran.events.iter().position(|e| matches!(e.kind, Kind::TurnEnded(_))).unwrap();
    let state = colloquium::state::State::fold(&ran.events[..=ended]);
    assert_eq!(state.holds().count(), 1);
    assert_eq!(colloquium::engine::next_speakers(&state, 1), [SeatId::from("b")]);
}

#[tokio::test]
async fn a_message_says_which_turn_it_answers_unless_that_is_hidden() {
    let heard = |steer: Vec<serde_json::Value>| async move {
        let ran = play(round_robin(&["a", "b"], 3), plain(), &steer).await;
        let own = |entry: &&colloquium::state::Entry| entry.number.is_none();
        let text = ran.state.entries.iter().find(own).map(|e| e.text().to_string()).unwrap();
        let seen = &ran.seen.last().unwrap().prompt.blocks;
        assert!(seen.iter().any(|block| **block.text() == *text), "as in the prompt");
        text
    };
    let during = json!({"utterance": 2, "words": 1});
    let say = json!({"during": during, "do": "say", "text": "Why?", "re": 1});
    assert_eq!(heard(vec![say.clone()]).await, "Why?\n\n(about what a said in #1)");
    let hide = json!({"during": during, "do": "hide", "utterance": 1});
    assert_eq!(heard(vec![hide, say]).await, "Why?");
    let ahead = json!({"during": during, "id": "s", "do": "say", "text": "Why?", "re": 3});
    let ran = play(round_robin(&["a", "b"], 2), plain(), &[ahead]).await;
    assert!(ran.kinds().contains(&"command.refused"), "turn 3 has not begun");
}
