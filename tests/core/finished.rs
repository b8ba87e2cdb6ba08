//! A finished conversation that is reopened asks nobody before something new is said.

use crate::consensus::{choices, club};
use crate::harness::*;
use crate::plans::{at_work, done, office};
use colloquium::model::payload::Opened;
use colloquium::model::*;
use colloquium::policy;
use serde_json::{Value, json};

/// Returns a conversation of one round under a policy.
fn one_round(name: &str, options: Value) -> Opened {
    let mut options = options;
    options["rounds"] = 1.into();
    let scenario = json!({"policy": {"name": name, "options": options}});
    let moderator = Participant { speaks: false, ..seat("m") };
    table(scenario, vec![seat("a"), seat("b"), moderator])
}

/// Returns a conversation of the policy that ends by itself, or at its planned length.
fn conversation(policy: &str) -> Opened {
    match policy {
        "moderated" => one_round(policy, json!({"moderator": "m"})),
        "manual" => table(
            json!({"policy": {"name": "manual"}, "limits": {"utterances": 1}}),
            ["a", "b"].map(seat).into(),
        ),
        "phases" => {
            let rounds = json!({"name": "round_robin", "options": {"rounds": 1}});
            let phase = json!([{"name": "opening", "who": ["a", "b"], "policy": rounds}]);
            let scenario = json!({"policy": {"name": "phases"}, "phase": phase});
            table(scenario, ["a", "b"].map(seat).into())
        }
        "depends" => {
            let mut seats = vec![seat("a"), seat("b")];
            let runs = json!({"after": [{"participant": "a", "max": 1}]});
            seats[1].runs = serde_json::from_value(runs).unwrap();
            table(json!({"policy": {"name": "depends"}, "limits": {"batches": 20}}), seats)
        }
        "consensus" => club(&["a", "b"], json!({})),
        "plan" => office(json!({})),
        _ => one_round(policy, json!({})),
    }
}

fn voices(policy: &str) -> Stage {
    match policy {
        "plan" => at_work(&[(1, &[])], done),
        "consensus" => stage(|ask| match choices(ask) {
            0 => Play::Words(format!("{} would walk, by road {}", ask.seat.id, ask.seat.id), 40),
            _ => Play::Words("VOTE: a\nIt is the best.".into(), 5),
        }),
        _ => stage(|ask| match ask.purpose {
            Purpose::Speak => Play::Words(format!("{} speaks {}", ask.seat.id, ask.call.0), 10),
            Purpose::Bid => Play::Words("5".into(), 10),
            _ => {
                let first = ask.facts["options"].as_array().and_then(|o| o.first()).cloned();
                Play::Data("so".into(), json!({"choice": first, "why": ""}))
            }
        }),
    }
}

#[tokio::test]
async fn no_policy_plays_again_before_something_new_is_said() {
    for policy in policy::ALL {
        let name = policy.row.name;
        let floor = [json!({"do": "floor", "to": "a"})];
        let steer = if name == "manual" { &floor[..] } else { &[] };
        let first = play(conversation(name), voices(name), steer).await;
        assert!(first.state.is_finished(), "{name}: {}", first.reason());
        assert!(!first.seen.is_empty(), "{name}");

        let mut past = first.events.clone();
        // also after it was opened in vain
        for _ in 0..2 {
            let again = resume(past, voices(name), &[]).await;
            assert!(again.seen.is_empty(), "{name}: {:?}", again.who());
            assert_eq!((again.reason(), again.who()), (first.reason(), first.who()), "{name}");
            assert_eq!(again.state.ended, first.state.ended, "{name}");
            past = again.events;
        }

        let say = [json!({"do": "say", "text": "And now?"})];
        let said = resume(past.clone(), voices(name), &say).await;
        let opening = ["conversation.reopened", "command.given", "human.said"];
        let kinds = &said.kinds()[past.len()..][..3];
        assert_eq!(kinds, opening, "{name}: the message comes before any question");
        assert_eq!(said.seen.is_empty(), name == "manual", "{name}: somebody answers");
    }
}

#[tokio::test]
async fn turns_votes_and_limits_are_new_and_notes_are_not() {
    let first = play(conversation("round_robin"), voices(""), &[]).await;
    for (command, goes_on) in [
        (json!({"do": "step"}), true),
        (json!({"do": "floor", "to": "b"}), true),
        (json!({"do": "vote", "question": "Enough?"}), true),
        (json!({"do": "limit", "set": {"seconds": 900}}), true),
        (json!({"do": "whisper", "to": "a", "text": "Go on."}), true),
        (json!({"do": "note", "text": "Be brief."}), false),
        (json!({"do": "rename", "text": "Another title"}), false),
        (json!({"do": "pause"}), false),
        (json!({"do": "resume"}), false),
        (json!({"do": "mark"}), false),
    ] {
        let ran = resume(first.events.clone(), voices(""), std::slice::from_ref(&command)).await;
        assert_eq!(!ran.seen.is_empty(), goes_on, "{command}");
        if !goes_on {
            assert_eq!(ran.reason(), first.reason(), "{command}");
        }
    }
}

/// A scribe that failed is not asked again by a resume.
#[tokio::test]
async fn the_planned_length_stays_reached() {
    let scenario = json!({
        "policy": {"name": "round_robin"}, "limits": {"utterances": 2}, "result": "scribe",
    });
    let mut opened = table(scenario, ["a", "b"].map(seat).into());
    opened.participants[0].voice = VoiceSpec::Model(ModelSpec::default());
    let scribe = || {
        stage(|ask| match ask.purpose {
            Purpose::Result => Play::Words("no object at all".into(), 10),
            _ => Play::Words(format!("{} speaks {}", ask.seat.id, ask.call.0), 10),
        })
    };
    let first = play(opened, scribe(), &[]).await;
    assert_eq!(first.reason(), "utterance_limit");
    assert!(first.seen.iter().any(|ask| ask.purpose == Purpose::Result));
    let again = resume(first.events.clone(), scribe(), &[]).await;
    assert!(again.seen.is_empty());
    assert!(again.state.limit.is_some(), "the limit is still reached");
    assert_eq!(
        again.kinds()[first.events.len()..],
        ["conversation.reopened", "conversation.ended"]
    );
    let more = [json!({"do": "limit", "set": {"utterances": 4}})];
    let ran = resume(first.events, scribe(), &more).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b a b", "utterance_limit"));
}
