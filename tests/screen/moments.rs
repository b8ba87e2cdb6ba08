//! Important moments: a limit, a failure, and notices for a reader who looks elsewhere.

use crate::stage::{Stage, demo, headless};
use colloquium::model::{Kind, Ms, VoiceSpec};
use colloquium::ui::act::undo::pass;
use colloquium::ui::request::Request;
use crossterm::event::KeyCode::{Char, Home, PageDown};
use serde_json::json;

/// Returns the demo with a reached limit of turns.
pub fn limited(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    let end = |e: &&colloquium::model::Event| !matches!(e.kind, Kind::Ended(_));
    let events: Vec<_> = demo().iter().take_while(end).cloned().collect();
    events.into_iter().for_each(|event| stage.take(event));
    stage
}

#[test]
fn a_planned_end_is_said_once_with_the_key_that_goes_on() {
    for (width, height) in [(80, 24), (80, 15), (50, 24), (40, 12), (80, 11)] {
        let shown = limited(width, height).text();
        assert_eq!(shown.matches("as planned").count(), 1, "{shown}");
        assert!(width < 50 || shown.contains("one more round"), "{shown}");
    }
    let mut stage = limited(80, 24);
    stage.press(&[Char('=')]);
    assert_eq!(stage.screen.view.composer.text().trim_end(), "/limit utterances =");
}

/// Returns a conversation that paused after a failed turn of Bo's.
pub fn failed(width: u16, height: u16) -> Stage {
    failed_in(Stage::new(width, height))
}

/// Returns a stage on which the conversation paused after a failed turn of Bo's.
pub fn failed_in(stage: Stage) -> Stage {
    let mut stage = stage.during(2, 2);
    let turn = stage.turn();
    let error = json!({"class": "failed", "text": "`sh` exited 3 (oops)"});
    let end =
        json!({"turn": turn, "purpose": "speak", "number": 2, "outcome": "failed", "error": error});
    stage.happens("engine", "turn.ended", end);
    let why = "bo: `sh` exited 3 (oops); use `retry` to try again or `change` to switch the model";
    stage.happens("engine", "paused", json!({"why": why}));
    stage
}

#[test]
fn status_line_names_the_failed_seat_and_the_card_the_rest() {
    for (width, height) in [(120, 40), (80, 24), (50, 24), (40, 12)] {
        let mut stage = failed(width, height);
        let rows = stage.rows();
        let line = rows.iter().find(|row| row.contains("‖ paused: ")).unwrap();
        assert!(line.contains("‖ paused: Bo failed  next Cy"), "{line}");
        assert!(!line.contains("exited") && !line.contains('…'), "{line}");
    }
}

