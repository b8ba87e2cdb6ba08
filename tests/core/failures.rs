//! Every fault under every failure rule: 58 faults by 5 rules, each with its expected events and no others.
//!
//! Virtual time: a call without a response takes its 120 s at once, so that deadlines can be checked exactly.

use crate::faults::{CONNECTIONS, HTTP, Row, STREAM};
use crate::harness::*;
use colloquium::model::*;
use colloquium::voice::{CallFailure, CallRequest};
use serde_json::json;

/// Delay before a second call, in milliseconds.
const PAUSE: u64 = 500;
/// Maximum number of calls in a turn.
const TRIES: u32 = 5;
/// Maximum delay of an end after its deadline, in milliseconds.
const GRACE: u64 = 1_000;

/// Reaction to a failure before the first word, independent of the final outcome.
#[derive(Clone, Copy)]
enum Way {
    /// Repeats the call, up to the number of the rule.
    Retry,
    /// Repeats the call after a delay, without counting it as a retry.
    Wait,
    /// Repeats the call once, immediately, with half the prompt or a larger limit for the reply.
    Shrink,
    /// Makes no further call.
    Never,
}

/// Reaction to each class of error.
const WAYS: [(ErrorClass, Way); 17] = [
    (ErrorClass::Refused, Way::Retry),
    (ErrorClass::Dns, Way::Retry),
    (ErrorClass::Tls, Way::Retry),
    (ErrorClass::Failed, Way::Retry),
    (ErrorClass::NoProtocol, Way::Retry),
    (ErrorClass::Empty, Way::Retry),
    (ErrorClass::Length, Way::Shrink),
    (ErrorClass::Silence, Way::Retry),
    (ErrorClass::Broken, Way::Retry),
    (ErrorClass::Rate, Way::Wait),
    (ErrorClass::Overload, Way::Wait),
    (ErrorClass::Context, Way::Shrink),
    (ErrorClass::Credentials, Way::Never),
    (ErrorClass::Credit, Way::Never),
    (ErrorClass::UnknownModel, Way::Never),
    (ErrorClass::BadRequest, Way::Never),
    (ErrorClass::Filter, Way::Never),
];

/// The five rules, and the outcome of each for a turn without further calls.
const RULES: [(&str, u32, Then, &str); 5] = [
    ("skip", 0, Then::Skip, "failed, next"),
    ("retry, then skip", 1, Then::Skip, "failed, next"),
    ("pause", 1, Then::Pause, "failed, paused"),
    ("replace", 1, Then::Replace, "handed over, called, said, next"),
    ("stop", 1, Then::Stop, "failed, ended"),
];

/// Returns the delays before further calls of a turn in which every call fails with this fault.
fn waits(row: &Row, retry: u32) -> Vec<u64> {
    if row.shown {
        return vec![];
    }
    let Some(class) = row.class else { return vec![] };
    // only faults before the first word are left here
    let way = WAYS.iter().find(|(c, _)| *c == class).expect("a way for every class").1;
    match way {
        Way::Never => vec![],
        Way::Shrink => vec![0],
        Way::Retry => vec![PAUSE; retry as usize],
        Way::Wait => {
            let next = |n: u32| row.wait.unwrap_or(0).max(PAUSE << n);
            (0..TRIES - 1).map(next).collect()
        }
    }
}

/// Returns the maximum duration of a single call with this fault.
fn deadline(row: &Row) -> u64 {
    let limits = Timeouts::default();
    match (row.class, row.shown, row.name) {
        (Some(ErrorClass::Silence), _, "words for ever") => limits.total,
        (Some(ErrorClass::Silence), true, _) => limits.silence,
        (Some(ErrorClass::Silence), false, _) => limits.first,
        _ => 0,
    }
}

/// Returns the behaviour of a voice with this fault.
fn play_of(row: &Row) -> Play {
    let said = if row.shown { "Hello " } else { "" };
    match row.class {
        None => Play::Words("Hello ".into(), 10),
        Some(ErrorClass::Silence) if row.name == "words for ever" => Play::Drones,
        Some(ErrorClass::Silence) if row.shown => Play::Stall(said.into()),
        Some(ErrorClass::Silence) => Play::Silence,
        Some(class) => {
            let failure = CallFailure::new(class, "as the table says");
            Play::Ends(said.into(), CallFailure { retry_after_ms: row.wait, ..failure })
        }
    }
}

