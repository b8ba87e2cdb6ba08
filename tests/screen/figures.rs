//! The figures on the screen: pages, rows that open in the transcript, a talk that goes on, and files.

use crate::stage::Stage;
use colloquium::export::FORMATS;
use colloquium::ui::keymap::Focus;
use colloquium::ui::request::Request;
use crossterm::event::KeyCode::{self, Char, Down, Enter, Esc};

#[test]
fn figures_grow_with_the_talk_and_go_away_with_esc() {
    let mut stage = Stage::new(100, 40).during(2, 3);
    stage.press(&[Char('a')]);
    assert_eq!(stage.screen.view.place(), Focus::Analysis);
    let row = |stage: &mut Stage, name: &str| {
        let rows = stage.rows();
        rows.into_iter().rev().find(|r| r.trim_start().starts_with(name)).unwrap_or_default()
    };
    assert!(row(&mut stage, "Bo").contains(" 0 "), "{}", row(&mut stage, "Bo"));
    let mut stage = stage.during(4, 1);
    assert!(row(&mut stage, "2  Bo").contains("79"), "{}", stage.text());
    stage.press(&[Esc]);
    assert_eq!(stage.screen.view.place(), Focus::Read);
    assert!(stage.text().contains("#3"));
}

#[test]
fn an_event_is_opened_in_the_transcript() {
    let mut stage = Stage::new(100, 24).whole();
    stage.press(&[Char('g'), Char('a'), Char('4')]);
    // far down there is nothing more to choose
    stage.press(&[Down; 9]);
    stage.press(&[Enter]);
    assert_eq!(stage.screen.view.place(), Focus::Read);
    assert!(stage.text().contains("#9 "), "{}", stage.text());
    assert!(!stage.text().contains("#1 "), "{}", stage.text());
}

#[test]
fn a_session_is_written_in_the_format_that_is_chosen() {
    let mut stage = Stage::new(80, 24).whole();
    stage.press(&[Char('E')]);
    stage.press(&[Esc]);
    for format in FORMATS {
        let letters: Vec<KeyCode> = format.name.chars().map(Char).collect();
        let asked = stage.press(&[&[Char('E')], &letters[..], &[Enter]].concat());
        assert_eq!(asked, [Request::Export(format.name)]);
        stage.press(&[Esc]);
    }
    let copied = stage.press(&[Char('a'), Char('y')]);
    let [Request::Copy(words, _)] = &copied[..] else { panic!("{copied:?}") };
    assert!(words.contains("| Ada | 3 |"), "{words}");
}
