//! Requests in structured replies wake a permitted seat, under every policy with an order of its own.

use crate::harness::*;
use crate::kills::{everywhere, outcome, runtime};
use colloquium::model::payload::Opened;
use colloquium::model::*;
use serde_json::{Value, json};

fn four(policy: Value, more: Value) -> Opened {
    let mut scenario = json!({"policy": policy, "limits": {"utterances": 7}});
    scenario.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    table(scenario, ["a", "b", "c", "d"].map(seat).into())
}

/// Returns voices: the first turn of `a` requests two others, all other turns only speak.
fn asking() -> Stage {
    stage(|ask| {
        let ours = *ask.seat.id.0 == *"a" && ask.facts["turn_count"] == 0;
        match (ask.purpose, ours) {
            (Purpose::Bid, _) => {
                let bid = if *ask.seat.id.0 == *"a" { 9 } else { 1 };
                Play::Data("bid".into(), json!({"bid": bid, "why": ""}))
            }
            (_, true) => Play::Data(
                "I ask.".into(),
                json!({"requests": [{"to": "d", "text": "What does it cost?"}, {"to": "c"}, {"to": "ghost"}]}),
            ),
            _ => Play::Words(format!("{} speaks {}", ask.seat.id, ask.call.0), 10),
        }
    })
}

fn warnings(ran: &Ran) -> Vec<&str> {
    ran.state.warnings.iter().map(|w| &*w.text).collect()
}

#[tokio::test]
async fn a_request_is_granted_next_and_the_seat_passed_over_comes_directly_after() {
    let ran = play(four(json!({"name": "round_robin"}), json!({})), asking(), &[]).await;
    // d for the request, b in its regular turn, then c for its request
    assert_eq!(ran.who(), "a d b c d a b");
    assert_eq!(warnings(&ran), ["`a` requests \"ghost\", which is not another participant"]);
    let of = |who: &str| ran.seen.iter().find(|r| *r.seat.id.0 == *who).unwrap();
    assert!(of("d").prompt.task.as_deref().unwrap_or_default().contains("What does it cost?"));
    assert!(!of("b").prompt.task.as_deref().unwrap_or_default().contains("What does it cost?"));
    let whys: Vec<&Text> = ran
        .events
        .iter()
        .filter_map(|e| if let Kind::BatchOpened(b) = &e.kind { Some(&b.why) } else { None })
        .collect();
    assert_eq!((&**whys[1], &**whys[2]), ("requested by a", "was skipped before"));
    let again = ran.seen.iter().filter(|r| *r.seat.id.0 == *"d").nth(1).unwrap();
    assert!(again.prompt.task.is_none(), "it was asked once: {:?}", again.prompt.task);
}

#[tokio::test]
async fn every_policy_with_an_order_hears_requests_and_a_moderator_does_not() {
    let weighted = json!({"name": "weighted"});
    let phase = json!({"phase": [{"name": "talk", "who": ["a", "b", "d"], "policy": {"name": "round_robin"}}]});
    for (policy, more, second) in [
        (weighted, json!({}), Some("d")),
        (json!({"name": "talkative"}), json!({}), None),
        (json!({"name": "bids"}), json!({}), Some("d")),
        (json!({"name": "phases"}), phase, Some("d")),
    ] {
        let ran = play(four(policy.clone(), more), asking(), &[]).await;
        let who = ran.who();
        let at = who.split(' ').position(|w| w == "a").unwrap();
        let next = who.split(' ').nth(at + 1).unwrap();
        let asked = ran
            .seen
            .iter()
            .any(|r| r.prompt.task.as_deref().is_some_and(|t| t.contains("What does it cost?")));
        match second {
            Some(second) => assert!(next == second && asked, "{policy}: {who}"),
            // another seat may be drawn first; then the first turn requests nobody
            None => assert!(at > 0 || (next == "d" && asked), "{policy}: {who}"),
        }
    }
    let mut moderated =
        four(json!({"name": "moderated", "options": {"moderator": "m"}}), json!({}));
    moderated.participants.push(Participant { speaks: false, ..seat("m") });
    let choosing = stage(|ask| match ask.purpose {
        Purpose::Pick => {
            let options = ask.facts["options"].as_array().unwrap();
            let turn = ask.facts["turn_count"].as_u64().unwrap() as usize;
            let choice = options.get(turn % 4).or(options.first());
            Play::Data("so".into(), json!({"choice": choice, "why": ""}))
        }
        _ if *ask.seat.id.0 == *"a" => {
            Play::Data("I ask.".into(), json!({"requests": [{"to": "d", "text": "What?"}]}))
        }
        _ => Play::Words(format!("{} speaks {}", ask.seat.id, ask.call.0), 10),
    });
    let ran = play(moderated, choosing, &[]).await;
    assert!(ran.who().starts_with("a b"), "the moderator chooses: {}", ran.who());
}

#[tokio::test]
async fn only_permitted_requests_wake_a_seat_and_refusals_are_logged() {
    for (policy, woken) in [("round_robin", "a c b c"), ("depends", "a c")] {
        let mut opened =
            four(json!({"name": policy}), json!({"limits": {"utterances": 4, "batches": 9}}));
        opened.participants[0].runs.may_request = Some(vec!["c".into()]);
        if policy == "depends" {
            for other in ["b", "c", "d"] {
                let seat = opened.participants.iter_mut().find(|p| *p.id.0 == *other).unwrap();
                seat.runs.starts = Some(false);
            }
        }
        let ran = play(opened, asking(), &[]).await;
        assert_eq!(ran.who(), woken, "{policy}");
        assert_eq!(
            warnings(&ran)[..1],
            ["`a` requests \"d\", but it may request only c"],
            "{policy}"
        );
    }
    let mut nobody = four(json!({"name": "round_robin"}), json!({}));
    nobody.participants[0].runs.may_request = Some(vec![]);
    let ran = play(nobody, asking(), &[]).await;
    assert!(ran.who().starts_with("a b c d"), "{}", ran.who());
    assert_eq!(warnings(&ran)[0], "`a` requests \"d\", but it may request nobody");
}

/// Two seats that always request each other leave the others their turns.
#[tokio::test]
async fn mutual_requests_starve_nobody() {
    let both = stage(|ask| match &*ask.seat.id.0 {
        "a" => Play::Data("b?".into(), json!({"requests": [{"to": "b", "text": "And you?"}]})),
        "b" => Play::Data("a?".into(), json!({"requests": [{"to": "a", "text": "And you?"}]})),
        _ => Play::Words(format!("{} speaks {}", ask.seat.id, ask.call.0), 10),
    });
    let mut opened = four(json!({"name": "round_robin"}), json!({"limits": {"utterances": 12}}));
    opened.attended = false;
    let ran = play(opened, both, &[]).await;
    for who in ["c", "d"] {
        let turns = ran.who().split(' ').filter(|w| *w == who).count();
        assert!(turns >= 2, "{who} has {turns}: {}", ran.who());
    }
}

#[test]
fn killed_at_every_event_the_same_seats_are_woken() {
    let opened =
        || four(json!({"name": "round_robin", "options": {"mentions": "once"}}), json!({}));
    let whole = runtime().block_on(play(opened(), asking(), &[]));
    for cut in everywhere(&whole.events) {
        let again = runtime().block_on(resume(whole.events[..cut].to_vec(), asking(), &[]));
        if whole.events[cut - 1].kind.name() != "conversation.ended" {
            assert_eq!(again.who(), whole.who(), "cut at {cut}");
            let _ = outcome(&again);
        }
    }
}
