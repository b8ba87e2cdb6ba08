//! Positions of the participants over the turns: the drawing, the panel, the moment below a turn, and the outcome.

use crate::stage::Stage;
use colloquium::clock::Clock;
use colloquium::model::{Kind, Ms};
use colloquium::ui::theme::ThemeRole;
use colloquium::ui::theme::glyphs::ASCII;
use colloquium::ui::view::away;
use crossterm::event::KeyCode::{Char, Enter};

/// Plays the demo up to the position that a turn states; its last turn is followed by the end.
fn stated(width: u16, height: u16, turn: u32) -> Stage {
    let stage = Stage::new(width, height).with_positions();
    if turn == 9 {
        return stage.whole();
    }
    stage.until(|e| matches!(&e.kind, Kind::StanceRecorded(s) if s.number == Some(turn)))
}

fn has(stage: &mut Stage, told: &[&str]) {
    let text = stage.text();
    for told in told {
        assert!(text.contains(told), "{told:?} is not in\n{text}");
    }
}

/// The drawing is live: after four turns it has the first move, and the panel its cause.
#[test]
fn a_move_is_drawn_counted_and_named_below_its_turn() {
    let mut stage = stated(120, 40, 4);
    has(
        &mut stage,
        &[
            "─ WHERE THEY STAND ─ each says so after its turn ─",
            " ban them    Ada ●━━━━━━━━━━━━━━━━━━━━━━━╮",
            "╰━━━━━━━  Ada  freight stays",
            " leave them           Bo ●━━━━━━━━━━━━━━━━━━━━━━━",
            "◆ Ada: ban them → freight stays, after Bo #2",
            "APART  ██▇  4 → 3",
            "MOVED  Ada 1  Bo 0  Cy 0",
            "BY     Bo moved Ada once",
        ],
    );
}

/// Labels and captions are whole while there is room beside them, and a shared line has nobody's colour.
#[test]
fn labels_are_whole_and_a_shared_line_is_neutral() {
    let mut stage = stated(80, 40, 9);
    has(
        &mut stage,
        &[
            "Ada · Bo  one district, one year",
            "freight stays  permits for people  one district, one year",
        ],
    );
    let rows = stage.rows();
    let y = rows.iter().position(|row| row.contains("━  Ada · Bo")).unwrap();
    let x = rows[y].chars().position(|c| c == '·').unwrap() - "━  Ada ".chars().count();
    let cell = &stage.terminal.backend().buffer()[(x as u16, y as u16)];
    assert_eq!(cell.symbol(), "━");
    let neutral = stage.screen.theme.style(ThemeRole::Text).fg.unwrap_or_default();
    assert_eq!(cell.fg, neutral, "two participants share it");
}

/// The borders of both panels join the rule above the drawing.
#[test]
fn borders_join_the_rule_of_the_drawing() {
    for (width, walls) in [(120, 1), (200, 2)] {
        let mut stage = stated(width, 60, 9);
        let rows = stage.rows();
        let heading = rows.iter().find(|row| row.contains("WHERE THEY STAND")).unwrap();
        assert_eq!(heading.matches('┴').count(), walls, "{heading}");
    }
}

/// At the end, the line of the floor says who says the same, and the two lines meet.
#[test]
fn the_end_names_the_positions() {
    for height in [24, 40] {
        let mut stage = stated(120, height, 9);
        stage.screen.view.line = true;
        let all = stage.text();
        has(
            &mut stage,
            &["Ada · Bo  one district, one year", "Ada and Bo say the same, Cy is 1 step away"],
        );
        assert_eq!(all.matches("9 turns").count(), 1, "{all}");
    }
    let mut stage = stated(120, 40, 9);
    has(
        &mut stage,
        &["MOVED  Ada 2  Bo 2  Cy 0", "BY     Bo moved Ada once", "Cy moved Bo once", "  4 → 1"],
    );
}

#[test]
fn the_drawing_needs_no_unicode() {
    let mut stage = stated(120, 40, 9);
    stage.screen.glyphs = &ASCII;
    stage.screen.view.viewport.forget();
    let text = stage.text();
    for told in ["Ada o--------------------\\", "'--------", ".--------", "Ada - Bo  one district"]
    {
        assert!(text.contains(told), "{told:?} is not in\n{text}");
    }
    let strange: Vec<&str> = text.lines().filter(|line| !line.is_ascii()).collect();
    assert!(strange.is_empty(), "{strange:?}");
}

