//! Size of a log, and the amount of shown text that a kill can lose.

use crate::harness::*;
use colloquium::model::*;
use serde_json::json;

/// Returns a voice with words of four bytes at 50 a second, as a model streams them.
fn steady() -> Stage {
    stage(|_| Play::Words("word ".repeat(200), 20))
}

#[tokio::test]
async fn a_log_is_at_most_six_times_the_text_and_2_kib_an_utterance() {
    let ran = play(round_robin(&["a", "b", "c"], 9), steady(), &[]).await;
    let text: usize = ran.texts().iter().map(|t| t.len()).sum();
    let file: usize = ran.lines.iter().map(|l| l.len() + 1).sum();
    let most = 6 * text + 9 * 2048;
    println!("{file} bytes for {text} of text in 9 turns, {most} at most");
    assert!(file <= most, "{file} bytes, {most} at most");
}

#[tokio::test]
async fn nothing_shown_stays_loose_for_more_than_250_ms() {
    let scenario = json!({"policy": {"name": "simultaneous", "options": {"rounds": 2}}});
    let ran = play(table(scenario, vec![seat("a"), seat("b"), seat("c")]), steady(), &[]).await;
    let mut started = std::collections::BTreeMap::new();
    let mut longest = 0;
    for e in &ran.events {
        match &e.kind {
            Kind::CallStarted(c) => drop(started.insert(c.turn, e.ms)),
            Kind::Delta(d) => {
                let pieces = piece::unpack(&d.pieces, started[&d.pieces[0].0]);
                longest = longest.max(e.ms.since(pieces[0].at));
            }
            _ => {}
        }
    }
    println!("sealed after {longest} ms at most");
    assert!((1..=250).contains(&longest), "{longest} ms");
}
