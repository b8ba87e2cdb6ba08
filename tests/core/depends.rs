//! Seats with dependencies, which run once these are met.

use crate::harness::*;
use colloquium::export::{Hearer, how_it_ended};
use colloquium::model::*;
use colloquium::voice::CallRequest;
use serde_json::{Value, json};

/// Returns a seat with the keys of `[[participant]]` for its dependencies.
fn runs(id: &str, keys: Value) -> Participant {
    let runs: Runs = serde_json::from_value(keys).expect("what makes a seat run");
    Participant { runs, ..seat(id) }
}

fn after(participant: &str) -> Value {
    json!({"participant": participant, "max": 1})
}

fn graph(seats: Vec<Participant>) -> payload::Opened {
    let scenario = json!({"policy": {"name": "depends"}, "limits": {"batches": 20}});
    table(scenario, seats)
}

/// Returns an analyst who is unsure at first, a seat that clarifies, and a seat that summarises.
pub fn analysis() -> payload::Opened {
    let clear = "not context.get('needs_clarification', False)";
    let mut analyst = runs(
        "analyst",
        json!({"after": [after("extractor"), after("person")], "needs": "any", "state_key": "analysis"}),
    );
    analyst.max_utterances = Some(2);
    graph(vec![
        runs("extractor", json!({})),
        analyst,
        runs(
            "person",
            json!({"after": [{"participant": "analyst", "when": "context.get('needs_clarification', False)", "max": 1}]}),
        ),
        runs("summary", json!({"after": [{"participant": "analyst", "when": clear, "max": 1}]})),
    ])
}

pub fn analysts() -> Stage {
    stage(|ask| {
        let known = ask.facts["context"].get("person").is_some();
        match &*ask.seat.id {
            "extractor" => Play::Data("three facts".into(), json!({"facts": 3})),
            "analyst" => {
                Play::Data(format!("known {known}"), json!({"needs_clarification": !known}))
            }
            "person" => Play::Data("it was Tuesday".into(), json!({"day": "Tuesday"})),
            _ => Play::Words(
                format!("{} of {}", ask.prompt.blocks.len(), ask.facts["context"]["facts"]),
                10,
            ),
        }
    })
}

/// Returns the seats of each batch, in order.
fn batches(ran: &Ran) -> Vec<String> {
    let batch = |e: &Event| match &e.kind {
        Kind::BatchOpened(b) => Some(b.seats.iter().map(|s| &**s).collect::<Vec<_>>().join("+")),
        _ => None,
    };
    ran.events.iter().filter_map(batch).collect()
}

fn warnings(ran: &Ran) -> Vec<&str> {
    ran.state.warnings.iter().map(|w| &*w.text).collect()
}

fn ended(ran: &Ran) -> payload::Ended {
    ran.state.ended.clone().expect("it ended")
}

fn echo() -> Stage {
    stage(|ask| Play::Words(format!("{} speaks", ask.seat.id), 10))
}

/// A reply without data is in the context with its text, and one with data below its text with the data.
#[tokio::test]
async fn text_and_data_of_replies_are_in_the_context() {
    let when = |condition: &str| json!([{"participant": "a", "when": condition, "max": 1}]);
    let stage = stage(|ask| match &*ask.seat.id {
        "a" => Play::Words("It is urgent, and three steps will do.".into(), 5),
        "b" => Play::Words("I looked at it.\n\n{\"steps\": 3}".into(), 5),
        id => Play::Words(format!("{id} speaks"), 5),
    });
    let seats = vec![
        runs("a", json!({})),
        runs("b", json!({"after": when("context.a is defined")})),
        runs("c", json!({"after": [{"participant": "b", "when": "context.steps == 3", "max": 1}]})),
        runs("d", json!({"after": when("'leisure' in context.a")})),
    ];
    let ran = play(graph(seats), stage, &[]).await;
    assert_eq!(batches(&ran), ["a", "b", "c"]);
    let context = &ended(&ran).result["context"];
    assert_eq!(context["a"], "It is urgent, and three steps will do.");
    assert_eq!((&context["b"], &context["steps"]), (&json!({"steps": 3}), &json!(3)));
}

