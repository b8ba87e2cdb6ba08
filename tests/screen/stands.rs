//! Positions of the participants over the turns: the drawing, the panel, the moment below a turn, and the outcome.

use crate::stage::{Stage, demo, whole_demo};
use colloquium::clock::Clock;
use colloquium::model::{Kind, Ms, VoiceSpec};
use colloquium::ui::request::Request;
use colloquium::ui::view::away;
use crossterm::event::KeyCode::{Char, Enter, Esc, F, PageUp};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde_json::json;

/// Plays the demo up to the position that a turn states; its last turn is followed by the end.
fn stated(width: u16, height: u16, turn: u32) -> Stage {
    let stage = Stage::new(width, height).with_positions();
    if turn == 9 {
        return stage.whole();
    }
    stage.until(|e| matches!(&e.kind, Kind::PositionRecorded(s) if s.number == Some(turn)))
}

fn has(stage: &mut Stage, told: &[&str]) {
    let text = stage.text();
    for told in told {
        assert!(text.contains(told), "{told:?} is not in\n{text}");
    }
}

/// After four turns the first move is below its turn, between the poles, in the sidebar, and on the page of the table.
#[test]
fn a_move_is_drawn_counted_and_named_below_its_turn() {
    let mut stage = stated(120, 40, 4);
    has(
        &mut stage,
        &[
            "◆ ADA MOVES  ban them → freight stays",
            "  Bo, #2: \"a door for a lady on the fourth floor\"",
            "  ban them ─",
            " Ada▶ ━",
            "leave them  4 → 3 apart",
            "  AT THE TABLE",
            "·●···\n",
            "  transport planner\n",
            "  rehearsed\n",
            "  freight stays\n",
            "····●\n",
        ],
    );
    stage.press(&[F(2)]);
    let table = ["MOVED", "4 steps apart, now 3", "Ada  once", "Bo   not yet", "Bo moved Ada once"];
    has(&mut stage, &table);
    stage.press(&[F(2)]);
    assert!(!stage.text().contains("MOVED"), "{}", stage.text());
}

/// The sidebar of a wide screen has the moves.
#[test]
fn the_wide_sidebar_has_the_moves() {
    let mut stage = stated(200, 60, 6);
    has(&mut stage, &["MOVES", "◆ #6 Cy moved Bo", "  \"My mother drives four hundred"]);
    assert!(!stated(120, 40, 6).text().contains("MOVES\n"), "there is no room");
}

/// The rows of the participants are the same from turn to turn.
#[test]
fn the_people_keep_their_rows() {
    for (width, height) in [(100, 30), (120, 40), (200, 60)] {
        let names = |turn: u32| {
            let mut stage = stated(width, height, turn);
            let x = usize::from(stage.screen.view.areas.sidebar.x);
            let rows = stage.rows();
            let own = |name: &str| {
                // the row between the poles has names as well
                rows.iter()
                    .skip(2)
                    .position(|row| row.chars().skip(x + 2).collect::<String>().starts_with(name))
            };
            ["Ada ", "Bo ", "Cy "].map(own)
        };
        let first = names(1);
        assert!(first.iter().all(Option::is_some), "{first:?}");
        assert!([2, 4, 6].into_iter().all(|turn| names(turn) == first), "at {width}");
    }
}

