//! Conversations of language models: reasoning and text in others' names are never shown, and a prompt over the limit
//! is shortened.

use crate::harness::*;
use colloquium::model::*;

/// Returns two seats with models as their voices.
fn models(utterances: u32) -> payload::Opened {
    let mut table = round_robin(&["ada", "bo"], utterances);
    for seat in &mut table.participants {
        seat.voice = VoiceSpec::Model(ModelSpec { name: "x:tiny".into(), ..ModelSpec::default() });
    }
    table
}

fn ends(ran: &Ran) -> Vec<&payload::TurnEnded> {
    let end = |e: &'_ Event| matches!(e.kind, Kind::TurnEnded(_));
    let ended = ran.events.iter().filter(|e| end(e));
    ended.filter_map(|e| if let Kind::TurnEnded(t) = &e.kind { Some(&**t) } else { None }).collect()
}

/// Returns all text that was ever shown as speech.
fn shown(ran: &Ran) -> String {
    let runs = ran.events.iter().filter_map(|e| match &e.kind {
        Kind::Delta(d) => Some(&d.pieces),
        _ => None,
    });
    let said = runs.flatten().filter(|run| run.1 == Channel::Say);
    said.map(|run| &*run.2).collect()
}

#[tokio::test]
async fn reasoning_is_never_shown_as_speech() {
    let stage = stage(|_| Play::Words("<think>he is <b>wrong</b> </think> I agree.".into(), 10));
    let ran = play(models(2), stage, &[]).await;
    assert_eq!(ran.texts(), ["I agree.", "I agree."]);
    assert_eq!(shown(&ran), "I agree.I agree.");
    assert_eq!(ends(&ran)[0].think.as_deref(), Some("he is <b>wrong</b> "));
    assert!(ran.seen[1].messages.iter().all(|m| !m.text.contains("wrong")));
}

#[tokio::test]
async fn private_words_and_markers_are_read_and_never_shown_as_speech() {
    let stage = stage(|ask| match &*ask.seat.id {
        "ada" => Play::Words("I ask 350.\n\nWHISPER bo: 330, if quick.".into(), 10),
        _ => Play::Words("So be it.\nDEAL".into(), 10),
    });
    let mut table = models(2);
    table.participants[0].reply.to = vec!["all".into()];
    table.participants[1].reply.form = Form::Markers(vec!["DEAL".into()]);
    let ran = play(table, stage, &[]).await;
    assert_eq!(ran.texts(), ["I ask 350.", "So be it."]);
    assert_eq!(shown(&ran), "I ask 350.\n\nSo be it.\n");
    assert_eq!(ends(&ran)[0].whispers[0].text.as_ref(), "330, if quick.");
    assert_eq!(ends(&ran)[1].structured["markers"][0], "DEAL");
}

#[tokio::test]
async fn a_reply_that_goes_on_in_anothers_name_is_stopped_there() {
    let stage = stage(|ask| match &*ask.seat.id {
        "ada" => Play::Words("ada: I agree.\nbo: I do not \n@bo is wrong".repeat(50), 10),
        _ => Play::Words("bo said: I agree.".into(), 10),
    });
    let ran = play(models(2), stage, &[]).await;
    assert_eq!(ran.texts(), ["I agree.", "bo said: I agree."]);
    let end = ends(&ran)[0];
    assert_eq!(end.finish.as_deref(), Some("impersonation"));
    assert_eq!(end.raw.as_deref(), Some("ada: I agree.\nbo: I do not \n@bo "));
    assert_eq!((end.mentions.len(), end.took_ms), (0, 70), "nobody waits for the rest");
}

#[tokio::test]
async fn a_reply_in_anothers_name_only_is_tried_again_and_never_said() {
    let stage = stage(|ask| match ask.attempt {
        1 => Play::Words("Bo: I do not agree.".into(), 10),
        _ => Play::Words("I agree.".into(), 10),
    });
    let mut table = models(1);
    table.participants[1].name = "Bo".into();
    let ran = play(table, stage, &[]).await;
    assert_eq!(ran.texts(), ["I agree."]);
    assert!(ran.kinds().contains(&"call.retried"));
}

#[tokio::test]
async fn a_prompt_that_is_too_long_gets_shorter_once() {
    let long = |n: u32| (0..120).map(|w| format!("w{n}x{w} ")).collect::<String>();
    let talk = stage(move |ask| match (ask.number, ask.attempt) {
        (Some(40), 1) => Play::Fail(1, ErrorClass::Context),
        (Some(41), _) => Play::Fail(1, ErrorClass::Context),
        (n, _) => Play::Words(long(n.unwrap_or(0)), 0),
    });
    let mut table = models(42);
    table.participants.iter_mut().for_each(|seat| seat.window = Some(4_096));
    let ran = play(table, talk, &[]).await;
    let left_out = |number: u32| -> Vec<u32> {
        let asked = ran.seen.iter().filter(|ask| ask.number == Some(number));
        asked.map(|ask| ask.prompt.left_out).collect()
    };
    let logged = ran.events.iter().filter_map(|e| match &e.kind {
        Kind::CallStarted(c) => Some(c.left_out),
        _ => None,
    });
    let asked: Vec<u32> = ran.seen.iter().map(|ask| ask.prompt.left_out).collect();
    assert_eq!(logged.collect::<Vec<_>>(), asked);
    assert_eq!(left_out(5), [0]);
    let [first, second] = left_out(40)[..] else { panic!("{:?}", left_out(40)) };
    assert!(0 < first && first < second, "{first}, then {second}");
    assert_eq!(left_out(41).len(), 2, "it is shortened once");
    assert_eq!(ran.state.failed, 1);
    println!("of 39 contributions {first} were left out, then {second}");
}
