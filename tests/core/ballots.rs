//! Edge cases of answers and votes: the last ballot counts, judges that withdraw answers, ids that look like labels,
//! and a history that is too long for the window.

use crate::consensus::{choices, club};
use crate::harness::*;
use colloquium::model::*;
use colloquium::state::MoveKind;
use colloquium::voice::CallRequest;
use serde_json::{Value, json};

fn presents(ask: &CallRequest) -> bool {
    ask.prompt.task.as_deref().is_some_and(|task| task.contains("Your answer won"))
}

fn vote(whose: &str) -> Play {
    Play::Words(format!("VOTE: {whose}\nIt is the best."), 5)
}

fn result(ran: &Ran) -> &Value {
    &ran.state.ended.as_ref().expect("it ended").result
}

fn votes(ran: &Ran) -> Vec<(&str, &str)> {
    let all = result(ran)["votes"].as_array().unwrap().iter();
    all.map(|v| (v["by"].as_str().unwrap(), v["for"].as_str().unwrap())).collect()
}

fn answered(ran: &Ran) -> Vec<&str> {
    let all = result(ran)["answers"].as_array().unwrap().iter();
    all.map(|v| v["by"].as_str().unwrap()).collect()
}

fn remarked(ran: &Ran) -> Vec<&str> {
    let moves = &ran.state.threads[&ThreadId::ROOT].state.moves();
    moves.iter().filter(|m| m.did == MoveKind::Remarked).map(|m| &*m.seat.0).collect()
}

/// Voters from before the newest answer are asked again, and their last ballot counts.
#[tokio::test]
async fn a_late_answer_asks_the_voters_again_and_the_last_ballot_counts() {
    let stage = stage(|ask| match (&*ask.seat.id, choices(ask)) {
        _ if presents(ask) => Play::Words("We fly.".into(), 5),
        ("ann", 0) => Play::Words("a walks".into(), 5),
        ("bob", 0 | 1) => match choices(ask) {
            0 => Play::Words("b thinks and thinks and thinks and thinks".into(), 10),
            _ => vote("ann"),
        },
        ("cyd", 0 | 1) => Play::Words("c flies over all of that at once".into(), 60),
        _ => vote("cyd"),
    });
    let ran = play(club(&["ann", "bob", "cyd"], json!({"on_new": "restart"})), stage, &[]).await;
    let cast = |m: &&colloquium::state::AnswerMove| {
        m.seat == SeatId("bob".into()) && matches!(m.did, MoveKind::Voted { .. })
    };
    let moves = &ran.state.threads[&ThreadId::ROOT].state.moves();
    assert_eq!(moves.iter().filter(cast).count(), 2, "bob voted twice: {moves:?}");
    assert_eq!(votes(&ran), [("ann", "cyd"), ("bob", "cyd"), ("cyd", "cyd")]);
    assert_eq!(result(&ran)["how"], "3 votes of 3");
}

/// A seat has a limited number of answers; after that it votes, and an invalid vote is ignored.
#[tokio::test]
async fn votes_count_once_the_answers_are_used_up() {
    let stage = stage(|ask| match (&*ask.seat.id, choices(ask)) {
        _ if presents(ask) => Play::Words("We walk.".into(), 5),
        (id, 0) => Play::Words(format!("{id} walks"), 5),
        ("ann", _) => Play::Words("I have a better one: we ride.".into(), 5),
        _ => vote("ann"),
    });
    let options = json!({"answers": 1, "on_new": "tell"});
    let ran = play(club(&["ann", "bob", "cyd"], options), stage, &[]).await;
    // a seat whose reply is unclear is asked again in the next round
    assert_eq!((answered(&ran), remarked(&ran)), (vec!["ann", "bob", "cyd"], vec!["ann"; 3]));
    assert_eq!(votes(&ran), [("bob", "ann"), ("cyd", "ann")]);
    assert_eq!((ran.reason(), &result(&ran)["how"]), ("consensus", &json!("2 votes of 2")));
}

