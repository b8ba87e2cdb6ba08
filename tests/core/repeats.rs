//! Model replies that only repeat, only echo, or spend their tokens before a word.

use crate::harness::*;
use crate::prompts::{opened, two};
use colloquium::model::*;
use serde_json::json;

/// Returns two seats with a local model.
fn local(utterances: u32) -> payload::Opened {
    let mut table = round_robin(&["ada", "bo"], utterances);
    for seat in &mut table.participants {
        seat.voice = VoiceSpec::Model(ModelSpec { name: "x:tiny".into(), ..ModelSpec::default() });
        seat.local = true;
    }
    table
}

/// Returns the end of the first turn.
fn first_end(ran: &Ran) -> payload::TurnEnded {
    let end = |e: &Event| match &e.kind {
        Kind::TurnEnded(end) => Some((**end).clone()),
        _ => None,
    };
    ran.events.iter().find_map(end).unwrap()
}

/// Returns the token limit of each call.
fn most(ran: &Ran) -> Vec<u64> {
    ran.seen.iter().map(|ask| ask.parameters.max_tokens.unwrap_or(0)).collect()
}

#[tokio::test]
async fn a_reply_that_repeats_itself_is_cut_there_and_the_call_ends() {
    let loops = stage(|ask| match &*ask.seat.id {
        "ada" => Play::Words("I sell tea. The question is a question. ".repeat(50), 10),
        _ => Play::Words("I drink it hot, and what of it?".into(), 10),
    });
    let ran = play(local(3), loops, &[]).await;
    assert_eq!(ran.texts()[0], "I sell tea. The question is a question.");
    let end = first_end(&ran);
    assert_eq!(end.finish.as_deref(), Some("repetition"));
    assert!(end.raw.unwrap().len() > end.text.len());
    assert!(end.took_ms < 500, "nobody waits for the rest: {} ms", end.took_ms);
    assert!(ran.state.warnings.is_empty(), "one who repeats itself makes no circle");
    // also within an endless sentence
    let endless = stage(|_| Play::Words("Well, you're right, ".repeat(500), 10));
    let ran = play(local(1), endless, &[]).await;
    assert_eq!(ran.texts()[0], "Well, you're right,");
    let end = first_end(&ran);
    assert!(end.took_ms < 500, "nobody waits for the rest: {} ms", end.took_ms);
}

#[tokio::test]
async fn an_echo_is_asked_again_once() {
    let stage = stage(|ask| match (&*ask.seat.id, ask.number, ask.attempt) {
        ("bo", Some(2), 2) => Play::Words("The van is mine, and the loan is too.".into(), 10),
        _ => Play::Words("Trams carry more people than cars do.".into(), 10),
    });
    let ran = play(local(4), stage, &[]).await;
    assert_eq!(
        ran.texts()[..2],
        ["Trams carry more people than cars do.", "The van is mine, and the loan is too."]
    );
    let again = ran.seen.iter().find(|ask| ask.number == Some(2) && ask.attempt == 2).unwrap();
    let last = &again.messages.last().unwrap().text;
    assert!(last.ends_with("That was said already. Say something of your own."), "{last}");
    // a repetition on the second attempt is accepted
    let fourth: Vec<u32> =
        ran.seen.iter().filter(|ask| ask.number == Some(4)).map(|ask| ask.attempt).collect();
    assert_eq!((fourth.len(), ran.texts().len()), (2, 4), "asked again once only");
}

#[tokio::test]
async fn whoever_thinks_has_room_for_it() {
    let stage = stage(|ask| {
        let n = ask.number.unwrap_or(0);
        Play::Words(format!("<think>well, {n}</think> I hold the point number {n} of them."), 10)
    });
    let ran = play(local(4), stage, &[]).await;
    assert_eq!(most(&ran), [320, 4_416, 4_416, 4_416], "seen once, remembered for the model");
}

