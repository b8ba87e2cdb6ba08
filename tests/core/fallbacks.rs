//! Fallbacks of a failing model: they take the turn visibly, and the operator is asked if no model is left.

use crate::harness::*;
use colloquium::export;
use colloquium::model::*;
use serde_json::json;

/// Returns a seat with a chain of models.
fn seat_of(id: &str, chain: &[&str], retry: u32) -> Participant {
    let (name, rest) = chain.split_first().unwrap();
    let fallback = |n: &&str| Fallback { name: (*n).into(), ..Fallback::default() };
    let fallbacks = rest.iter().map(fallback).collect();
    let spec = ModelSpec { name: (*name).into(), fallbacks, ..ModelSpec::default() };
    Participant {
        voice: VoiceSpec::Model(spec),
        on_failure: FailureRule { retry, then: Then::Replace, ..FailureRule::default() },
        ..seat(id)
    }
}

fn talk(seats: Vec<Participant>, utterances: u32) -> payload::Opened {
    table(json!({"policy": {"name": "round_robin"}, "limits": {"utterances": utterances}}), seats)
}

/// Models that fail according to their names: `dead` refuses connections, `closed` rejects the key, `breaks` breaks
/// off.
fn models() -> Stage {
    stage(|ask| {
        let model = ask.seat.voice.label();
        match model.split_once(':').unwrap().1 {
            "dead" => Play::Fail(5, ErrorClass::Refused),
            "closed" => Play::Fail(5, ErrorClass::Credentials),
            "breaks" => Play::Break("half a".into(), 10),
            _ => Play::Words(format!("{model} speaks for me"), 10),
        }
    })
}

/// Returns the models that were called, in order, from the log.
fn asked(ran: &Ran) -> Vec<String> {
    let started = ran.events.iter().filter_map(|e| match &e.kind {
        Kind::CallStarted(c) => Some(c.model.to_string()),
        _ => None,
    });
    started.collect()
}

/// Returns the output for a reader without a screen.
fn output(ran: &Ran) -> String {
    export::whole(&ran.events, export::text::spell)
}

/// Text that broke off or timed out is shown with the reason and a remedy.
#[tokio::test]
async fn turn_cut_by_a_failure_shows_its_reason() {
    let stage = stage(|ask| match &*ask.seat.id {
        "ada" => Play::Ends(
            "I was".into(),
            colloquium::voice::CallFailure::new(ErrorClass::Broken, "the server left; ask again"),
        ),
        _ => Play::Stall("And I".into()),
    });
    let table = talk(vec![seat_of("ada", &["a:x"], 1), seat_of("bo", &["a:x"], 1)], 2);
    let ran = play(table, stage, &[]).await;
    let told = output(&ran);
    for reason in [
        "[1] ada, failed mid-sentence\n  I was\n\n-- ada, failed mid-sentence: the server left; ask again\n",
        "[2] bo, timed out\n  And I\n\n-- bo, timed out: no output for 60 s; raise its timeout",
    ] {
        assert!(told.contains(reason), "{told}");
    }
}

