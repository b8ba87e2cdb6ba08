//! Moves: all texts and figures name the same ones, and only those that the words bear out.

use crate::harness::*;
use crate::kills::runtime;
use crate::presets;
use crate::stances::{between_poles, stating};
use colloquium::analysis::{Analysis, Cell, Mover, PoleMoveKind, Standing, fold};
use colloquium::export::{text, whole};
use colloquium::model::*;
use proptest::prelude::*;
use serde_json::json;

/// Returns the recorded stance of each turn, with its quotation.
fn quotes(ran: &Ran) -> Vec<(u32, Option<&str>)> {
    let stances = ran.events.iter().filter_map(|event| match &event.kind {
        Kind::PositionRecorded(stance) => Some((stance.number?, stance.quote.as_deref())),
        _ => None,
    });
    stances.collect()
}

fn moves(ran: &Ran) -> Vec<String> {
    let moves = Standing::new(&ran.state).map_or_else(Vec::new, |standing| standing.moves());
    let sign = |kind| if kind == PoleMoveKind::Place { "◆" } else { "◇" };
    moves.iter().map(|m| format!("{} {}", sign(m.kind), m.describe("the host"))).collect()
}

/// A quotation is kept if the mover's turn has its words; blanks, case and quotation marks do not matter.
#[test]
fn a_quotation_is_checked_against_the_words_spoken() {
    let line = |number: u32| match number {
        1 => Some("+2 | ban them"),
        2 => Some("-2 | leave them | after #1: \"a has  'Reason' 1 of\""),
        3 => Some("+1 | freight stays | after #2: \"b never said this\""),
        4 => Some("-2 | leave the vans | after a: \"reason 3 of its own.\""),
        5 => Some("+1 | a trial | after #9: \"reason 9\""),
        _ => Some("-2 | leave the vans | after #5"),
    };
    let ran = runtime().block_on(play(between_poles(json!({})), stating(line), &[]));
    let expected = [
        (1, None),
        (2, Some("a has 'Reason' 1 of")),
        (3, None),
        (4, Some("reason 3 of its own.")),
        (5, None),
    ];
    assert_eq!(quotes(&ran), expected);
    assert_eq!(
        moves(&ran),
        [
            "◆ a: ban them → freight stays, after b #2",
            "◇ b: leave them → leave the vans, after a #3: \"reason 3 of its own.\"",
        ],
        "words that change without a mover are no move"
    );
}

/// A turn that is hidden has no position, and moves nobody.
#[test]
fn a_hidden_turn_has_no_position_and_moves_nobody() {
    let line = |number: u32| match number {
        1 => Some("+2 | ban them"),
        2 => Some("-2 | leave them"),
        3 => Some("+1 | freight stays | after #2: \"reason 2\""),
        4 => Some("0 | a trial | after #3: \"reason 3\""),
        _ => None,
    };
    let hide = |number: u32| json!({"after": {"utterance": 5}, "do": "hide", "utterance": number});
    let ran =
        |number| runtime().block_on(play(between_poles(json!({})), stating(line), &[hide(number)]));
    assert_eq!(
        moves(&ran(2)),
        ["◆ a: ban them → freight stays"],
        "the first position of b that counts is no move"
    );
    assert_eq!(moves(&ran(3)), ["◆ b: leave them → a trial"]);
}

/// The host moves somebody by an earlier message that the participant may read; a quotation of it is the host's.
#[test]
fn a_message_of_the_host_moves_a_participant() {
    let line = |number: u32| match number {
        1 => Some("+2 | ban them"),
        2 => Some("-2 | leave them"),
        4 => Some("0 | a trial"),
        _ => None,
    };
    let say = json!({"after": {"utterance": 2}, "do": "say", "text": "Who carries the door?"});
    let mut ran = runtime().block_on(play(between_poles(json!({})), stating(line), &[say]));
    let said = ran.events.iter().find(|e| matches!(e.kind, Kind::HumanSaid(_))).unwrap().seq;
    let mut moved = |by: Seq, quote: Option<&str>| {
        for event in &mut ran.events {
            if let Kind::PositionRecorded(stance) = &mut event.kind
                && stance.number == Some(4)
            {
                stance.moved_by_message = Some(by);
                stance.quote = quote.map(Text::from);
            }
        }
        let standing = Standing::new(&fold(&ran.events).0).unwrap();
        standing.moves().iter().map(|m| m.describe("you")).collect::<Vec<_>>()
    };
    let quoted = "b: leave them → a trial, after you: \"the door\"";
    assert_eq!(moved(said, Some("the door")), [quoted]);
    for other in [Seq(9_999), Seq(0)] {
        assert_eq!(moved(other, Some("the door")), ["b: leave them → a trial"]);
    }
}

