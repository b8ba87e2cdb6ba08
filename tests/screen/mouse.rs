//! Mouse: scrolling with the wheel, and the effect of clicks.

use crate::stage::Stage;
use colloquium::model::Command;
use colloquium::ui::act::mouse::mouse;
use colloquium::ui::keymap::Focus;
use colloquium::ui::request::Request;
use crossterm::event::{
    KeyCode::Char, KeyCode::Esc, KeyCode::PageDown, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};

fn at(stage: &mut Stage, kind: MouseEventKind, column: u16, row: u16) -> Option<Request> {
    let event = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
    let asked = mouse(&mut stage.screen, &event);
    stage.draw();
    asked
}

fn click(stage: &mut Stage, on: &str) -> Option<Request> {
    let rows = stage.rows();
    let found = rows.iter().enumerate().rev().find(|(_, r)| r.contains(on));
    let (row, line) = found.unwrap_or_else(|| panic!("{on}: {rows:#?}"));
    let column = line[..line.find(on).unwrap()].chars().count();
    at(stage, MouseEventKind::Down(MouseButton::Left), column as u16, row as u16)
}

#[test]
fn wheel_scrolls_the_transcript_and_never_the_composer() {
    let mut stage = Stage::new(80, 24).during(6, 2);
    let pen = stage.screen.view.areas.composer;
    assert_eq!(at(&mut stage, MouseEventKind::ScrollUp, 10, pen.y), None);
    assert!(stage.screen.view.viewport.following());
    at(&mut stage, MouseEventKind::ScrollUp, 10, 10);
    assert!(!stage.screen.view.viewport.following());
    at(&mut stage, MouseEventKind::ScrollDown, 10, 10);
    assert!(stage.screen.view.viewport.following());
    stage.press(&[Char(':')]);
    at(&mut stage, MouseEventKind::ScrollDown, 10, 10);
    assert_eq!(stage.screen.view.over.list.as_ref().unwrap().at, 1);
}

#[test]
fn click_runs_the_action_under_the_pointer() {
    for width in [80, 120] {
        let mut stage = Stage::new(width, 24).during(6, 2);
        assert_eq!(click(&mut stage, "skip"), Some(Request::Send(Command::Skip {})));
        stage.press(&[PageDown]);
        assert_eq!(click(&mut stage, "space"), Some(Request::Send(Command::Pause {})));
        // in the row of seats, or in the sidebar
        let rows = stage.rows();
        let (from, to) = if width == 80 { (0, 80) } else { (90, 120) };
        let part = |r: &String| r.chars().skip(from).take(to - from).collect::<String>();
        let row = rows.iter().skip(1).position(|r| part(r).contains(" Bo ")).unwrap() + 1;
        let column = from + part(&rows[row]).find(" Bo ").unwrap() + 1;
        at(&mut stage, MouseEventKind::Down(MouseButton::Left), column as u16, row as u16);
        assert_eq!(stage.screen.view.selected, Some(1), "{width}");
        // a menu of the seat is on top
        stage.press(&[Esc]);
        click(&mut stage, "Say something");
        assert_eq!(stage.screen.view.place(), Focus::Line);
        at(&mut stage, MouseEventKind::ScrollUp, 10, 10);
        let floor = stage.screen.view.areas.floor;
        at(&mut stage, MouseEventKind::Down(MouseButton::Left), 70, floor.y);
        assert!(stage.screen.view.viewport.following());
        click(&mut stage, "keys");
        assert!(stage.screen.view.over.page.is_some());
        stage.press(&[Esc, Char(':')]);
        stage.press(&"poster".chars().map(Char).collect::<Vec<_>>());
        click(&mut stage, "Show who stood where");
        assert!(
            stage.screen.view.over.list.is_none() && stage.screen.view.over.poster,
            "an entry runs"
        );
        stage.press(&[Esc, Char(':')]);
        at(&mut stage, MouseEventKind::Down(MouseButton::Left), 0, 0);
        assert!(stage.screen.view.over.list.is_none(), "beside the list closes it");
    }
}

#[test]
fn the_mouse_can_be_let_go() {
    let mut stage = Stage::new(80, 24).during(6, 2);
    stage.screen.modes.mouse = true;
    assert_eq!(stage.press(&[Char('R')]), [Request::Mouse(false)]);
    assert!(stage.text().contains("/raw to leave"));
    assert_eq!(stage.press(&[Char('R')]), [Request::Mouse(true)]);
}