/// Returns a delay without its random part.
fn without_jitter(wait: u64, asked: Option<u64>) -> u64 {
    let mut plain = asked.into_iter().chain((0..7).map(|n| PAUSE << n));
    plain.find(|p| (*p..=p * 5 / 4).contains(&wait)).unwrap_or(wait)
}

/// Plays a conversation whose first speaker has the fault; returns its events as text, from the grant on.
async fn events(row: &'static Row, retry: u32, then: Then) -> (Vec<String>, Ran) {
    let fallbacks = vec![Fallback { name: "x:second".into(), ..Fallback::default() }];
    let spec = ModelSpec { name: "x:first".into(), fallbacks, ..ModelSpec::default() };
    let voice = VoiceSpec::Model(spec);
    let ada = Participant {
        voice,
        on_failure: FailureRule { retry, then, ..FailureRule::default() },
        ..seat("ada")
    };
    let scenario = json!({"policy": {"name": "round_robin"}, "limits": {"utterances": 1}});
    let stage = stage(move |ask| match &*ask.seat.voice.label() {
        "x:first" => play_of(row),
        _ => Play::Words("Well.".into(), 10),
    });
    let ran = play(table(scenario, vec![ada, seat("bo")]), stage, &[]).await;
    let granted = ran.kinds().iter().position(|k| *k == "floor.granted").unwrap();
    let mut words = vec![];
    for event in &ran.events[granted + 1..] {
        words.push(match &event.kind {
            Kind::CallStarted(_) => "called".into(),
            Kind::CallRetried(r) if r.model.is_some() => "handed over".into(),
            Kind::CallRetried(r) => format!("{} ms", without_jitter(r.wait_ms, row.wait)),
            Kind::TurnEnded(e) => match e.outcome {
                Outcome::Said => "said".into(),
                Outcome::Cut => "cut".into(),
                Outcome::Failed => "failed".into(),
                Outcome::Passed => "passed".into(),
            },
            Kind::Delta(_) => continue,
            Kind::Paused(_) => "paused".into(),
            Kind::Ended(e) if e.reason == StopReason::Failure => "ended".into(),
            _ => "next".into(),
        });
        if matches!(words.last().map(|w: &String| &**w), Some("next" | "paused" | "ended")) {
            break;
        }
    }
    (words, ran)
}

/// Describes an error in a cell of the table; `None` if none exists.
async fn check(row: &'static Row, name: &str, retry: u32, then: Then, end: &str) -> Option<String> {
    let waits = waits(row, retry);
    let mut wanted = vec!["called".to_owned()];
    wanted.extend(waits.iter().flat_map(|ms| [format!("{ms} ms"), "called".into()]));
    let end = match (row.class, row.shown) {
        (None, _) => "said, next",
        (Some(_), true) if then == Then::Pause => "cut, paused",
        (Some(_), true) if then == Then::Stop => "cut, ended",
        (Some(_), true) => "cut, next",
        (Some(_), false) => end,
    };
    wanted.extend(end.split(", ").map(str::to_owned));
    let (came, ran) = events(row, retry, then).await;
    let granted = ran.events.iter().find(|e| matches!(e.kind, Kind::FloorGranted(_))).unwrap();
    let ends: Vec<(&Event, &payload::TurnEnded)> = ran
        .events
        .iter()
        .filter_map(|e| match &e.kind {
            Kind::TurnEnded(t) if t.turn.0 == granted.seq.0 => Some((e, &**t)),
            _ => None,
        })
        .collect();
    let [(ended, turn)] = ends[..] else {
        return Some(format!("{}: {} ends", row.name, ends.len()));
    };
    let replaced = came.iter().any(|w| w == "handed over");
    let class = if replaced { None } else { row.class };
    let kept = match (row.shown, row.name) {
        (true, "words for ever") => turn.text.starts_with("on-1 on-2 "),
        (true, _) => *turn.text == *"Hello ",
        (false, _) => replaced == (*turn.text == *"Well."),
    };
    let calls = waits.len() as u64 + 1;
    let within = calls * deadline(row) + waits.iter().sum::<u64>() * 5 / 4 + GRACE;
    let took = ended.ms.since(granted.ms);
    let right =
        came == wanted && turn.error.as_ref().map(|e| e.class) == class && kept && took <= within;
    (!right).then(|| {
        format!(
            "{} under {name}: {wanted:?} wanted, {came:?} came, {took} of {within} ms, {turn:?}",
            row.name
        )
    })
}

