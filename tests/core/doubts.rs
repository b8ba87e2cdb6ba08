//! Doubts: the price of agreeing, and of a proposal that nobody has doubted before two thirds of the turns.

use crate::harness::*;
use crate::kills::runtime;
use crate::stances::between_poles;
use colloquium::model::*;
use colloquium::voice::CallRequest;
use serde_json::{Value, json};

const DOUBT: &str = "Your numbers nearly agree. Who pays for that and is not here? Speak for them, against it; your last line stays your own.";
const PREMORTEM: &str =
    "Suppose you get your way and it goes wrong within a year: say how, and who pays.";
const HOST: &str = "The host has just said something to all of you";

/// Plays a debate of two; each turn has words and a position by its number.
fn debate(limit: u32, text: fn(u32) -> &'static str, at: fn(u32) -> i8, steer: &[Value]) -> Ran {
    let voices = stage(move |ask| {
        let number = ask.number.unwrap_or(0);
        let words = format!("{} has reason {number} of its own. {}", ask.seat.id, text(number));
        Play::Words(format!("{words}\nSTANCE: {} | a claim", at(number)), 10)
    });
    let limits = json!({"limits": {"utterances": limit}, "result": "none"});
    runtime().block_on(play(between_poles(limits), voices, steer))
}

/// Plays openings at the same time, two rounds of a middle phase and closings; returns the last message of each prompt.
fn phases(middle: &Value, at: fn(u32) -> i8) -> Vec<String> {
    let voices = stage(move |ask| {
        let number = ask.number.unwrap_or(0);
        let words = format!("{} has reason {number} of its own.", ask.seat.id);
        Play::Words(format!("{words}\nSTANCE: {} | a claim", at(number)), 10)
    });
    let phase = |name: &str, policy: &str, rounds: u32| {
        let policy = json!({"name": policy, "options": {"rounds": rounds}});
        json!({"name": name, "who": ["a", "b"], "policy": policy})
    };
    let mut between = phase("middle", "round_robin", 2);
    between.as_object_mut().unwrap().extend(middle.as_object().unwrap().clone());
    let all = [phase("openings", "simultaneous", 1), between, phase("closings", "round_robin", 1)];
    let scenario =
        json!({"policy": {"name": "phases"}, "limits": {}, "phase": all, "result": "none"});
    let ran = runtime().block_on(play(between_poles(scenario), voices, &[]));
    let mut spoken: Vec<&CallRequest> =
        ran.seen.iter().filter(|ask| ask.purpose == Purpose::Speak).collect();
    spoken.sort_by_key(|ask| ask.number);
    spoken.iter().map(|ask| ask.messages.last().unwrap().text.to_string()).collect()
}

/// Returns the line of the request of each turn that begins with its name.
fn cues(ran: &Ran) -> Vec<String> {
    let spoken = ran.seen.iter().filter(|ask| ask.purpose == Purpose::Speak);
    let cue = |ask: &CallRequest| {
        let text = ask.messages.last().unwrap().text.clone();
        let own = |line: &&str| line.contains(", turn ") || line.contains(", you begin");
        let line = text.lines().rfind(own).unwrap();
        line.to_owned()
    };
    spoken.map(cue).collect()
}

fn numbers(cues: &[String], what: &str) -> Vec<usize> {
    (1..=cues.len()).filter(|n| cues[n - 1].contains(what)).collect()
}

fn asks_the_other(number: u32) -> &'static str {
    if number.is_multiple_of(2) { "What do you say, A?" } else { "What do you say, B?" }
}

#[test]
fn an_agreement_is_doubted_once_a_round_and_by_nobody_twice_running() {
    let ran = debate(12, |_| "", |_| 1, &[]);
    let all = cues(&ran);
    assert_eq!(numbers(&all, DOUBT), [3, 6, 9], "{all:#?}");
    assert!(numbers(&all, PREMORTEM).is_empty());
    let acts: Vec<ActKind> = ran
        .events
        .iter()
        .filter_map(|e| match &e.kind {
            Kind::TurnEnded(ended) => ended.act.as_ref().map(|act| act.kind),
            _ => None,
        })
        .collect();
    assert_eq!(acts.iter().filter(|kind| **kind == ActKind::Doubt).count(), 3, "{acts:?}");
    assert_eq!(acts.first(), Some(&ActKind::Doubt));
    // beside a question the answer is one sentence
    let asked = cues(&debate(6, asks_the_other, |_| 1, &[]));
    assert!(
        asked[2].ends_with(&format!("Answer b in one sentence. Then: {DOUBT}")),
        "{}",
        asked[2]
    );
    // a message of the host comes first
    let say = json!({"after": {"utterance": 2}, "do": "say", "text": "The tram is paid."});
    let told = cues(&debate(6, |_| "", |_| 1, &[say]));
    assert!(told[2].contains(HOST) && !told[2].contains("Then:"), "{}", told[2]);
    assert_eq!(numbers(&told, DOUBT), [4], "{told:#?}");
    // and so does its question to each
    let each = "What would each of you give up?";
    let say = json!({"after": {"utterance": 2}, "do": "say", "text": each});
    let told = cues(&debate(8, |_| "", |_| 1, &[say]));
    assert!(told[3].contains("The host asked you") && !told[3].contains("Then:"), "{}", told[3]);
    assert_eq!(numbers(&told, DOUBT)[0], 5, "{told:#?}");
}

