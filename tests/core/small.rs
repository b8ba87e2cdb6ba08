//! Prompts of small models: role, side, goal and one task.

use crate::harness::{Play, play, round_robin, stage};
use crate::prompts::{calls, opened, two};
use colloquium::model::{ModelSpec, Participant, Purpose, VoiceSpec};
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

/// Its layout shows messages as "Ada said: …", and small models go on so. For others the words are a quotation.
#[tokio::test]
async fn a_small_model_that_continues_its_prompt_is_cut_there() {
    for small in [true, false] {
        let mut table = round_robin(&["ada", "bo"], 2);
        for seat in &mut table.participants {
            seat.voice = VoiceSpec::Model(ModelSpec::default());
            seat.small = small;
        }
        let voices = stage(|ask| {
            let text = match (ask.number, ask.attempt) {
                (Some(2), 1) => "ada said: The tram is always late here.\nbo said: It was on time.",
                (Some(2), _) => "It was on time today.\nada said: But not on Monday at seven.",
                _ => "The tram is always late here, and nobody says why.",
            };
            Play::Words(text.to_owned(), 10)
        });
        let ran = play(table, voices, &[]).await;
        let second = ran.texts()[1];
        assert_eq!(second == "It was on time today.", small, "{second}");
        assert_eq!(second.starts_with("ada said:"), !small, "{second}");
    }
}
