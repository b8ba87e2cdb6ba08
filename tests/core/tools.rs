//! Tools: a request ends a call, not the turn; a tool that needs permission waits for it; nothing runs twice.

use crate::harness::*;
use crate::kills::runtime;
use colloquium::model::payload::Opened;
use colloquium::model::*;
use serde_json::{Value, json};

/// Describes a tool that takes a text `x`.
fn tool(name: &str, read_only: bool) -> Tool {
    let parameters = json!({
        "type": "object", "properties": {"x": {"type": "string"}}, "additionalProperties": false,
    });
    Tool {
        name: name.into(),
        description: "a test".into(),
        parameters,
        source: ToolSource::Script(vec!["test".into()]),
        read_only,
        seconds: 30,
    }
}

fn with_tools(utterances: u32) -> Opened {
    let mut table = round_robin(&["a", "b"], utterances);
    let names = [("reads", true), ("fails", true), ("acts", false)];
    table.participants[0].tools = names.iter().map(|(name, free)| tool(name, *free)).collect();
    table
}

/// Returns a voice that calls tools once a turn, and then reports their results.
fn asks_once(requests: Vec<(&'static str, Value)>) -> Stage {
    stage(move |ask| match ask.prompt.tools.last() {
        None if &*ask.seat.id == "a" => Play::Asks("let me look ".into(), requests.clone()),
        None => Play::Words("b speaks here".into(), 20),
        Some(round) => {
            let back = round.runs.iter().map(|run| run.returned.clone().unwrap());
            let back = back.map(|(is, text)| format!("{}: {text}", is.as_str()));
            Play::Words(back.collect::<Vec<_>>().join("; "), 20)
        }
    })
}

/// Returns a conversation whose participants are models.
fn of_models(mut table: Opened) -> Opened {
    for seat in &mut table.participants {
        seat.voice = VoiceSpec::Model(ModelSpec { name: "a:b".into(), ..ModelSpec::default() });
    }
    table
}

fn ran(opened: Opened, stage: Stage, steer: &[Value]) -> Ran {
    runtime().block_on(play(opened, stage, steer))
}

#[test]
fn a_turn_goes_on_when_its_tools_are_back() {
    let requests = vec![
        ("reads", json!({"x": "one"})),
        ("reads", json!({"x": 1})),
        ("reads", json!("{broken")),
        ("nonsense", json!({})),
    ];
    let ran = ran(with_tools(1), asks_once(requests), &[]);
    let kinds: Vec<&str> = ran.kinds();
    let tools: Vec<&&str> =
        kinds.iter().filter(|k| k.starts_with("tool.") || k.starts_with("call.")).collect();
    assert_eq!(
        tools,
        [
            &"call.started",
            &"tool.asked",
            &"tool.called",
            &"tool.returned",
            &"tool.returned",
            &"tool.returned",
            &"tool.returned",
            &"call.started"
        ]
    );
    let said = ran.texts()[0];
    assert!(
        said.starts_with("done: did {\"x\":\"one\"}; failed: the arguments are wrong at /x"),
        "{said}"
    );
    assert!(said.contains("failed: the arguments are not a JSON object"), "{said}");
    assert!(said.contains("failed: there is no such tool; there are: reads, fails"), "{said}");
    assert_eq!(ran.ran.len(), 1, "what does not fit is never run");
    let ended = ran.events.iter().filter(|e| matches!(e.kind, Kind::TurnEnded(_))).count();
    assert_eq!((ended, ran.state.utterances), (1, 1));
}

#[test]
fn shows_own_earlier_tool_results_in_the_next_turn() {
    let requests = vec![("reads", json!({"x": "one </tool_result>"}))];
    let ran = ran(of_models(with_tools(4)), asks_once(requests), &[]);
    let last_message = |number: u32| {
        let call = ran.seen.iter().find(|call| call.number == Some(number)).unwrap();
        call.messages.last().unwrap().text.clone()
    };
    assert!(!last_message(1).contains("earlier turns"), "nothing was called before");
    assert!(!last_message(2).contains("earlier turns"), "another seat's results are its own");
    let shown = last_message(3);
    assert!(
        shown.contains("Your tool calls in earlier turns, and their results:\n<tool_result of=\"reads\" is=\"done\">\n"),
        "{shown}"
    );
    assert_eq!(shown.matches("</tool_result>").count(), 1, "{shown}");
    let hide = json!({"do": "hide", "utterance": 1, "after": {"utterance": 2}});
    let hidden =
        self::ran(of_models(with_tools(4)), asks_once(vec![("reads", json!({}))]), &[hide]);
    let third = hidden.seen.iter().find(|call| call.number == Some(3)).unwrap();
    assert!(third.prompt.tools_used.is_none(), "{:?}", third.prompt.tools_used);
}

#[test]
fn keeps_few_and_short_earlier_tool_results() {
    let long = "x".repeat(5_000);
    let words: &'static str = Box::leak(long.into_boxed_str());
    let ran = ran(of_models(with_tools(29)), asks_once(vec![("reads", json!({"x": words}))]), &[]);
    let last = ran.seen.iter().rfind(|call| &*call.seat.id == "a").unwrap();
    let used = last.prompt.tools_used.as_ref().unwrap();
    assert!(used.len() <= 6_100, "{} bytes", used.len());
    assert!(used.contains("[...]") && used.matches("</tool_result>").count() >= 1, "{used}");
    let kept = ran.state.threads[&ThreadId::ROOT].tools_used.len();
    assert_eq!(kept, 8);
}

#[test]
fn modifying_tools_run_only_with_permission() {
    let ask = || asks_once(vec![("acts", json!({}))]);
    let refused = ran(with_tools(1), ask(), &[]);
    assert_eq!(refused.texts(), ["refused: nobody is there to allow it"]);
    assert!(refused.ran.is_empty());
    let decide = |yes: bool, once: bool| {
        let line = json!({"do": "decide", "tool": "acts", "yes": yes, "once": once});
        ran(with_tools(3), ask(), &[line])
    };
    assert_eq!(decide(true, false).texts(), ["done: did {}", "b speaks here", "done: did {}"]);
    let once = decide(true, true);
    assert_eq!(once.texts()[2], "refused: nobody is there to allow it");
    assert_eq!(once.ran.len(), 1);
    assert_eq!(decide(false, false).texts()[0], "refused: the operator does not allow it");
    let unknown = json!({"do": "decide", "tool": "reads", "yes": true});
    assert!(ran(with_tools(1), ask(), &[unknown]).kinds().contains(&"command.refused"));
}

#[test]
fn a_kill_anywhere_runs_no_tool_twice() {
    let requests = vec![("reads", json!({"x": "one"})), ("reads", json!({"x": "two"}))];
    let whole = ran(with_tools(3), asks_once(requests.clone()), &[]);
    let called =
        |events: &[Event]| events.iter().filter(|e| matches!(e.kind, Kind::ToolCalled(_))).count();
    assert_eq!(called(&whole.events), 4);
    for cut in 1..whole.events.len() {
        let past = whole.events[..cut].to_vec();
        let before = called(&past);
        let again = runtime().block_on(resume(past, asks_once(requests.clone()), &[]));
        assert_eq!(called(&again.events), 4, "cut after {cut}");
        assert_eq!(again.ran.len() + before, 4, "cut after {cut}");
        assert_eq!(again.state.utterances, 3, "cut after {cut}");
        let interrupted = again.texts().iter().any(|text| text.contains("interrupted before"));
        let between = matches!(&whole.events[cut - 1].kind, Kind::ToolCalled(_));
        assert!(interrupted || !between, "cut after {cut}: the model is told");
    }
}

#[test]
fn whoever_only_asks_for_tools_comes_to_an_end() {
    let fails = stage(|ask| {
        if ask.tools.is_empty() {
            Play::Words("enough".into(), 20)
        } else {
            Play::Asks(String::new(), vec![("fails", json!({}))])
        }
    });
    let ran = ran(with_tools(1), fails, &[]);
    assert_eq!(ran.texts(), ["enough"]);
    assert_eq!(ran.ran.len(), 2, "what failed twice in the same way is not tried again");
    let rounds = ran.seen.last().unwrap().prompt.tools.len();
    assert_eq!(rounds, 8);
    let not_again = &ran.seen.last().unwrap().prompt.tools[2].runs[0].returned;
    assert!(not_again.as_ref().unwrap().1.contains("not tried again"));
}
