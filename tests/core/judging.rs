//! Votes, verdicts and judges: requested beside the conversation, answered in secret, counted by a stated rule.

use crate::harness::*;
use colloquium::model::ReceiptIs::{Done, Queued};
use colloquium::model::*;
use serde_json::{Value, json};

/// Returns voices that speak plainly and take every other answer from the test.
fn answering(
    answer: impl Fn(&colloquium::voice::CallRequest) -> Value + Send + Sync + 'static,
) -> Stage {
    stage(move |ask| match ask.purpose {
        Purpose::Speak => Play::Words(format!("{} speaks", ask.seat.id), 10),
        _ => Play::Words(answer(ask).to_string(), 10),
    })
}

/// Returns a debate of `a` and `b` with the judges `j` and `k`.
pub fn debate(more: Value) -> payload::Opened {
    let mut scenario = json!({"policy": {"name": "round_robin"}, "limits": {"utterances": 4}});
    scenario.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let beside = |id: &str| Participant { speaks: false, ..seat(id) };
    table(scenario, vec![seat("a"), seat("b"), beside("j"), beside("k")])
}

pub fn judged(judges: &[&str], swap_test: bool, votes: u32, tie: &str) -> payload::Opened {
    let side = |id: &str| json!({"name": id, "seats": [id]});
    debate(json!({"verdict": {
        "judges": judges, "question": "Who is right?", "sides": [side("a"), side("b")],
        "votes": votes, "swap_test": swap_test, "tie": tie,
    }}))
}

/// Returns a scenario with a judge as a stop rule, and a verdict at the end.
pub fn stopped_by_judge() -> payload::Opened {
    let mut table = judged(&["j"], false, 1, "draw");
    let judge = json!({"seat": "k", "question": "Is all said?", "every": 2});
    table.scenario["stop"] = json!([{"judge": judge}]);
    table.scenario["limits"] = json!({"utterances": 8});
    table
}

fn verdict(ran: &Ran) -> &VerdictGiven {
    let given = ran.events.iter().rev().find_map(|e| match &e.kind {
        Kind::VerdictGiven(v) => Some(v),
        _ => None,
    });
    given.expect("a verdict")
}

fn vote(ran: &Ran) -> &VoteClosed {
    let closed = ran.events.iter().rev().find_map(|e| match &e.kind {
        Kind::VoteClosed(v) => Some(v),
        _ => None,
    });
    closed.expect("a vote")
}

/// Returns voices with three ballots for which majority, rankings, confidence and scores each give another result or a
/// tie.
fn ballots() -> Stage {
    answering(|ask| match &*ask.seat.id {
        "a" => json!({"choice": "tea", "confidence": "40%", "ranking": ["tea", "milk", "rum"],
                      "scores": {"tea": 6, "milk": 6, "rum": 0}, "why": "it is warm"}),
        "b" => json!({"choice": "tea", "confidence": 30, "ranking": ["TEA", "milk", "rum"],
                      "scores": {"tea": 6, "milk": 9, "rum": 1}}),
        _ => json!({"choice": "rum", "confidence": 0.9, "ranking": ["rum", "milk"],
                    "scores": {"rum": 10, "milk": 11}}),
    })
}

#[tokio::test]
async fn a_vote_is_counted_in_several_ways_side_by_side_and_the_first_decides() {
    let steer = [
        json!({"after": {"utterance": 1}, "id": "v", "do": "vote", "question": "What shall we drink?",
                        "options": ["tea", "milk", "rum"],
                        "count": ["confidence", "majority", "borda", "mean"]}),
    ];
    let ran = play(round_robin(&["a", "b", "c"], 3), ballots(), &steer).await;
    let vote = vote(&ran);
    assert_eq!(vote.winner.as_deref(), Some("rum"));
    assert_eq!(&*vote.how, "confidence: rum (rum 0.9, tea 0.7)");
    let words: Vec<String> = vote.ways.iter().map(CountedAnswer::words).collect();
    assert_eq!(
        words,
        [
            "confidence: rum (rum 0.9, tea 0.7)",
            "majority: tea (tea 2, rum 1)",
            // the third ranking omits an option and is invalid
            "borda: tea (tea 4, milk 2, rum 0)",
            // a score of 11 is invalid
            "mean: milk (milk 7.5, tea 6, rum 3.67)",
        ]
    );
    let asked = ran.seen.iter().find(|r| r.purpose == Purpose::Vote).unwrap();
    let task = asked.prompt.task.as_deref().unwrap();
    for key in ["\"confidence\"", "\"ranking\"", "\"scores\""] {
        assert!(task.contains(key), "{task}");
    }
}

