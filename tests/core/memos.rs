//! Memos of foreign logs: numbers, seats, tasks and lists that the program never writes. The conversation goes on, or
//! ends with a reason.

use crate::harness::*;
use crate::kills::{attentive, runtime, tables};
use crate::{consensus, plans};
use colloquium::model::payload::Opened;
use colloquium::model::*;
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Number of items in a long list.
const MANY: u64 = 10_000;

fn list(of: impl Fn(u64) -> Value) -> Value {
    (0..MANY).map(of).collect()
}

/// Returns foreign values of each key of a memo.
fn foreign() -> Vec<(&'static str, Vec<Value>)> {
    let numbers =
        || vec![json!(u64::MAX), json!(u32::MAX), json!(MANY), json!(0), json!(-1), json!("7")];
    let seats = || vec![json!("nobody"), json!(""), json!(7)];
    let lists = || vec![list(|_| json!("nobody")), json!(["a", "a", "nobody"]), json!([])];
    let turns = || vec![list(|n| json!(n)), json!([u64::MAX, 0]), json!([-1])];
    let tasks = [
        "work",
        "ballot",
        "run_off",
        "judge",
        "novelty",
        "present",
        "plan",
        "plan_again",
        "close",
        "execute",
        "clarify",
        "do",
        "dance",
    ];
    let deep = (0..50)
        .fold(json!({"at": u64::MAX, "round": u32::MAX}), |inner, _| json!({"fallback": inner}));
    let asking = json!({"by": "nobody", "text": "why?"});
    vec![
        ("number", numbers()),
        ("from", numbers()),
        ("step", tasks.map(Value::from).to_vec()),
        ("go_on", vec![json!(true), json!("yes")]),
        ("at", numbers()),
        ("phase", numbers()),
        ("round", numbers()),
        ("place", numbers()),
        ("before", numbers()),
        ("turns", numbers()),
        ("last", seats()),
        ("chosen", vec![json!({"by": "nobody"}), json!("nobody")]),
        ("fallback", vec![deep, json!({"turns": u64::MAX}), json!([])]),
        (
            "shares",
            vec![
                json!([["a", u64::MAX, u64::MAX], ["b", 0, u64::MAX], ["c", u64::MAX, 0]]),
                json!([["a", 0, 0], ["b", 0, 0], ["c", 0, 0]]),
                list(|n| json!([format!("s{n}"), u64::MAX, n])),
                json!([["a", -1, 2.5]]),
            ],
        ),
        ("discount", vec![json!("nonsense"), json!(1)]),
        ("begun", vec![json!(true), json!(false), json!(1)]),
        (
            "ran",
            vec![json!({"a": u64::MAX, "b": u64::MAX, "c": 0}), json!({"nobody": 1}), json!([])],
        ),
        (
            "edges",
            vec![
                json!({"a": [u32::MAX], "b": [u32::MAX, u32::MAX, 1], "c": []}),
                json!({"a": list(|_| json!(u32::MAX)), "nobody": [1]}),
                json!({"a": [-1]}),
            ],
        ),
        (
            "asked",
            vec![
                list(|_| json!(["a", "nobody", null])),
                json!([["nobody", "a", "why?"]]),
                json!([[]]),
            ],
        ),
        (
            "requests",
            vec![json!({"a": list(|_| asking.clone()), "nobody": [asking]}), json!({"a": 1})],
        ),
        ("heard", numbers()),
        ("owed", seats()),
        ("counted", [numbers(), turns()].concat()),
        ("why", vec![json!("x".repeat(MANY as usize)), json!(1)]),
        ("judged", turns()),
        ("withdrawn", turns()),
        ("tied", lists()),
        ("winner", seats()),
        ("how", vec![json!("x".repeat(MANY as usize)), json!({})]),
    ]
}

/// Tables of other tests, one or two for each policy.
const TABLES: [&str; 10] = [
    "round_robin",
    "shuffled",
    "weighted",
    "weighted by words",
    "talkative",
    "simultaneous",
    "depends",
    "phases",
    "moderated",
    "bids",
];

