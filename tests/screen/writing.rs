//! The composer: messages, commands, lists, and drafts that stay after leaving it.

use crate::stage::Stage;
use colloquium::model::{Addressed, Command, SeatId};
use colloquium::ui::act::update::paste;
use colloquium::ui::keymap::Focus;
use colloquium::ui::keymap::LISTED;
use colloquium::ui::request::Request;
use colloquium::ui::theme::{Depth, ThemeLibrary};
use crossterm::event::{
    KeyCode, KeyCode::Char, KeyCode::Enter, KeyCode::Esc, KeyCode::F, KeyModifiers,
};

fn speaking() -> Stage {
    Stage::new(80, 24).during(2, 2)
}

fn write(stage: &mut Stage, words: &str) -> Vec<Request> {
    let keys: Vec<KeyCode> = words.chars().map(Char).collect();
    stage.press(&keys)
}

#[test]
fn enter_sends_and_escape_keeps_the_draft() {
    let mut stage = speaking();
    write(&mut stage, "iHello, table");
    stage.press(&[Esc]);
    assert_eq!(stage.screen.view.place(), Focus::Marked);
    let shown = stage.text();
    assert!(shown.contains("   Hello, table") && !shown.contains("│  Hello"), "{shown}");
    let said = Command::Say { text: "Hello, table".into(), re: None, material: None };
    assert_eq!(stage.press(&[Esc, Enter]), [Request::Send(said)]);
    assert!(stage.screen.view.composer.is_empty() && stage.screen.view.viewport.following());
}

#[test]
fn the_pen_cuts_in_and_steers() {
    let mut stage = speaking();
    write(&mut stage, "iWait");
    let text = || "Wait".into();
    assert_eq!(stage.press(&[F(3)]), [Request::Send(Command::Pause {})]);
    let cut_in = Command::CutIn { text: text(), who: None, re: None };
    assert_eq!(stage.press_with(Enter, KeyModifiers::CONTROL), Some(Request::Send(cut_in)));
    write(&mut stage, "gone?");
    stage.chord('c');
    assert!(stage.screen.view.composer.is_empty());
    stage.press_with(Char('z'), KeyModifiers::ALT);
    assert_eq!(stage.screen.view.composer.text(), "gone?");
}

#[test]
fn a_command_is_checked_before_it_is_sent() {
    let mut stage = speaking();
    assert_eq!(write(&mut stage, "i/whisper dan psst"), []);
    assert_eq!(stage.press(&[Enter]), []);
    assert!(
        stage.text().contains("nobody here is called dan; nothing was said"),
        "{}",
        stage.text()
    );
    assert_eq!(stage.screen.view.composer.text(), "/whisper dan psst", "the draft stays");
    stage.chord('c');
    write(&mut stage, "/floor cy");
    let floor = Command::Floor { to: "cy".into() };
    assert_eq!(stage.press(&[Enter]), [Request::Send(floor)]);
}

#[test]
fn a_seat_is_put_forward_by_its_number() {
    let cy: SeatId = "cy".into();
    let mut stage = speaking();
    assert_eq!(write(&mut stage, "f"), []);
    assert!(stage.text().contains("Select a participant first"));
    assert_eq!(write(&mut stage, "3f"), [Request::Send(Command::Floor { to: cy.clone() })]);
    assert_eq!(write(&mut stage, "m"), [Request::Send(Command::Mute { who: cy.clone() })]);
    stage.short = false;
    write(&mut stage, "@psst");
    let whisper = Command::Whisper(Addressed::new(cy, "psst".into()));
    assert_eq!(stage.press(&[Enter]), [Request::Send(whisper)]);
}

#[test]
fn every_listed_verb_runs_from_the_list() {
    for listed in &LISTED {
        let Some(row) = listed.command() else { continue };
        let mut stage = speaking();
        write(&mut stage, &format!(":{}", listed.line()));
        let asked = stage.press(&[Enter]);
        let begun = stage.screen.view.composer.text();
        if row.needs.is_empty() && row.takes.is_empty() {
            let is_same = matches!(&asked[..], [Request::Send(verb)] if verb.name() == row.name);
            assert!(is_same, "{}: {asked:?}", row.name);
        } else {
            assert_eq!(begun, format!("/{} ", row.name.replace('_', "-")));
        }
    }
}

#[test]
fn pasted_text_never_sends() {
    let mut stage = speaking();
    paste(&mut stage.screen, "one\r\ntwo\u{1b}[2K\rthree\n");
    assert_eq!(stage.screen.view.composer.text(), "one\ntwo␛[2K\nthree\n");
    assert_eq!(stage.screen.view.place(), Focus::Write);
    let shown = stage.text();
    assert!(shown.contains("│  one ") && shown.contains("two␛[2K"), "{shown}");
}

#[test]
fn the_cursor_stands_on_the_caret() {
    let mut stage = speaking();
    write(&mut stage, "iHello");
    let pen = stage.screen.view.areas.composer;
    stage.terminal.backend_mut().assert_cursor_position((pen.x + 3 + 5, pen.y));
    stage.piece("and others go on");
    stage.draw();
    stage.terminal.backend_mut().assert_cursor_position((pen.x + 3 + 5, pen.y));
}