#[tokio::test]
async fn a_tie_is_broken_by_the_rule_of_its_vote_and_by_nothing_else() {
    let called = |more: serde_json::Value| {
        let mut line = json!({"after": {"utterance": 1}, "id": "v", "do": "vote", "question": "Where?",
                              "options": ["Rome", "Oslo"]});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line
    };
    let split =
        || answering(|ask| json!({"choice": if &*ask.seat.id == "a" { "Oslo" } else { "Rome" }}));
    for (more, winner, how) in [
        (json!({}), None, "tie of Rome and Oslo, 1 each"),
        (
            json!({"tie": "first"}),
            Some("Rome"),
            "tie of Rome and Oslo, 1 each; Rome by the tie rule",
        ),
    ] {
        let ran = play(round_robin(&["a", "b"], 3), split(), &[called(more)]).await;
        assert_eq!((vote(&ran).winner.as_deref(), &*vote(&ran).how), (winner, how));
    }
    let ran = play(round_robin(&["a", "b"], 3), split(), &[called(json!({"tie": "random"}))]).await;
    let again =
        play(round_robin(&["a", "b"], 3), split(), &[called(json!({"tie": "random"}))]).await;
    assert!(vote(&ran).winner.is_some());
    assert_eq!(vote(&ran).winner, vote(&again).winner, "the same seed, the same dice");
}

#[tokio::test]
async fn a_vote_is_secret_until_it_is_closed_and_the_talk_goes_on() {
    let steer = [json!({"during": {"utterance": 2, "words": 1}, "id": "v", "do": "vote",
                        "question": "Shall we?", "options": ["yes", "no", "later"]})];
    let stage = answering(|ask| match &*ask.seat.id {
        "a" => json!({"choice": "later", "why": "I am tired"}),
        _ => json!({"choice": "YES"}),
    });
    let ran = play(round_robin(&["a", "b", "c"], 5), stage, &steer).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b c a b", "utterance_limit"));
    let vote = vote(&ran);
    assert_eq!((vote.winner.as_deref(), &*vote.how), (Some("yes"), "yes wins with 2 of 3 votes"));
    assert_eq!(vote.ballots[0].choice.as_deref(), Some("later"));
    assert_eq!(&*vote.ballots[0].why, "I am tired");
    assert_eq!(ran.receipts("v"), [Queued, Done]);
    let asked: Vec<_> = ran.seen.iter().filter(|r| r.purpose == Purpose::Vote).collect();
    assert_eq!(asked.len(), 3);
    for ask in asked {
        assert!(ask.prompt.task.as_ref().unwrap().contains("Shall we?"));
        assert_eq!(
            (ask.prompt.blocks.len(), ask.number),
            (2, None),
            "the talk so far, and no vote"
        );
    }
    let votes = |r: &colloquium::voice::CallRequest| {
        r.prompt.blocks.iter().any(|b| b.text().contains("tired"))
    };
    assert!(!ran.seen.iter().any(votes), "no vote is ever anybody's prompt");
}

#[tokio::test]
async fn tie_is_reported_and_unreadable_vote_is_an_abstention() {
    let steer = [json!({"after": {"utterance": 1}, "do": "vote", "question": "Shall we?"})];
    let stage = |last: &'static str| {
        answering(move |ask| match &*ask.seat.id {
            "a" => json!("yes"),
            "b" => json!("no"),
            _ => json!(last),
        })
    };
    let table = || round_robin(&["a", "b", "c"], 2);
    let ran = play(table(), stage("both of it"), &steer).await;
    assert_eq!(vote(&ran).winner, None);
    assert_eq!(&*vote(&ran).how, "tie of yes and no, 1 each, 1 abstained");
    assert_eq!(ran.seen.iter().filter(|r| r.seat.id == "c").count(), 2, "it was asked once more");
    let ran = play(table(), stage("no"), &steer).await;
    assert_eq!(vote(&ran).winner.as_deref(), Some("no"));
    let silent = stage_of_silence();
    let ran = play(table(), silent, &steer).await;
    assert_eq!(&*vote(&ran).how, "no result: all 3 abstained");
}