/// A narrow screen has the distance in its header, and keeps its messages.
#[test]
fn a_small_screen_names_the_distance_in_its_header() {
    let mut stage = stated(80, 24, 4);
    let rows = stage.rows();
    assert!(rows[0].contains("apart 3"), "{}", rows[0]);
    assert!(!stage.text().contains("WHERE THEY STAND"), "{}", stage.text());
}

/// The ambient view has the current text and the drawing alone; any key leaves it.
#[test]
fn the_ambient_view_shows_the_text_and_the_drawing() {
    let mut stage = stated(100, 30, 4);
    stage.screen.view.ambient = true;
    has(&mut stage, &["A D A", "before: Cy  ", "WHERE THEY STAND", "any key: back"]);
    stage.press(&[Char('x')]);
    assert!(!stage.text().contains("any key: back"), "{}", stage.text());
    assert!(stage.screen.view.composer.is_empty(), "the key only leaves the view");
}

/// The ambient view opens by itself while nobody presses a key, and closes at the end.
#[test]
fn the_ambient_view_opens_after_a_rest() {
    let mut stage = stated(100, 30, 4);
    stage.screen.view.rest.after = Some(300_000);
    stage.screen.view.rest.since = None;
    assert!(!stage.text().contains("any key: back"), "{}", stage.text());
    let later = |stage: &mut Stage, ms| {
        let now = stage.screen.clock.now();
        stage.screen.clock = Clock::virtual_from(Ms(now.0 + ms));
    };
    later(&mut stage, 299_000);
    assert!(!stage.text().contains("any key: back"), "{}", stage.text());
    later(&mut stage, 1_000);
    assert!(stage.text().contains("any key: back"), "{}", stage.text());
    stage.press(&[Char('x')]);
    assert!(!stage.text().contains("any key: back"), "{}", stage.text());
    later(&mut stage, 300_000);
    assert!(stage.text().contains("any key: back"), "{}", stage.text());
    stage.screen.transcript = stated(100, 30, 9).screen.transcript;
    assert!(!stage.text().contains("any key: back"), "{}", stage.text());
}

/// Returns a stage in front of a person who comes back after twelve minutes.
pub fn back() -> Stage {
    let mut stage = stated(100, 30, 2);
    stage.screen.view.line = true;
    stage.screen.open_line();
    away::note(&mut stage.screen, false);
    let left = stage.screen.clock.now();
    stage.screen.transcript = stated(100, 30, 6).screen.transcript;
    stage.screen.clock = Clock::virtual_from(Ms(left.0 + 720_000));
    away::note(&mut stage.screen, true);
    stage
}

/// Coming back after two minutes, the person reads what happened; the first choice scrolls to the first missed turn.
#[test]
fn coming_back_after_a_while_shows_what_happened() {
    let mut stage = stated(100, 30, 2);
    stage.screen.view.line = true;
    stage.screen.open_line();
    away::note(&mut stage.screen, false);
    let left = stage.screen.clock.now();
    let later = stated(100, 30, 6);
    stage.screen.transcript = later.screen.transcript;
    stage.screen.clock = Clock::virtual_from(Ms(left.0 + 119_000));
    away::note(&mut stage.screen, true);
    assert!(!stage.text().contains("WHILE YOU WERE AWAY"), "{}", stage.text());
    let mut stage = back();
    has(
        &mut stage,
        &[
            "WHILE YOU WERE AWAY · 12 min, turns 3 to 6",
            "moved   Ada: ban them → freight stays, after Bo #2: \"a door for",
            "moved   Bo: leave the vans alone → permits for people, after Cy",
            "1 read from #3",
        ],
    );
    stage.screen.clock = Clock::virtual_from(Ms(left.0 + 721_000));
    stage.press(&[Char('1')]);
    assert!(stage.text().contains("enter: read from #3"), "{}", stage.text());
    stage.press(&[Enter]);
    assert!(!stage.text().contains("WHILE YOU WERE AWAY"), "{}", stage.text());
    assert!(stage.text().contains("#3") && !stage.screen.view.viewport.following());
}