/// No cell has two owners: the sidebar ends two cells before the edge and begins two behind the messages, and names and
/// claims in it are whole or end in an ellipsis.
#[test]
fn names_and_claims_are_whole_or_end_in_an_ellipsis() {
    let words = ["Ada", "Bo", "Cy", "ban them", "permits for people", "measure it first"];
    let mut stages = [stated(80, 24, 6), crate::people::crowded(80, 24)];
    for (width, height) in (40..=200).flat_map(|width| [(width, 12), (width, 24), (width, 40)]) {
        for (nth, stage) in stages.iter_mut().enumerate() {
            stage.terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
            let rows = stage.rows();
            let a = stage.screen.view.areas;
            let panes = [
                a.header,
                a.rope,
                a.transcript,
                a.sidebar,
                a.board,
                a.card,
                a.floor,
                a.queue,
                a.composer,
                a.edge,
                a.timeline,
                a.footer,
            ];
            for (i, one) in panes.iter().enumerate() {
                let shared = panes[..i].iter().find(|other| one.intersects(**other));
                assert_eq!(shared, None, "{width}x{height}: {one:?}");
            }
            let area = a.sidebar;
            assert_eq!(width >= 100, !area.is_empty());
            for row in rows.iter().take(area.bottom().into()).skip(area.y.into()) {
                let cells: Vec<char> = row.chars().collect();
                let [left, right] = [usize::from(area.x), usize::from(area.right())];
                let around = [left - 2, left - 1, right, right + 1];
                assert!(around.iter().all(|x| cells[*x] == ' '), "{width}: {row}");
                let own: String = cells[left + 2..right].iter().collect();
                let told = own.split("  ").next().unwrap().trim();
                let is_cut = |whole: &&&str| whole.starts_with(told) && told.len() > 1;
                let cut = words.iter().find(is_cut).filter(|whole| **whole != told);
                assert!(nth == 1 || cut.is_none(), "{width}: {row}");
                let is_guest = told.starts_with("Guest");
                assert!(!is_guest || told.ends_with('…') || told.len() >= 7, "{width}: {row}");
            }
        }
    }
}

/// At the end, the line of the floor says who says the same.
#[test]
fn the_end_names_the_positions() {
    for height in [24, 40] {
        let mut stage = stated(120, height, 9);
        stage.short = false;
        let all = stage.text();
        has(&mut stage, &["Ada and Bo say the same, Cy is 1 step away"]);
        assert_eq!(all.matches("9 turns").count(), 1, "{all}");
    }
    let mut stage = stated(120, 40, 9);
    stage.press(&[F(2)]);
    let moves =
        ["Ada  twice", "Bo   twice", "Cy   not yet", "Bo moved Ada once", "Cy moved Bo once"];
    has(&mut stage, &moves);
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
    stage.short = false;
    stage.screen.open_line();
    stage.screen.view.over.poster = true;
    has(&mut stage, &[POSTER, "Ada ●━━", "◆ #4", "  Cy\n", "Say something"]);
    stage.press(&[Char('x')]);
    assert!(!stage.text().contains(POSTER), "{}", stage.text());
    assert_eq!(stage.screen.view.composer.text(), "x");
}

/// Plays the demo to its end in front of a person at the line, and lets some milliseconds pass.
fn over(width: u16, height: u16, ms: u64) -> Stage {
    let mut stage = Stage::new(width, height).with_positions().whole();
    stage.short = false;
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
            "◇ #8   Cy changed Ada's words   \"the estates will be right to block it\"",
            "RESULT  Close the Saltmarket",
            "WHO     Ada and Bo say the same, Cy is 1 step away. 4 steps apart, now 1.",
            "OPEN    Whether permits stay honest: Cy has signed such papers · What… CHECK",
            "1 one more round  2 picture  / commands  esc transcript",
        ],
    );
    // a long notice covers no row
    stage.screen.view.notice = Some("a long notice ".repeat(8));
    has(&mut stage, &[" a long notice a long notice", "now… OPEN"]);
    stage.screen.view.notice = None;
    stage.press(&[Esc]);
    let text = stage.text();
    assert!(!text.contains(POSTER) && text.contains("RESULT"), "{text}");
    assert!(!stage.text().contains(POSTER), "it opens once");
    let reworded = (0..4).any(|_| {
        stage.press(&[PageUp]);
        stage.text().contains("◇ ADA REWORDS  freight stays → one district, one year")
    });
    assert!(reworded, "{}", stage.text());
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