/// The rehearsed casts quote the words that moved them.
#[test]
fn the_bundled_casts_quote_the_words_that_moved_them() {
    let mut quoted = 0;
    for name in ["round-table", "crux", "formal-debate", "moderated-panel", "oxford"] {
        let voices = presets::actors(name, |_| 10);
        let mut opened = presets::opened(name);
        if name == "round-table" {
            opened.scenario["limits"] = json!({"utterances": 9});
        }
        let ran = runtime().block_on(play(opened, voices, &[]));
        for event in &ran.events {
            let Kind::PositionRecorded(stance) = &event.kind else { continue };
            if stance.moved_by.is_some() {
                let told = format!("{name}: {stance:?}");
                assert!(stance.quote.is_some(), "{told}");
                quoted += 1;
            }
        }
    }
    assert!(quoted > 15, "{quoted}");
}

/// Returns a turn's line: a place, words, the turn that moved its speaker, and a quotation that may be false.
fn stated() -> impl Strategy<Value = Option<String>> {
    let quote = prop_oneof![Just(""), Just(": \"of its own\""), Just(": \"never said\"")];
    let words = prop_oneof![Just("one"), Just("two"), Just("three")];
    let line = (-2..=2_i8, words, prop::option::of(1..12_u32), quote);
    let line = line.prop_map(|(at, words, by, quote)| {
        let by = by.map_or(String::new(), |by| format!(" | after #{by}{quote}"));
        format!("{at} | {words}{by}")
    });
    prop::option::weighted(0.9, line)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn every_text_names_the_same_moves(
        lines in prop::collection::vec(stated(), 8),
        hidden in prop::option::of(1..8_u32),
    ) {
        let hide = hidden.map(|n| json!({"after": {"utterance": 8}, "do": "hide", "utterance": n}));
        let opened = between_poles(json!({"limits": {"utterances": 9}}));
        let stated = lines.clone();
        let line = move |number: u32| stated.get(number as usize - 1).cloned().flatten();
        let stage = stating(line);
        let ran = runtime().block_on(play(opened, stage, hide.as_slice()));
        let standing = Standing::new(&ran.state);
        let moves = standing.map_or_else(Vec::new, |standing| standing.moves());
        for moved in &moves {
            let changed = moved.before.row != moved.now.row;
            prop_assert_eq!(moved.kind == PoleMoveKind::Place, changed);
            prop_assert!(Some(moved.now.number) != hidden && Some(moved.before.number) != hidden);
            match &moved.now.by {
                Mover::Turn { number, place, .. } => {
                    prop_assert!(*number < moved.now.number && *place != moved.place);
                    prop_assert!(Some(*number) != hidden);
                }
                Mover::Host(_) => prop_assert!(false, "nobody was moved by the host"),
                Mover::Nobody => {
                    prop_assert!(changed && moved.now.quote.is_none());
                }
            }
            prop_assert!(moved.now.quote.iter().all(|quote| quote == "of its own"));
        }
        let expected: Vec<String> = moves.iter().map(|m| m.describe("the host")).collect();
        let told = whole(&ran.events, text::spell);
        let told: Vec<&str> = told.lines().filter(|line| line.contains(" → ")).collect();
        let notes: Vec<String> = expected.iter().map(|words| format!("-- {words}")).collect();
        prop_assert_eq!(told, notes);
        let (state, turn_log) = fold(&ran.events);
        let analysis = Analysis { state: &state, turn_log: &turn_log, from: Seq(0) };
        let events = analysis.tables().into_iter().find(|t| t.name == "events").unwrap();
        let shifts: Vec<String> = (events.rows.iter())
            .filter(|row| row[2].shown() == "shift")
            .map(|row| Cell::shown(&row[3]))
            .collect();
        prop_assert_eq!(shifts, expected);
    }
}
