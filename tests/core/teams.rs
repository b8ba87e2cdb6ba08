//! A team as one seat: it ends in one utterance, shares the budget, obeys limits inside, and survives a kill unchanged.

use crate::harness::*;
use crate::kills::{everywhere, runtime};
use crate::prompts::{calls, opened, two};
use colloquium::model::*;
use serde_json::{Value, json};

/// Returns a team of two with `turns` turns in total.
fn team(turns: u32) -> Participant {
    let scenario = json!({
        "title": "The team", "topic": "Be brief.", "policy": {"name": "round_robin"},
        "limits": {"utterances": turns},
    });
    let seats = ["una", "vic"].map(|id| Participant { name: id.to_uppercase().into(), ..seat(id) });
    let spec = TeamSpec { file: "team".into(), scenario, participants: seats.into(), parallel: 2 };
    Participant::new("pair", VoiceSpec::Team(Box::new(spec)))
}

fn table_with(team: Participant, limits: Value) -> payload::Opened {
    let scenario =
        json!({"topic": "Where to?", "policy": {"name": "round_robin"}, "limits": limits});
    table(scenario, vec![seat("ann"), team])
}

fn voices() -> Stage {
    stage(|ask| match &*ask.seat.id {
        "ann" => Play::Words("To the sea, I would say.".into(), 5),
        id => {
            let topic = ask.facts["topic"].as_str().unwrap_or_default();
            assert!(topic.contains("Where to?") && topic.contains("Be brief."), "{topic}");
            assert!(topic.contains("ann: To the sea, I would say."), "{topic}");
            Play::Counted(format!("{id} says {}", ask.number.unwrap_or(0)), 10, 5)
        }
    })
}

#[tokio::test]
async fn its_last_words_are_its_utterance_and_the_rest_is_its_reasoning() {
    let ran = play(table_with(team(3), json!({"utterances": 2})), voices(), &[]).await;
    assert_eq!(ran.texts(), ["To the sea, I would say.", "una says 3"]);
    assert_eq!(ran.reason(), "utterance_limit");
    let end = ran.events.iter().rev().find_map(|e| match &e.kind {
        Kind::TurnEnded(end) => Some(end),
        _ => None,
    });
    let end = end.unwrap();
    let talk = "UNA: una says 1\n\nVIC: vic says 2\n\nUNA: una says 3";
    assert_eq!(end.think.as_deref(), Some(talk));
    // three calls, each with 10 input and 5 output tokens
    assert_eq!(ran.state.spent().usage.tokens(), 45);
    assert!(ran.events.iter().all(|e| !matches!(&*e.by, "una" | "vic")), "one log, one table");
}

/// The last words of a team are public, so it has to know which of the words before them are not.
#[tokio::test]
async fn a_team_knows_a_whisper_as_such() {
    let whisper =
        json!({"after": {"utterance": 1}, "do": "whisper", "to": "pair", "text": "By bus?"});
    let voices = stage(|ask| match &*ask.seat.id {
        "ann" => Play::Words("To the sea, I would say.".into(), 5),
        _ => {
            let topic = ask.facts["topic"].as_str().unwrap_or_default();
            assert!(topic.contains("the host to pair alone: By bus?"), "{topic}");
            Play::Words("By train.".into(), 5)
        }
    });
    let ran = play(table_with(team(1), json!({"utterances": 2})), voices, &[whisper]).await;
    assert_eq!(ran.texts(), ["To the sea, I would say.", "By bus?", "By train."]);
}

#[tokio::test]
async fn team_is_bounded_by_the_remaining_budget() {
    let limits = json!({"utterances": 2, "tokens": 40});
    let ran = play(table_with(team(12), limits), voices(), &[]).await;
    let used = ran.state.spent().usage.tokens();
    assert!((40..=60).contains(&used), "the team stops where the table has to: {used}");
}

#[tokio::test]
async fn a_team_that_says_nothing_fails_as_a_seat_does() {
    let stage = stage(|ask| match &*ask.seat.id {
        "ann" => Play::Words("To the sea, I would say.".into(), 5),
        _ => Play::Fail(5, ErrorClass::Filter),
    });
    let ran = play(table_with(team(3), json!({"utterances": 3})), stage, &[]).await;
    let failed = ran.state.seat(&SeatId("pair".into())).unwrap().failed.clone().unwrap();
    assert!(failed.text.contains("the team team gave no answer"), "{failed:?}");
    assert!(ran.texts().iter().all(|text| text.starts_with("To the sea")), "{:?}", ran.texts());
}

#[tokio::test]
async fn teams_sit_in_teams() {
    let mut outer = team(2);
    let VoiceSpec::Team(spec) = &mut outer.voice else { unreachable!() };
    let mut inner = team(1);
    inner.id = "vic".into();
    inner.name = "VIC".into();
    spec.participants[1] = inner;
    let ran = play(table_with(outer, json!({"utterances": 2})), voices(), &[]).await;
    assert_eq!(ran.texts().last(), Some(&"una says 1"), "the last words of the innermost");
}

#[test]
fn killed_at_every_event_a_team_says_the_same() {
    let table = || table_with(team(2), json!({"utterances": 4}));
    let whole = runtime().block_on(play(table(), voices(), &[]));
    for cut in everywhere(&whole.events) {
        let again = runtime().block_on(resume(whole.events[..cut].to_vec(), voices(), &[]));
        assert_eq!(again.transcript(), whole.transcript(), "cut at {cut}");
    }
}

#[test]
fn the_last_turn_of_a_team_is_its_message() {
    let mut team = opened(&two("[limits]\nutterances = 3", ""), |_| {});
    team.program = payload::TEAM.into();
    let turns = calls(team, &[]);
    assert!(
        turns[2].last().contains("Ada, turn 3 of 3. The table hears the words of this turn alone")
    );
    assert!(turns.iter().all(|turn| !turn.last().contains("last turn of all")));
}
