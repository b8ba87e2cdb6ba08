//! Commands in a nested thread: each one acts there.

use crate::harness::*;
use colloquium::model::ReceiptIs::{Delivered, Done, Queued};
use colloquium::model::*;
use serde_json::{Value, json};

fn phases() -> payload::Opened {
    let scenario = json!({
        "policy": {"name": "phases"},
        "limits": {"utterances": 20},
        "phase": [
            {"name": "opening", "who": ["a", "b"], "policy": {"name": "round_robin", "options": {"rounds": 1}}},
            {"name": "talk", "who": ["b", "c"], "policy": {"name": "round_robin", "options": {"rounds": 2}}},
        ],
    });
    table(scenario, vec![seat("a"), seat("b"), seat("c")])
}

async fn with(steer: &[Value]) -> Ran {
    play(phases(), plain(), steer).await
}

#[tokio::test]
async fn words_are_placed_where_people_talk_and_later_phases_see_them() {
    let say =
        json!({"during": {"utterance": 1, "words": 2}, "id": "s", "do": "say", "text": "hello"});
    let ran = with(&[say]).await;
    assert_eq!(ran.who(), "a operator b c b c b");
    assert_eq!(ran.receipts("s"), [Queued, Done, Delivered]);
    let hears = |r: &&colloquium::voice::CallRequest| {
        r.prompt.blocks.iter().any(|b| &**b.text() == "hello")
    };
    assert_eq!(ran.seen.iter().filter(hears).count(), 5, "all but the first speaker");
}

#[tokio::test]
async fn cut_in_skip_and_pause_reach_the_open_phase() {
    let cut = json!({"during": {"utterance": 4, "words": 2}, "do": "cut_in", "text": "stop"});
    assert_eq!(with(&[cut]).await.who(), "a b c b operator c b");
    let skip = json!({"during": {"utterance": 3, "words": 2}, "do": "skip"});
    assert_eq!(with(&[skip]).await.texts()[2], "c speaks ");
    let pause = json!({"during": {"utterance": 2, "words": 2}, "do": "pause"});
    let go_on = json!({"at": "1h", "do": "resume"});
    let ran = with(&[pause, go_on]).await;
    assert_eq!(ran.who(), "a b c b c b");
    assert!(ran.state.ms.0 > 3_600_000);
}

#[tokio::test]
async fn the_floor_goes_to_the_deepest_talk_that_holds_the_seat() {
    let floor = json!({"after": {"utterance": 3}, "id": "f", "do": "floor", "to": "c"});
    let ran = with(&[floor]).await;
    assert_eq!(ran.who(), "a b c c b c b", "and the order of the phase goes on where it was");
    assert_eq!(ran.receipts("f"), [Queued, Done]);
}

#[tokio::test]
async fn a_command_names_a_thread_or_is_told_that_there_is_none() {
    let opened = |ran: &Ran| {
        let of = |e: &&Event| matches!(&e.kind, Kind::ThreadOpened(t) if &*t.name == "talk");
        ran.events.iter().find(of).unwrap().seq.0
    };
    let talk = opened(&with(&[]).await);
    let say = json!({"after": {"utterance": 3}, "in": talk, "do": "say", "text": "in here"});
    let ran = with(&[say]).await;
    assert_eq!(ran.state.entries[3].thread, ThreadId(talk));
    let wrong = json!({"after": {"utterance": 3}, "in": 3, "do": "say", "text": "nowhere"});
    let ran = with(&[wrong]).await;
    let refused =
        |e: &Event| matches!(&e.kind, Kind::CommandRefused(r) if r.why.contains("no open thread"));
    assert!(ran.events.iter().any(refused));
}

#[tokio::test]
async fn whoever_joins_takes_part_from_the_next_phase_on_and_the_end_closes_all() {
    let join = json!({"after": {"utterance": 1}, "do": "join", "participant": {"id": "d", "lines": ["x"]}});
    let ran = with(&[join]).await;
    assert!(ran.who().ends_with("c b d c b d"), "{}", ran.who());
    let end = json!({"during": {"utterance": 3, "words": 2}, "do": "end", "final_round": true});
    let ran = with(&[end]).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b c a b c", "operator"));
}

#[tokio::test]
async fn whoever_is_in_no_phase_from_the_start_never_speaks() {
    let table = json!({
        "policy": {"name": "phases"},
        "phase": [{"name": "talk", "who": ["a", "b"], "policy": {"name": "round_robin", "options": {"rounds": 1}}}],
    });
    let opened = crate::harness::table(table, vec![seat("a"), seat("b"), seat("c")]);
    let ran = play(opened, plain(), &[]).await;
    assert_eq!(ran.who(), "a b");
}
