//! Overlays over overlays: the highest has the keys, and closes first.

use crate::stage::Stage;
use colloquium::ui::act::update::{act, paste};
use colloquium::ui::action::Action;
use colloquium::ui::keymap::Focus;
use colloquium::ui::theme::ThemeRole;
use colloquium::ui::view::composer::Vim;
use crossterm::event::KeyCode::{Char, Down, Enter, Esc, PageUp};

#[test]
fn a_page_over_the_analysis_scrolls_alone() {
    let mut stage = Stage::new(80, 20).whole();
    stage.press(&[Char('a')]);
    let analysis = stage.text();
    stage.press(&[Char('?')]);
    let page = stage.text();
    stage.press(&[Down, Down]);
    assert_ne!(stage.text(), page);
    stage.press(&[Esc]);
    assert_eq!(stage.text(), analysis);
}

#[test]
fn a_page_scrolls_without_the_transcript() {
    let mut stage = Stage::new(80, 20).whole();
    stage.press(&[Char('?'), PageUp]);
    assert!(stage.screen.view.viewport.following());
}

#[test]
fn a_list_over_a_page_closes_first() {
    let mut stage = Stage::new(80, 20).whole();
    stage.press(&[Char('z')]);
    let page = stage.text();
    act(&mut stage.screen, Action::Palette);
    assert_eq!(stage.screen.view.place(), Focus::Pick);
    stage.press(&[Esc]);
    assert_eq!(stage.text(), page);
}

#[test]
fn the_preview_of_a_theme_ends_with_its_list() {
    for pasted in [true, false] {
        let mut stage = Stage::new(80, 20).whole();
        let colour = |stage: &Stage| stage.screen.theme.style(ThemeRole::Text);
        let before = colour(&stage);
        act(&mut stage.screen, Action::Theme);
        let others = stage.screen.themes.names().len();
        let is_other = (0..others).any(|_| {
            stage.press(&[Down]);
            colour(&stage) != before
        });
        assert!(is_other, "no preview");
        if pasted {
            paste(&mut stage.screen, "words");
        } else {
            stage.press(&[Char('%'), Enter]);
        }
        assert_ne!(stage.screen.view.place(), Focus::Pick, "{pasted}");
        assert_eq!(colour(&stage), before, "{pasted}");
    }
}

#[test]
fn a_page_that_a_typed_command_opens_has_the_keys() {
    let mut stage = Stage::new(80, 24).during(6, 2);
    stage.screen.view.vim = Some(Vim::default());
    stage.press(&[Char('i'), Esc]);
    stage.press(&":table".chars().map(Char).collect::<Vec<_>>());
    stage.press(&[Enter]);
    assert_eq!(stage.screen.view.place(), Focus::Page);
    stage.press(&[Esc]);
    assert_eq!(stage.screen.view.place(), Focus::Line);
}