/// The room for thinking is none for words: a call that a local model fills with them ends at the spoken limit.
#[tokio::test]
async fn a_local_model_that_thinks_speaks_no_longer_than_others() {
    let stage = stage(|ask| {
        let more: Vec<String> =
            (0..400).map(|n| format!("Reason {n} is worth 3.5 of {}.", ask.seat.id)).collect();
        Play::Words(format!("<think>well</think> {}", more.join(" ")), 10)
    });
    let ran = play(local(2), stage, &[]).await;
    assert_eq!(most(&ran), [320, 4_416]);
    let last = ran.events.iter().rev().find_map(|e| match &e.kind {
        Kind::TurnEnded(end) => Some(end),
        _ => None,
    });
    let last = last.unwrap();
    assert_eq!(last.finish.as_deref(), Some("length"));
    let words = last.text.split_whitespace().count();
    assert!((200..320).contains(&words), "{words} words");
    assert!(last.text.ends_with("is worth 3.5 of bo."), "a whole sentence: {}", last.text);
    assert!(last.took_ms < 4_000, "nobody waits for the rest: {} ms", last.took_ms);
}

#[tokio::test]
async fn a_reply_without_a_word_left_is_tried_once_with_room_to_think() {
    let stage = stage(|ask| match (&*ask.seat.id, ask.parameters.max_tokens) {
        (_, Some(0..4_096)) => Play::Fail(5, ErrorClass::Length),
        _ => Play::Words(
            format!("{} has the point number {}.", ask.seat.id, ask.number.unwrap_or(0)),
            10,
        ),
    });
    let ran = play(local(4), stage, &[]).await;
    assert_eq!(most(&ran), [320, 4_416, 4_416, 4_416, 4_416], "one call lost, for all seats");
    let mut narrow = local(2);
    narrow.participants.iter_mut().for_each(|seat| seat.window = Some(4_096));
    let lost = crate::harness::stage(|ask| match ask.parameters.max_tokens {
        Some(320) => Play::Fail(5, ErrorClass::Length),
        _ => Play::Words(format!("Point {}.", ask.number.unwrap_or(0)), 10),
    });
    assert_eq!(most(&play(narrow, lost, &[]).await)[..2], [320, 320 + 2_048]);
    assert_eq!((ran.state.failed, ran.texts().len()), (0, 4));
    // a model that never reaches a word fails as before
    let never = crate::harness::stage(|_| Play::Fail(5, ErrorClass::Length));
    let ran = play(local(2), never, &[]).await;
    assert!(ran.state.failed > 2 && most(&ran)[..2] == [320, 4_416], "{:?}", most(&ran));
    assert_eq!(most(&ran).len(), ran.state.failed as usize + 1, "one more call for the model");
}

/// The author's own limit grows to four times as many tokens and no further.
#[tokio::test]
async fn the_limit_of_the_author_grows_four_times_at_most() {
    for (own, local, next) in
        [(Some(100), false, 400), (Some(100), true, 400), (None, false, 16_384)]
    {
        let mut table = self::local(2);
        for seat in &mut table.participants {
            let name = "x:tiny".into();
            let spec = ModelSpec { name, max_tokens: own, ..ModelSpec::default() };
            (seat.voice, seat.local) = (VoiceSpec::Model(spec), local);
        }
        let never = stage(|_| Play::Fail(5, ErrorClass::Length));
        assert_eq!(most(&play(table, never, &[]).await)[1], next, "{own:?} {local}");
    }
}

/// Calls that began before the first of them failed are repeated with more tokens, unless that was in vain meanwhile.
#[tokio::test]
async fn seats_that_speak_at_once_learn_from_each_other() {
    for (helps, calls) in [(true, 6), (false, 4)] {
        let policy = json!({"policy": {"name": "simultaneous", "options": {"rounds": 1}}});
        let mut table = table(policy, ["ada", "bo", "cy"].map(seat).to_vec());
        for seat in &mut table.participants {
            seat.voice =
                VoiceSpec::Model(ModelSpec { name: "x:tiny".into(), ..ModelSpec::default() });
            seat.local = true;
        }
        let stage = stage(move |ask| match (&*ask.seat.id, ask.parameters.max_tokens) {
            ("ada", Some(0..4_096)) => Play::Fail(5, ErrorClass::Length),
            (_, Some(0..4_096)) => Play::Fail(50, ErrorClass::Length),
            _ if helps => Play::Words(format!("Point {}.", ask.number.unwrap_or(0)), 10),
            _ => Play::Fail(5, ErrorClass::Length),
        });
        let ran = play(table, stage, &[]).await;
        let limits = [[320; 3].to_vec(), vec![4_416; calls - 3]].concat();
        assert_eq!(most(&ran), limits, "{helps}");
    }
}

