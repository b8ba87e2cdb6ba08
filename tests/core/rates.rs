//! Calls that wait for their provider's rate limit: in session time, reported once, and never lost.

use crate::harness::*;
use colloquium::model::*;
use colloquium::state::State;
use serde_json::json;

fn rated(rate: &str, policy: &str, utterances: u32) -> payload::Opened {
    let scenario = json!({"policy": {"name": policy}, "limits": {"utterances": utterances}});
    let model = |id| {
        let voice = json!({"model": {"name": "openai:x"}});
        Participant { voice: serde_json::from_value(voice).unwrap(), local: true, ..seat(id) }
    };
    let mut opened = table(scenario, vec![model("a"), model("b"), model("c")]);
    opened.rates = [("openai".into(), CallRate::try_from(rate.to_owned()).unwrap())].into();
    opened
}

/// Returns the start of each call, in seconds.
fn begun(ran: &Ran) -> Vec<u64> {
    let calls = ran.events.iter().filter(|e| matches!(e.kind, Kind::CallStarted(_)));
    calls.map(|e| e.ms.0 / 1000).collect()
}

#[tokio::test]
async fn calls_wait_for_their_providers_rate() {
    let ran = play(rated("2/min", "round_robin", 5), plain(), &[]).await;
    assert_eq!(begun(&ran), [0, 0, 60, 60, 120]);
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b c a b", "utterance_limit"));
    let told = |e: &&Event| matches!(&e.kind, Kind::Warning(w) if w.text.contains("openai are limited to 2/min; waiting"));
    assert_eq!(ran.events.iter().filter(told).count(), 1, "it is told once");
    let ran = play(rated("2/min", "simultaneous", 3), plain(), &[]).await;
    assert_eq!(begun(&ran), [0, 0, 60], "also those who are granted at once");
    let mut free = rated("2/min", "round_robin", 5);
    free.rates = [("gemini".into(), CallRate::try_from("1/h".to_owned()).unwrap())].into();
    assert_eq!(
        begun(&play(free, plain(), &[]).await),
        [0; 5],
        "another provider's rate is its own"
    );
}

#[tokio::test]
async fn pause_stops_rate_limited_seats_and_time_limit_ends_them() {
    let steer = [json!({"at": "5s", "do": "pause_now"}), json!({"at": "3m", "do": "resume"})];
    let ran = play(rated("1/min", "round_robin", 2), plain(), &steer).await;
    assert_eq!(begun(&ran), [0, 180]);
    let mut timed = rated("1/h", "round_robin", 5);
    timed.scenario["limits"]["seconds"] = 30.into();
    let ran = play(timed, plain(), &[]).await;
    assert_eq!((begun(&ran), ran.reason()), (vec![0], "time_limit"));
}

#[tokio::test]
async fn seat_waiting_for_a_tool_is_not_rate_limited() {
    let mut table = rated("1/min", "round_robin", 1);
    table.participants[0].tools = vec![Tool {
        name: "reads".into(),
        description: "a test".into(),
        parameters: json!({"type": "object"}),
        source: ToolSource::Script(vec!["test".into()]),
        read_only: true,
        seconds: 30,
    }];
    let asks = stage(|ask| {
        if ask.prompt.tools.is_empty() {
            Play::Asks(String::new(), vec![("reads", json!({}))])
        } else {
            Play::Words("so be it".into(), 10)
        }
    });
    let ran = play(table, asks, &[]).await;
    let after = |kind: &str| {
        let at = ran.events.iter().position(|e| e.kind.name() == kind).unwrap();
        let state = State::fold(&ran.events[..=at]);
        let turn = state.turns.values().next().unwrap();
        state.held_by_rate(turn, state.ms).map(|(at, ..)| at.0)
    };
    assert_eq!((after("tool.asked"), after("tool.called")), (None, None));
    assert_eq!(after("tool.returned"), Some(60_000));
    assert_eq!(begun(&ran), [0, 60]);
}
