//! Profile of a person: kept fact by fact from all advisers, and the same after a kill at any event.

use crate::harness::*;
use crate::kills::{everywhere, runtime};
use colloquium::model::*;
use colloquium::session::Redaction;
use serde_json::{Value, json};

/// Returns advisers that record facts, simultaneously or in turn.
fn advisers(policy: &str, utterances: u32) -> payload::Opened {
    let schema = json!({"type": "object", "properties": {"say": {"type": "string"}, "profile": {"type": "object"}}});
    let reply = Contract {
        form: Form::Schema(schema),
        keep: true,
        says: Some("say".into()),
        ..Contract::default()
    };
    let scenario = json!({
        "policy": {"name": policy},
        "limits": {"utterances": utterances},
        "profile": {"fields": ["home", "hours", "noise"], "known": {"noise": "low"}},
        "stage": [{"name": "asking", "when": "count(profile, fields) < 3"}, {"name": "done"}],
        "ranking": {
            "top": 2, "when": "stage == 'done'",
            "scores": [["size", 60.0, "item.size == profile.home.size"], ["hours", 50.0, "profile.hours / 10"]],
            "items": [["cat", "Cat", {"size": 1}], ["dog", "Dog", {"size": 2}], ["hen", "Hen", {"size": 2}]],
        },
    });
    let seats = ["a", "b"].map(|id| Participant { reply: reply.clone(), ..seat(id) });
    table(scenario, seats.into())
}

fn learns() -> Stage {
    stage(|ask| {
        let facts = match (&*ask.seat.id, ask.number) {
            ("a", Some(1 | 2)) => json!({"home": {"size": 2}}),
            ("b", Some(1 | 2)) => json!({"hours": 5, "home": {"garden": false}}),
            ("a", _) => json!({"home": {"size": 1}, "hours": ""}),
            _ => json!({}),
        };
        Play::Words(json!({"say": "I see.", "stage": "done", "profile": facts}).to_string(), 5)
    })
}

fn kinds<'a>(ran: &'a Ran, kind: &str) -> Vec<&'a Kind> {
    ran.events.iter().map(|e| &e.kind).filter(|k| k.name() == kind).collect()
}

/// Returns the part of the state that a kill must not change.
fn known(ran: &Ran) -> (Value, Value, Value) {
    let known = &ran.state.known;
    (json!(*known.profile), json!(known.stage), json!(known.ranking()))
}

#[tokio::test]
async fn nothing_is_lost_when_two_learn_at_once() {
    for policy in ["simultaneous", "round_robin"] {
        let ran = play(advisers(policy, 2), learns(), &[]).await;
        let profile = json!({"home": {"size": 2, "garden": false}, "hours": 5, "noise": "low"});
        assert_eq!(known(&ran).0, profile, "{policy}");
        assert_eq!(ran.texts(), ["I see.", "I see."]);
        let ranked = ran.state.known.ranking().expect("all is known");
        let items: Vec<(&str, f64)> = ranked.items.iter().map(|i| (&*i.id, i.score)).collect();
        assert_eq!(items, [("dog", 85.0), ("hen", 85.0)], "equals keep their order");
        let updates = kinds(&ran, "profile.updated");
        assert_eq!(updates.len(), 2, "each names its own turn");
        let stages = kinds(&ran, "stage.entered");
        assert!(
            matches!(stages.last(), Some(Kind::StageEntered(s)) if s.stage.as_deref() == Some("done") && s.claimed.is_none()),
            "{stages:?}"
        );
    }
}

/// Facts learnt in a batch are not shown to its other seats, only to later ones.
#[tokio::test]
async fn the_profile_is_shown_as_of_the_batch() {
    let ran = play(advisers("simultaneous", 4), learns(), &[]).await;
    let shown = |n: usize| ran.seen[n].prompt.known.as_ref().expect("is shown").text.to_string();
    assert!(!shown(0).contains("size") && !shown(1).contains("size"), "{}", shown(1));
    assert!(shown(2).contains("\"size\": 2") && shown(3).contains("\"size\": 2"));
    assert!(shown(2).starts_with("<profile stage=\"done\" known=\"3 of 3\">"), "{}", shown(2));
    assert!(shown(3).contains("<ranking>\n1. Dog: 85"), "{}", shown(3));
    let half = play(advisers("round_robin", 2), learns(), &[]).await;
    let second = half.seen[1].prompt.known.as_ref().unwrap().text.to_string();
    assert!(second.starts_with("<profile stage=\"asking\" known=\"2 of 3\">"), "{second}");
    // a fact changes, its neighbour stays, empty text is ignored, and the ranking is updated
    let profile = json!({"home": {"size": 1, "garden": false}, "hours": 5, "noise": "low"});
    assert_eq!(known(&ran).0, profile);
    assert_eq!(&*ran.state.known.ranking().unwrap().items[0].id, "cat");
}

