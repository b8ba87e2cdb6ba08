//! Replies whose meaning is unclear: asked once, then a remark that changes nothing.

use crate::consensus::{choices, club};
use crate::harness::*;
use colloquium::model::*;
use colloquium::state::MoveKind;
use colloquium::voice::CallRequest;
use serde_json::{Value, json};

fn presents(ask: &CallRequest) -> bool {
    ask.prompt.task.as_deref().is_some_and(|task| task.contains("Your answer won"))
}

fn says(text: &str) -> Play {
    Play::Words(text.into(), 5)
}

fn result(ran: &Ran) -> &Value {
    &ran.state.ended.as_ref().expect("it ended").result
}

fn answer_of<'a>(ran: &'a Ran, seat: &str) -> &'a str {
    let all = result(ran)["answers"].as_array().unwrap().iter();
    let mut of = all.filter(|answer| answer["by"] == seat);
    of.next().and_then(|answer| answer["text"].as_str()).unwrap()
}

fn messages(ran: &Ran) -> Vec<(&str, &str)> {
    let ended = ran.events.iter().filter_map(|e| match &e.kind {
        Kind::TurnEnded(end) => Some((end.message.as_deref()?, &*end.text)),
        _ => None,
    });
    ended.collect()
}

const WALK: &str = "We walk along the river and take the old bridge, because it is dry and nobody has to wait there.";

/// No unclear reply replaces an answer: it is asked about once and then kept as a remark.
#[tokio::test]
async fn an_unclear_reply_is_asked_about_once_and_replaces_nothing() {
    let stage = stage(|ask| match (&*ask.seat.id, choices(ask)) {
        _ if presents(ask) => says("We walk."),
        (_, 0) => says(WALK),
        ("ann", _) => says("Both are good."),
        _ => says("I agree with Answer A: it is dry."),
    });
    let ran = play(club(&["ann", "bob", "cyd"], json!({"rounds": 2})), stage, &[]).await;
    assert_eq!(answer_of(&ran, "ann"), WALK);
    let asked: Vec<&str> =
        ran.seen.iter().filter_map(|ask| ask.prompt.rejected.as_ref()?.ask.as_deref()).collect();
    assert_eq!(
        asked.first(),
        Some(
            &"Is that a vote or an answer? Begin with \"VOTE:\" and one of Answer A, Answer B, Answer C, or with \"ANSWER:\" \
              and your answer in full."
        )
    );
    let remarks: Vec<&str> =
        messages(&ran).into_iter().filter(|(kind, _)| *kind == "remark").map(|(_, t)| t).collect();
    assert_eq!(remarks, ["Both are good."; 2]);
    assert_eq!(result(&ran)["votes"].as_array().unwrap().len(), 2);
}

/// A conversation is not settled if an unclear reply could have changed the winner.
#[tokio::test]
async fn an_unclear_reply_that_could_decide_settles_nothing() {
    for (third, settled) in [("Both are good.", false), ("VOTE: ann", true)] {
        let stage = stage(move |ask| match (&*ask.seat.id, choices(ask)) {
            _ if presents(ask) => says("We walk."),
            (_, 0) => says(WALK),
            ("ann", _) => says("VOTE: ann"),
            ("bob", _) => says(third),
            _ => says("VOTE: nobody at all"),
        });
        let ran = play(club(&["ann", "bob", "cyd"], json!({"rounds": 2})), stage, &[]).await;
        let ended = ran.state.ended.as_ref().unwrap();
        assert_eq!(ended.settled, settled, "{third}");
    }
}

/// A winner who votes instead of presenting is asked once; then its answer is shown as it was.
#[tokio::test]
async fn a_winner_who_votes_again_presents_its_answer() {
    for (last, shown) in
        [("VOTE: Answer B", WALK), ("We walk, as all want.", "We walk, as all want.")]
    {
        let stage = stage(move |ask| match choices(ask) {
            _ if presents(ask) && ask.prompt.rejected.is_some() => says(last),
            _ if presents(ask) => says("Answer A"),
            0 => says(WALK),
            _ => says("VOTE: ann"),
        });
        let ran = play(club(&["ann", "bob"], json!({})), stage, &[]).await;
        assert_eq!(result(&ran)["answer"], shown);
        let moves = ran.state.threads[&ThreadId::ROOT].state.moves();
        assert_eq!(moves.last().map(|m| &m.did), Some(&MoveKind::Presented));
    }
}
