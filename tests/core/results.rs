//! The result that a scribe writes before the end.

use crate::harness::*;
use crate::judging::{debate, judged};
use crate::policies::{Talk, words};
use colloquium::export::{text, whole};
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

/// A message of the host is the cause of a change if there is one of that number.
#[tokio::test]
async fn a_scribe_names_the_host_as_a_cause() {
    let by_host = |name: &'static str| {
        let moved = move || {
            let moved = [json!({"who": "A", "from": "no", "to": "yes", "turn": name})];
            Play::Words(json!({"result": "Build it.", "moved": moved}).to_string(), 10)
        };
        let said = json!({"after": {"utterance": 2}, "do": "say", "text": "It is half as much."});
        async move {
            let ran = play(judged_with_scribe(), scribe(moved), &[said]).await;
            let moved = &results(&ran)[0].moved[0];
            let text = colloquium::analysis::who_moved(None, &results(&ran)[0], "the host").0;
            (moved.turn, moved.message, text[0].1.clone())
        }
    };
    assert_eq!(by_host("#h1").await, (None, Some(1), "no → yes (after the host)".into()));
    assert_eq!(by_host("h2").await.1, None, "there is no second one");
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
    // a terminal that is closed leaves no end
    let open = ran.events.into_iter().take_while(|e| !matches!(e.kind, Kind::Ended(_))).collect();
    let again = resume(open, useless(), &[]).await;
    assert_eq!(tasks(&again), [true], "the scribe is asked once about the same turns");
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

/// Returns a debate between two poles whose scribe is a listener.
fn poled() -> Opened {
    with_scribe(json!({"stance": ["yes", "no"], "topic": "Shall we build the tram?"}))
}

#[tokio::test]
async fn a_result_says_who_does_what_by_when_and_drops_strangers() {
    let reply = json!({
        "result": "Build the tram.",
        "do": [
            {"who": "A", "what": "asks the bank", "by": "May"},
            {"who": "the Easter bunny", "what": "pays"},
            {"who": "", "what": "nothing"},
            {"who": "b", "what": "--"},
            {"who": "the mayor", "what": "signs"},
        ],
        "against": [{"who": "B", "why": "too dear"}, {"who": "Zoe", "why": "was not there"}],
        "undo": "fewer riders by June",
        "moved": [{"who": "A", "from": "no", "to": "yes"}],
        "open": ["...", "what is disputed, and what would settle it"],
        "check": ["the bill"],
    });
    let voices = stage(move |ask| match ask.purpose {
        Purpose::Result => Play::Words(reply.to_string(), 10),
        _ => Play::Words(format!("{} asks the mayor", ask.seat.id), 10),
    });
    let ran = play(poled(), voices, &[]).await;
    let result = &results(&ran)[0];
    let actions: Vec<_> =
        result.actions.iter().map(|a| (&*a.who, &*a.what, a.by.as_deref())).collect();
    assert_eq!(actions, [("A", "asks the bank", Some("May")), ("the mayor", "signs", None)]);
    let against: Vec<_> = result.against.iter().map(|o| (&*o.who, &*o.why)).collect();
    assert_eq!(against, [("B", "too dear")]);
    assert_eq!(result.undo.as_deref(), Some("fewer riders by June"));
    assert_eq!(
        (result.open.len(), result.check.len()),
        (0, 1),
        "echoes and items without a letter"
    );
    assert!(result.moved.is_empty(), "positions say who moved");
    let told = whole(&ran.events, text::spell).replace("\n  ", "\n");
    for line in
        ["do:\n- A: asks the bank (May)", "against:\n- B: too dear", "wrong if:\n- fewer riders"]
    {
        assert!(told.contains(line), "{line}: {told}");
    }
    let echo = || Play::Words(json!({"result": "one sentence to act on"}).to_string(), 10);
    let ran = play(poled(), scribe(echo), &[]).await;
    assert_eq!(warnings(&ran), ["no result: the reply could not be read"]);
}

/// Nobody could agree to what only the last turn proposed for others.
#[tokio::test]
async fn what_only_the_last_turn_proposed_is_not_agreed() {
    let action = |who: &str, what: &str| json!({"who": who, "what": what, "by": "May"});
    let actions = [
        action("A", "signs the loan"),
        action("A", "sells the depot"),
        action("B", "counts the riders on Sunday"),
    ];
    let reply = json!({"result": "Build the tram.", "do": actions, "open": ["who pays"]});
    let voices = stage(move |ask| match ask.number {
        None => Play::Words(reply.to_string(), 10),
        Some(4) => Play::Words(
            "A signs the loan, A sells the depot, and I count the riders on Sunday.".into(),
            10,
        ),
        Some(n) => Play::Words(format!("I have {n} reasons, and A signs the loan."), 10),
    });
    let ran = play(poled(), voices, &[]).await;
    let result = &results(&ran)[0];
    let agreed: Vec<&str> = result.actions.iter().map(|action| &*action.what).collect();
    assert_eq!(agreed, ["signs the loan", "counts the riders on Sunday"], "its own is a promise");
    let open: Vec<&str> = result.open.iter().map(|text| &**text).collect();
    assert_eq!(open, ["who pays", "Only proposed, in the last turn: A: sells the depot, May"]);
}