fn stage_of_silence() -> Stage {
    stage(|ask| match ask.purpose {
        Purpose::Speak => Play::Words("well".into(), 10),
        _ => Play::Pass,
    })
}

#[tokio::test]
async fn votes_are_refused_where_they_make_no_sense() {
    let why = |line: Value| async move {
        let ran = play(round_robin(&["a", "b"], 2), plain(), &[line]).await;
        let refused = ran.events.iter().find_map(|e| match &e.kind {
            Kind::CommandRefused(r) => Some(r.why.to_string()),
            _ => None,
        });
        refused.expect("a refusal")
    };
    for options in [json!(["a"]), json!(["a", "b", "A "]), json!(["a", " "])] {
        let vote = json!({"do": "vote", "question": "?", "options": options});
        assert!(why(vote).await.contains("two different options"), "{options}");
    }
    assert!(why(json!({"do": "vote", "question": " "})).await.contains("`question` is empty"));
    let median = json!({"do": "vote", "question": "?", "count": ["median"]});
    assert!(why(median).await.contains("use majority, confidence, borda or mean"));
    assert!(why(json!({"do": "verdict"})).await.contains("[verdict]"));
}

#[tokio::test]
async fn a_verdict_comes_at_the_end_with_scores_and_says_how() {
    let judge = |_: &colloquium::voice::CallRequest| json!({"winner": "b", "scores": {"a": 6, "b": 7.5}, "why": "figures"});
    let ran = play(judged(&["j"], false, 1, "draw"), answering(judge), &[]).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b a b", "utterance_limit"));
    let given = verdict(&ran);
    assert_eq!((given.winner.as_deref(), &*given.how), (Some("b"), "by one judgement"));
    assert_eq!((given.scores["a"], given.scores["b"]), (6.0, 7.5));
    let asked = ran.seen.iter().find(|r| r.purpose == Purpose::Judge).unwrap();
    assert_eq!(asked.prompt.blocks.len(), 4);
    let mut completed = judged(&["j"], false, 1, "draw");
    completed.scenario["policy"]["options"] = json!({"rounds": 1});
    let ran = play(completed, answering(judge), &[]).await;
    assert_eq!(
        (ran.who().as_str(), ran.reason()),
        ("a b", "verdict"),
        "its own end is the verdict's"
    );
}

#[tokio::test]
async fn a_judgement_that_turns_with_the_sides_is_a_tie() {
    let first = |_: &colloquium::voice::CallRequest| json!({"winner": "Side 1"});
    let ran = play(judged(&["j"], true, 1, "draw"), answering(first), &[]).await;
    let given = verdict(&ran);
    assert_eq!(given.winner, None);
    assert!(given.how.contains("1 changed with the labels swapped"), "{}", given.how);
    let labels = |n: usize| {
        let judged: Vec<_> = ran.seen.iter().filter(|r| r.purpose == Purpose::Judge).collect();
        let Block::Other { who, name, .. } = &judged[n].prompt.blocks[0] else { panic!() };
        (who.to_string(), name.to_string())
    };
    assert_eq!(labels(0), ("a".into(), "Side 1".into()));
    assert_eq!(labels(1), ("a".into(), "Side 2".into()));
    let firm = |ask: &colloquium::voice::CallRequest| {
        let is_a = |b: &Block| matches!(b, Block::Other { who, name, .. } if *who == "a" && &**name == "Side 1");
        json!({"winner": if ask.prompt.blocks.iter().any(is_a) { "Side 1" } else { "Side 2" }})
    };
    let ran = play(judged(&["j", "k"], true, 2, "draw"), answering(firm), &[]).await;
    let given = verdict(&ran);
    assert_eq!(given.winner.as_deref(), Some("a"));
    assert_eq!(&*given.how, "a in 4 of 4 judgements; same winner with the labels swapped");
    assert_eq!(given.judgements.len(), 8);
    let level = |_: &colloquium::voice::CallRequest| json!({"winner": "tie"});
    let ran = play(judged(&["j"], true, 1, "draw"), answering(level), &[]).await;
    assert_eq!(&*verdict(&ran).how, "a tie also with the labels swapped; a draw");
}

