//! Retries: any utterance is repeated in its place, and an interrupted one is continued.

use crate::harness::*;
use colloquium::model::ReceiptIs::Done;
use colloquium::model::*;
use serde_json::json;

/// An earlier utterance is repeated in its place, with the prompt of that time; later messages stay.
#[tokio::test]
async fn any_utterance_is_said_again_in_its_place() {
    let steer = [
        json!({"after": {"utterance": 2}, "do": "say", "text": "later words"}),
        json!({"after": {"utterance": 3}, "id": "r", "do": "retry", "utterance": 1}),
    ];
    let ran = play(round_robin(&["a", "b", "c"], 4), plain(), &steer).await;
    assert_eq!(ran.receipts("r").last(), Some(&Done));
    let versions: Vec<usize> = ran.state.entries.iter().map(|e| e.versions.len()).collect();
    assert_eq!(versions, [2, 1, 1, 1, 1]);
    let again = &ran.seen[3];
    assert_eq!((&*again.seat.id, again.number), ("a", Some(1)));
    assert!(again.prompt.blocks.is_empty(), "nothing of later is seen: {:?}", again.prompt);
    let first = &ran.state.entries[0];
    let third = ran.state.utterance(3).unwrap();
    assert!(third.reads_earlier(first), "what follows answers the earlier text");
    assert_eq!(ran.state.last.as_ref().unwrap().number, Some(4), "the order goes on");
    assert_eq!(ran.who(), "a b operator c a");
}

/// `retry` applies to the last message. While somebody replies to it, it is refused at once, with an alternative.
#[tokio::test]
async fn a_retry_while_the_next_one_speaks_is_refused_at_once() {
    let steer = [json!({"during": {"utterance": 2, "words": 1}, "id": "r", "do": "retry"})];
    let ran = play(round_robin(&["a", "b"], 2), plain(), &steer).await;
    let why = ran.events.iter().find_map(|e| match &e.kind {
        Kind::CommandRefused(r) => Some(r.why.to_string()),
        _ => None,
    });
    let told = "b is already speaking: `retry` with utterance 1 waits until b has finished; `pause_now` stops b";
    assert_eq!(why.as_deref(), Some(told));
    assert!(ran.receipts("r").is_empty(), "nothing waits");
}

/// An interrupted message is continued as one complete message with the same number; the partial text stays as a
/// version.
#[tokio::test]
async fn a_cut_message_goes_on_as_one() {
    let said = std::sync::atomic::AtomicU32::new(0);
    let stage = stage(move |_| match said.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
        0 => Play::Words("the bridge is old and much too narrow".into(), 10),
        1 => Play::Words("and too steep.".into(), 10),
        n => Play::Words(format!("take {n}"), 10),
    });
    let steer = [
        json!({"during": {"utterance": 1, "words": 4}, "do": "pause_now"}),
        json!({"when": "paused", "id": "c", "do": "continue"}),
        json!({"when": "paused", "do": "resume"}),
        json!({"after": {"utterance": 2}, "do": "continue", "utterance": 2}),
    ];
    let ran = play(round_robin(&["a", "b"], 3), stage, &steer).await;
    assert_eq!(ran.receipts("c").last(), Some(&Done));
    assert_eq!(ran.texts()[0], "the bridge is old and too steep.");
    let first = &ran.state.entries[0];
    assert_eq!((first.versions.len(), first.version().cut), (2, None));
    let asked = &ran.seen[1].prompt;
    assert_eq!(asked.blocks, [Block::Own { text: "the bridge is old ".into(), cut: false }]);
    assert!(asked.task.as_deref().unwrap().contains("Go on exactly where"), "{asked:?}");
    assert_eq!((ran.who().as_str(), ran.state.utterances), ("a b a", 3));
    let refused = ran.events.iter().any(
        |e| matches!(&e.kind, Kind::CommandRefused(r) if r.why.contains("was not cut; `retry` says")),
    );
    assert!(refused, "a whole message is not gone on with");
}

#[tokio::test]
async fn a_queued_vote_can_be_dropped() {
    let when = |words: u32| json!({"utterance": 2, "words": words});
    let vote = json!({"during": when(1), "do": "vote", "question": "Stay?", "id": "v"});
    let drop = json!({"during": when(3), "do": "drop_queued", "of": "v"});
    let opened = || {
        let scenario = json!({"policy": {"name": "round_robin"}, "limits": {"utterances": 4}});
        table(scenario, vec![seat("a"), seat("b")])
    };
    let votes = |ran: &Ran| ran.kinds().iter().filter(|kind| **kind == "vote.closed").count();
    assert_eq!(votes(&play(opened(), plain(), std::slice::from_ref(&vote)).await), 1);
    assert_eq!(votes(&play(opened(), plain(), &[vote, drop]).await), 0);
}

#[tokio::test]
async fn queued_commands_of_the_parent_wait_until_the_branch_resumes() {
    let opened = || {
        let scenario = json!({"policy": {"name": "round_robin"}, "limits": {"utterances": 4}});
        table(scenario, vec![seat("a"), seat("b")])
    };
    let during = json!({"utterance": 2, "words": 1});
    let queued = [
        json!({"during": during, "do": "vote", "question": "Stay?", "id": "v"}),
        json!({"during": during, "do": "say", "text": "go on", "id": "s"}),
    ];
    let whole = play(opened(), plain(), &queued).await;
    let second = |e: &Event| matches!(&e.kind, Kind::TurnEnded(t) if t.number == Some(2));
    let at = whole.events.iter().position(second).unwrap() + 1;
    let past = whole.events[..at].to_vec();
    let drops = |of: &str| json!({"after": {"utterance": 2}, "do": "drop_queued", "of": of});
    let resume = json!({"after": {"utterance": 2}, "do": "resume"});
    let done = |ran: &Ran| {
        let votes = ran.kinds().iter().filter(|kind| **kind == "vote.closed").count();
        (votes, ran.texts().contains(&"go on"))
    };
    let kept = fork_watched(past.clone(), plain(), std::slice::from_ref(&resume)).await;
    assert_eq!(done(&kept), (1, true));
    let why = kept.events.iter().find_map(|e| match &e.kind {
        Kind::Paused(paused) => paused.why.clone(),
        _ => None,
    });
    assert_eq!(why.as_deref(), Some("queued in the parent: vote, say"));
    let dropped = fork_watched(past.clone(), plain(), &[drops("v"), resume.clone()]).await;
    assert_eq!(done(&dropped), (0, true));
    let dropped = fork_watched(past, plain(), &[drops("v"), drops("s"), resume]).await;
    assert_eq!(done(&dropped), (0, false));
}