/// The line has the first choice, with its price, and the hints below it have the others.
#[test]
fn the_line_below_the_poster_has_one_choice() {
    let mut stage = Stage::new(120, 40).with_positions().altering(|event| {
        if let Kind::Opened(opened) = &mut event.kind {
            opened.participants[0].voice = VoiceSpec::Model(Default::default());
        }
    });
    stage = stage.whole();
    stage.short = false;
    stage.screen.open_line();
    stage.screen.view.over.poster = true;
    has(&mut stage, &["1 one more round, price not known │"]);
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
    stage.press(&[PageUp]);
    assert!(!stage.text().contains(POSTER), "{}", stage.text());
    stage.screen.view.viewport.follow();
    later(&mut stage, 300_000);
    assert!(stage.text().contains(POSTER), "{}", stage.text());
}

/// Returns a stage in front of a person who comes back after twelve minutes.
pub fn back() -> Stage {
    let mut stage = stated(100, 30, 2);
    stage.short = false;
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
    stage.short = false;
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

/// Returns the demo up to its second turn with a table of these names, with positions if `states` is true.
fn seat_names(names: &[String], states: bool) -> Stage {
    let mut stage = Stage::new(120, 60);
    for event in if states { whole_demo() } else { demo() } {
        let mut event = event.clone();
        if let Kind::Opened(opened) = &mut event.kind {
            let guest = opened.participants[0].clone();
            for n in opened.participants.len()..names.len() {
                let mut guest = guest.clone();
                guest.id = format!("p{n}").into();
                opened.participants.push(guest);
            }
            for (n, (seat, name)) in opened.participants.iter_mut().zip(names).enumerate() {
                seat.name = name.as_str().into();
                if n % 2 == 1 {
                    seat.role = None;
                }
            }
        }
        let is_second = matches!(&event.kind, Kind::FloorGranted(g) if g.number == Some(2));
        stage.take(event);
        if is_second {
            break;
        }
    }
    stage
}

/// Names of one to sixty letters, narrow, wide and combining, with and without role and position: each in the sidebar is
/// whole or ends in an ellipsis, and at least two blanks are before what follows it.
#[test]
fn names_of_every_length_fit_into_the_sidebar() {
    let letters = ["n", "名", "n\u{308}"];
    for (nth, letter) in letters.into_iter().enumerate() {
        for (tens, states) in (0..6).flat_map(|tens| [(tens, false), (tens, true)]) {
            let names: Vec<String> = (1..=10).map(|n| letter.repeat(tens * 10 + n)).collect();
            let mut stage = seat_names(&names, states);
            for width in (40..=200).skip(tens + nth).step_by(6) {
                stage.terminal = Terminal::new(TestBackend::new(width, 60)).unwrap();
                stage.draw();
                let area = stage.screen.view.areas.sidebar;
                let buffer = stage.terminal.backend().buffer();
                let mut seen = 0;
                for y in area.y..area.bottom() {
                    let cells = (area.x + 2..area.right()).map(|x| buffer[(x, y)].symbol());
                    // a wide letter leaves a blank in its second cell
                    let row = cells.collect::<String>().replace("名 ", "名");
                    let told = row.split("  ").next().unwrap_or_default().trim_end();
                    if told.starts_with(letter) && !told.contains(|c: char| c.is_ascii_digit()) {
                        seen += 1;
                        let is_whole = names.iter().any(|name| name == told);
                        let is_cut = told.ends_with('…') && told.starts_with(letter);
                        assert!(is_whole || is_cut, "{width}: {told:?} in {row:?}");
                    }
                }
                assert!(area.is_empty() || seen >= 10, "{seen} at {width}\n{}", stage.text());
            }
        }
    }
}

/// An activity without room beside the name has the row below, whole.
#[test]
fn a_long_activity_is_whole_in_the_sidebar() {
    let mut stage = Stage::new(100, 40).with_positions().during(2, 0);
    let turn = stage.turn();
    let call = stage.screen.transcript.state().calls().next().unwrap().call;
    let error = json!({"class": "rate", "text": "429: too many requests"});
    let told = json!({"turn": turn, "call": call, "error": error, "wait_ms": 21_000});
    stage.happens("engine", "call.retried", told);
    has(&mut stage, &["  retrying in 21s"]);
}