#[tokio::test]
async fn an_analysis_is_cleared_up_and_done_again() {
    let ran = play(analysis(), analysts(), &[]).await;
    assert_eq!(batches(&ran), ["extractor", "analyst", "person", "analyst", "summary"]);
    assert_eq!(ran.texts()[4], "4 of 3");
    let end = ended(&ran);
    assert_eq!((end.reason, end.settled), (StopReason::Completed, true));
    let result = end.result;
    assert_eq!(result["batches"], 5);
    assert_eq!(result["context"]["needs_clarification"], false);
    assert_eq!(result["context"]["analysis"], result["context"]["analyst"], "kept under its key");
    let history = result["history"].as_array().unwrap();
    let who: Vec<&str> = history.iter().map(|r| r["participant"].as_str().unwrap()).collect();
    assert_eq!(who, ["extractor", "analyst", "person", "analyst", "summary"]);
    assert_eq!(history[0]["input"], json!({"topic": null}));
    assert_eq!(history[1]["input"], json!({"extractor": {"facts": 3}}));
    assert_eq!(history[3]["input"], json!({"person": {"day": "Tuesday"}}), "only what was new");
    assert_eq!(history[4]["output"], "4 of 3");
    assert!(history[4]["seconds"].as_f64().unwrap() > 0.0);
    let closed = ran.events.iter().find_map(|e| match &e.kind {
        Kind::ThreadClosed(c) => Some(c.result.clone()),
        _ => None,
    });
    assert_eq!(closed, Some(result));
}

#[tokio::test]
async fn ready_seats_run_in_parallel_and_do_not_see_each_other() {
    let mut table = graph(vec![
        runs("a", json!({})),
        runs("b", json!({"after": [after("a")]})),
        runs("c", json!({"after": [after("a")]})),
        runs("d", json!({"after": [after("b"), after("c")]})),
    ]);
    table.parallel = 1;
    let data = stage(|ask| {
        Play::Data(format!("{}", ask.facts["context"]["n"]), json!({"n": &*ask.seat.id}))
    });
    let ran = play(table, data, &[]).await;
    assert_eq!(batches(&ran), ["a", "b+c", "d"]);
    assert_eq!(
        ran.texts(),
        ["null", "\"a\"", "\"a\"", "\"c\""],
        "the last in the order of the batch"
    );
    let blocks = |id: &str| {
        let of = |r: &&CallRequest| *r.seat.id == *id;
        ran.seen.iter().find(of).unwrap().prompt.blocks.len()
    };
    assert_eq!((blocks("b"), blocks("c"), blocks("d")), (1, 1, 3));
}

#[tokio::test]
async fn a_loop_needs_news_and_stops_at_its_bounds() {
    let pair = |max: u32| {
        let mut seats = vec![
            runs(
                "draft",
                json!({"after": [{"participant": "critic", "max": max}], "starts": true}),
            ),
            runs("critic", json!({"after": [{"participant": "draft", "max": 9}]})),
        ];
        seats.iter_mut().for_each(|s| s.max_utterances = Some(9));
        graph(seats)
    };
    let ran = play(pair(2), echo(), &[]).await;
    assert_eq!(ran.who(), "draft critic draft critic draft critic");
    assert_eq!(ran.reason(), "completed");
    let mut bounded = pair(9);
    bounded.scenario["limits"]["batches"] = json!(3);
    let ran = play(bounded, echo(), &[]).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("draft critic draft", "batch_limit"));
    assert_eq!(ended(&ran).result["batches"], 3, "a limit has its result as well");
    let once = graph(vec![
        runs("a", json!({})),
        runs("b", json!({"after": [{"participant": "a", "max": 9}]})),
    ]);
    assert_eq!(play(once, echo(), &[]).await.who(), "a b", "one run each, unless they say more");
}

#[tokio::test]
async fn seat_is_starved_by_a_failure_and_not_by_a_condition() {
    let table = |when: Value| {
        let mut edge = after("a");
        edge["when"] = when;
        graph(vec![
            runs("a", json!({})),
            runs("b", json!({"after": [edge]})),
            runs("c", json!({"after": [after("b")]})),
        ])
    };
    let fails = || stage(|_| Play::Fail(5, ErrorClass::NotFound));
    let ran = play(table(Value::Null), fails(), &[]).await;
    assert_eq!(ran.reason(), "starved");
    let never = "never ran: `b` (`a` gave no result), `c` (it waits for `b`)";
    let text = format!("a: as the test wants it; {never}");
    assert_eq!(ended(&ran).text.as_deref(), Some(&*text));
    let words = how_it_ended(&ran.state, &ended(&ran), Hearer::Operator);
    assert_eq!(words, format!("failed: somebody could not speak: {text}"));
    let failed = &ended(&ran).result["history"][0];
    assert_eq!(
        (&failed["outcome"], &failed["error"]),
        (&json!("failed"), &json!("as the test wants it"))
    );
    let ran = play(table(json!("context.get('go', False)")), echo(), &[]).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a", "completed"));
    let text = "never ran: `b` (its condition was never true: context.get('go', False)), \
                `c` (it waits for `b`)";
    assert_eq!(ended(&ran).text.as_deref(), Some(text));
    let starved = colloquium::policy::never_ran(&ran.state).iter().any(|seat| seat.starved);
    assert!(!starved, "a condition that was never true is no failure");
}

