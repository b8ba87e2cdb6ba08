//! Branches: the past is the parent's, the future is their own, and a kill changes nothing in them either.

use crate::harness::*;
use crate::kills::{
    attentive, commands, everywhere, one_in_seven, outcome, runtime, situations, tables,
};
use colloquium::model::*;
use serde_json::json;

#[test]
fn fork_in_many_situations_changes_only_requested_parts() {
    branched_off(|events| one_in_seven(situations(events)));
}

#[test]
#[ignore = "half a minute: cargo test --test core -- --ignored"]
fn fork_after_every_event_changes_only_requested_parts() {
    branched_off(everywhere);
}

fn branched_off(cuts: fn(&[Event]) -> Vec<usize>) {
    let mut points = 0;
    let mut bad = Vec::new();
    for (name, table) in tables() {
        if name == "manual" {
            continue;
        }
        let whole = runtime().block_on(play(table, attentive(), &commands()));
        for at in cuts(&whole.events) {
            let past = whole.events[..at].to_vec();
            let branch = runtime().block_on(fork(past.clone(), None, attentive(), &commands()));
            points += 1;
            assert_eq!(branch.events[..at], past, "the past is the parent's");
            let forked = branch.state.forked.as_ref().unwrap();
            assert_eq!((&*forked.parent, forked.at), ("parent", Seq(at as u64 - 1)));
            assert!(matches!(branch.events[at].kind, Kind::Forked(_)));
            if outcome(&branch) != outcome(&whole) {
                bad.push(format!(
                    "{name} at {at}:\n {:?}\n {:?}",
                    outcome(&whole),
                    outcome(&branch)
                ));
            }
        }
    }
    println!("{points} branches");
    assert!(bad.is_empty(), "{} of {points} differ, the first:\n{}", bad.len(), bad[0]);
}

#[test]
fn a_branch_of_a_branch_killed_anywhere_goes_on_as_if_it_had_not_been() {
    let steer = [
        json!({"after": {"utterance": 2}, "do": "edit", "utterance": 2, "text": "as edited here"}),
        json!({"after": {"utterance": 3}, "do": "say", "text": "and now, @c?"}),
        json!({"during": {"utterance": 5, "words": 2}, "do": "cut_in", "text": "stop"}),
    ];
    let mut points = 0;
    let mut bad = Vec::new();
    for (name, table) in tables() {
        if name == "manual" {
            continue;
        }
        let whole = runtime().block_on(play(table, attentive(), &[]));
        let end = |n: u32, events: &[Event]| {
            let ends = |e: &Event| matches!(&e.kind, Kind::TurnEnded(t) if t.number == Some(n));
            events.iter().position(ends).unwrap() + 1
        };
        let past = whole.events[..end(4, &whole.events)].to_vec();
        let first = runtime().block_on(fork(past, None, attentive(), &steer));
        let past = first.events[..end(2, &first.events)].to_vec();
        let second = runtime().block_on(fork(past.clone(), Some(99), attentive(), &steer));
        assert_ne!(outcome(&second), outcome(&whole), "{name}: nothing was other");
        assert_eq!(second.state.seed, 99);
        let own = &second.events[past.len()..];
        for cut in one_in_seven(situations(own)).into_iter().map(|cut| past.len() + cut) {
            let killed = second.events[..cut].to_vec();
            let resumed = runtime().block_on(resume(killed, attentive(), &steer));
            points += 1;
            if outcome(&resumed) != outcome(&second) {
                let kind = second.events[cut - 1].kind.name();
                bad.push(format!(
                    "{name} cut after {cut} ({kind}):\n {:?}\n {:?}",
                    outcome(&second),
                    outcome(&resumed)
                ));
            }
        }
    }
    println!("{points} kills in branches of branches");
    assert!(bad.is_empty(), "{} of {points} differ, the first:\n{}", bad.len(), bad[0]);
}
