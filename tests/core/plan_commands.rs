//! The operator in a plan: messages that reopen it, and steps that are cancelled, answered, repeated and changed.

use crate::harness::*;
use crate::kills::{runtime, situations};
use crate::plans::*;
use colloquium::model::*;
use serde_json::{Value, json};

/// No step begins before the planner has read the message, and its new plan counts.
#[tokio::test]
async fn the_operators_words_reopen_the_plan_before_another_step_begins() {
    let stage = stage(|ask| match (asks(ask), number(ask)) {
        ("plan", _) => plan(&[(1, &[]), (2, &[1])]),
        ("plan_again", _) => plan(&[(3, &[1])]),
        ("close", _) => says("Done."),
        _ => done(ask),
    });
    let say = json!({"during": {"utterance": 2, "words": 2}, "do": "say", "text": "Only the bow."});
    let ran = play(office(json!({})), stage, &[say]).await;
    let told = plan_events(&ran);
    let begun: Vec<&String> = told.iter().filter(|t| t.ends_with("begins")).collect();
    assert_eq!(begun, ["step 1 begins", "step 3 begins"], "{told:?}");
    let again = ran.seen.iter().find(|r| asks(r) == "plan_again").unwrap();
    assert!(again.prompt.sections[0].contains("Only the bow."), "{:?}", again.prompt.sections);
    assert_eq!(again.facts["operator"]["said"], "Only the bow.");
    assert_eq!(told_of(&ran), ["the host has spoken"]);
}

/// A person who pauses while the planner speaks, or has set `approve`, reads the plan before a step begins.
#[tokio::test]
async fn a_plan_is_recorded_before_a_pause_and_waits_for_approval() {
    let go_on = json!({"when": "paused", "do": "resume"});
    let pause = json!({"during": {"utterance": 1, "words": 1}, "do": "pause"});
    for (options, steer) in [(json!({}), vec![pause]), (json!({"approve": true}), vec![])] {
        let ran = play(
            office(options),
            at_work(&[(1, &[])], done),
            &[steer, vec![go_on.clone()]].concat(),
        )
        .await;
        let kinds = ran.kinds();
        let place = |name| kinds.iter().position(|kind| *kind == name).unwrap();
        assert!(place("plan.made") < place("paused"), "{kinds:?}");
        assert!(place("paused") < place("seat.joined"), "{kinds:?}");
        assert_eq!(states(&ran), ["completed"]);
    }
}

#[tokio::test]
async fn running_and_waiting_steps_can_be_cancelled() {
    let stage = at_work(&[(1, &[]), (2, &[1]), (3, &[])], |ask| match number(ask) {
        1 => Play::Drones,
        _ => done(ask),
    });
    let cancel = |step: u32| json!({"at": "300ms", "do": "cancel_step", "step": step, "id": format!("c{step}")});
    let ran = play(office(json!({})), stage, &[cancel(1), cancel(2)]).await;
    assert_eq!(states(&ran), ["cancelled", "cancelled", "completed"]);
    assert_eq!(why(&ran, 0), "the operator cancelled it");
    assert_eq!(ran.receipts("c1").last(), Some(&ReceiptIs::Done));
    assert_eq!(ran.reason(), "completed");
    assert!(!ran.seen.iter().any(|r| asks(r) == "plan_again"), "a cancelled step is no failure");
}

#[tokio::test]
async fn the_operator_answers_in_the_planners_place() {
    let stage = || {
        stage(|ask| match (asks(ask), exchange(ask)) {
            ("plan", _) => plan(&[(1, &[])]),
            ("clarify", _) => Play::Words("a slow answer of the planner itself".into(), 500),
            ("execute", 1) => says("QUESTION: Which colour?"),
            ("execute", _) => done(ask),
            _ => says("Done."),
        })
    };
    let answer = |when: Value| {
        let mut line = json!({"id": "a", "do": "answer_step", "step": 1, "text": "Green."});
        line.as_object_mut().unwrap().extend(when.as_object().unwrap().clone());
        line
    };
    // while the planner speaks, and during a pause
    for steer in [
        vec![answer(json!({"during": {"utterance": 3, "words": 2}}))],
        vec![
            json!({"after": {"utterance": 2}, "do": "pause"}),
            answer(json!({"when": "paused"})),
            json!({"when": "paused and history[-1].text == 'Green.'", "do": "resume"}),
        ],
    ] {
        let ran = play(office(json!({})), stage(), &steer).await;
        assert_eq!(states(&ran), ["completed"], "{:?}", ran.texts());
        let second = ran.seen.iter().filter(|r| asks(r) == "execute").nth(1).unwrap();
        let last = second.prompt.blocks.last().unwrap();
        assert!(
            matches!(last, Block::Other { who, text, .. } if *who == "ann" && &**text == "Green."),
            "{last:?}"
        );
        assert_eq!(ran.receipts("a").last(), Some(&ReceiptIs::Delivered));
    }
    let early = json!({"after": {"utterance": 1}, "id": "e", "do": "answer_step", "step": 1, "text": "Red."});
    let ran = play(office(json!({})), stage(), &[early]).await;
    let refused = ran
        .events
        .iter()
        .any(|e| matches!(&e.kind, Kind::CommandRefused(r) if &*r.why == "there is no plan yet"));
    assert!(refused);
}

