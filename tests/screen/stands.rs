//! Positions of the participants over the turns: the drawing, the panel, the moment below a turn, and the outcome.

use crate::stage::{Stage, demo};
use colloquium::clock::Clock;
use colloquium::model::{Event, Kind, Ms};
use colloquium::ui::theme::glyphs::ASCII;
use colloquium::ui::view::away;
use crossterm::event::KeyCode::Char;
use serde_json::json;

/// Positions by turn: the turn, the place between the poles, the words, and the turn that moved the participant.
const STANCES: [(u32, i8, &str, Option<u32>); 6] = [
    (1, 2, "ban them", None),
    (2, -2, "leave them", None),
    (3, 0, "measure it first", None),
    (4, 1, "freight stays", Some(2)),
    (6, -1, "permits", Some(4)),
    (9, 1, "one district, one year", Some(8)),
];

fn poles(event: &mut Event) {
    if let Kind::Opened(opened) = &mut event.kind {
        opened.scenario["stance"] = json!(["ban them", "leave them"]);
    }
}

/// Plays the demo up to the end of a turn, with positions.
pub fn stated(width: u16, height: u16, turns: u32) -> Stage {
    let mut stage = Stage::new(width, height).altering(poles);
    for event in demo() {
        let mut event = event.clone();
        poles(&mut event);
        let ended = match &event.kind {
            Kind::TurnEnded(end) => end.number.map(|number| (number, event.by.clone(), end.turn)),
            _ => None,
        };
        stage.take(event);
        let Some((number, by, turn)) = ended else { continue };
        if let Some((_, at, words, moved_by)) = STANCES.iter().find(|(turn, ..)| *turn == number) {
            let data = json!({
                "participant": by, "turn": turn, "number": number, "stance": words, "at": at,
                "moved_by": moved_by,
            });
            stage.happens("engine", "stance.recorded", data);
        }
        // the end follows the last turn
        if number == turns && turns < 9 {
            break;
        }
    }
    stage.draw();
    stage
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

/// At the end, the line of the floor says who agrees, and the two lines meet.
#[test]
fn the_end_names_the_agreement() {
    for height in [24, 40] {
        let mut stage = stated(120, height, 9);
        stage.screen.view.line = true;
        let all = stage.text();
        has(
            &mut stage,
            &["Ada · Bo  one district, one year", "Ada and Bo agree, Cy has not decided"],
        );
        assert_eq!(all.matches("9 turns").count(), 1, "{all}");
    }
    let mut stage = stated(120, 40, 9);
    has(&mut stage, &["MOVED  Ada 1  Bo 2  Cy 0", "BY     Ada moved Bo twice", "  4 → 1"]);
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

/// Without poles the screen is as before.
#[test]
fn nothing_is_inferred_from_prose() {
    let mut stage = Stage::new(120, 40).whole();
    let text = stage.text();
    assert!(!text.contains("WHERE THEY STAND") && !text.contains("APART"), "{text}");
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

/// Coming back after two minutes, the person reads what happened; the first digit scrolls to the first missed turn.
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
    let mut stage = stated(100, 30, 2);
    stage.screen.view.line = true;
    stage.screen.open_line();
    away::note(&mut stage.screen, false);
    stage.screen.transcript = stated(100, 30, 6).screen.transcript;
    stage.screen.clock = Clock::virtual_from(Ms(left.0 + 720_000));
    away::note(&mut stage.screen, true);
    has(
        &mut stage,
        &[
            "WHILE YOU WERE AWAY · 12 min, turns 3 to 6",
            "moved   Bo: leave them → permits (#6, after #4)",
            "moved   Ada: ban them → freight stays (#4, after #2)",
            "1 read from #3",
        ],
    );
    stage.screen.clock = Clock::virtual_from(Ms(left.0 + 721_000));
    stage.press(&[Char('1')]);
    assert!(!stage.text().contains("WHILE YOU WERE AWAY"), "{}", stage.text());
    assert!(stage.text().contains("#3") && !stage.screen.view.viewport.following());
}
