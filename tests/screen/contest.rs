//! Choices, bids, votes and verdicts: shown in the transcript as such, never as speech.

use crate::boards::bundled;
use crate::stage::{Stage, headless};
use colloquium::model::{Event, Kind, Purpose};
use crossterm::event::KeyCode::{Char, PageDown};

const TABLE: &str = r#"
title = "Tea or coffee?"
limits = { utterances = 2 }
participant = [
  { id = "ada", name = "Ada", lines = ["Tea.", { for = "vote", text = "yes" }, { for = "bid", text = "4" }] },
  { id = "bo", name = "Bo", lines = [
    "Coffee.", { for = "vote", text = "{\"choice\": \"no\", \"why\": \"it is late\"}" },
    { for = "bid", text = "{\"bid\": 9, \"why\": \"I know beans\"}" } ] },
  { id = "mo", name = "Mo", lines = [{ for = "pick", text = "{\"choice\": \"bo\", \"why\": \"silent so far\"}" }] },
  { id = "jo", name = "Jo", lines = [
    { for = "judge", text = "{\"winner\": \"bo\", \"scores\": {\"ada\": 4, \"bo\": 6}, \"why\": \"figures\"}" } ] },
]
verdict = { judge = "jo", sides = ["ada", "bo"] }
"#;

/// Returns the events of a conversation with this policy and a vote.
pub fn played(policy: &str) -> Vec<Event> {
    let table = format!("policy = {policy}\n{TABLE}");
    let vote = "{\"after\":{\"utterance\":1},\"do\":\"vote\",\"question\":\"Shall we stop?\"}\n";
    let files = [("table.toml", table.as_str()), ("steer.jsonl", vote)];
    headless(&["run", "table.toml", "--steer", "steer.jsonl"], &files)
}

/// Returns the screen at the end of some events, and during the turn of a chosen speaker.
fn seen(events: Vec<Event>) -> (String, String) {
    let mut stage = Stage::new(100, 44);
    let mut speaking = String::new();
    for event in events {
        let grant = matches!(&event.kind, Kind::CallStarted(_));
        stage.take(event);
        let speaks =
            stage.screen.transcript.state().turns.values().any(|t| t.purpose == Purpose::Speak);
        if grant && speaks && speaking.is_empty() {
            stage.draw();
            speaking = stage.rows().join("\n");
        }
    }
    stage.draw();
    (stage.rows().join("\n"), speaking)
}

#[test]
fn votes_and_verdicts_are_narrated_with_reasons() {
    let (all, speaking) = seen(played("{ name = \"moderated\", moderator = \"mo\" }"));
    for told in [
        "Mo chooses Bo: silent so far",
        "VOTE · Shall we stop?",
        "tie of yes and no, 1 each",
        "no  ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆ 1  Bo",
        "Bo: it is late",
        "VERDICT · Who made the better case?",
        "by one judgement",
        "▆ 6   ✓ winner",
    ] {
        assert!(all.contains(told), "{told:?} is not in\n{all}");
    }
    assert!(speaking.contains("Mo chose Bo: silent"), "why it speaks is not in\n{speaking}");
    let (bids, _) = seen(played("\"bids\""));
    for told in ["Ada bids 4", "Bo bids 9: I know beans", "Mo gave no answer"] {
        assert!(bids.contains(told), "{told:?} is not in\n{bids}");
    }
}

#[test]
fn votes_and_scores_are_drawn_in_the_analysis() {
    let mut stage = Stage::new(100, 44);
    played("{ name = \"moderated\", moderator = \"mo\" }").into_iter().for_each(|e| stage.take(e));
    stage.press(&[Char('a'), Char('3')]);
    let page = stage.text();
    for told in [
        "vote after turn 1: Shall we stop?",
        "no            ▆▆▆▆",
        "scores, one column per verdict",
        "ada           ▆ 4",
        "bo            █ 6",
    ] {
        assert!(page.contains(told), "{told:?} is not in\n{page}");
    }
}

#[test]
fn the_title_of_a_card_that_begins_above_the_screen_leaves_room_for_its_note() {
    for (width, height) in [(50, 24), (80, 18), (100, 18)] {
        let events = bundled("formal-debate");
        let mut stage = Stage::new(width, height);
        // the card of the result follows
        events.into_iter().filter(|e| !matches!(e.kind, Kind::ResultGiven(_))).for_each(|event| {
            stage.take(event);
        });
        stage.press(&[PageDown]);
        let shown = stage.text();
        let head = shown.lines().find(|row| row.contains("┏━ VERDICT")).unwrap();
        assert!(head.contains("·  continued") && head.contains('┓'), "{width}x{height}: {shown}");
    }
}

#[test]
fn a_result_that_does_not_fit_is_shown_from_its_beginning() {
    for (width, height) in [(80, 24), (40, 12)] {
        let mut stage = Stage::new(width, height).with_positions().whole();
        let shown = stage.text();
        assert!(shown.contains("━ RESULT") && shown.contains("Close the Saltmarket"), "{shown}");
        assert!(!shown.contains("RESULT  ·  continued"), "{shown}");
    }
}

#[test]
fn the_swing_between_two_polls_is_the_outcome() {
    let mut stage = Stage::new(100, 50);
    bundled("oxford").into_iter().filter(|e| !matches!(e.kind, Kind::ResultGiven(_))).for_each(
        |event| {
            stage.take(event);
        },
    );
    let shown = stage.text();
    assert!(shown.contains("since before the first turn"), "{shown}");
    let outcome = shown.lines().find(|row| row.contains("✓ 1")).unwrap();
    assert!(outcome.contains(" gains "), "{shown}");
}

/// The cast shows who owes whom an answer, until that participant has spoken.
#[test]
fn the_cast_shows_an_owed_answer() {
    let table = r#"
title = "Tea or coffee?"
limits = { utterances = 4 }
participant = [
  { id = "ada", name = "Ada", lines = ["Bo, what does it cost?", "I see."] },
  { id = "cy", name = "Cy", lines = ["I would rather wait."] },
  { id = "bo", name = "Bo", lines = ["Four a pound."] },
]
"#;
    let mut stage = Stage::new(120, 40);
    let mut owed = vec![];
    for event in headless(&["run", "table.toml"], &[("table.toml", table)]) {
        let speaks = matches!(&event.kind, Kind::CallStarted(_));
        stage.take(event);
        if speaks {
            stage.draw();
            owed.push(stage.rows().iter().any(|row| row.contains("to answer Ada")));
        }
    }
    assert_eq!(owed, [false, true, false, false], "while Cy speaks; Bo answers in the next turn");
}