#[tokio::test]
async fn seats_that_fail_together_do_not_come_back_together() {
    for asked in [None, Some(2_000)] {
        fall_together(asked).await;
    }
}

/// Eight participants at once get a retry request from a server, with or without a delay.
async fn fall_together(asked: Option<u64>) {
    let policy = json!({"name": "simultaneous", "options": {"rounds": 1}});
    let seats = ["a", "b", "c", "d", "e", "f", "g", "h"].map(seat).to_vec();
    let stage = stage(move |ask| match (ask.attempt, asked) {
        (1, None) => Play::Fail(10, ErrorClass::Rate),
        (1, Some(wait)) => Play::AskToWait(wait),
        _ => Play::Words("Well.".into(), 10),
    });
    let ran = play(table(json!({"policy": policy}), seats), stage, &[]).await;
    let waits = ran.events.iter().filter_map(|e| match &e.kind {
        Kind::CallRetried(r) => Some(r.wait_ms),
        _ => None,
    });
    let mut waits: Vec<u64> = waits.collect();
    assert!(
        waits.len() == 8
            && waits.iter().all(|w| without_jitter(*w, asked) == asked.unwrap_or(PAUSE)),
        "{waits:?}"
    );
    waits.sort_unstable();
    waits.dedup();
    println!("8 retries, {} moments: {waits:?} ms", waits.len());
    assert!(waits.len() > 6, "{waits:?}");
}

#[tokio::test]
async fn every_fault_under_every_rule_makes_its_events_and_no_others() {
    let mut cells = 0;
    let mut wrong = vec![];
    for row in CONNECTIONS.iter().chain(&HTTP).chain(&STREAM) {
        for (name, retry, then, end) in RULES {
            cells += 1;
            wrong.extend(check(row, name, retry, then, end).await);
        }
    }
    println!(
        "{} of {cells} cells: one end, in time, the right class, the words kept",
        cells - wrong.len()
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(cells, 290);
}

#[tokio::test]
async fn a_program_that_begins_with_nothing_is_asked_once() {
    let spec = ModelSpec { name: "program:mute".into(), ..ModelSpec::default() };
    let program = Participant::new("a", VoiceSpec::Model(spec));
    let talk = table(json!({"policy": {"name": "round_robin"}}), vec![program]);
    let ran = play(talk, stage(|_| Play::Silence), &[]).await;
    let last = ran.events.last().unwrap();
    assert_eq!((ran.reason(), ran.seen.len()), ("failure", 1), "{:?}", ran.kinds());
    assert!(last.ms.0 < 130_000, "it ends after one wait: {}", last.ms);
    let said = ran.state.ended.as_ref().unwrap().text.clone().unwrap();
    assert!(said.contains("no output within 120 s; raise its timeout"), "{said}");
}

/// A partner that fails for good leaves the other alone: that ends after three rounds with the reason, unless a person
/// takes part or the partner comes back.
#[tokio::test]
async fn nobody_talks_alone_up_to_the_limit() {
    let talk = |first: Participant, turns: u32| {
        let scenario = json!({
            "policy": {"name": "round_robin"},
            "limits": {"utterances": turns},
            "guards": "off",
        });
        table(scenario, vec![first, seat("b")])
    };
    let dead = |ask: &CallRequest| match &*ask.seat.id.0 {
        "b" => Play::Fail(5, ErrorClass::Overload),
        _ => Play::Words(format!("Word {}.", ask.turn.0), 10),
    };
    let ran = play(talk(seat("a"), 20), stage(dead), &[]).await;
    assert_eq!((ran.reason(), ran.state.utterances), ("failure", 3), "{:?}", ran.kinds());
    let why = ran.state.ended.as_ref().unwrap().text.clone().unwrap();
    assert!(why.starts_with("b: "), "{why}");
    let lame = |ask: &CallRequest| match (&*ask.seat.id.0, ask.turn.0 > 30) {
        ("b", false) => Play::Fail(5, ErrorClass::Overload),
        _ => Play::Words(format!("Word {}.", ask.turn.0), 10),
    };
    let ran = play(talk(seat("a"), 6), stage(lame), &[]).await;
    assert_eq!(ran.reason(), "utterance_limit", "{:?}", ran.kinds());
}
