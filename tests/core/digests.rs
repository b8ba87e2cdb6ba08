//! Digests of prompts: equal to those of the whole prompt, though no text is hashed twice for the same seat.

use crate::harness::*;
use colloquium::model::*;
use colloquium::prompt::{account, build, digest};
use colloquium::state::{State, Turn};
use serde_json::json;
use sha2::Digest as _;

/// Returns the turn that a seat would be granted now.
fn next(state: &State, seat: &str) -> Turn {
    Turn::granted(state.next_seq, state.ms, ThreadId::ROOT, seat.into(), Purpose::Speak)
}

fn whole(state: &State, turn: &Turn) -> Text {
    digest(&build(state, turn))
}

#[tokio::test]
async fn seen_messages_are_not_hashed_again() {
    let steer = [json!({"after": {"utterance": 4}, "do": "whisper", "to": "a", "text": "psst"})];
    let state = play(round_robin(&["a", "b", "c"], 12), plain(), &steer).await.state;
    for seat in ["a", "b", "c"] {
        let turn = next(&state, seat);
        assert_eq!(account(&state, &turn).digest, whole(&state, &turn), "{seat}");
    }
    // the cached hash is used, even if corrupted meanwhile; a copy starts over from the text
    let turn = next(&state, "b");
    let before = account(&state, &turn).digest;
    let mut spoilt = state.rolls.get(&turn).unwrap();
    spoilt.hash.update(b"spoilt");
    state.rolls.keep(&turn, spoilt);
    assert_ne!(account(&state, &turn).digest, before);
    assert_eq!(account(&state.clone(), &turn).digest, before);
}

/// Each of these events changes the text or the author of earlier messages, so hashing starts over.
#[tokio::test]
async fn rewritten_messages_are_hashed_again() {
    let interventions = [
        json!({"do": "edit", "utterance": 2, "text": "edited"}),
        json!({"do": "hide", "utterance": 3}),
        json!({"do": "change", "who": "b", "set": {"name": "Bo"}}),
        json!({"do": "retry"}),
        json!({"do": "reroll"}),
        json!({"do": "join", "participant": {"id": "z", "script": ["test"]}}),
    ];
    for mut intervention in interventions {
        intervention["after"] = json!({"utterance": 5});
        // the harness compares every digest with that of the actual prompt
        let ran = play(round_robin(&["a", "b", "c"], 9), plain(), &[intervention.clone()]).await;
        assert!(ran.state.entries.len() >= 9, "{intervention}");
        assert!(ran.kinds().contains(&"command.given"), "{intervention}");
    }
    let again = [
        json!({"after": {"utterance": 5}, "do": "retry"}),
        json!({"after": {"utterance": 6}, "do": "choose", "utterance": 5, "alternative": 1}),
    ];
    let ran = play(round_robin(&["a", "b"], 9), plain(), &again).await;
    assert_eq!(ran.state.utterance(5).unwrap().chosen, 0);
}