#[tokio::test]
async fn a_tie_is_broken_by_the_rule_of_the_scenario() {
    let split = |ask: &colloquium::voice::CallRequest| json!({"winner": if ask.seat.id == "j" { "a" } else { "b" }});
    let ran = |tie: &'static str| play(judged(&["j", "k"], false, 1, tie), answering(split), &[]);
    let draw = ran("draw").await;
    assert_eq!(
        (verdict(&draw).winner.as_deref(), &*verdict(&draw).how),
        (None, "tie of a and b in 2 judgements; a draw")
    );
    let first = ran("first").await;
    assert_eq!(verdict(&first).winner.as_deref(), Some("a"));
    assert!(verdict(&first).how.ends_with("a by being named first"), "{}", verdict(&first).how);
    let dice = ran("random").await;
    assert!(verdict(&dice).winner.is_some() && verdict(&dice).how.ends_with("by dice"));
}

#[tokio::test]
async fn a_judge_that_cannot_be_read_abstains_and_the_end_comes_all_the_same() {
    let ran =
        play(judged(&["j", "k"], false, 1, "draw"), answering(|_| json!("both were fine")), &[])
            .await;
    assert_eq!(ran.reason(), "failure", "a verdict is never lost in silence");
    assert_eq!(&*verdict(&ran).how, "no judgement was readable");
    let mute = [json!({"do": "mute", "who": "j"}), json!({"do": "leave", "who": "k"})];
    let ran = play(judged(&["j", "k"], false, 1, "draw"), answering(|_| json!("a")), &mute).await;
    assert_eq!((verdict(&ran).judgements.len(), ran.reason()), (0, "failure"));
}

#[tokio::test]
async fn the_operator_asks_for_a_verdict_and_the_talk_goes_on() {
    let steer = [json!({"after": {"utterance": 2}, "id": "v", "do": "verdict"})];
    let ran =
        play(judged(&["j"], false, 1, "draw"), answering(|_| json!({"winner": "a"})), &steer).await;
    assert_eq!(ran.who(), "a b a b");
    let given = ran.kinds().iter().filter(|k| **k == "verdict.given").count();
    assert_eq!(given, 2, "when it was asked for, and at the end");
    assert_eq!(ran.receipts("v").last(), Some(&Done));
    let late = [json!({"after": {"utterance": 4}, "id": "v", "do": "verdict"})];
    let ran =
        play(judged(&["j"], false, 1, "draw"), answering(|_| json!({"winner": "a"})), &late).await;
    let given = ran.kinds().iter().filter(|k| **k == "verdict.given").count();
    assert_eq!((given, ran.receipts("v").last()), (1, Some(&Done)), "nothing was said since");
    let end = [json!({"after": {"utterance": 2}, "do": "end"})];
    let ran =
        play(judged(&["j"], false, 1, "draw"), answering(|_| json!({"winner": "a"})), &end).await;
    assert!(ran.kinds().contains(&"verdict.given"), "what was said is judged at your end too");
    let mut completed = judged(&["j"], false, 1, "draw");
    completed.scenario["verdict"]["at"] = json!("completed");
    let ran = play(completed, answering(|_| json!({"winner": "a"})), &end).await;
    assert!(!ran.kinds().contains(&"verdict.given"), "only where it came to its own end");
}

#[tokio::test]
async fn a_judge_stops_the_talk_or_asks_whether_to() {
    let rule = |ask: bool| {
        let judge = json!({"seat": "j", "question": "Is all said?", "every": 2});
        let mut table = debate(json!({"stop": [{"judge": judge, "ask": ask}]}));
        table.scenario["limits"] = json!({"utterances": 9});
        table
    };
    let judge = |ask: &colloquium::voice::CallRequest| {
        let said = ask.prompt.blocks.len();
        json!({"choice": if said >= 4 { "yes" } else { "no" }, "why": format!("{said} were said")})
    };
    let ran = play(rule(false), answering(judge), &[]).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b a b", "goal"));
    assert_eq!(ran.state.ended.as_ref().unwrap().text.as_deref(), Some("j: 4 were said"));
    assert_eq!(ran.seen.iter().filter(|r| r.purpose == Purpose::Judge).count(), 2);
    let go_on = [
        json!({"when": "paused and turn_count == 4", "do": "resume"}),
        json!({"when": "paused and turn_count == 6", "do": "end"}),
    ];
    let ran = play(rule(true), answering(judge), &go_on).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b a b a b", "operator"));
    assert_eq!(ran.state.ended.as_ref().unwrap().rule, None);
}

