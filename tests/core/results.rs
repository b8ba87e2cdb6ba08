//! The result that a scribe writes before the end.

use crate::harness::*;
use crate::judging::{debate, judged};
use colloquium::model::payload::Opened;
use colloquium::model::*;
use serde_json::{Value, json};

/// Returns a debate of `a` and `b` in which the listener `j` can write the result.
pub fn with_scribe(more: Value) -> Opened {
    scribing(debate(more))
}

/// Returns a debate with a verdict and a result.
pub fn judged_with_scribe() -> Opened {
    scribing(judged(&["k"], false, 1, "draw"))
}

fn scribing(mut opened: Opened) -> Opened {
    opened.scenario["result"] = json!("scribe");
    let scribe = opened.participants.iter_mut().find(|seat| *seat.id == *"j").unwrap();
    scribe.voice = VoiceSpec::Model(ModelSpec::default());
    scribe.persona = Some("You hate trams.".into());
    opened
}

/// Returns the reply of a scribe.
pub fn written(result: &str) -> Play {
    let moved = [json!({"who": "A", "from": "no", "to": "yes", "turn": 2})];
    let reply = json!({"result": result, "moved": moved, "open": ["who pays"], "check": []});
    Play::Words(reply.to_string(), 10)
}

/// Returns voices whose scribe replies so.
fn scribe(reply: impl Fn() -> Play + Send + Sync + 'static) -> Stage {
    stage(move |ask| match ask.purpose {
        Purpose::Speak => Play::Words(format!("{} speaks", ask.seat.id), 10),
        Purpose::Result => reply(),
        _ => Play::Words(json!({"winner": "a"}).to_string(), 10),
    })
}

fn results(ran: &Ran) -> Vec<ResultGiven> {
    let given = ran.events.iter().filter_map(|e| match &e.kind {
        Kind::ResultGiven(result) => Some(result.clone()),
        _ => None,
    });
    given.collect()
}

fn warnings(ran: &Ran) -> Vec<&str> {
    ran.state.warnings.iter().map(|warning| &*warning.text).collect()
}

#[tokio::test]
async fn a_scribe_writes_the_result_before_the_end() {
    let whisper = json!({"after": {"utterance": 2}, "do": "whisper", "to": "j", "text": "psst"});
    let ran = play(judged_with_scribe(), scribe(|| written("Build it.")), &[whisper]).await;
    let result = &results(&ran)[0];
    assert_eq!((&*result.result, &*result.by.0), ("Build it.", "j"));
    assert_eq!(result.moved[0].turn, Some(2));
    let kinds: Vec<&str> = ran.events.iter().map(|e| e.kind.name()).collect();
    let last: Vec<&&str> = kinds.iter().rev().filter(|kind| **kind != "receipt").take(2).collect();
    assert_eq!(last, [&"conversation.ended", &"result.given"], "{kinds:?}");
    assert_eq!((ran.reason(), ran.who().as_str()), ("utterance_limit", "a b operator a b"));
    let asked = ran.seen.iter().find(|ask| ask.purpose == Purpose::Result).unwrap();
    let prompt: String = asked.messages.iter().map(|m| m.text.as_str()).collect();
    assert!(prompt.contains("You are the scribe"), "{prompt}");
    assert!(
        prompt.contains("<said n=\"2\" by=\"b\">\nb speaks") && prompt.contains("a wins"),
        "{prompt}"
    );
    assert!(!prompt.contains("trams") && !prompt.contains("psst"), "{prompt}");
}

/// A marker is known from the last batch only, and verdict and result have batches of their own.
#[tokio::test]
async fn an_end_by_a_marker_names_its_rule_after_verdict_and_result() {
    let mut opened = judged_with_scribe();
    opened.scenario["stop"] = json!([{"word": {"word": "NEVER"}}, {"word": {"word": "[DONE]"}}]);
    for seat in opened.participants.iter_mut().filter(|seat| seat.speaks) {
        let form = Form::Markers(vec!["[DONE]".into()]);
        seat.reply = Contract { form, ..Contract::default() };
    }
    let voices = stage(|ask| match ask.purpose {
        Purpose::Speak => Play::Words("well\n[DONE]".into(), 10),
        Purpose::Result => written("Build it."),
        _ => Play::Words(json!({"winner": "a"}).to_string(), 10),
    });
    let ran = play(opened, voices, &[]).await;
    let kinds = ran.kinds();
    assert!(kinds.contains(&"verdict.given") && kinds.contains(&"result.given"), "{kinds:?}");
    assert_eq!((ran.reason(), ran.state.ended.as_ref().unwrap().rule), ("stop_word", Some(1)));
}