#[tokio::test]
async fn while_paused_steps_are_changed_added_and_moved() {
    let stage = at_work(&[(1, &[]), (2, &[1]), (3, &[1])], done);
    let ran = play(
        office(json!({"parallel": 1})),
        stage,
        &[
            json!({"during": {"utterance": 2, "words": 1}, "do": "pause"}),
            json!({"when": "paused", "do": "edit_step", "step": 2, "set": {"goal": "the mast too"}}),
            json!({"when": "paused", "do": "add_step", "set": {"goal": "a flag", "after": 2}}),
            json!({"when": "paused", "do": "move_step", "step": 3, "before": 2}),
            json!({"when": "paused", "id": "bad", "do": "edit_step", "step": 3, "set": {"after": [4, 3]}}),
            json!({"when": "paused", "id": "itself", "do": "move_step", "step": 2, "before": 2}),
            json!({"when": "paused", "id": "begun", "do": "edit_step", "step": 1, "set": {"goal": "x"}}),
            json!({"when": "paused and count(plan.steps) == 4", "do": "resume"}),
        ],
    )
    .await;
    let order: Vec<u32> = steps(&ran).iter().map(|s| s.spec.number).collect();
    assert_eq!((order, states(&ran)), (vec![1, 3, 2, 4], vec!["completed"; 4]));
    assert_eq!(
        (&*steps(&ran)[2].spec.goal, &steps(&ran)[3].spec.after),
        ("the mast too", &vec![2])
    );
    let refused: Vec<&Text> = ran
        .events
        .iter()
        .filter_map(|e| if let Kind::CommandRefused(r) = &e.kind { Some(&r.why) } else { None })
        .collect();
    assert_eq!(
        refused.iter().map(|w| &***w).collect::<Vec<_>>(),
        [
            "step 3 waits for itself",
            "step 2 cannot be moved before itself",
            "step 1 is running: only a waiting step can be changed"
        ]
    );
}

#[tokio::test]
async fn a_step_runs_again_as_another_attempt() {
    let stage = at_work(&[(1, &[]), (2, &[1]), (3, &[])], |ask| {
        match (number(ask), ask.facts["step"]["attempt"].as_u64(), exchange(ask)) {
            (1, Some(1), _) => says("ERROR: no brush"),
            (3, _, 1) => Play::Words("PROGRESS: half of it".into(), 200),
            _ => done(ask),
        }
    });
    let again = json!({"when": "plan.steps and plan.steps[0].state == 'failed' and plan.steps[2].exchanges == 1",
                       "do": "rerun_step", "step": 1});
    let mut table = office(json!({"replan": false}));
    table.attended = true;
    let ran = play(table, stage, &[again]).await;
    assert_eq!(states(&ran), ["completed"; 3]);
    assert_eq!((steps(&ran)[0].attempt, steps(&ran)[1].attempt), (2, 1));
    let joins = plan_events(&ran).iter().filter(|t| *t == "worker-1 joins").count();
    assert_eq!(joins, 2);
}

/// Cut in every situation around commands in mid-plan, the conversation carries out each command once and ends.
#[test]
fn killed_inside_commands_on_a_plan_it_ends() {
    let stage = || {
        stage(|ask| match (asks(ask), number(ask), exchange(ask)) {
            ("plan", ..) => plan(&[(1, &[]), (2, &[]), (3, &[1]), (4, &[3])]),
            ("plan_again", ..) => plan(&[(3, &[1]), (5, &[])]),
            ("clarify", ..) => Play::Words("Blue, I should say, and then blue again".into(), 60),
            ("execute", 1, 1) => says("QUESTION: Which colour?"),
            ("execute", 2, _) => {
                Play::Words("I go on and on and on about this and that".into(), 50)
            }
            ("execute", ..) => done(ask),
            _ => says("Done."),
        })
    };
    let steer = [
        json!({"when": "plan.steps and 'question' in plan.steps[0].messages", "do": "answer_step", "step": 1, "text": "Green."}),
        json!({"when": "plan.steps and plan.steps[1].exchanges == 1", "do": "cancel_step", "step": 2}),
        json!({"when": "plan.steps and plan.steps[0].state == 'completed'", "do": "say", "text": "Leave the stern."}),
    ];
    let whole = runtime().block_on(play(office(json!({})), stage(), &steer));
    assert_eq!(
        states(&whole),
        ["completed", "cancelled", "completed", "completed"],
        "{:?}",
        whole.texts()
    );
    for cut in situations(&whole.events) {
        let past = whole.events[..cut].to_vec();
        let again = runtime().block_on(resume(past, stage(), &steer));
        assert_eq!(
            again.reason(),
            "completed",
            "cut at {cut}, after {}",
            whole.events[cut - 1].kind.name()
        );
        let cancelled = again
            .events
            .iter()
            .filter(|e| matches!(&e.kind, Kind::StepEnded(s) if s.step == 2))
            .count();
        assert_eq!(cancelled, 1, "cut at {cut}");
        assert!(
            again.state.plan().unwrap().steps.iter().all(|s| s.state.is_over()),
            "cut at {cut}"
        );
    }
}