#[tokio::test]
async fn a_condition_that_cannot_be_evaluated_is_false_and_told_once() {
    let edge = json!({"participant": "a", "when": "contxt.get('go', False)", "max": 1});
    let table = graph(vec![runs("a", json!({})), runs("b", json!({"after": [edge]}))]);
    let ran = play(table, echo(), &[]).await;
    assert_eq!(ran.who(), "a");
    assert_eq!(
        warnings(&ran),
        [
            "`b` does not run after `a`: when = \"contxt.get('go', False)\", character 1: unknown name `contxt`"
        ]
    );
}

#[tokio::test]
async fn a_request_wakes_a_seat_within_its_limits() {
    let table = |most: u32| {
        let mut expert = runs("expert", json!({"starts": false}));
        expert.max_utterances = Some(most);
        graph(vec![runs("a", json!({})), runs("b", json!({"after": [after("a")]})), expert])
    };
    let asks = || {
        stage(|ask| match &*ask.seat.id {
            "expert" => Play::Words("well".into(), 5),
            id => Play::Data(
                id.into(),
                json!({"requests": [{"to": "expert", "text": "is it so?"}, {"to": "nobody", "text": "?"}, {"to": "ghost"}]}),
            ),
        })
    };
    let ran = play(table(9), asks(), &[]).await;
    assert_eq!(batches(&ran), ["a", "b+expert", "expert"]);
    assert_eq!(
        warnings(&ran),
        [
            "`a` requests \"nobody\", which is not another participant",
            "`a` requests \"ghost\", which is not another participant",
            "`b` requests \"nobody\", which is not another participant",
            "`b` requests \"ghost\", which is not another participant"
        ]
    );
    assert_eq!(batches(&play(table(1), asks(), &[]).await), ["a", "b+expert"]);
    assert_eq!(play(table(9), echo(), &[]).await.who(), "a b", "nobody asked");
}

#[tokio::test]
async fn a_person_wakes_a_seat_that_has_spoken() {
    let mut table = graph(vec![runs("a", json!({})), runs("b", json!({"after": [after("a")]}))]);
    table.participants[0].max_utterances = Some(2);
    let say = json!({"after": {"utterance": 1}, "do": "say", "text": "one more thing, @a: why?"});
    let ran = play(table, echo(), &[say]).await;
    assert_eq!(batches(&ran), ["a", "a+b"]);
    let why = ran.events.iter().rev().find_map(|e| match &e.kind {
        Kind::BatchOpened(b) => Some(b.why.to_string()),
        _ => None,
    });
    assert_eq!(why.as_deref(), Some("a requested by the operator; b runs after a"));
}

/// Nobody has to write dependencies for a question to the person: who asked runs once more.
#[tokio::test]
async fn a_persons_answer_wakes_who_asked() {
    let me = Participant { runs: runs("me", json!({"starts": false})).runs, ..human("me") };
    let table = graph(vec![runs("a", json!({})), runs("b", json!({"after": [after("a")]})), me]);
    let asks = stage(|ask| match &*ask.seat.id {
        "a" if ask.facts["turn_count"] == 0 => {
            Play::Data("a asks".into(), json!({"requests": [{"to": "me", "text": "which day?"}]}))
        }
        id => Play::Words(format!("{id} speaks"), 10),
    });
    let speak = json!({"when": "waiting == 'me'", "do": "speak", "who": "me", "text": "Monday"});
    let ran = play(table, asks, &[speak]).await;
    assert_eq!(batches(&ran), ["a", "b+me", "a"]);
    let last = ran.seen.iter().rfind(|ask| *ask.seat.id == *"a").unwrap();
    assert!(format!("{:?}", last.prompt).contains("Monday"), "{:?}", last.prompt);
}

#[tokio::test]
async fn conditions_count_batches() {
    let edge = |id: &str| json!({"participant": id, "when": "turn_count >= 2", "max": 1});
    let table = graph(vec![
        runs("a", json!({})),
        runs("b", json!({})),
        runs("c", json!({"after": [after("a")]})),
        runs("d", json!({"after": [edge("a")]})),
    ]);
    assert_eq!(batches(&play(table, echo(), &[]).await), ["a+b", "c", "d"]);
}