/// The layout for small models does not ask them to think first.
#[tokio::test]
async fn a_small_model_gets_no_room_for_thinking_first() {
    let phase = "[[phase]]\nname = \"only\"\nthink = \"private\"\n";
    let text = two("policy = \"phases\"", "") + phase;
    for (small, tokens) in [(true, 80), (false, 320 + 1_024)] {
        let table = opened(&text, |seat| {
            seat.small = small;
            seat.local = true;
        });
        let ran = play(table, stage(|_| Play::Words("A word of its own.".into(), 10)), &[]).await;
        assert_eq!(most(&ran)[0], tokens, "{small}");
    }
}

#[tokio::test]
async fn data_that_is_cut_at_its_limit_is_said_so_and_has_more_room() {
    let mut table = local(1);
    let schema =
        json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}});
    table.participants[0].reply =
        Contract { form: Form::Schema(schema), again: 0, ..Contract::default() };
    let stage = stage(|ask| match ask.attempt {
        1 => Play::Spent("{\"a\": \"it goes on and".into()),
        _ => Play::Words("{\"a\": \"it ends\"}".into(), 10),
    });
    let ran = play(table, stage, &[]).await;
    assert_eq!(most(&ran), [1_024, 5_120]);
    let why = ran.events.iter().find_map(|e| match &e.kind {
        Kind::CallRetried(retried) => Some(retried.error.text.to_string()),
        _ => None,
    });
    assert!(why.unwrap().contains("cut at max_tokens (1024), before its JSON ended"));
    assert_eq!(ran.state.failed, 0);
}

/// Gives every seat a reply in JSON whose field `say` is shown.
fn in_json(table: payload::Opened) -> payload::Opened {
    let schema =
        json!({"type": "object", "required": ["say"], "properties": {"say": {"type": "string"}}});
    let reply =
        Contract { form: Form::Schema(schema), says: Some("say".into()), ..Contract::default() };
    let mut table = table;
    table.participants.iter_mut().for_each(|seat| seat.reply = reply.clone());
    table
}

#[tokio::test]
async fn a_text_in_json_that_repeats_itself_is_cut_there_and_the_call_ends() {
    let text = "I sell tea. The question is a question. ".repeat(50);
    let loops = stage(move |_| Play::Words(format!("{{\"say\": \"{text}\"}}"), 10));
    let ran = play(in_json(local(1)), loops, &[]).await;
    assert_eq!(ran.texts(), ["I sell tea. The question is a question."]);
    let end = first_end(&ran);
    assert_eq!(end.finish.as_deref(), Some("repetition"));
    assert_eq!(end.structured, json!({"say": "I sell tea. The question is a question."}));
    assert!(end.took_ms < 500, "nobody waits for the rest: {} ms", end.took_ms);
    assert_eq!(ran.seen.len(), 1, "the cut reply is valid");
}

#[tokio::test]
async fn an_echo_in_json_is_asked_again_once() {
    let stage = stage(|ask| match (&*ask.seat.id, ask.number, ask.attempt) {
        ("bo", Some(2), 2) => Play::Words("{\"say\": \"The van is mine and paid.\"}".into(), 10),
        _ => Play::Words("{\"say\": \"Trams carry more people than cars do.\"}".into(), 10),
    });
    let ran = play(in_json(local(2)), stage, &[]).await;
    let texts = ["Trams carry more people than cars do.", "The van is mine and paid."];
    assert_eq!(ran.texts(), texts);
}

#[tokio::test]
async fn a_repeat_of_an_own_message_is_asked_again_once() {
    let stage = stage(|ask| match (&*ask.seat.id, ask.number, ask.attempt) {
        ("ada", Some(3), 2) => Play::Words("The van is mine, and the loan is too.".into(), 10),
        ("ada", ..) => Play::Words("Trams carry more people than cars do.".into(), 10),
        (_, number, _) => Play::Words(format!("My point is this: {number:?} of them."), 10),
    });
    let ran = play(local(3), stage, &[]).await;
    assert_eq!(ran.texts()[2], "The van is mine, and the loan is too.");
    let ended = ran.events.iter().filter(|e| matches!(e.kind, Kind::CallRetried(_))).count();
    assert_eq!(ended, 1, "only the repeat");
}