#[test]
fn the_cursor_counts_a_pasted_tab_as_it_is_shown() {
    let mut stage = speaking();
    paste(&mut stage.screen, "a\tb and c");
    let shown = stage.text();
    assert!(shown.contains("│  a   b and c "), "{shown}");
    let pen = stage.screen.view.areas.composer;
    stage.terminal.backend_mut().assert_cursor_position((pen.x + 3 + 11, pen.y));
}

#[test]
fn letters_are_text_in_the_pen() {
    let mut stage = speaking();
    assert_eq!(write(&mut stage, "is S.q?:"), []);
    assert_eq!(stage.screen.view.composer.text(), "s S.q?:");
    stage.press_with(KeyCode::Char('j'), KeyModifiers::CONTROL);
    assert_eq!(stage.screen.view.composer.text(), "s S.q?:\n");
}

#[test]
fn history_recalls_queued_messages_first() {
    let mut stage = speaking();
    write(&mut stage, "iOne");
    stage.press(&[Enter]);
    stage.press(&[KeyCode::Up]);
    assert_eq!(stage.screen.view.composer.text(), "One");
    stage.press(&[KeyCode::Down]);
    assert!(stage.screen.view.composer.is_empty());
    stage.chord('r');
    assert!(stage.text().contains("Input history"), "{}", stage.text());
    stage.press(&[Enter]);
    assert_eq!(stage.screen.view.composer.text(), "One");
}

#[test]
fn a_long_paste_is_one_chip_until_it_is_sent_or_opened() {
    let mut stage = speaking();
    let long = "a line of it\n".repeat(300);
    paste(&mut stage.screen, &long);
    assert!(stage.text().contains("│  [pasted 1: 300 lines, 4 KB]"), "{}", stage.text());
    let said = Command::Say { text: long.trim().into(), re: None, material: None };
    assert_eq!(stage.press(&[Enter]), [Request::Send(said)]);
    paste(&mut stage.screen, &long);
    stage.press_with(Char('o'), KeyModifiers::ALT);
    assert_eq!(stage.screen.view.composer.text(), long);
}

#[test]
fn ctrl_u_deletes_to_the_start_of_the_line_and_undo_brings_it_back() {
    let mut stage = speaking();
    write(&mut stage, "ione two");
    stage.press(&[KeyCode::Left, KeyCode::Left, KeyCode::Left]);
    stage.chord('u');
    assert!(stage.text().contains("│  two"), "{}", stage.text());
    stage.chord('u');
    assert_eq!(stage.screen.view.composer.text(), "two");
    // code of ctrl-_ in most terminals
    stage.chord('7');
    assert_eq!(stage.screen.view.composer.text(), "one two");
    stage.chord('j');
    stage.chord('u');
    assert_eq!(stage.screen.view.composer.text().lines().count(), 2, "the line above stays");
    stage.chord('c');
    stage.press(&[Esc]);
    write(&mut stage, "/plan");
    stage.chord('u');
    write(&mut stage, "car");
    assert_eq!(stage.screen.view.over.search.as_ref().unwrap().query, "car");
    stage.press(&[Esc]);
    write(&mut stage, ":mute");
    stage.chord('u');
    assert_eq!(stage.screen.view.over.list.as_ref().unwrap().filter, "");
}

#[test]
fn covered_composer_shows_no_hint() {
    let hint = "Say something to everyone";
    for keys in [&[Char(':')][..], &[Char('?')], &[Char('p')], &[Char('/')]] {
        let mut stage = Stage::new(100, 30).during(2, 2);
        assert!(stage.text().contains(hint), "{}", stage.text());
        stage.press(keys);
        let shown = stage.text();
        assert!(!shown.contains(hint), "{keys:?}: {shown}");
        stage.press(&[Esc]);
        assert!(stage.text().contains(hint), "{keys:?}: {}", stage.text());
    }
    // the draft stays visible, without a mark of input focus
    let mut stage = Stage::new(100, 30).during(2, 2);
    stage.press(&[Char('i'), Char('A'), Char('n'), Char('d')]);
    assert!(stage.text().contains("│  And"), "{}", stage.text());
    stage.chord('p');
    let shown = stage.text();
    assert!(shown.contains("   And\n") && !shown.contains("│  And"), "{shown}");
}

#[test]
fn says_that_everyone_hears_an_address_and_marks_a_whisper() {
    let theme = ThemeLibrary::default().theme("colloquium-dark", None, Depth::True).unwrap();
    let mut stage = Stage::dressed(120, 40, theme).during(2, 2);
    stage.short = false;
    stage.press(&[Char('?')]);
    let help = stage.text();
    assert!(help.contains("all hear it; only Bo"), "{help}");
    stage.press(&[Esc]);
    let badge = |stage: &mut Stage| {
        let rows = stage.rows();
        let last = rows.len() - 1;
        let cell = &stage.terminal.backend().buffer()[(3, last as u16)];
        (rows[last].trim_start().to_owned(), cell.bg)
    };
    write(&mut stage, "@bo why?");
    let (row, public) = badge(&mut stage);
    assert!(row.starts_with("enter send"), "{row}");
    stage.chord('c');
    write(&mut stage, "@@cy psst");
    let (row, private) = badge(&mut stage);
    assert!(row.starts_with("WHISPER ") && private != public, "{row}");
}
