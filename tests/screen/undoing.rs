//! Undo of a key's command with another key.

use crate::stage::Stage;
use colloquium::model::{Command, Key, Ms, SeatId};
use colloquium::ui::act::undo::pass;
use colloquium::ui::request::Request;
use crossterm::event::KeyCode::{self, Char};
use serde_json::json;

fn write(stage: &mut Stage, words: &str) -> Vec<Request> {
    let keys: Vec<KeyCode> = words.chars().map(Char).collect();
    stage.press(&keys)
}

fn speaking() -> Stage {
    Stage::new(80, 24).during(2, 2)
}

/// Sends the requested command as the program does, and returns its key.
fn give(stage: &mut Stage, asked: &[Request]) -> Key {
    match asked {
        [Request::Send(command)] => stage.screen.command(command.clone()).0,
        asked => panic!("not one command: {asked:?}"),
    }
}

#[test]
fn action_of_one_key_can_be_undone_for_five_seconds() {
    let cy: SeatId = "cy".into();
    let mut stage = speaking();
    assert_eq!(write(&mut stage, "3m"), [Request::Send(Command::Mute { who: cy.clone() })]);
    assert!(stage.text().contains("Cy muted (/undo: undo)"), "{}", stage.text());
    assert_eq!(pass(&mut stage.screen.view, Ms(0)), (Some(5_000), false));
    assert_eq!(write(&mut stage, "U"), [Request::Send(Command::Unmute { who: cy })]);
    assert_eq!(write(&mut stage, "s"), [Request::Send(Command::Skip {})]);
    assert!(stage.text().contains("Bo stopped (/undo: undo)"), "{}", stage.text());
    pass(&mut stage.screen.view, Ms(0));
    assert_eq!(pass(&mut stage.screen.view, Ms(5_000)), (None, true));
    assert!(!stage.text().contains("/undo: undo"), "{}", stage.text());
    assert_eq!(write(&mut stage, "U"), []);
    assert!(stage.text().contains("nothing to undo"), "{}", stage.text());
}

#[test]
fn a_turn_that_was_given_is_taken_back_as_long_as_it_waits() {
    let mut stage = speaking();
    let asked = write(&mut stage, "3f");
    assert_eq!(asked, [Request::Send(Command::Floor { to: "cy".into() })]);
    let key = give(&mut stage, &asked);
    let offer = "Cy speaks next when Bo finishes (/undo: undo)";
    assert!(stage.text().contains(offer), "{}", stage.text());
    stage.happens("engine", "receipt", json!({"of": key, "is": "queued"}));
    assert!(stage.text().contains(offer), "still offered while it waits: {}", stage.text());
    let back = Request::Send(Command::DropQueued { of: key.0.clone() });
    assert_eq!(write(&mut stage, "U"), [back]);
    // a refused command cannot be undone
    let asked = write(&mut stage, "3f");
    let key = give(&mut stage, &asked);
    let refused = json!({"key": key, "line": {"do": "floor", "to": "cy"}, "why": "Cy is muted"});
    stage.happens("engine", "command.refused", refused);
    assert!(stage.text().contains("floor: Cy is muted"), "{}", stage.text());
    assert_eq!(write(&mut stage, "U"), []);
}

#[test]
fn a_pause_is_taken_back() {
    let mut stage = speaking();
    let asked = write(&mut stage, " ");
    assert_eq!(asked, [Request::Send(Command::Pause {})]);
    let key = give(&mut stage, &asked);
    let offer = "pausing when Bo finishes (/undo: undo)";
    assert!(stage.text().contains(offer), "{}", stage.text());
    stage.happens("engine", "receipt", json!({"of": key, "is": "queued"}));
    assert!(stage.text().contains(offer), "{}", stage.text());
    // once the pause is in effect its notice is gone, but it can still be undone
    stage.happens("engine", "paused", json!({}));
    assert!(!stage.text().contains("/undo: undo"), "{}", stage.text());
    assert_eq!(pass(&mut stage.screen.view, Ms(0)), (None, false), "nothing wakes it");
    assert_eq!(write(&mut stage, "U"), [Request::Send(Command::Resume {})]);
    stage.happens("engine", "resumed", json!({}));
    assert_eq!(write(&mut stage, "S"), [Request::Send(Command::PauseNow {})]);
    assert!(stage.text().contains("Bo stopped, paused (/undo: resume)"), "{}", stage.text());
    assert_eq!(write(&mut stage, "U"), [Request::Send(Command::Resume {})]);
}

#[test]
fn undo_is_about_the_last_action_alone() {
    let mut stage = speaking();
    write(&mut stage, " ");
    stage.happens("engine", "paused", json!({}));
    let hidden = write(&mut stage, "i/hide 1");
    assert_eq!(hidden, []);
    let asked = stage.press(&[KeyCode::Enter]);
    assert_eq!(asked.len(), 1, "{asked:?}");
    write(&mut stage, "/undo");
    let back = stage.press(&[KeyCode::Enter]);
    let [Request::Send(Command::Unhide { .. })] = &back[..] else { panic!("{back:?}") };
    // a message is the last action too, and it cannot be undone
    write(&mut stage, "And what of vans?");
    stage.press(&[KeyCode::Enter]);
    write(&mut stage, "/undo");
    assert_eq!(stage.press(&[KeyCode::Enter]), []);
    assert!(stage.text().contains("nothing to undo"), "{}", stage.text());
}

#[test]
fn words_that_were_dropped_from_the_queue_come_back() {
    let mut stage = speaking();
    let asked = write(&mut stage, "iand what of vans?");
    assert_eq!(asked, []);
    let asked = stage.press(&[KeyCode::Enter, KeyCode::Esc]);
    let key = give(&mut stage, &asked);
    let given = json!({"key": key, "do": "say", "text": "and what of vans?"});
    stage.happens("operator", "command.given", given);
    stage.happens("engine", "receipt", json!({"of": key, "is": "queued"}));
    assert_eq!(write(&mut stage, "x"), [Request::Send(Command::DropQueued { of: key.0 })]);
    assert!(stage.text().contains("(/undo: undo)"), "{}", stage.text());
    let again = Command::Say { text: "and what of vans?".into(), re: None, material: None };
    assert_eq!(write(&mut stage, "U"), [Request::Send(again)]);
}