#[tokio::test]
async fn hidden_turns_and_edits_leave_no_facts() {
    let hide = json!({"after": {"utterance": 2}, "do": "hide", "utterance": 2});
    let ran = play(advisers("round_robin", 3), learns(), &[hide]).await;
    assert_eq!(known(&ran).0, json!({"home": {"size": 1}, "noise": "low"}));
    let edit = json!({"after": {"utterance": 1}, "do": "edit", "utterance": 1, "text": "I hear."});
    let ran = play(advisers("round_robin", 1), learns(), &[edit]).await;
    assert_eq!(known(&ran).0, json!({"home": {"size": 2}, "noise": "low"}));
    assert_eq!(ran.texts(), ["I hear."]);
}

#[test]
fn killed_at_every_event_of_a_merge_it_is_the_same() {
    for policy in ["simultaneous", "round_robin"] {
        let whole = runtime().block_on(play(advisers(policy, 4), learns(), &[]));
        let mut cuts = everywhere(&whole.events);
        cuts.retain(|cut| whole.events[*cut - 1].kind.name() != "conversation.ended");
        assert!(cuts.len() > 20);
        for cut in cuts {
            let past = whole.events[..cut].to_vec();
            let again = runtime().block_on(resume(past, learns(), &[]));
            assert_eq!(known(&again), known(&whole), "{policy}, cut at {cut}");
            assert_eq!(again.transcript(), whole.transcript(), "{policy}, cut at {cut}");
        }
    }
}

/// Facts are kept from the field that `keep` names, and only a wrong fact is asked for again: its schema alone is the form
/// of the second call, and the correction is merged at its place.
#[tokio::test]
async fn a_wrong_fact_is_asked_for_alone() {
    let schema = json!({"type": "object", "required": ["say"], "properties": {
        "say": {"type": "string"},
        "updatedProfile": {"type": "object", "properties": {"home": {"enum": ["flat", "house"]}, "hours": {"type": "number"}}},
    }});
    let reply = Contract {
        form: Form::Schema(schema),
        keep: true,
        facts: Some("updatedProfile".into()),
        says: Some("say".into()),
        ..Contract::default()
    };
    let scenario = json!({
        "policy": {"name": "round_robin"}, "limits": {"utterances": 1}, "profile": {"fields": ["home", "hours"]},
    });
    let replies = stage(|ask| {
        let said = match ask.attempt {
            1 => json!({"say": "I see.", "updatedProfile": {"home": "tent", "hours": 2}}),
            _ => json!({"home": "flat"}),
        };
        Play::Words(said.to_string(), 5)
    });
    let ran = play(table(scenario, vec![Participant { reply, ..seat("a") }]), replies, &[]).await;
    assert_eq!(known(&ran).0, json!({"home": "flat", "hours": 2}));
    assert_eq!(ran.texts(), ["I see."]);
    let field = json!({"type": "object", "required": ["home"], "properties": {"home": {"enum": ["flat", "house"]}}});
    let alone = json!({"type": "object", "required": ["updatedProfile"], "properties": {"updatedProfile": field}});
    assert_eq!(ran.seen[1].form, Form::Schema(alone.clone()));
    let rejected = ran.seen[1].prompt.rejected.as_ref().unwrap();
    let ask = rejected.ask.as_ref().unwrap().to_string();
    assert!(ask.contains("\"tent\" is not one of [\"flat\",\"house\"]"), "{ask}");
    assert!(ask.ends_with(&alone.to_string()), "{ask}");
}

/// Redaction of a reply also removes its facts.
#[tokio::test]
async fn a_redacted_reply_leaves_no_facts() {
    let ran = play(advisers("round_robin", 2), learns(), &[]).await;
    let record = |e: &Event| colloquium::session::Record::new(e.clone()).unwrap().into();
    let records: Vec<_> = ran.events.iter().map(record).collect();
    let mut redaction = Redaction { mark: "[redacted]".into(), ..Redaction::default() };
    redaction.add_utterances(records.iter().cloned(), &[2].into());
    let left = redaction.apply(&records).unwrap();
    let text: String = left.iter().map(|r| r.line.to_string()).collect();
    assert!(!text.contains("garden") && text.contains("\"noise\":\"low\""), "{text}");
}
