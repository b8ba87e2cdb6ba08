//! The forecast of the next speakers: it names those who then get the floor, also after commands.

use crate::stage::{Stage, headless};
use colloquium::model::{Command, Event, Kind, Purpose};
use colloquium::session::Record;
use colloquium::session::tail::Item;
use colloquium::ui::request::Request;
use colloquium::ui::view::floor::next;
use colloquium::ui::view::transcript::Transcript;
use crossterm::event::KeyCode::Char;
use std::sync::Arc;

const TABLE: &str = r#"
title = "Table"
policy = "round_robin"
[limits]
utterances = 9
[[participant]]
id = "ada"
lines = ["One thing.", "Two things.", "Three things.", "Four things."]
[[participant]]
id = "bo"
lines = ["A chair.", "A lamp.", "A door.", "A stair."]
[[participant]]
id = "cy"
lines = ["Rain.", "Snow.", "Wind.", "Fog."]
"#;

/// Pairs of the first forecast seat and the seat that then speaks, right before the engine opens a batch.
fn forecasts(events: &[Event]) -> Vec<(String, String)> {
    let mut transcript = Transcript::default();
    let mut found = Vec::new();
    for event in events {
        if let Kind::BatchOpened(batch) = &event.kind
            && batch.purpose == Purpose::Speak
        {
            let (seats, _) = next(&transcript);
            let first = seats.first().map_or_else(String::new, ToString::to_string);
            found.push((first, batch.seats[0].to_string()));
        }
        let record = Record::new(event.clone()).unwrap();
        transcript.take(&Item::Event(Arc::new(record)));
    }
    found
}

#[test]
fn names_the_seat_that_then_speaks() {
    let steered = |lines: &str| {
        let files = [("table.toml", TABLE), ("steer.jsonl", lines)];
        headless(&["run", "table.toml", "--steer", "steer.jsonl"], &files)
    };
    for lines in [
        "",
        r#"{"after":{"utterance":1},"do":"skip"}"#,
        r#"{"after":{"utterance":2},"do":"floor","to":"ada"}"#,
        r#"{"after":{"utterance":2},"do":"retry"}"#,
        r#"{"after":{"utterance":3},"do":"mute","who":"ada"}"#,
        "{\"after\":{\"utterance\":2},\"do\":\"floor\",\"to\":\"bo\"}\n{\"after\":{\"utterance\":2},\"do\":\"retry\"}",
    ] {
        let found = forecasts(&steered(lines));
        assert!(found.len() >= 9, "{lines}");
        for (forecast, granted) in found {
            assert_eq!(forecast, granted, "{lines}");
        }
    }
}

#[test]
fn retry_before_the_first_word_starts_the_turn_again() {
    let mut stage = Stage::new(80, 24).during(2, 0);
    let again = [Request::SendAll(vec![Command::PauseNow {}, Command::Resume {}])];
    assert_eq!(stage.press(&[Char('r')]), again);
    assert!(stage.text().contains("Bo starts again"), "{}", stage.text());
}
