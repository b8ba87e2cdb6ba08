//! Detection of circular conversations, its warnings, and that other conversations are left alone.

use crate::harness::*;
use colloquium::engine::{Said, circling};
use colloquium::model::Text;
use colloquium::state::Rolls;
use serde_json::json;

const LOOPS: &str = include_str!("../corpus/loops.txt");
const DEBATES: &str = include_str!("../corpus/debates.txt");
/// Maximum number of undetected circles of each kind. The rule compares words, so it cannot detect the same statement
/// in other words.
const MISSED_MOST: [(&str, usize); 6] = [
    ("the same words", 0),
    ("echo", 0),
    ("courtesy", 3),
    ("two positions", 0),
    ("other names and numbers", 5),
    ("other words", 20),
];
/// Maximum percentage of real conversations with a false warning.
const FALSE_MOST: usize = 0;

/// Reads the conversations of a file, as messages with their speakers.
fn talks(file: &str) -> Vec<Vec<(&str, Text)>> {
    let lines = file.lines().filter(|l| !l.starts_with('#') && !l.is_empty());
    lines.map(talk).collect()
}

/// Reads the circles of one kind.
fn circles(kind: &str) -> Vec<Vec<(&'static str, Text)>> {
    let (_, rest) = LOOPS.split_once(&format!("# kind: {kind}\n")).expect("a kind of circles");
    talks(rest.split("# kind: ").next().unwrap_or(rest))
}

fn talk(line: &str) -> Vec<(&str, Text)> {
    let mut said: Vec<(&str, Text)> = vec![];
    for part in line.split(" | ") {
        let (who, words) = part.split_once(": ").expect("who says it");
        let own = said.iter().rev().find(|(by, _)| *by == who).map(|(_, words)| words.clone());
        let other = said.last().map(|(_, words)| words.clone());
        let words = words.trim().replace('=', &own.unwrap_or_default());
        said.push((who, words.replace('^', &other.unwrap_or_default()).into()));
    }
    said
}

/// Returns whether a conversation gets a warning at any moment.
fn warned(talk: &[(&str, Text)]) -> bool {
    let rolls = Rolls::default();
    let said: Vec<Said> = talk
        .iter()
        .enumerate()
        .map(|(heard, (who, words))| Said { who, words, heard, repeats: false })
        .collect();
    let mut seats: Vec<&str> = talk.iter().map(|(who, _)| *who).collect();
    seats.sort_unstable();
    seats.dedup();
    (1..=said.len()).any(|n| circling(&said[..n], |text| rolls.trigrams(text)) >= seats.len())
}

#[test]
fn circles_are_told_from_debates() {
    let loops = talks(LOOPS);
    let debates = talks(DEBATES);
    assert!(loops.len() >= 100 && debates.len() >= 100, "{} {}", loops.len(), debates.len());
    let mut all = 0;
    for (kind, most) in MISSED_MOST {
        let of = circles(kind);
        let missed: Vec<_> = of.iter().filter(|t| !warned(t)).collect();
        println!("{kind}: {} of {} circles missed", missed.len(), of.len());
        assert!(missed.len() <= most, "{kind}: {missed:#?}");
        all += missed.len();
    }
    let wrong: Vec<_> = debates.iter().filter(|t| warned(t)).collect();
    println!("in all {all} of {} circles missed", loops.len());
    println!("{} of {} debates taken for one", wrong.len(), debates.len());
    assert!(wrong.len() * 100 <= FALSE_MOST * debates.len(), "{wrong:#?}");
}

fn circle(rule: serde_json::Value) -> colloquium::model::payload::Opened {
    let mut table = round_robin(&["a", "b", "c"], 20);
    table.scenario["stop"] = json!([rule]);
    table
}

/// Returns voices that repeat themselves after three utterances, for this many turns.
fn parrots(again: u32) -> Stage {
    stage(move |ask| {
        let n = ask.number.unwrap_or(0);
        let own = match &*ask.seat.id {
            "a" => "the harbour has to be dredged before winter comes",
            "b" => "nobody will pay for a dredger that we sell in spring",
            _ => "ask the pilots, they have been measuring it for years",
        };
        let text = if n <= 3 + again {
            own.into()
        } else {
            ["one", "two", "three", "four"].map(|word| format!("{word}{n}")).join(" ")
        };
        Play::Words(text, 5)
    })
}

#[tokio::test]
async fn a_circle_is_warned_of_after_a_round_and_ends_after_the_next() {
    let ran = play(circle(json!({"loop": {}})), parrots(99), &[]).await;
    assert_eq!((ran.reason(), ran.state.utterances), ("loop", 9));
    assert!(!ran.state.ended.as_ref().unwrap().settled);
    let warnings: Vec<&str> = ran.state.warnings.iter().map(|w| &*w.text).collect();
    assert_eq!(
        warnings,
        ["They repeat themselves since turn 4; it ends if the next round does too."]
    );
    let at = ran.events.iter().position(|e| e.kind.name() == "warning").unwrap();
    let before = ran.events[..at].iter().filter(|e| e.kind.name() == "turn.ended").count();
    assert_eq!(before, 6, "a whole round of it");
}

#[tokio::test]
async fn seat_that_leaves_the_loop_after_the_warning_continues() {
    let ran = play(circle(json!({"loop": {}})), parrots(4), &[]).await;
    assert_eq!((ran.reason(), ran.state.warnings.len()), ("utterance_limit", 1));
    let off = play(round_robin(&["a", "b", "c"], 20), parrots(99), &[]).await;
    assert_eq!(off.reason(), "utterance_limit", "where no rule says so, a circle ends nothing");
    let warnings: Vec<&str> = off.state.warnings.iter().map(|w| &*w.text).collect();
    assert_eq!(warnings, ["They repeat themselves since turn 4. /note steers them."]);
}

#[tokio::test]
async fn equal_text_without_seeing_it_is_not_a_repetition() {
    let scenario = json!({
        "policy": {"name": "simultaneous", "options": {"rounds": 3}},
        "stop": [{"loop": {}}],
    });
    let agree = stage(|ask| {
        let thought = match ask.number.unwrap_or(0).div_ceil(3) {
            1 => "the harbour has to be dredged before winter comes",
            2 => "nobody will pay for a dredger that we sell in spring",
            _ => "ask the pilots, they have been measuring it for years",
        };
        Play::Words(thought.into(), 5)
    });
    let ran = play(table(scenario, ["a", "b", "c"].map(seat).to_vec()), agree, &[]).await;
    assert_eq!((ran.reason(), ran.state.warnings.len()), ("round_limit", 0));
}
