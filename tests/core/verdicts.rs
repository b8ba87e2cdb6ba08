//! Judges of a conversation and of its phases: stops, ties, and the material of the judges.

use crate::harness::*;
use crate::judging::debate;
use colloquium::model::payload::Opened;
use colloquium::model::*;
use colloquium::voice::CallRequest;
use serde_json::{Value, json};

/// Returns voices that speak plainly, with judgements from the test.
fn judging(answer: impl Fn(&CallRequest) -> Value + Send + Sync + 'static) -> Stage {
    stage(move |ask| match ask.purpose {
        Purpose::Speak => Play::Words(format!("{} speaks", ask.seat.id), 10),
        Purpose::Summarise => Play::Words(format!("SUM of {}", ask.prompt.blocks.len()), 5),
        _ => Play::Words(answer(ask).to_string(), 10),
    })
}

fn spec(judges: &[&str], more: Value) -> Value {
    let side = |id: &str| json!({"name": id, "seats": [id]});
    let mut spec = json!({"judges": judges, "question": "Who is right?", "sides": [side("a"), side("b")],
                          "votes": 1, "swap_test": false, "tie": "draw"});
    spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    spec
}

/// Returns a conversation in which `a` and `b` speak twice each.
pub fn judged(judges: &[&str], more: Value) -> Opened {
    debate(json!({"verdict": spec(judges, more)}))
}

/// Returns two phases of two rounds, the first of which is judged.
pub fn judged_phase(more: Value, verdict: Option<Value>) -> Opened {
    let rounds = json!({"name": "round_robin", "options": {"rounds": 3}});
    let phase = |name: &str| json!({"name": name, "who": ["a", "b"], "policy": rounds});
    let mut first = phase("case");
    first["judge"] = spec(&["j"], more);
    debate(json!({"policy": {"name": "phases"}, "limits": {}, "phase": [first, phase("talk")],
                  "verdict": verdict}))
}

fn verdicts(ran: &Ran) -> Vec<VerdictGiven> {
    let given = |e: &Event| match &e.kind {
        Kind::VerdictGiven(v) => Some(v.clone()),
        _ => None,
    };
    ran.events.iter().filter_map(given).collect()
}

fn split(ask: &CallRequest) -> Value {
    json!({"winner": if ask.seat.id == "j" { "a" } else { "b" }})
}

#[tokio::test]
async fn judges_end_the_conversation_once_a_side_has_won() {
    let late = |ask: &CallRequest| json!({"winner": if ask.prompt.blocks.len() < 4 { "tie" } else { "b" }});
    let mut table = judged(&["j"], json!({"may_stop": true}));
    table.scenario["limits"] = json!({"utterances": 12});
    let ran = play(table.clone(), judging(late), &[]).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b a b", "verdict"));
    assert_eq!(ran.state.ended.as_ref().unwrap().result["winner"], "b");
    let given = verdicts(&ran);
    assert_eq!(given.len(), 2, "{given:?}");
    assert!(given[0].interim && given[0].winner.is_none());
    assert!(given[1].interim && given[1].winner.as_deref() == Some("b"));
    let asked = ran.seen.iter().find(|r| r.purpose == Purpose::Judge).unwrap();
    assert!(asked.prompt.task.as_ref().unwrap().contains("The debate is not over"));
    let ran = play(table, judging(|_| json!({"winner": "tie"})), &[]).await;
    assert_eq!((ran.state.utterances, ran.reason()), (12, "utterance_limit"));
    let given = verdicts(&ran);
    assert_eq!(given.len(), 6, "after five rounds, and at the end");
    assert!(!given[5].interim && given[..5].iter().all(|v| v.interim));
}

#[tokio::test]
async fn judge_is_not_asked_without_contestants() {
    let mut table = judged_phase(json!({}), None);
    table.scenario["phase"][0]["judge"].as_object_mut().unwrap().remove("sides");
    let leaves = |who: &str| json!({"after": {"utterance": 2}, "do": "leave", "who": who});
    let ran = play(table, judging(|_| json!({"winner": "a"})), &[leaves("a"), leaves("b")]).await;
    assert!(ran.seen.iter().all(|asked| asked.purpose != Purpose::Judge), "{:?}", ran.who());
    let given = verdicts(&ran);
    assert_eq!((given.len(), &given[0].winner), (1, &None), "{given:?}");
    assert_eq!(&*given[0].how, "nobody was left to choose from");
}

#[tokio::test]
async fn a_phase_has_a_judge_of_its_own() {
    let ran = play(judged_phase(json!({}), None), judging(|_| json!({"winner": "a"})), &[]).await;
    assert_eq!((ran.state.utterances, ran.reason()), (12, "completed"));
    let given = verdicts(&ran);
    assert_eq!(given.len(), 1);
    assert_eq!(given[0].phase.as_deref(), Some("case"));
    let at = ran.events.iter().position(|e| matches!(e.kind, Kind::VerdictGiven(_))).unwrap();
    let closed = ran.events.iter().position(|e| matches!(e.kind, Kind::ThreadClosed(_))).unwrap();
    assert!(at < closed, "before its phase is over");
    let judge = |ask: &CallRequest| json!({"winner": if ask.prompt.blocks.len() < 4 { "tie" } else { "b" }});
    let stops = judged_phase(json!({"may_stop": true}), None);
    let ran = play(stops, judging(judge), &[]).await;
    assert_eq!(
        (ran.state.utterances, ran.reason()),
        (10, "completed"),
        "four of six, then the talk"
    );
    let reasons: Vec<StopReason> = ran
        .events
        .iter()
        .filter_map(|e| if let Kind::ThreadClosed(c) = &e.kind { Some(c.reason) } else { None })
        .collect();
    assert_eq!(reasons[0], StopReason::Verdict);
}