#[test]
fn a_failure_that_pauses_is_a_card_with_the_keys_that_help() {
    let mut stage = failed(80, 24);
    let shown = stage.text();
    for words in ["┏━ FAILED · Bo ━", "`sh` exited 3 (oops)", "1 retry  2 another model"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    // the failed seat, without selecting it
    assert_eq!(stage.press(&[Char('M')]), [Request::Models("bo".into())]);
}

/// Nobody knows the price of another call: the choice asks once more, and says nothing of money.
#[test]
fn a_failure_of_a_model_without_a_price_names_no_price() {
    let mut stage = failed_in(Stage::new(80, 24).altering(|event| {
        if let Kind::Opened(opened) = &mut event.kind {
            opened.participants[1].voice = VoiceSpec::Model(Default::default());
        }
    }));
    let shown = stage.text();
    assert!(shown.contains("1 retry (asks once more)  2 another model"), "{shown}");
    assert!(!shown.contains("price"), "{shown}");
}

#[test]
fn unfocused_terminal_is_notified_of_moments_only() {
    let mut stage = Stage::new(80, 24).during(2, 2);
    stage.screen.view.unfocused = true;
    stage = stage.until(|e| matches!(&e.kind, Kind::TurnEnded(e) if e.number == Some(2)));
    assert_eq!(stage.screen.view.ring, None);
    stage = stage.whole();
    let told = stage.screen.view.ring.take();
    assert_eq!(told.as_deref(), Some("Should cities ban private cars?: finished"));
    let mut stage = Stage::new(80, 24).whole();
    assert_eq!(stage.screen.view.ring.take(), None, "who looks is not rung");
}

#[test]
fn a_key_that_asks_once_more_is_not_waited_for_for_ever() {
    let mut stage = Stage::new(80, 24).during(2, 2);
    assert_eq!(stage.chord('c'), None);
    let told = "again: leave, saved at #2 · → → skips the speaker";
    assert!(stage.text().contains(told), "{}", stage.text());
    let view = &mut stage.screen.view;
    assert_eq!(pass(view, Ms(1_000)), (Some(2_000), false));
    assert_eq!(pass(view, Ms(3_000)), (None, true));
    assert!(view.notice.is_none());
    assert_eq!(stage.chord('c'), None, "it asks again");
    assert_eq!(stage.chord('c'), Some(Request::Leave));
}

#[test]
fn overlays_use_only_their_own_keys() {
    let mut stage = Stage::new(80, 24).during(4, 8);
    stage.press(&[Char('K'), Char('z')]);
    let shown = stage.text();
    assert!(shown.contains(" VIEW   ↓ scroll") && shown.contains("esc back"), "{shown}");
    assert_eq!(stage.press(&[Char(' '), Char('s'), Char('S')]), [], "nothing below is pressed");
    stage.press(&[Char('q')]);
    assert!(stage.screen.view.over.page.is_none());
}

#[test]
fn every_list_has_pages_and_ends() {
    let mut stage = Stage::new(80, 24).during(4, 8);
    stage.press(&[Char('t'), PageDown]);
    let at = |stage: &Stage| stage.screen.view.over.list.as_ref().unwrap().at;
    assert!(at(&stage) > 3);
    stage.press(&[Home]);
    assert_eq!(at(&stage), 0);
}

/// The failures of a participant have one row with their number, below the messages of the others.
#[test]
fn failures_are_one_row_for_each_participant() {
    let seat = |id: &str, script: &str| {
        format!(
            "[[participant]]\nid = \"{id}\"\nscript = [\"sh\", \"-c\", \"{script}\"]\n\
             on_failure = {{ retry = 0 }}\n"
        )
    };
    let down = "echo down >&2; exit 3";
    let up = "echo up >&2; exit 3";
    let seats = [("ada", down), ("bo", down), ("cy", "echo hello"), ("dan", up), ("eve", up)];
    let seats: String = seats.map(|(id, script)| seat(id, script)).concat();
    let talk = format!("title = \"Gone\"\n{seats}[limits]\nutterances = 2\n");
    let events = headless(&["run", "gone.toml", "--trust"], &[("gone.toml", &talk)]);
    let mut stage = Stage::new(120, 40);
    events.into_iter().for_each(|event| stage.take(event));
    let shown = stage.text();
    for words in ["ada failed twice: ", "bo failed twice: ", "dan failed: ", "eve failed: "] {
        let (who, _) = words.split_once(' ').unwrap();
        assert!(shown.contains(words), "{words}: {shown}");
        assert_eq!(shown.matches(&format!("{who} failed")).count(), 1, "{who}: {shown}");
    }
    let at = |words: &str| shown.find(words).unwrap();
    assert!(at("cy  ·  #3") < at("dan failed") && at("dan failed") < at("ada failed"), "{shown}");
    let ids: Vec<_> = stage.screen.transcript.rows().map(|row| row.id).collect();
    let places = ids.iter().map(|id| stage.screen.transcript.place(*id));
    assert!(places.eq((0..ids.len()).map(Some)), "each row has an id of its own: {ids:?}");
}

/// A message at a planned end is heard by nobody until the key that goes on, which names who is asked.
#[test]
fn a_message_at_the_planned_end_says_what_asks() {
    let mut stage = limited(80, 24);
    stage.short = false;
    stage.screen.open_line();
    assert!(!stage.text().contains("asks Bo"), "{}", stage.text());
    let targets = json!({"threads": [0], "mentions": ["bo"]});
    let said =
        json!({"key": "0:9", "do": "say", "text": "Bo, were you convinced?", "targets": targets});
    stage.happens("operator", "command.given", said);
    stage.happens("operator", "human.said", json!({"of": "0:9"}));
    stage.draw();
    assert!(stage.text().contains("enter: one more round asks Bo"), "{}", stage.text());
}

/// A long reason leaves the choices where they are, also on a low screen.
#[test]
fn the_choices_of_a_failure_stay_visible() {
    let why = "the server at http://127.0.0.1:8932 answers HTTP 500 ".repeat(8);
    let mut stage = Stage::new(40, 12).during(2, 2);
    let turn = stage.turn();
    let error = json!({"class": "failed", "text": why});
    let end =
        json!({"turn": turn, "purpose": "speak", "number": 2, "outcome": "failed", "error": error});
    stage.happens("engine", "turn.ended", end);
    stage.happens("engine", "paused", json!({"why": "Bo failed; try again"}));
    let shown = stage.text();
    for choice in ["1 retry", "2 another model", "3 continue without Bo's turn"] {
        assert!(shown.contains(choice), "{choice}: {shown}");
    }
}