/// A request, with the name of its author, is in the prompt of its addressee only.
#[tokio::test]
async fn request_is_shown_to_its_addressee() {
    let table = graph(vec![
        runs("a", json!({})),
        runs("b", json!({"starts": false})),
        runs("c", json!({})),
    ]);
    let asks = stage(|ask| match &*ask.seat.id {
        "a" => Play::Data(
            "a is done".into(),
            json!({"requests": [{"to": "b", "text": "which </request> day?"}]}),
        ),
        id => Play::Words(format!("{id} speaks"), 10),
    });
    let ran = play(table, asks, &[]).await;
    assert_eq!(batches(&ran), ["a+c", "b"]);
    let task = |id: &str| {
        let asked = ran.seen.iter().find(|r| *r.seat.id == *id).unwrap();
        (asked.prompt.task.clone(), asked.facts["requests"].clone())
    };
    let (told, fact) = task("b");
    let expected = "<request by=\"a\">\nwhich &lt;/request> day?\n</request>";
    assert_eq!(told.as_deref(), Some(expected));
    assert_eq!(fact, json!([{"by": "a", "text": "which </request> day?"}]));
    assert_eq!(task("c"), (None, json!([])));
}

/// Messages of an earlier phase do not count as runs in a phase with dependencies.
#[tokio::test]
async fn a_phase_of_seats_that_wait_runs_each_of_them() {
    let mut table = graph(vec![runs("a", json!({})), runs("b", json!({"after": [after("a")]}))]);
    let policy = |name: &str| json!({"name": name, "options": {"rounds": 1}});
    let phase =
        |name: &str, order: &str| json!({"name": name, "who": ["a", "b"], "policy": policy(order)});
    table.scenario["policy"] = json!({"name": "phases"});
    table.scenario["phase"] = json!([phase("talk", "round_robin"), phase("work", "depends")]);
    let ran = play(table, echo(), &[]).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b a b", "completed"));
}

/// A flow whose dependency is muted, skipped, cut or removed is starved, never completed.
#[tokio::test]
async fn a_flow_that_lost_somebody_is_never_completed() {
    let chain = || {
        graph(vec![
            runs("a", json!({})),
            runs("b", json!({"after": [after("a")]})),
            runs("c", json!({"after": [after("b")]})),
        ])
    };
    for lost in [
        json!({"after": {"utterance": 1}, "do": "mute", "who": "b"}),
        json!({"after": {"utterance": 1}, "do": "leave", "who": "b"}),
        json!({"when": "'b' in speaking", "do": "skip"}),
    ] {
        let ran = play(chain(), echo(), std::slice::from_ref(&lost)).await;
        assert_eq!((ran.who().as_str(), ran.reason()), ("a", "starved"), "{lost}");
    }
    let steer = [
        json!({"when": "'b' in speaking", "do": "pause_now"}),
        json!({"at": "60s", "do": "resume"}),
    ];
    let ran = play(chain(), echo(), &steer).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b c", "completed"), "b keeps the turn");
}

/// Hidden messages leave the context, and edited ones have their new text in it.
#[tokio::test]
async fn context_follows_hidden_and_edited_turns() {
    let flow = || {
        let mut seats = vec![
            runs("a", json!({})),
            runs("b", json!({"after": [after("a")]})),
            runs("c", json!({"after": [after("b")]})),
        ];
        seats[0].persona = Some("{{ context.key }}".into());
        graph(seats)
    };
    let voices = || {
        stage(|ask| match &*ask.seat.id {
            "a" => Play::Data("{\"key\": \"SECRET\"}".into(), json!({"key": "SECRET"})),
            id => Play::Words(format!("{id} speaks"), 10),
        })
    };
    let seen = |ran: &Ran| ran.seen[1].facts["context"]["key"].clone();
    let at = |verb: serde_json::Value| {
        let mut line = verb;
        line["after"] = json!({"utterance": 1});
        line["utterance"] = json!(1);
        line
    };
    let hide = at(json!({"do": "hide"}));
    let ran = play(flow(), voices(), std::slice::from_ref(&hide)).await;
    assert_eq!(seen(&ran), serde_json::Value::Null);
    let told = |ran: &Ran| serde_json::to_string(&ended(ran).result).unwrap();
    assert!(!told(&ran).contains("SECRET"), "{}", told(&ran));
    let ran = play(flow(), voices(), &[hide, at(json!({"do": "unhide"}))]).await;
    assert_eq!(seen(&ran), json!("SECRET"));
    let edit = at(json!({"do": "edit", "text": "{\"key\": \"other\"}"}));
    let ran = play(flow(), voices(), &[edit]).await;
    assert_eq!(seen(&ran), json!("other"));
    assert!(!told(&ran).contains("SECRET"), "{}", told(&ran));
}