/// The spare judge is asked only if the deciding judge found no winner, and sees the opening statements only.
#[tokio::test]
async fn a_winner_of_the_last_phase_is_the_verdict_and_a_spare_judge_sees_the_openings() {
    let spare = spec(&["k"], json!({"sees": "opening"}));
    let table = || {
        let mut table = judged_phase(json!({"may_stop": true}), Some(spare.clone()));
        table.scenario["phase"].as_array_mut().unwrap().truncate(1);
        table
    };
    let ran = play(table(), judging(|_| json!({"winner": "a"})), &[]).await;
    assert_eq!((ran.state.utterances, ran.reason(), verdicts(&ran).len()), (2, "verdict", 1));
    let undecided =
        |ask: &CallRequest| json!({"winner": if ask.seat.id == "j" { "tie" } else { "b" }});
    let ran = play(table(), judging(undecided), &[]).await;
    assert_eq!((ran.state.utterances, ran.reason()), (6, "verdict"));
    let given = verdicts(&ran);
    let last = given.last().unwrap();
    assert_eq!((last.winner.as_deref(), &last.phase), (Some("b"), &None));
    let asked = ran.seen.iter().find(|r| *r.seat.id == *"k").unwrap();
    assert_eq!(asked.prompt.blocks.len(), 2, "the first words of both");
}

#[tokio::test]
async fn the_first_judge_has_the_casting_vote() {
    let judge = |ask: &CallRequest| match ask.facts["options"].as_array().map(Vec::len) {
        Some(2) if ask.prompt.task.as_ref().unwrap().contains("has to win") => {
            json!({"choice": "b"})
        }
        _ => split(ask),
    };
    let ran = play(judged(&["j", "k"], json!({"tie": "judge"})), judging(judge), &[]).await;
    let given = verdicts(&ran);
    assert_eq!(given.len(), 1);
    assert_eq!(given[0].winner.as_deref(), Some("b"));
    assert_eq!(&*given[0].how, "tie of a and b in 2 judgements; b by the deciding vote of j");
    let unread = |ask: &CallRequest| {
        if ask.prompt.task.as_ref().unwrap().contains("has to win") {
            json!("oh dear")
        } else {
            split(ask)
        }
    };
    let ran = play(judged(&["j", "k"], json!({"tie": "judge"})), judging(unread), &[]).await;
    let given = verdicts(&ran);
    assert_eq!((given[0].winner.as_deref(), ran.reason()), (None, "utterance_limit"));
    assert_eq!(&*given[0].how, "tie of a and b in 2 judgements; a draw");
}

#[tokio::test]
async fn the_operator_breaks_a_tie_or_leaves_it() {
    let table = || judged(&["j", "k"], json!({"tie": "human"}));
    let paused = "paused and turn_count == 4";
    let choose =
        |winner: &str| json!({"when": paused, "id": "t", "do": "verdict", "winner": winner});
    let ran = play(table(), judging(split), &[choose("b")]).await;
    let given = verdicts(&ran);
    assert_eq!((given.len(), given[0].winner.as_deref()), (1, Some("b")));
    assert!(given[0].how.ends_with("b by the operator"), "{}", given[0].how);
    assert_eq!(ran.reason(), "utterance_limit");
    let resume = json!({"when": paused, "do": "resume"});
    let ran = play(table(), judging(split), &[resume]).await;
    assert_eq!(&*verdicts(&ran)[0].how, "tie of a and b in 2 judgements; a draw");
    let ran = play(table(), judging(split), &[choose("c")]).await;
    assert_eq!((ran.reason(), verdicts(&ran).len()), ("failure", 0), "nobody is there to choose");
    let why = ran.state.ended.as_ref().unwrap().text.as_deref().unwrap();
    assert!(why.contains("the judgements are tied between a and b"), "{why}");
    let refused = ran.events.iter().find_map(|e| match &e.kind {
        Kind::CommandRefused(r) => Some(r.why.to_string()),
        _ => None,
    });
    assert_eq!(refused.as_deref(), Some("c is not tied; the sides are a, b"));
    let early = json!({"after": {"utterance": 1}, "do": "verdict", "winner": "a"});
    let ran = play(table(), judging(|_| json!({"winner": "a"})), &[early]).await;
    assert!(ran.kinds().contains(&"command.refused"));
}

#[tokio::test]
async fn judges_see_the_configured_part() {
    for (sees, blocks) in
        [("all", 4), ("opening", 2), ("last_round", 2), ("question", 0), ("summary", 1)]
    {
        let ran =
            play(judged(&["j"], json!({"sees": sees})), judging(|_| json!({"winner": "a"})), &[])
                .await;
        let asked = ran.seen.iter().find(|r| r.purpose == Purpose::Judge).unwrap();
        assert_eq!(asked.prompt.blocks.len(), blocks, "{sees}: {:?}", asked.prompt.blocks);
        assert_eq!(verdicts(&ran)[0].winner.as_deref(), Some("a"), "{sees}");
    }
}

/// A pause while the judges are asked delays the verdict but does not cancel it.
#[tokio::test]
async fn a_pause_holds_a_verdict_up() {
    let steer = [
        json!({"when": "turn_count == 4", "do": "pause"}),
        json!({"when": "paused", "do": "resume"}),
    ];
    let ran = play(judged(&["j"], json!({})), judging(|_| json!({"winner": "a"})), &steer).await;
    assert_eq!(verdicts(&ran).len(), 1, "{:?}", ran.kinds());
}
