//! Structured replies: parsed, requested once more with the error, then left to the failure rule.

use crate::harness::*;
use colloquium::model::*;
use serde_json::{Value, json};

fn table_of(form: Form) -> payload::Opened {
    let mut table = round_robin(&["a", "b"], 2);
    table.participants[0].reply = Contract { form, ..Contract::default() };
    table
}

fn schema() -> Form {
    Form::Schema(
        json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}),
    )
}

fn ends(ran: &Ran) -> Vec<&payload::TurnEnded> {
    let end = |e: &'_ Event| matches!(e.kind, Kind::TurnEnded(_));
    let ended = ran.events.iter().filter(|e| end(e));
    ended.filter_map(|e| if let Kind::TurnEnded(t) = &e.kind { Some(&**t) } else { None }).collect()
}

#[tokio::test]
async fn json_is_taken_out_of_its_wrapping_and_reaches_the_context() {
    let stage = stage(|ask| match &*ask.seat.id {
        "a" => Play::Words("Sure: ```json\n{\"n\": 7}\n``` Good?".into(), 5),
        _ => Play::Words(format!("{:?}", ask.prompt.blocks), 5),
    });
    let ran = play(table_of(schema()), stage, &[]).await;
    assert_eq!(ends(&ran)[0].structured, json!({"n": 7}));
    assert_eq!(ends(&ran)[0].raw.as_deref(), Some("Sure: ```json\n{\"n\": 7}\n``` Good?"));
    assert_eq!(ran.state.context["n"], 7);
    assert_eq!(ran.state.context["a"], json!({"n": 7}));
    assert_eq!(ran.texts()[0], "{\n  \"n\": 7\n}");
}

#[tokio::test]
async fn malformed_reply_is_requested_again_with_the_fault() {
    let stage = stage(|ask| match (&*ask.seat.id, ask.prompt.rejected.as_ref()) {
        ("a", None) => Play::Words("{\"n\": \"many\"}".into(), 5),
        ("a", Some(_)) => Play::Words("{\"n\": 3}".into(), 5),
        _ => Play::Words("fine".into(), 5),
    });
    let ran = play(table_of(schema()), stage, &[]).await;
    let second = ran.seen[1].prompt.rejected.clone().expect("the second call is shown it");
    assert_eq!(&*second.said, "{\"n\": \"many\"}");
    assert!(second.why.contains("at /n"), "{}", second.why);
    assert_eq!((ran.seen[1].attempt, ends(&ran)[0].structured.clone()), (2, json!({"n": 3})));
    assert!(ran.seen[2].prompt.rejected.is_none() && ran.seen[2].prompt.task.is_none());
}

/// A rejected reply was paid for: its exact usage counts, also if a kill came in between.
#[tokio::test]
async fn usage_of_rejected_replies_is_logged_and_billed() {
    let talk = || {
        stage(|ask| match (&*ask.seat.id, ask.attempt) {
            ("a", 1) => Play::Counted("no data".into(), 400, 7),
            ("a", _) => Play::Counted("{\"n\": 3}".into(), 500, 9),
            _ => Play::Words("fine".into(), 5),
        })
    };
    let mut table = table_of(schema());
    let spec = ModelSpec { name: "x:tiny".into(), ..ModelSpec::default() };
    table.participants[0].voice = VoiceSpec::Model(spec);
    table.participants[0].price = Some(Price(1.0, 10.0));
    let ran = play(table, talk(), &[]).await;
    let line = ran.lines.iter().find(|l| l.contains("call.retried")).unwrap();
    assert!(line.contains("\"usage\":{\"input\":400,\"output\":7}"), "{line}");
    let both = Usage { input: 900, output: 16, ..Usage::default() };
    assert_eq!(ends(&ran)[0].usage, Some(both));
    assert_eq!(ends(&ran)[0].cost, Some(Usd(900_000 + 160_000)));

    // a log of an earlier program has no such figure, so it is estimated
    let mut older = ran.events.clone();
    let at = older.iter().position(|e| matches!(e.kind, Kind::CallRetried(_))).unwrap();
    let Kind::CallRetried(retried) = &mut older[at].kind else { panic!() };
    assert!(retried.usage.take().is_some());
    let resumed = resume(older[..=at].to_vec(), talk(), &[]).await;
    let usage = ends(&resumed)[0].usage.clone().unwrap();
    assert!(usage.estimated && (1..400).contains(&usage.input), "{usage:?}");
}

