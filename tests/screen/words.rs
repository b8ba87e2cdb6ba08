//! Partial redraws: a frame with only new text is drawn in part, and equals a full redraw.

use crate::stage::{Stage, demo, headless, whole_demo};
use colloquium::clock::Clock;
use colloquium::model::{Event, Ms, Seq};
use colloquium::session::Record;
use colloquium::session::replay::Recording;
use colloquium::ui::act::update::key;
use colloquium::ui::frame::{Change, Frame};
use colloquium::ui::theme::Theme;
use colloquium::ui::theme::glyphs;
use colloquium::ui::{Screen, draw};
use crossterm::event::KeyCode::{self, Char, PageUp};
use crossterm::event::{KeyEvent, KeyModifiers};
use ratatui::buffer::{Buffer, CellDiffOption};
use ratatui::layout::{Position, Rect};
use std::sync::Arc;

/// Returns the cells of a row as they look, without attributes that only affect the output.
fn looks(cells: &Buffer, y: u16) -> Vec<(String, ratatui::style::Style)> {
    let row = (0..cells.area.width).map(|x| &cells[(x, y)]);
    row.map(|cell| (cell.symbol().to_owned(), cell.style())).collect()
}

/// Shows the second half of a conversation as it arrives, up to a number of partial frames; halfway `keys` are pressed.
/// Each partial frame must equal a full one.
fn shown(events: &[Event], width: u16, height: u16, keys: &[KeyCode]) {
    let records: Vec<_> =
        events.iter().map(|e| Arc::new(Record::new(e.clone()).unwrap())).collect();
    let recording = Recording::new(records);
    let clock = Clock::virtual_from(Ms(0));
    let mut screen = Screen::new(Seq(0), clock, Theme::default(), &glyphs::UNICODE);
    let area = Rect::new(0, 0, width, height);
    let mut cells = Buffer::empty(area);
    let mut cursor = None::<Position>;
    let (mut words, mut sealed, mut keys) =
        (0, 0, keys.iter().map(|code| KeyEvent::new(*code, KeyModifiers::NONE)));
    let half = recording.moments().count() / 2;
    for (n, (ms, item)) in recording.moments().enumerate() {
        let mut change = screen.take(&item);
        if n < half {
            continue;
        }
        if n == half {
            // a partial frame is drawn over a full one
            change = Change::Everything;
        }
        if words == WORDS / 2
            && let Some(pressed) = keys.next()
        {
            key(&mut screen, &pressed);
            change = Change::Everything;
        }
        match change {
            Change::Everything => {
                // a new second is drawn too, in a frame of its own
                screen.clock = Clock::virtual_from(ms);
                let mut frame = Frame::new(&mut cells);
                draw::draw(&mut frame, &mut screen);
                cursor = frame.cursor;
                continue;
            }
            Change::Words => {
                words += 1;
                let mut frame = Frame::over(&mut cells, cursor);
                draw::draw_words(&mut frame, &mut screen);
                cursor = frame.cursor;
            }
            Change::Nothing => sealed += 1,
        }
        if words > WORDS {
            assert!(sealed > 3, "words are sealed after they were shown");
            return;
        }
        let mut whole = Buffer::empty(area);
        let mut frame = Frame::new(&mut whole);
        draw::draw(&mut frame, &mut screen);
        assert_eq!(frame.cursor, cursor, "the cursor, at {width}x{height}");
        for y in 0..height {
            let row: String = looks(&whole, y).into_iter().map(|(symbol, _)| symbol).collect();
            // an estimate that changes every second
            if !row.contains(" tok/s") {
                assert_eq!(looks(&cells, y), looks(&whole, y), "row {y} of {width}x{height}");
            }
        }
    }
    panic!("only {words} frames for words alone");
}

/// Number of partial frames.
const WORDS: usize = 80;
const SIZES: [(u16, u16); 5] = [(40, 12), (50, 24), (80, 24), (120, 40), (200, 60)];

#[test]
fn partial_frame_equals_full_frame() {
    // the last size is too small for a transcript
    for (width, height) in SIZES.into_iter().chain([(30, 6)]) {
        shown(demo(), width, height, &[]);
        shown(whole_demo(), width, height, &[]);
    }
}

#[test]
fn parallel_speakers_are_drawn() {
    let events = headless(&["run", "brainstorm", "--rehearsed"], &[]);
    for (width, height) in SIZES {
        shown(&events, width, height, &[]);
    }
}

#[test]
fn words_below_are_counted_and_nothing_that_lies_on_top_is_drawn_over() {
    let open: [&[KeyCode]; 8] = [
        &[PageUp],
        &[PageUp, Char('/'), Char('t')],
        &[Char('/'), Char('t'), KeyCode::Enter],
        &[Char('i'), Char('h'), Char('i')],
        &[Char('i'), Char('/'), Char('p')],
        &[Char(':')],
        &[Char('?')],
        &[Char('a')],
    ];
    for (n, keys) in open.into_iter().enumerate() {
        let (width, height) = [(40, 12), (120, 40)][n % 2];
        shown(demo(), width, height, keys);
    }
}

/// Terminals disagree on the width of such a symbol, so the text after it is rewritten each time.
#[test]
fn text_after_an_ambiguous_symbol_is_rewritten() {
    let mut stage = Stage::new(80, 24).during(2, 1);
    let area = Rect::new(0, 0, 80, 24);
    let [mut cells, mut whole] = [Buffer::empty(area), Buffer::empty(area)];
    draw::draw(&mut Frame::new(&mut cells), &mut stage.screen);
    stage.piece("a family: \u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467} and more");
    draw::draw_words(&mut Frame::over(&mut cells, None), &mut stage.screen);
    draw::draw(&mut Frame::new(&mut whole), &mut stage.screen);
    let again = |cells: &Buffer| {
        let content = cells.content.iter();
        content.filter(|cell| cell.diff_option == CellDiffOption::AlwaysUpdate).count()
    };
    assert!(again(&whole) > 0);
    assert_eq!(cells, whole);
}

#[test]
fn words_that_grow_out_of_sight_are_counted() {
    let mut stage = Stage::new(80, 24).during(2, 1);
    // select the previous message; the end stays visible
    stage.press(&[Char('K')]);
    assert!(!stage.text().contains("more below"), "{}", stage.text());
    let area = Rect::new(0, 0, 80, 24);
    let [mut cells, mut whole] = [Buffer::empty(area), Buffer::empty(area)];
    draw::draw(&mut Frame::new(&mut cells), &mut stage.screen);
    for line in 0..30 {
        stage.piece(&format!("line {line}\n\n"));
        draw::draw_words(&mut Frame::over(&mut cells, None), &mut stage.screen);
        draw::draw(&mut Frame::new(&mut whole), &mut stage.screen);
        assert_eq!(cells, whole, "line {line}");
    }
    assert!(stage.text().contains("1 more below"), "{}", stage.text());
}
