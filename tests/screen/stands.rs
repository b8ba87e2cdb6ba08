//! Positions of the participants over the turns: the drawing, the panel, the moment below a turn, and the outcome.

use crate::stage::Stage;
use colloquium::clock::Clock;
use colloquium::model::{Kind, Ms};
use colloquium::ui::request::Request;
use colloquium::ui::theme::ThemeRole;
use colloquium::ui::theme::glyphs::ASCII;
use colloquium::ui::view::away;
use crossterm::event::KeyCode::{Char, Enter, Esc, PageUp};

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
            "◆ ADA MOVES  ban them → freight stays",
            "  Bo, #2: \"a door for a lady on the fourth floor\"",
            "  ban them ─",
            " Ada▶ ━",
            "leave them  4 → 3 apart",
            "APART  █▇  4 → 3",
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

/// A narrow screen has the people between the poles in its second row.
#[test]
fn the_second_row_has_the_people_between_the_poles() {
    for (width, height) in [(40, 12), (80, 24), (100, 30)] {
        let mut stage = stated(width, height, 6);
        let rows = stage.rows();
        assert!(rows[1].contains("Ada") && rows[1].contains("◀Bo"), "{}", rows[1]);
        assert!(rows[1].contains(if width < 60 { "4→2" } else { "4 → 2" }), "{}", rows[1]);
    }
}

/// A sign that only the poster has.
const POSTER: &str = "SHOULD CITIES BAN PRIVATE CARS?";

/// The poster of a running conversation grows, with the words that are being said below it; a letter closes it and is the
/// first one of a line.
#[test]
fn the_poster_of_a_running_conversation_has_the_words_below_it() {
    let mut stage = Stage::new(100, 30).with_positions();
    stage = stage.until(|e| matches!(&e.kind, Kind::Delta(_)) && e.ms > Ms(40_000));
    stage.screen.view.line = true;
    stage.screen.open_line();
    stage.screen.view.poster = true;
    has(&mut stage, &[POSTER, "Ada ●━━", "◆ #4", "  Cy\n", "Say something"]);
    stage.press(&[Char('x')]);
    assert!(!stage.text().contains(POSTER), "{}", stage.text());
    assert_eq!(stage.screen.view.composer.text(), "x");
}

/// Plays the demo to its end in front of a person at the line, and lets some milliseconds pass.
fn over(width: u16, height: u16, ms: u64) -> Stage {
    let mut stage = Stage::new(width, height).with_positions().whole();
    stage.screen.view.line = true;
    stage.screen.open_line();
    let now = stage.screen.clock.now();
    stage.screen.clock = Clock::virtual_from(Ms(now.0 + ms));
    stage
}

/// The end becomes the poster once the last turn, of 78 words, can have been read; Esc shows the transcript again.
#[test]
fn the_end_is_a_poster() {
    assert!(!over(80, 24, 17_000).text().contains(POSTER), "the last turn is still read");
    let mut stage = over(80, 24, 20_000);
    has(
        &mut stage,
        &[
            POSTER,
            "◇ #8   Cy moved Ada   \"the estates will be right to block it\"",
            "RESULT  Close the Saltmarket",
            "WHO     Ada and Bo say the same, Cy is 1 step away. 4 steps apart, now 1.",
            "1 one more round  2 picture  / commands  esc transcript",
        ],
    );
    stage.press(&[Esc]);
    let text = stage.text();
    assert!(!text.contains(POSTER) && text.contains("RESULT"), "{text}");
    assert!(!stage.text().contains(POSTER), "it opens once");
    // a person who scrolls or writes reads on
    let mut stage = over(80, 24, 0);
    stage.press(&[PageUp]);
    stage.screen.clock = Clock::virtual_from(Ms(stage.screen.clock.now().0 + 60_000));
    assert!(!stage.text().contains(POSTER));
    let mut stage = over(80, 24, 0);
    stage.press(&[Char('H')]);
    stage.screen.clock = Clock::virtual_from(Ms(stage.screen.clock.now().0 + 60_000));
    assert!(!stage.text().contains(POSTER));
}

/// The second choice below the poster saves it as a picture.
#[test]
fn a_number_below_the_poster_saves_the_picture() {
    let mut stage = over(120, 40, 30_000);
    assert!(stage.text().contains(POSTER));
    stage.screen.clock = Clock::virtual_from(Ms(stage.screen.clock.now().0 + 1_000));
    stage.press(&[Char('2')]);
    assert!(stage.text().contains(POSTER), "{}", stage.text());
    let asked = stage.press(&[Enter]);
    assert!(matches!(asked[..], [Request::Export("png")]), "{asked:?}");
}

/// The poster opens by itself while nobody presses a key.
#[test]
fn the_poster_opens_after_a_rest() {
    let mut stage = stated(100, 30, 4);
    stage.screen.view.rest.after = Some(300_000);
    stage.screen.view.rest.since = None;
    assert!(!stage.text().contains(POSTER), "{}", stage.text());
    let later = |stage: &mut Stage, ms| {
        let now = stage.screen.clock.now();
        stage.screen.clock = Clock::virtual_from(Ms(now.0 + ms));
    };
    later(&mut stage, 299_000);
    assert!(!stage.text().contains(POSTER), "{}", stage.text());
    later(&mut stage, 1_000);
    assert!(stage.text().contains(POSTER), "{}", stage.text());
    stage.press(&[Char('x')]);
    assert!(!stage.text().contains(POSTER), "{}", stage.text());
    later(&mut stage, 300_000);
    assert!(stage.text().contains(POSTER), "{}", stage.text());
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