#[tokio::test]
async fn after_that_the_failure_rule_follows() {
    let talk = || {
        stage(|ask| match &*ask.seat.id {
            "a" => Play::Words("never".into(), 5),
            _ => Play::Words("fine".into(), 5),
        })
    };
    let ran = play(table_of(schema()), talk(), &[]).await;
    assert_eq!(ran.who(), "b b", "what was not in its form is nobody's speech");
    let end = ends(&ran)[0];
    assert_eq!(end.error.as_ref().map(|e| e.class), Some(ErrorClass::Form));
    assert_eq!(end.raw.as_deref(), Some("never"));
    let calls = |ran: &Ran| ran.seen.iter().filter(|r| r.seat.id == "a").count();
    assert_eq!(calls(&ran), 4, "two turns of two calls");
    let mut once = table_of(schema());
    once.participants[0].reply.again = 0;
    once.participants[0].on_failure.then = Then::Stop;
    let ran = play(once, talk(), &[]).await;
    assert_eq!((calls(&ran), ran.reason()), (1, "failure"));
}

#[tokio::test]
async fn markers_are_taken_off_and_one_of_them_passes() {
    let form = Form::Markers(vec!["[PASS]".into(), "[AGREE]".into()]);
    let stage = stage(|ask| match (&*ask.seat.id, ask.number) {
        ("a", Some(1)) => Play::Words("I do.\n[AGREE]".into(), 5),
        ("a", _) => Play::Words("[PASS]".into(), 5),
        _ => Play::Words("fine".into(), 5),
    });
    let mut table = table_of(form);
    table.scenario["limits"] = json!({"utterances": 3});
    let ran = play(table, stage, &[]).await;
    assert_eq!(ran.texts(), ["I do.", "fine", "fine"]);
    assert_eq!(ran.state.context["a"], json!({"markers": ["[AGREE]"]}));
    assert_eq!(ends(&ran)[2].outcome, Outcome::Passed);
}

#[tokio::test]
async fn a_marker_alone_is_a_turn_that_counts_and_can_end_the_conversation() {
    let talk = || {
        stage(|ask| match &*ask.seat.id {
            "a" => Play::Words("DONE".into(), 5),
            _ => Play::Words("Are we done?".into(), 5),
        })
    };
    let mut table = table_of(Form::Markers(vec!["DONE".into()]));
    table.scenario["limits"] = json!({"utterances": 3});
    let counted = play(table.clone(), talk(), &[]).await;
    assert_eq!((counted.who().as_str(), counted.state.utterances), ("a b a", 3));
    let numbers: Vec<_> = counted.transcript().into_iter().map(|(number, ..)| number).collect();
    assert_eq!(numbers, [Some(1), Some(2), Some(3)]);

    table.scenario["stop"] = json!([{"word": {"word": "DONE", "by": ["a"]}}]);
    let ended = play(table, talk(), &[]).await;
    assert_eq!((ended.who().as_str(), ended.reason()), ("a", "stop_word"));
}

#[tokio::test]
async fn rehearsed_lines_and_people_give_data_too() {
    let mut table = round_robin(&["a"], 2);
    table.participants[0] = Participant {
        reply: Contract {
            form: Form::Choice(vec!["yes".into(), "no".into()]),
            ..Contract::default()
        },
        ..Participant::new(
            "a",
            VoiceSpec::Lines {
                lines: vec![
                    Line { text: "yes and no".into(), ..Line::default() },
                    Line {
                        text: "No, it rains".into(),
                        when: Some("correction".into()),
                        ..Line::default()
                    },
                ],
                pace: 1,
            },
        )
    };
    table.participants.push(Participant {
        reply: Contract {
            form: Form::Choice(vec!["yes".into(), "no".into()]),
            ..Contract::default()
        },
        ..human("me")
    });
    let steer = [
        json!({"when": "waiting == 'me'", "id": "bad", "do": "speak", "who": "me", "text": "perhaps"}),
        json!({"at": "1h", "id": "good", "do": "speak", "who": "me", "text": "yes"}),
    ];
    let stage = stage(|ask| match ask.parameters.line {
        Some(0) => Play::Words("yes and no".into(), 1),
        _ => Play::Words("No, it rains".into(), 1),
    });
    let ran = play(table, stage, &steer).await;
    assert_eq!(ran.who(), "a me");
    assert_eq!(ran.state.context["me"], json!({"choice": "yes", "why": ""}));
    let choice = |v: &Value| v["choice"].clone();
    assert_eq!(choice(&ran.state.context["a"]), "no");
    assert_eq!(ran.receipts("bad"), [ReceiptIs::TooLate], "it keeps the floor and says it again");
    assert_eq!(ran.receipts("good"), [ReceiptIs::Done]);
}