#[tokio::test]
async fn the_next_fallback_takes_the_turn_and_says_so() {
    let ran =
        play(talk(vec![seat_of("ada", &["a:dead", "b:closed", "c:well"], 1)], 2), models(), &[])
            .await;
    // a temporary error is retried once, a permanent one never; the third model stays
    assert_eq!(asked(&ran), ["a:dead", "a:dead", "b:closed", "c:well", "c:well"]);
    assert_eq!(ran.texts(), ["c:well speaks for me", "c:well speaks for me"]);
    let models: Vec<&str> = ran.state.entries.iter().map(|e| &*e.version().model).collect();
    assert_eq!(models, ["c:well", "c:well"]);
    let told = output(&ran);
    for words in [
        "ada switched to fallback b:closed: as the test",
        "[1] ada, through c:well\n",
        "[2] ada, through c:well\n",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
}

#[tokio::test]
async fn without_a_fallback_left_the_turn_is_skipped_and_said_so() {
    let seats = vec![seat_of("ada", &["a:dead", "b:dead"], 0), seat_of("bo", &["c:well"], 0)];
    let ran = play(talk(seats, 2), models(), &[]).await;
    assert_eq!(asked(&ran), ["a:dead", "b:dead", "c:well", "b:dead", "c:well"]);
    assert_eq!((&*ran.who(), ran.reason()), ("bo bo", "utterance_limit"));
    assert_eq!(output(&ran).matches("failed without a fallback left and was skipped").count(), 2);
}

#[tokio::test]
async fn shown_text_is_kept_and_nobody_speaks_over_it() {
    let ran = play(talk(vec![seat_of("ada", &["a:breaks", "b:well"], 1)], 2), models(), &[]).await;
    assert_eq!(asked(&ran), ["a:breaks", "b:well"], "the next turn is the fallback's");
    assert_eq!(ran.texts()[0], "half a");
}

#[tokio::test]
async fn a_resume_goes_on_with_the_right_model() {
    let seats = || {
        vec![
            seat_of("ada", &["a:dead", "b:dead", "c:well"], 1),
            seat_of("bo", &["d:closed", "e:well"], 0),
        ]
    };
    let whole = play(talk(seats(), 4), models(), &[]).await;
    let spoke = |ran: &Ran| -> Vec<(String, String)> {
        let spoke =
            |e: &colloquium::state::Entry| (e.text().to_string(), e.version().model.to_string());
        ran.state.entries.iter().map(spoke).collect()
    };
    for cut in 1..whole.events.len() {
        let again = resume(whole.events[..cut].to_vec(), models(), &[]).await;
        assert_eq!(spoke(&again), spoke(&whole), "cut after {cut}");
    }
    println!("resumed from {} points: the same words by the same models", whole.events.len() - 1);
}

#[tokio::test]
async fn a_failure_for_a_person_is_asked_about_where_one_is_there() {
    let mut seats = vec![seat_of("ada", &["a:closed"], 1), seat_of("bo", &["b:well"], 1)];
    seats[0].on_failure.then = Then::Skip;
    let alone = play(talk(seats.clone(), 1), models(), &[]).await;
    assert_eq!((&*alone.who(), alone.kinds().contains(&"paused")), ("bo", false));

    let attended = payload::Opened { attended: true, ..talk(seats, 2) };
    let steer = [
        json!({"when": "paused", "do": "change", "who": "ada", "set": {"model": "c:well"}}),
        json!({"when": "paused", "do": "retry"}),
        json!({"when": "paused", "do": "resume"}),
    ];
    let ran = play(attended, models(), &steer).await;
    assert_eq!(asked(&ran), ["a:closed", "c:well", "b:well"]);
    assert_eq!(ran.who(), "ada bo");
    let told = output(&ran);
    assert!(told.contains("failed, pausing") && told.contains("[1] ada, through c:well"), "{told}");
}

#[tokio::test]
async fn a_server_that_is_gone_for_everybody_holds_the_talk_where_a_person_is_there() {
    let mut seats = vec![seat_of("ada", &["a:dead"], 0), seat_of("bo", &["b:dead"], 0)];
    seats.iter_mut().for_each(|s| s.on_failure.then = Then::Skip);
    let attended = payload::Opened { attended: true, ..talk(seats, 2) };
    let steer = [
        json!({"when": "paused", "do": "change", "who": "ada", "set": {"model": "c:well"}}),
        json!({"when": "paused", "do": "change", "who": "bo", "set": {"model": "c:well"}}),
        json!({"when": "paused", "do": "resume"}),
    ];
    let ran = play(attended, models(), &steer).await;
    assert_eq!(asked(&ran), ["a:dead", "b:dead", "c:well", "c:well"]);
    assert_eq!((&*ran.who(), ran.reason()), ("ada bo", "utterance_limit"));
}

#[tokio::test]
async fn a_shared_server_that_refuses_connections_pauses_at_the_first_failure() {
    let mut seats = vec![seat_of("ada", &["a:dead"], 0), seat_of("bo", &["a:dead"], 0)];
    seats.iter_mut().for_each(|s| s.on_failure.then = Then::Skip);
    let attended = payload::Opened { attended: true, ..talk(seats.clone(), 2) };
    let steer = [
        json!({"when": "paused", "do": "change", "who": "ada", "set": {"model": "c:well"}}),
        json!({"when": "paused", "do": "retry"}),
        json!({"when": "paused", "do": "change", "who": "bo", "set": {"model": "c:well"}}),
        json!({"when": "paused", "do": "resume"}),
    ];
    let ran = play(attended, models(), &steer).await;
    assert_eq!(asked(&ran), ["a:dead", "c:well", "c:well"], "bo is not called in vain");
    assert_eq!((&*ran.who(), ran.reason()), ("ada bo", "utterance_limit"));
    let told = output(&ran);
    assert!(told.contains("no seat can reach a: start the server, then use `retry`"), "{told}");

    let alone = play(talk(seats.clone(), 9), models(), &[]).await;
    assert_eq!(alone.reason(), "failure", "nobody could start the server");

    seats[1] = seat_of("bo", &["c:well"], 0);
    let attended = payload::Opened { attended: true, ..talk(seats, 1) };
    let other = play(attended, models(), &[]).await;
    assert_eq!((&*other.who(), other.kinds().contains(&"paused")), ("bo", false));
}

#[tokio::test]
async fn where_nobody_can_speak_any_more_it_ends_with_every_cause() {
    let mut seats = vec![seat_of("ada", &["a:closed"], 1), seat_of("bo", &["b:closed"], 1)];
    seats.iter_mut().for_each(|s| s.on_failure.then = Then::Skip);
    let ran = play(talk(seats, 9), models(), &[]).await;
    assert_eq!(asked(&ran), ["a:closed", "b:closed"], "nobody is asked again in vain");
    let ended = ran.state.ended.clone().unwrap();
    assert_eq!(ended.reason, StopReason::Failure);
    assert_eq!(ended.text.as_deref(), Some("ada, bo: as the test wants it"));
}
