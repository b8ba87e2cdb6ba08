//! Figures on the screen: pages, rows that open in the transcript, a running conversation, and files.

use crate::pictures::priced;
use crate::stage::Stage;
use colloquium::export::FORMATS;
use colloquium::ui::keymap::Focus;
use colloquium::ui::request::Request;
use colloquium::ui::theme::glyphs::ASCII;
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
    assert_eq!(stage.screen.view.place(), Focus::Line);
    assert!(stage.text().contains("#3"));
}

#[test]
fn tokens_and_cost_are_curves_over_the_turns_or_a_row_of_signs() {
    let mut stage = Stage::altered(100, 40, priced).whole();
    stage.press(&[Char('a'), Char('2')]);
    let page = stage.text();
    let at = page.lines().position(|row| row.contains("tokens so far")).unwrap();
    let curve: Vec<&str> = page.lines().skip(at).take(5).collect();
    let dots = |row: &str| row.chars().filter(|c| ('\u{2801}'..='\u{28ff}').contains(c)).count();
    assert!(curve[..4].iter().all(|row| dots(row) > 3), "{page}");
    assert!(curve[4].contains("start") && curve[4].trim_end().ends_with("turn 9"), "{page}");
    assert!(page.contains("cost so far"), "{page}");
    // the curve rises from the lower left to the upper right
    let first = |row: &str| row.chars().position(|c| ('\u{2801}'..='\u{28ff}').contains(&c));
    assert!(first(curve[3]) < first(curve[0]), "{page}");
    stage.screen.glyphs = &ASCII;
    stage.screen.view.over.analysis.as_mut().unwrap().forget();
    let page = stage.text();
    let row = page.lines().find(|row| row.contains("tokens so far")).unwrap();
    assert!(row.is_ascii() && row.contains("tokens so far -"), "{page}");
}

#[test]
fn empty_events_page_describes_its_content() {
    let mut stage = Stage::new(100, 24).during(2, 3);
    stage.press(&[Char('a'), Char('4')]);
    assert!(stage.text().contains("no events yet: votes, verdicts"), "{}", stage.text());
}

#[test]
fn an_event_is_opened_in_the_transcript() {
    let mut stage = Stage::new(100, 24).whole();
    stage.press(&[Char('g'), Char('a'), Char('4')]);
    // the selection stops at the last row
    stage.press(&[Down; 9]);
    stage.press(&[Enter]);
    assert_eq!(stage.screen.view.place(), Focus::Line);
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
