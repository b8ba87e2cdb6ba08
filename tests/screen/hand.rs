//! The raised hand: the next turn waits while the person writes. The turn that a draft answers. Arrows on the empty
//! line.

use crate::stage::{Stage, demo};
use colloquium::clock::Clock;
use colloquium::model::{Command, Event, Kind};
use colloquium::ui::request::Request;
use colloquium::ui::view::composer::AnsweredTurn;
use colloquium::ui::view::hold;
use crossterm::event::KeyCode::{
    self, Backspace, Char, Down, Enter, Home, Left, PageUp, Right, Tab,
};
use crossterm::event::KeyModifiers;
use serde_json::json;

const HOLD: Command = Command::Hold { on: true };
const RELEASE: Command = Command::Hold { on: false };

fn on_line(mut stage: Stage) -> Stage {
    stage.short = false;
    stage.screen.open_line();
    stage
}

fn speaking() -> Stage {
    on_line(Stage::new(80, 24).during(2, 2))
}

fn typed(stage: &mut Stage, words: &str) -> Vec<Request> {
    let keys: Vec<KeyCode> = words.chars().map(Char).collect();
    stage.press(&keys)
}

/// Returns the command of the raised hand that is due now.
fn due(stage: &mut Stage) -> Option<Command> {
    let now = stage.screen.clock.now();
    hold::command(&mut stage.screen, now)
}

/// Lets time pass.
fn pass(stage: &mut Stage, ms: u64) {
    stage.screen.clock = Clock::virtual_from(stage.screen.clock.now().plus(ms));
}

/// Records that the engine has the hold.
fn held(stage: &mut Stage) {
    stage.happens("operator", "command.given", json!({"key": "0:7", "do": "hold", "on": true}));
    stage.happens("engine", "receipt", json!({"of": "0:7", "is": "queued"}));
}

/// Ends the turn that runs at this point of the demo.
fn turn_ends(stage: &mut Stage) {
    let end = |e: &&Event| matches!(&e.kind, Kind::TurnEnded(end) if end.number == Some(2));
    let event = demo().iter().find(end).unwrap().clone();
    let seq = stage.screen.transcript.state().next_seq;
    stage.take(Event { seq, ..event });
}

#[test]
fn the_hand_is_raised_from_the_third_character_until_15_s_after_the_last_key() {
    let mut stage = speaking();
    typed(&mut stage, "An");
    assert_eq!(due(&mut stage), None);
    typed(&mut stage, "d");
    assert_eq!(due(&mut stage), Some(HOLD));
    assert_eq!(due(&mut stage), None, "once");
    held(&mut stage);
    assert!(stage.text().contains("then you (writing), Cy"), "{}", stage.text());
    turn_ends(&mut stage);
    stage.screen.view.hand.typed = Some(stage.screen.clock.now());
    pass(&mut stage, 4_000);
    let shown = stage.text();
    assert!(shown.contains("they wait for you 11s"), "{shown}");
    assert!(shown.contains("ctrl-u let Cy go on"), "{shown}");
    assert_eq!(due(&mut stage), None);
    let wake = hold::wake(&stage.screen, stage.screen.clock.now());
    assert_eq!(wake, Some(1_000), "the seconds are counted");
    pass(&mut stage, 11_000);
    assert_eq!(due(&mut stage), Some(RELEASE));
    assert_eq!(due(&mut stage), None);
    assert_eq!(stage.screen.view.composer.text(), "And", "the draft stays");
    assert_eq!(hold::wake(&stage.screen, stage.screen.clock.now()), None);
}

#[test]
fn an_empty_line_a_message_that_is_sent_and_a_pause_lower_the_hand() {
    let mut stage = speaking();
    typed(&mut stage, "And");
    assert_eq!(due(&mut stage), Some(HOLD));
    stage.press(&[Backspace]);
    assert_eq!(due(&mut stage), Some(RELEASE));
    typed(&mut stage, "d who");
    assert_eq!(due(&mut stage), Some(HOLD));
    assert_eq!(stage.press(&[Enter]).len(), 1);
    assert_eq!(due(&mut stage), Some(RELEASE));
    typed(&mut stage, "And who");
    assert_eq!(due(&mut stage), Some(HOLD));
    stage.happens("operator", "paused", json!({}));
    assert_eq!(due(&mut stage), Some(RELEASE));
}

#[test]
fn a_long_message_renews_the_hold_before_the_engine_ends_it() {
    let mut stage = speaking();
    typed(&mut stage, "And");
    assert_eq!(due(&mut stage), Some(HOLD));
    for _ in 0..5 {
        pass(&mut stage, 8_000);
        typed(&mut stage, " x");
        assert_eq!(due(&mut stage), None);
    }
    pass(&mut stage, 8_000);
    typed(&mut stage, " x");
    assert_eq!(due(&mut stage), Some(HOLD));
}

#[test]
fn commands_and_whispers_raise_no_hand_and_zero_seconds_switch_it_off() {
    for words in ["/mute bo", "? what", "@@bo psst"] {
        let mut stage = speaking();
        stage.screen.view.composer.begin(words);
        stage.screen.view.hand.typed = Some(stage.screen.clock.now());
        assert_eq!(due(&mut stage), None, "{words}");
    }
    let mut stage = speaking();
    stage.screen.view.hand.patience = 0;
    typed(&mut stage, "And who");
    assert_eq!(due(&mut stage), None);
}

