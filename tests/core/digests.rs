//! Digests of prompts are those of the whole prompt, and yet no word is hashed twice for the same seat.

use crate::harness::*;
use colloquium::model::*;
use colloquium::prompt::{account, build, digest};
use colloquium::state::{State, Turn};
use serde_json::json;

/// The turn that a seat would be granted now.
fn next(state: &State, seat: &str) -> Turn {
    Turn::granted(state.next_seq, state.ms, ThreadId::ROOT, seat.into(), Purpose::Speak)
}

fn whole(state: &State, turn: &Turn) -> Text {
    digest(&build(state, turn))
}

#[tokio::test]
async fn what_a_seat_has_seen_is_not_hashed_again() {
    let steer = [json!({"after": {"utterance": 4}, "do": "whisper", "to": "a", "text": "psst"})];
    let mut state = play(round_robin(&["a", "b", "c"], 12), plain(), &steer).await.state;
    for seat in ["a", "b", "c"] {
        let turn = next(&state, seat);
        assert_eq!(account(&state, &turn).digest, whole(&state, &turn), "{seat}");
    }
    // nobody looks at the words again whose digest is spoilt here; one who begins anew does
    let turn = next(&state, "b");
    let before = account(&state, &turn).digest;
    state.entries[0].versions[0].digest = [0; 32];
    assert_eq!(account(&state, &turn).digest, before);
    assert_ne!(account(&state.clone(), &turn).digest, before);
}

/// Each of these changes how earlier words read or whose they are, so that hashing begins anew.
#[tokio::test]
async fn what_is_rewritten_is_hashed_anew() {
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
        // the harness holds every digest against the prompt that was shown
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