/// The rule that ends a conversation is known after its verdict too.
#[tokio::test]
async fn an_end_names_its_rule_after_a_verdict() {
    let both = |_: &_| json!({"choice": "yes", "why": "all is said", "winner": "a"});
    let ran = play(stopped_by_judge(), answering(both), &[]).await;
    assert!(ran.kinds().contains(&"verdict.given"), "{:?}", ran.kinds());
    assert_eq!((ran.reason(), ran.state.ended.as_ref().unwrap().rule), ("goal", Some(0)));
}

/// A settled conversation takes precedence over a limit that is reached with the same turn.
#[tokio::test]
async fn agreement_with_the_last_turn_that_is_allowed_is_settled() {
    let mut table = round_robin(&["a", "b"], 2);
    table.scenario["stop"] = json!([{"agreement": 1.0}]);
    for seat in &mut table.participants {
        let form = Form::Choice(vec!["x".into(), "y".into()]);
        seat.reply = Contract { form, ..Contract::default() };
    }
    let agree = stage(|_| Play::Words("x".into(), 5));
    let ran = play(table.clone(), agree, &[]).await;
    let ended = ran.state.ended.as_ref().unwrap();
    assert_eq!((ran.state.utterances, ran.reason(), ended.settled), (2, "consensus", true));
    let differ = stage(|ask| Play::Words(if ask.seat.id == "a" { "x" } else { "y" }.into(), 5));
    assert_eq!(play(table, differ, &[]).await.reason(), "utterance_limit");
}

/// Without enough budget for the judge, the end states that the verdict is missing.
#[tokio::test]
async fn an_end_without_the_verdict_that_was_due_says_so() {
    let mut table = judged(&["j"], false, 1, "draw");
    let spec = ModelSpec { name: "x:tiny".into(), max_tokens: Some(5_000), ..ModelSpec::default() };
    table.participants[2].voice = VoiceSpec::Model(spec);
    table.participants[2].price = Some(Price(1.0, 10.0));
    for limits in [json!({"utterances": 4, "tokens": 90}), json!({"utterances": 4, "usd": 0.0001})]
    {
        table.scenario["limits"] = limits;
        let ran = play(table.clone(), plain(), &[]).await;
        assert!(ran.state.verdict.is_none(), "{:?}", ran.kinds());
        let text = ran.state.ended.as_ref().unwrap().text.clone().unwrap_or_default();
        assert!(text.contains("no verdict: the limit of") && text.contains("judge"), "{text}");
    }
}

#[tokio::test]
async fn the_share_of_the_same_answers_stops_it_and_silence_agrees_with_nobody() {
    let mut table = round_robin(&["a", "b", "c"], 9);
    table.scenario["stop"] = json!([{"agreement": 0.6}]);
    for seat in &mut table.participants {
        seat.reply = Contract {
            form: Form::Choice(vec!["x".into(), "y".into()]),
            again: 0,
            ..Contract::default()
        };
    }
    let stage = stage(|ask| match (&*ask.seat.id, ask.number) {
        ("a", _) => Play::Words("x".into(), 5),
        ("b", Some(n)) if n < 4 => Play::Words("y".into(), 5),
        ("b", _) => Play::Words("x".into(), 5),
        _ => Play::Words("neither of them".into(), 5),
    });
    let ran = play(table, stage, &[]).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b a b", "consensus"));
    assert_eq!(
        ran.state.ended.as_ref().unwrap().text.as_deref(),
        Some("67 % give the same answer")
    );
}

/// A judge of sides needs the side of each seat, even if sides are not swapped.
#[tokio::test]
async fn judge_of_sides_gets_the_members_of_each_side() {
    let mut opened = judged(&["j"], false, 1, "draw");
    for (at, name) in ["pro", "con"].into_iter().enumerate() {
        opened.scenario["verdict"]["sides"][at]["name"] = json!(name);
    }
    let ran = play(opened, answering(|_| json!({"winner": "pro"})), &[]).await;
    let judge = ran.seen.iter().find(|r| r.purpose == Purpose::Judge).unwrap();
    let names = judge.prompt.blocks.iter().filter_map(|b| match b {
        Block::Other { name, .. } => Some(name.to_string()),
        _ => None,
    });
    let names: Vec<String> = names.collect();
    assert!(names[0].contains("(pro)") && names[1].contains("(con)"), "{names:?}");
    assert_eq!(verdict(&ran).winner.as_deref(), Some("pro"));
}