/// Sessions of earlier programs have no actions.
#[test]
fn an_earlier_result_is_readable() {
    let earlier = json!({"result": "Build it.", "moved": [{"who": "A", "from": "no", "to": "yes"}], "by": "a", "turn": 7});
    let result: ResultGiven = serde_json::from_value(earlier.clone()).unwrap();
    assert!(result.actions.is_empty() && result.read.is_none());
    assert_eq!(serde_json::to_value(result).unwrap(), earlier);
}

#[tokio::test]
async fn a_scribe_reads_all_turns_or_the_result_says_how_many() {
    let long = |window: Option<u32>| {
        let mut opened = poled();
        opened.scenario["limits"] = json!({"utterances": 40});
        let scribe = opened.participants.iter_mut().find(|seat| *seat.id == *"j").unwrap();
        scribe.window = window;
        let words = "it costs the people of the hill more than those of the valley, ".repeat(8);
        let voices = stage(move |ask| match ask.purpose {
            Purpose::Result => written("Build it."),
            _ => Play::Words(format!("{} has reason {:?}: {words}", ask.seat.id, ask.number), 1),
        });
        (opened, voices)
    };
    let (opened, voices) = long(None);
    let ran = play(opened, voices, &[]).await;
    let asked = ran.seen.iter().find(|ask| ask.purpose == Purpose::Result).unwrap();
    assert_eq!((asked.prompt.blocks.len(), results(&ran)[0].read), (40, None));
    let (opened, voices) = long(Some(3_000));
    let ran = play(opened, voices, &[]).await;
    let read = results(&ran)[0].read.unwrap();
    assert!(read.turns < 40 && read.turns > 4 && read.of == 40, "{read:?}");
    let told = whole(&ran.events, text::spell);
    let line = format!("the scribe read {} of 40 turns", read.turns);
    assert!(told.contains(&line), "{line}: {told}");
}

#[tokio::test]
async fn a_result_can_be_left_out_and_its_failure_is_one_line() {
    let mut talk = Talk::new(poled());
    talk.go(3, |_, seat| words(seat));
    talk.command(json!({"do": "end"}));
    talk.settle();
    assert!(talk.live.state.turns.values().any(|turn| turn.purpose == Purpose::Result));
    talk.command(json!({"do": "skip"}));
    talk.settle();
    let state = &talk.live.state;
    let told: Vec<&str> = state.warnings.iter().map(|warning| &*warning.text).collect();
    assert_eq!(told, ["no result: left out by the host"]);
    assert!(state.ended.is_some());
    let failing = || scribe(|| Play::Fail(1, ErrorClass::Overload));
    let ran = play(poled(), failing(), &[]).await;
    let calls = ran.seen.iter().filter(|ask| ask.purpose == Purpose::Result).count();
    assert_eq!(calls, 2, "one retry");
    let told = whole(&ran.events, text::spell);
    assert_eq!(told.matches("warning: no result: the call failed").count(), 1, "{told}");
    assert!(!told.contains("gave no answer") && !told.contains("could not write"), "{told}");
}

#[tokio::test]
async fn a_small_scribe_writes_one_plain_sentence() {
    let small = |reply: &'static str| {
        let mut opened = poled();
        let scribe = opened.participants.iter_mut().find(|seat| *seat.id == *"j").unwrap();
        (scribe.small, scribe.local) = (true, true);
        let voices = stage(move |ask| match ask.purpose {
            Purpose::Result => Play::Words(reply.into(), 10),
            _ => Play::Words(format!("{} asks the mayor", ask.seat.id), 10),
        });
        (opened, voices)
    };
    let (opened, voices) = small("They will build the tram. And so on.");
    let ran = play(opened, voices, &[]).await;
    assert_eq!(&*results(&ran)[0].result, "They will build the tram.");
    let asked = ran.seen.iter().find(|ask| ask.purpose == Purpose::Result).unwrap();
    let prompt: String = asked.messages.iter().map(|m| m.text.as_str()).collect();
    assert!(
        prompt.starts_with("Several people talked about: Shall we build the tram?"),
        "{prompt}"
    );
    assert!(
        prompt.ends_with("Say in one sentence what they decided, or what is left to decide."),
        "{prompt}"
    );
    assert_eq!(asked.parameters.max_tokens, Some(80));
    for useless in ["I like cats.", "Say in one sentence what they decided"] {
        let (opened, voices) = small(useless);
        let ran = play(opened, voices, &[]).await;
        assert_eq!(warnings(&ran), ["no result: the reply could not be read"], "{useless}");
    }
}