/// A conversation, and its voices for one run.
type Conversation = (&'static str, Opened, fn() -> Stage);

/// Returns conversations under every policy but `manual`, which takes no decision.
fn conversations() -> Vec<Conversation> {
    let listed = tables().into_iter().filter(|(name, _)| TABLES.contains(name));
    let mut all: Vec<Conversation> =
        listed.map(|(name, opened)| (name, opened, attentive as fn() -> Stage)).collect();
    assert_eq!(all.len(), TABLES.len());
    let club = |options| consensus::club(&["ann", "bob", "cyd"], options);
    all.push(("consensus", club(json!({})), voters));
    all.push(("restarting", club(json!({"on_new": "restart", "novelty": 0.5})), voters));
    all.push(("plan", plans::office(json!({})), planners));
    all
}

fn voters() -> Stage {
    stage(|ask| match consensus::choices(ask) {
        0 | 1 => Play::Words(format!("{} would walk, by road {}", ask.seat.id, ask.seat.id), 5),
        _ => Play::Words("VOTE: bob\nIt is the best.".into(), 5),
    })
}

fn planners() -> Stage {
    plans::at_work(&[(1, &[]), (2, &[1])], plans::done)
}

/// Returns the memo of a decision of a policy.
fn memo_mut(event: &mut Event) -> Option<&mut Value> {
    match &mut event.kind {
        Kind::BatchOpened(batch) if batch.requester == Requester::Policy => {
            Some(&mut Arc::make_mut(batch).memo)
        }
        Kind::ThreadOpened(thread) => Some(&mut thread.memo),
        _ => None,
    }
}

/// Continues a log whose last decision has a foreign value in its memo; returns the fault.
fn fault(past: &[Event], key: &str, value: &Value, voices: fn() -> Stage) -> Option<&'static str> {
    let mut past = past.to_vec();
    let memo = past.last_mut().and_then(memo_mut).unwrap();
    if !memo.is_object() {
        *memo = json!({});
    }
    memo[key] = value.clone();
    let run = || runtime().block_on(resume(past, voices(), &[]));
    match catch_unwind(AssertUnwindSafe(run)) {
        Err(_) => Some("a panic"),
        Ok(ran) if ran.state.ended.is_none() => Some("no end"),
        Ok(_) => None,
    }
}

/// Returns the log under `manual`, as if it had taken the decisions.
fn by_hand(events: &[Event]) -> Vec<Event> {
    let mut events = events.to_vec();
    let Kind::Opened(opened) = &mut events[0].kind else { panic!("a log begins with its opening") };
    opened.scenario["policy"] = json!({"name": "manual"});
    events
}

/// Continues the conversations with these names from decisions in the second half of their logs.
/// Puts one foreign memo in `step` into each conversation.
fn check(step: usize) {
    let mut faults = vec![];
    let (mut number, mut runs) = (0, 0);
    for (name, opened, voices) in conversations() {
        let whole = runtime().block_on(play(opened, voices(), &[])).events;
        let mut logs = vec![(name, whole.clone())];
        if name == "round_robin" {
            logs.push(("manual", by_hand(&whole)));
        }
        let decides = |at: &usize| memo_mut(&mut whole[*at].clone()).is_some();
        let decisions: Vec<usize> = (0..whole.len()).filter(decides).collect();
        let decisions = &decisions[decisions.len() / 2..];
        for (name, events) in logs {
            for (key, values) in foreign() {
                for value in values {
                    number += 1;
                    if number % step != 0 {
                        continue;
                    }
                    let past = &events[..=decisions[runs % decisions.len()]];
                    runs += 1;
                    if let Some(fault) = fault(past, key, &value, voices) {
                        let value: String = value.to_string().chars().take(60).collect();
                        faults.push(format!("{name}: {fault} with {key} = {value}"));
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} of {runs}:\n{}", faults.len(), faults.join("\n"));
    assert!(runs > 80 * 13 / step, "{runs}");
}

#[test]
fn foreign_memos_do_not_stop_policies() {
    check(11);
}

#[test]
#[ignore = "a minute: cargo test --test core every_foreign_memo -- --ignored"]
fn every_foreign_memo_does_not_stop_policies() {
    check(1);
}