#[test]
fn a_debate_without_agreement_is_doubted_once_before_two_thirds() {
    let apart = |number: u32| if number.is_multiple_of(2) { -2 } else { 2 };
    let all = cues(&debate(12, |_| "", apart, &[]));
    assert_eq!((numbers(&all, PREMORTEM), numbers(&all, DOUBT)), (vec![7], vec![]), "{all:#?}");
    let asked = cues(&debate(12, asks_the_other, apart, &[]));
    assert_eq!(numbers(&asked, PREMORTEM), [8], "in the last turn of its span: {asked:#?}");
    assert!(asked[7].ends_with(&format!("in one sentence. Then: {PREMORTEM}")), "{}", asked[7]);
    // the host postpones it
    let says = |after: u32| json!({"after": {"utterance": after}, "do": "say", "text": "The tram is paid."});
    let told = cues(&debate(12, |_| "", apart, &[6, 7].map(says)));
    assert_eq!(numbers(&told, PREMORTEM), [9], "{told:#?}");
    let short = cues(&debate(3, |_| "", |_| 1, &[]));
    assert!(numbers(&short, DOUBT).is_empty(), "not in the last turn of all: {short:#?}");
}

#[test]
fn before_judges_each_seat_of_a_round_has_the_same_doubt() {
    let voices = stage(|ask| {
        let number = ask.number.unwrap_or(0);
        let at = if number.is_multiple_of(2) { -2 } else { 2 };
        let asks = if &*ask.seat.id.0 == "b" { "What do you say, A?" } else { "" };
        let words = format!("{} has reason {number}. {asks}", ask.seat.id);
        Play::Words(format!("{words}\nSTANCE: {at} | a claim"), 10)
    });
    let side = |id: &str| json!({"name": id, "seats": [id]});
    let verdict = json!({"judges": ["a"], "question": "Who?", "sides": [side("a"), side("b")], "votes": 1,
        "swap_test": false, "tie": "draw"});
    let scenario = json!({"limits": {"utterances": 12}, "result": "none", "verdict": verdict});
    let ran = runtime().block_on(play(between_poles(scenario), voices, &[]));
    let all = cues(&ran);
    assert_eq!(numbers(&all, PREMORTEM), [9, 10], "{all:#?}");
    for (n, answer) in [(8, "Answer b"), (9, "Answer the strongest point against you")] {
        assert!(
            all[n].ends_with(&format!("{answer} in one sentence. Then: {PREMORTEM}")),
            "{all:#?}"
        );
    }
    let judge = ran.seen.iter().find(|ask| ask.purpose == Purpose::Judge).unwrap();
    let told = "Turns 9 and 10 were asked to say how it could go wrong, and who pays: that is no concession.";
    assert!(judge.messages.last().unwrap().text.contains(told));
}

#[test]
fn phases_leave_room_for_doubts_in_rebuttals_and_in_turns_without_a_task() {
    let apart = |number: u32| if number.is_multiple_of(2) { -2 } else { 2 };
    for middle in [json!({"name": "rebuttals"}), json!({})] {
        let all = phases(&middle, apart);
        assert_eq!((numbers(&all, PREMORTEM), numbers(&all, DOUBT)), (vec![5], vec![]), "{all:#?}");
        let agreed = phases(&middle, |_| 1);
        assert_eq!(numbers(&agreed, DOUBT), [3, 6], "not in openings and closings: {agreed:#?}");
        assert!(!agreed[2].contains("Answer the strongest point"), "one task: {}", agreed[2]);
    }
    // an exchange of questions and answers has none
    let exchange = "{% if me.id == 'a' %}Put one question to b.{% endif %}";
    let exchange = phases(&json!({"task": exchange}), |_| 1);
    assert!(numbers(&exchange, DOUBT).is_empty(), "{exchange:#?}");
    let own = phases(&json!({"task": "Put one question."}), |_| 1);
    assert!(numbers(&own, DOUBT).is_empty(), "another task: {own:#?}");
}