/// A turn that does not exist is not the cause of a change.
#[tokio::test]
async fn a_scribe_invents_no_turns() {
    let invented = || {
        let moved = [json!({"who": "A", "from": "no", "to": "yes", "turn": 123})];
        let reply = json!({"result": "Build it.", "moved": moved, "open": [], "check": []});
        Play::Words(reply.to_string(), 10)
    };
    let ran = play(judged_with_scribe(), scribe(invented), &[]).await;
    assert_eq!(results(&ran)[0].moved[0].turn, None);
}

#[tokio::test]
async fn only_ends_with_something_to_sum_up_have_a_result() {
    let end = |more: Value| {
        let mut line = json!({"after": {"utterance": 2}, "do": "end"});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line
    };
    let whole = || scribe(|| written("Build it."));
    let ran = play(with_scribe(json!({})), whole(), &[end(json!({}))]).await;
    assert_eq!((ran.reason(), results(&ran).len()), ("operator", 1));
    let failing = stage(|_| Play::Fail(1, ErrorClass::Failed));
    let ran = play(with_scribe(json!({})), failing, &[]).await;
    assert_eq!((ran.reason(), results(&ran).len()), ("failure", 0));
    let ran = play(with_scribe(json!({"result": "none"})), whole(), &[]).await;
    assert_eq!(results(&ran).len(), 1, "set by the helper");
    let ran = play(debate(json!({})), whole(), &[]).await;
    assert_eq!(results(&ran).len(), 0);
}

#[tokio::test]
async fn a_resumed_conversation_has_another_result_after_more_turns() {
    let first = play(with_scribe(json!({})), scribe(|| written("Build it.")), &[]).await;
    assert_eq!(results(&first).len(), 1);
    let again = || scribe(|| written("Build it soon."));
    let ran = resume(first.events.clone(), again(), &[]).await;
    let spoke = ran.state.utterances > first.state.utterances;
    assert_eq!(results(&ran).len(), if spoke { 2 } else { 1 });
    let more = [json!({"do": "limit", "set": {"utterances": 6}})];
    let ran = resume(first.events, again(), &more).await;
    assert_eq!(ran.state.utterances, 6);
    let sentences: Vec<Text> = results(&ran).into_iter().map(|r| r.result).collect();
    assert_eq!(sentences, ["Build it.".into(), "Build it soon.".into()]);
}

/// A person at the screen can raise the limit, so the result is written at the limit, and again after more turns.
#[tokio::test]
async fn a_watched_conversation_has_its_result_at_the_limit() {
    let watched = Opened { attended: true, ..with_scribe(json!({})) };
    let ran = play(watched.clone(), scribe(|| written("Build it.")), &[]).await;
    let tasks = |ran: &Ran| -> Vec<bool> {
        let tasks = ran.events.iter().filter_map(|e| match &e.kind {
            Kind::BatchOpened(batch) => batch.result.as_ref().map(|task| task.waits),
            _ => None,
        });
        tasks.collect()
    };
    let kinds: Vec<&str> = ran.events.iter().map(|e| e.kind.name()).collect();
    let at = |kind: &str| kinds.iter().position(|k| *k == kind).unwrap();
    assert!(at("limit.reached") < at("result.given"), "{kinds:?}");
    assert_eq!((tasks(&ran), results(&ran).len()), (vec![true], 1));
    let more = [json!({"when": "at_limit", "do": "limit", "set": {"utterances": 6}})];
    let ran = resume(ran.events, scribe(|| written("Build it soon.")), &more).await;
    assert_eq!((ran.state.utterances, results(&ran).len()), (6, 2));
    // a reply that cannot be used is one warning
    let useless = || scribe(|| Play::Words("no idea".into(), 1));
    let ran = play(watched, useless(), &[]).await;
    assert_eq!((tasks(&ran), results(&ran).len()), (vec![true], 0));
    assert_eq!(warnings(&ran), ["no result: the reply could not be read"]);
}

#[tokio::test]
async fn without_a_usable_result_the_conversation_ends_all_the_same() {
    let ran = play(with_scribe(json!({})), scribe(|| Play::Words("no idea".into(), 1)), &[]).await;
    assert_eq!((ran.reason(), results(&ran).len()), ("utterance_limit", 0));
    assert_eq!(warnings(&ran), ["no result: the reply could not be read"]);
    let tight = json!({"limits": {"utterances": 4, "tokens": 100}});
    let ran = play(with_scribe(tight), scribe(|| written("Build it.")), &[]).await;
    assert_eq!((ran.reason(), results(&ran).len()), ("utterance_limit", 0));
    let why = "no result: the limit of 100 tokens leaves no room for the scribe";
    assert!(warnings(&ran).contains(&why), "{:?}", warnings(&ran));
    assert!(ran.seen.iter().all(|ask| ask.purpose != Purpose::Result));
}
