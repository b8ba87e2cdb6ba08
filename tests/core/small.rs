//! Prompts of small models: role, side, goal and one task.

use crate::prompts::{calls, opened, two};
use colloquium::model::{Participant, Purpose};
use serde_json::json;

/// A small model copies rules instead of following them, so it gets its role, its side, its goal and one task.
#[test]
fn a_small_model_keeps_its_role_side_and_goal() {
    let ada = "role = \"porter\"\nside = \"no\"\ngoal = { text = \"keep the flat\" }\npersona = \"You are Ada, a porter with a cat.\"";
    let text = two("[limits]\nutterances = 4", ada);
    let small = calls(opened(&text, |seat| seat.small = true), &[]);
    let who = "You are Ada, a porter with a cat; you say no.\nWhat you want, and tell nobody: keep the flat\nIs it so?";
    assert!(small[0].whole().contains(who), "{}", small[0].whole());
    assert!(
        small[0].last().ends_with("Say in two plain sentences why your answer is no."),
        "{}",
        small[0].last()
    );
    assert!(
        small[2].last().ends_with("What do you say to that? Give one reason."),
        "{}",
        small[2].last()
    );
    assert!(!small[3].whole().contains("last turn of all"), "no last words: {}", small[3].whole());
    let large = calls(opened(&text, |_| {}), &[]);
    assert!(
        large[1].system().contains("At the table: Ada (porter, says no)."),
        "{}",
        large[1].system()
    );
    let small_choice = "Between tea and coffee it would begin";
    let vote = json!({"do": "vote", "question": "Shall we?", "options": ["yes", "no"]});
    let voted = |seat: fn(&mut Participant)| {
        let calls = calls(opened(&text, seat), std::slice::from_ref(&vote));
        calls.into_iter().find(|call| call.purpose == Purpose::Vote).unwrap()
    };
    assert!(!voted(|_| {}).last().contains(small_choice));
    assert!(voted(|seat| seat.small = true).last().contains(small_choice));
}