/// The judge of a motion knows who argues what and can point at turns; an invented number of a turn is dropped.
#[tokio::test]
async fn judge_reads_positions_and_points_at_turns() {
    let mut opened = judged(&["j"], true, 1, "draw");
    for (at, name) in ["pro", "con"].into_iter().enumerate() {
        opened.scenario["verdict"]["sides"][at]["name"] = json!(name);
    }
    let sides = ["yes", "no"].into_iter();
    for (seat, side) in opened.participants.iter_mut().filter(|seat| seat.speaks).zip(sides) {
        seat.side = Some(side.into());
    }
    let reply = |_: &colloquium::voice::CallRequest| {
        json!({"unanswered": {"Side 1": "the cost", "Side 3": "x"}, "decided_by": [3, 99, "#2"],
               "why": "as said", "winner": "Side 2"})
    };
    let ran = play(opened.clone(), answering(reply), &[]).await;
    let judges: Vec<_> = ran.seen.iter().filter(|r| r.purpose == Purpose::Judge).collect();
    let systems: Vec<&str> = judges.iter().map(|r| &*r.prompt.system).collect();
    assert!(systems[0].contains("Side 1 speaks for the motion, Side 2 against it."), "{systems:?}");
    assert!(systems[1].contains("Side 1 speaks against the motion, Side 2 for it."), "{systems:?}");
    let task = judges[0].prompt.task.as_ref().unwrap();
    assert!(task.contains("\"decided_by\" is a list of the numbers"), "{task}");
    let judgements = &verdict(&ran).judgements;
    assert_eq!(judgements[0].decided_by, [3, 2]);
    assert_eq!(judgements[0].unanswered, [("pro".into(), "the cost".into())].into());
    assert_eq!(judgements[1].unanswered, [("con".into(), "the cost".into())].into());

    opened.scenario["debate"] = json!("plain");
    opened.scenario["verdict"]["sides"][0]["argues"] = json!("yes {{ 3 + 4 }}");
    opened.scenario["verdict"]["sides"][1]["argues"] = json!("no.");
    let ran = play(opened, answering(reply), &[]).await;
    let judge = ran.seen.iter().find(|r| r.purpose == Purpose::Judge).unwrap();
    let says = "Side 1 argues that the answer is: yes 7. Side 2 argues that the answer is: no.";
    assert!(judge.prompt.system.contains(says), "{}", judge.prompt.system);
    let task = judge.prompt.task.as_ref().unwrap();
    assert!(!task.contains("decided_by"), "a plain debate asks for nothing more: {task}");
}

/// The operator's `end` and a time limit are judged too, unless the scenario disables it; a second `end` does not wait.
#[tokio::test]
async fn an_end_that_is_cut_short_is_judged_too() {
    let end = [json!({"after": {"utterance": 2}, "do": "end"})];
    let winner = || answering(|_| json!({"winner": "a"}));
    let ran = play(judged(&["j"], false, 1, "draw"), winner(), &end).await;
    assert_eq!((ran.reason(), verdict(&ran).winner.as_deref()), ("operator", Some("a")));
    let mut timed = judged(&["j"], false, 1, "draw");
    timed.scenario["limits"] = json!({"seconds": 1, "utterances": 99});
    let slow = || {
        stage(|ask| match ask.purpose {
            Purpose::Speak => Play::Words("one two three four".into(), 200),
            _ => Play::Words(json!({"winner": "b"}).to_string(), 20),
        })
    };
    let ran = play(timed.clone(), slow(), &[]).await;
    assert_eq!((ran.reason(), verdict(&ran).winner.as_deref()), ("time_limit", Some("b")));
    for (mut opened, steer) in [(timed, vec![]), (judged(&["j"], false, 1, "draw"), end.to_vec())] {
        opened.scenario["verdict"]["at"] = json!("completed");
        let ran = play(opened, slow(), &steer).await;
        assert!(ran.state.verdict.is_none(), "{}", ran.reason());
    }
    let twice = [
        end[0].clone(),
        json!({"when": "'j' in seats[2].id and turn_count >= 2 and not paused", "do": "mark"}),
        json!({"after": {"utterance": 2}, "do": "end", "id": "again"}),
    ];
    let ran = play(judged(&["j"], false, 1, "draw"), winner(), &twice).await;
    assert_eq!(ran.reason(), "operator");
    assert!(ran.state.verdict.is_none(), "it does not wait");
}