/// An answer that the judge calls not new is withdrawn; without a clear judgement it stays.
#[tokio::test]
async fn a_judge_says_whether_an_answer_is_new() {
    for (says, stand) in [
        ("no", vec!["ann", "cyd"]),
        ("yes", vec!["ann", "bob", "cyd"]),
        ("Hard to tell.", vec!["ann", "bob", "cyd"]),
    ] {
        let stage = stage(move |ask| match (&*ask.seat.id, choices(ask)) {
            _ if presents(ask) => Play::Words("We walk.".into(), 5),
            ("jud", _) => match ask.prompt.task.as_deref().unwrap_or_default() {
                task if task.contains("Another answer:\nOn foot") => Play::Words(says.into(), 5),
                task if task.contains("Another answer:") => Play::Words("yes".into(), 5),
                task => panic!("the judge is asked something else: {task}"),
            },
            ("ann", 0) => Play::Words("We walk there.".into(), 5),
            ("bob", 0) => Play::Words("On foot, that is how.".into(), 20),
            ("cyd", 0) => Play::Words("We do not walk there.".into(), 40),
            _ => vote("ann"),
        });
        let options = json!({"on_new": "tell", "novelty_by": "judge", "judge": "jud", "rounds": 2});
        let mut table = club(&["ann", "bob", "cyd", "jud"], options);
        table.participants[3].speaks = false;
        let ran = play(table, stage, &[]).await;
        assert_eq!(answered(&ran), stand, "{says}");
        assert_eq!(ran.reason(), "consensus", "{says}");
        assert_eq!(votes(&ran), [("ann", "ann"), ("bob", "ann"), ("cyd", "ann")], "{says}");
    }
}

/// Voters see labels only, and seats with letters as ids are not mixed up with them.
#[tokio::test]
async fn ids_that_look_like_labels_change_no_vote() {
    let ids = ["a", "b", "c", "d"];
    let stage = stage(move |ask| {
        if presents(ask) {
            return Play::Words("We walk.".into(), 5);
        }
        if choices(ask) < 4 {
            return Play::Words(format!("{} would walk there alone", ask.seat.id), 5);
        }
        // everybody votes for c's answer, under its letter in their own ballot
        let answers = ask.prompt.sections.iter().find(|s| s.starts_with("<answers>")).unwrap();
        let (before, _) = answers.split_once("c would walk").unwrap();
        let label = before.rsplit("label=\"").next().unwrap().split('"').next().unwrap();
        Play::Words(format!("VOTE: {}", label.trim_start_matches("Answer ")), 5)
    });
    let ran = play(club(&ids, json!({"on_new": "tell"})), stage, &[]).await;
    assert_eq!(votes(&ran), ids.map(|id| (id, "c")));
}

/// A model with a small window gets the end of the history, the message and the answers, and the log records it.
#[tokio::test]
async fn a_history_that_is_too_long_for_the_window_loses_its_oldest_part() {
    let long: String = (1..=40).map(|day| format!("and on day {day} we walk on, ")).collect();
    let stage = || {
        let long = long.clone();
        stage(move |ask| match choices(ask) {
            _ if presents(ask) => Play::Words(format!("Presented: {long}"), 1),
            0 => Play::Words(format!("{} walks", ask.seat.id), 5),
            _ => vote("ann"),
        })
    };
    let mut table = club(&["ann", "bob"], json!({"on_new": "tell"}));
    for seat in &mut table.participants {
        seat.voice = VoiceSpec::Model(ModelSpec { max_tokens: Some(100), ..ModelSpec::default() });
        seat.window = Some(900);
    }
    let mut ran = play(table, stage(), &[]).await;
    for day in ["Monday", "Tuesday", "Wednesday", "Thursday"] {
        let say = json!({"do": "say", "text": format!("And on {day}?")});
        ran = resume(ran.events.clone(), stage(), &[say]).await;
        assert_eq!(ran.reason(), "consensus", "{day}");
    }
    let asked = &ran.seen[0].prompt;
    let history = &asked.sections[0];
    assert!(history.contains("left out]") && history.contains("And on Wednesday?"), "{history}");
    assert!(!history.contains("And on Monday?") && asked.left_out > 0, "{history}");
    assert!(asked.system.contains("And on Thursday?"), "{}", asked.system);
    let told = ran.events.iter().rev().find_map(|e| match &e.kind {
        Kind::CallStarted(call) => Some(call.left_out),
        _ => None,
    });
    assert!(told > Some(0), "the log says what was left out");
}
