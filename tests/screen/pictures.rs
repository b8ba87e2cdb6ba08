//! The screen at its sizes and in its states.

use crate::stage::Stage;
use crossterm::event::KeyCode;
use insta::assert_snapshot;

#[test]
fn speaking() {
    for (width, height) in [(80, 24), (120, 40), (200, 60), (50, 24), (40, 10)] {
        let text = Stage::new(width, height).during(4, 8).text();
        assert_snapshot!(format!("screen__speaking__{width}x{height}"), text);
    }
}

#[test]
fn ended() {
    let text = Stage::new(80, 24).whole().text();
    assert_snapshot!("screen__ended__80x24", text);
}

#[test]
fn scrolled() {
    let mut stage = Stage::new(80, 24).during(6, 3);
    stage.press(&[KeyCode::PageUp]);
    assert_snapshot!("screen__scrolled__80x24", stage.text());
}

#[test]
fn writing() {
    let mut stage = Stage::new(80, 24).during(2, 6);
    stage.press(
        &"iI hold this for a long thought that needs more than one row to be written down, and"
            .chars()
            .map(KeyCode::Char)
            .collect::<Vec<_>>(),
    );
    assert_snapshot!("pen__two_rows__80x24", stage.text());
}

#[test]
fn lists() {
    for (key, name) in [(':', "commands"), ('?', "keys")] {
        let mut stage = Stage::new(100, 30).during(2, 6);
        stage.press(&[KeyCode::Char(key)]);
        assert_snapshot!(format!("list__{name}__100x30"), stage.text());
    }
}

#[test]
fn every_size_is_drawn() {
    for (width, height) in [(1, 1), (20, 5), (39, 10), (40, 9), (40, 10), (60, 15), (99, 16)] {
        let rows = Stage::new(width, height).during(2, 3).rows();
        let floor = rows.iter().any(|r| r.contains("Bo speaking"));
        assert_eq!(floor, width >= 40 && height >= 10, "{width}x{height}: {rows:?}");
    }
}