#[test]
fn an_arrow_says_what_the_second_press_does_and_the_second_does_it() {
    let mut stage = speaking();
    assert!(stage.text().contains("→ → skip Bo"), "{}", stage.text());
    assert_eq!(stage.press(&[Right]), []);
    assert!(stage.text().contains("→ again: stops Bo"), "{}", stage.text());
    assert_eq!(stage.press(&[Right]), [Request::Send(Command::Skip {})]);
    let mut stage = speaking();
    assert_eq!(stage.press(&[Left]), []);
    assert!(stage.text().contains("← again: asks Bo again"), "{}", stage.text());
    assert_eq!(stage.press(&[Right]), [], "another arrow is no second press");
    stage.press(&[Left]);
    assert_eq!(stage.press(&[Left]).len(), 1);
    typed(&mut stage, "ab");
    assert_eq!(stage.press(&[Left, Right, Right]), [], "they move in text");
    let mut stage = speaking();
    stage.press(&[Tab, Down]);
    assert!(stage.text().contains("speak as Ada"), "{}", stage.text());
}

/// Returns the turn that the sent message answers.
fn answers(requests: &[Request]) -> Option<u32> {
    match requests {
        [Request::Send(Command::Say { re, .. })] => *re,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_line_knows_which_turn_it_answers() {
    let on_third = || on_line(Stage::new(80, 24).during(3, 2));
    let mut stage = on_third();
    typed(&mut stage, "hello all");
    assert_eq!(answers(&stage.press(&[Enter])), None, "a greeting answers nobody");
    // the reader is further up
    let mut stage = on_third();
    stage.press(&[PageUp, PageUp, PageUp]);
    typed(&mut stage, "And why?");
    assert!(stage.text().contains("re #1 Ada · after Cy"), "{}", stage.text());
    assert_eq!(answers(&stage.press(&[Enter])), Some(1));
    // another turn has begun meanwhile
    let mut stage = speaking();
    typed(&mut stage, "And why?");
    assert!(!stage.text().contains("re #"), "{}", stage.text());
    let mut stage = stage.during(3, 1);
    assert!(stage.text().contains("re #2 Bo · after Cy"), "{}", stage.text());
    // Tab chooses, Backspace at the start drops
    stage.press(&[Tab]);
    assert!(stage.text().contains("re #1 Ada"), "{}", stage.text());
    stage.press(&[Home, Backspace]);
    assert!(!stage.text().contains("re #"), "{}", stage.text());
    assert_eq!(answers(&stage.press(&[Enter])), None);
}

/// The second Enter cuts in with the message as it was sent, for the turn that it answers.
#[test]
fn a_cut_in_keeps_the_turn_that_it_answers() {
    let mut stage = on_line(Stage::new(80, 24).during(3, 2));
    let say = json!({"do": "say", "text": "And why?", "re": 1, "key": "k:1", "targets": {}});
    stage.happens("operator", "command.given", say);
    let receipt = json!({"is": "queued", "of": "k:1", "line": null});
    stage.happens("engine", "receipt", receipt);
    let asked = stage.press(&[Enter]);
    let cut_in = Command::CutIn { text: "And why?".into(), who: None, re: Some(1) };
    let drop = Command::DropQueued { of: "k:1".into() };
    assert_eq!(asked, [Request::SendAll(vec![drop, cut_in])]);
    stage.press(&[PageUp, PageUp, PageUp]);
    typed(&mut stage, "Stop");
    let asked: Vec<Request> = stage.press_with(Enter, KeyModifiers::CONTROL).into_iter().collect();
    let cut_in = Command::CutIn { text: "Stop".into(), who: None, re: Some(1) };
    assert_eq!(asked, [Request::Send(cut_in)]);
}

#[test]
fn enter_takes_the_selected_name_and_tab_ends_a_whole_one() {
    let mut stage = speaking();
    typed(&mut stage, "@b");
    assert_eq!(stage.press(&[Enter]), []);
    assert_eq!(stage.screen.view.composer.text(), "@bo ");
    stage.chord('c');
    typed(&mut stage, "/mute b");
    assert_eq!(stage.press(&[Enter]), []);
    assert_eq!(stage.screen.view.composer.text(), "/mute @bo ");
    assert!(matches!(&stage.press(&[Enter])[..], [Request::Send(Command::Mute { .. })]));
    typed(&mut stage, "@bo");
    stage.press(&[Tab]);
    typed(&mut stage, "why?");
    assert_eq!(stage.screen.view.composer.text(), "@bo why?");
}

/// Where the note does not fit beside the draft, the row of the keys has it.
#[test]
fn a_reference_is_shown_at_every_size() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut stage = on_line(Stage::new(width, height).during(2, 2));
        typed(&mut stage, "But the buses are full on every Thursday");
        stage.screen.view.reply = AnsweredTurn { to: Some(1), fixed: true, began: 0 };
        assert!(stage.text().contains("re #1"), "{width}: {}", stage.text());
    }
}