#[tokio::test]
async fn a_message_is_said_again_in_its_place_and_the_plan_is_not() {
    let stage = stage(|ask| match (asks(ask), exchange(ask)) {
        ("plan", _) => plan(&[(1, &[])]),
        ("clarify", _) => Play::Words("Blue.".into(), 400),
        ("execute", 1) => says("QUESTION: Which colour?"),
        ("execute", _) => done(ask),
        ("", _) => says("QUESTION: Which colour of all?"),
        _ => says("Done."),
    });
    let again = json!({"after": {"utterance": 3}, "id": "r", "do": "retry", "utterance": 2});
    let plan_again = json!({"after": {"utterance": 2}, "id": "p", "do": "retry", "utterance": 1});
    let ran = play(office(json!({})), stage, &[again, plan_again]).await;
    assert_eq!(states(&ran), ["completed"]);
    let step = &steps(&ran)[0];
    assert_eq!(kinds(step), ["task_assignment", "question", "clarification", "task_complete"]);
    assert_eq!(&*step.messages[1].text, "QUESTION: Which colour of all?");
    let refused = ran.events.iter().find_map(|e| match &e.kind {
        Kind::CommandRefused(r) => Some(&*r.why),
        _ => None,
    });
    assert!(refused.is_some_and(|why| why.starts_with("turn 1 is the plan")), "{refused:?}");
}

/// At an end, everything open is closed before the conversation: steps, their threads, executors, the plan. A resume
/// continues the interrupted work within the same steps.
#[tokio::test]
async fn at_an_end_in_mid_plan_all_that_is_open_closes_in_order_and_a_resume_continues() {
    let stage = |slow: bool| {
        at_work(&[(1, &[]), (2, &[]), (3, &[1, 2])], move |ask| {
            match (number(ask), exchange(ask)) {
                (1, 1) => says("QUESTION: Which colour?"),
                (2, _) if slow => Play::Drones,
                _ => done(ask),
            }
        })
    };
    let open = [
        "step 1 cancelled",
        "its talk ends",
        "step 2 cancelled",
        "its talk ends",
        "worker-1 leaves",
        "worker-2 leaves",
        "plan cancelled",
        "the end",
    ];
    let end = json!({"during": {"utterance": 4, "words": 1}, "do": "end"});
    let mut limited = office(json!({}));
    limited.scenario["limits"] = json!({"utterances": 3});
    let tables = [
        (office(json!({})), vec![end], "operator", &open[..], vec![]),
        (
            limited,
            vec![],
            "utterance_limit",
            &open[..],
            vec![json!({"do": "limit", "set": {"utterances": 30}})],
        ),
    ];
    for (table, steer, reason, closes, more) in tables {
        let first = play(table, stage(reason == "operator"), &steer).await;
        assert_eq!(first.reason(), reason);
        let all = plan_events(&first);
        let begin = all.iter().position(|t| t == "step 1 cancelled").unwrap_or(all.len());
        assert_eq!(all[begin..], closes[..]);
        let ended = first.state.plan().unwrap().ended.as_ref().map(|ended| ended.is);
        assert_eq!(ended, Some(StepState::Cancelled), "{all:?}");
        assert!(!states(&first).contains(&"running"), "{:?}", states(&first));
        let again = resume(first.events.clone(), stage(false), &more).await;
        assert_eq!((again.reason(), states(&again)), ("completed", vec!["completed"; 3]));
        let plans = again.events.iter().filter(|e| matches!(e.kind, Kind::PlanMade(_))).count();
        assert_eq!(plans, 1, "nothing is planned again");
        let attempts: Vec<u32> = steps(&again).iter().map(|s| s.attempt).collect();
        assert_eq!(attempts, [1, 1, 1], "the same talks continue");
    }
}
