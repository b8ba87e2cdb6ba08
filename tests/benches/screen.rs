//! Cost of a frame for conversations of any length.

use crate::talk::{By, Talk};
use colloquium::clock::Clock;
use colloquium::model::{Channel, Event, Kind, Ms, Piece, Seq};
use colloquium::session::{Item, Record};
use colloquium::ui::act::update::key;
use colloquium::ui::frame::Frame;
use colloquium::ui::terminal::Painter;
use colloquium::ui::text::markdown;
use colloquium::ui::theme::glyphs;
use colloquium::ui::theme::{Depth, Theme, ThemeLibrary};
use colloquium::ui::{Screen, draw};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use std::io::{Sink, sink};
use std::sync::Arc;

/// A screen of each layout: the smallest, one column, one panel, two panels.
const UTTERANCES: [u32; 3] = [1_000, 10_000, 100_000];

/// A terminal that discards its output.
struct Terminal {
    cells: Buffer,
    painter: Painter<Sink>,
}

impl Terminal {
    fn new(width: u16, height: u16) -> Terminal {
        let cells = Buffer::empty(Rect::new(0, 0, width, height));
        let mut painter = Painter::new(sink());
        painter.forget();
        Terminal { cells, painter }
    }

    fn draw(&mut self, screen: &mut Screen) {
        self.show(|frame| draw::draw(frame, screen));
    }

    /// Draws only the changes of streamed text.
    fn draw_words(&mut self, screen: &mut Screen) {
        self.show(|frame| draw::draw_words(frame, screen));
    }

    fn show(&mut self, draw: impl FnOnce(&mut Frame<'_>)) {
        let mut frame = Frame::over(&mut self.cells, None);
        draw(&mut frame);
        let rows = frame.rows;
        self.painter.show(&self.cells, rows, None).unwrap();
    }
}

fn screen(utterances: u32) -> Screen {
    let talk = Talk::run(By::Lines, "round_robin", utterances);
    let clock = Clock::virtual_from(talk.live.state.ms);
    let mut screen = Screen::new(Seq(0), clock, Theme::default(), &glyphs::UNICODE);
    for event in talk.events {
        screen.take(&Item::Event(Arc::new(Record::new(event).unwrap())));
    }
    screen
}

fn draw_at(bencher: Bencher, width: u16, height: u16, utterances: u32) {
    let mut screen = screen(utterances);
    let mut terminal = Terminal::new(width, height);
    bencher.bench_local(|| {
        terminal.draw(&mut screen);
    });
}

#[divan::bench(args = UTTERANCES)]
fn draw_40x10(bencher: Bencher, utterances: u32) {
    draw_at(bencher, 40, 10, utterances);
}

#[divan::bench(args = UTTERANCES)]
fn draw_80x24(bencher: Bencher, utterances: u32) {
    draw_at(bencher, 80, 24, utterances);
}

#[divan::bench(args = UTTERANCES)]
fn draw_120x40(bencher: Bencher, utterances: u32) {
    draw_at(bencher, 120, 40, utterances);
}

#[divan::bench(args = UTTERANCES)]
fn draw_200x60(bencher: Bencher, utterances: u32) {
    draw_at(bencher, 200, 60, utterances);
}

/// Scrolls a page up and draws a frame.
#[divan::bench(args = UTTERANCES)]
fn page_up(bencher: Bencher, utterances: u32) {
    let mut screen = screen(utterances);
    let mut terminal = Terminal::new(120, 40);
    let up = KeyEvent::new(KeyCode::PageUp, KeyModifiers::NONE);
    bencher.bench_local(|| {
        key(&mut screen, &up);
        terminal.draw(&mut screen);
    });
}

/// Opens and closes an overlay, with a frame for each key.
fn opened(bencher: Bencher, what: char, utterances: u32) {
    let mut screen = screen(utterances);
    let mut terminal = Terminal::new(120, 40);
    let press = |code| KeyEvent::new(code, KeyModifiers::NONE);
    bencher.bench_local(|| {
        for code in [KeyCode::Char(what), KeyCode::Esc] {
            key(&mut screen, &press(code));
            terminal.draw(&mut screen);
        }
    });
}

/// Opens the prompt of the last message.
#[divan::bench(args = [1_000, 3_000, 10_000])]
fn prompt_opened(bencher: Bencher, utterances: u32) {
    opened(bencher, 'p', utterances);
}

/// Opens the first page of the analysis.
#[divan::bench(args = [1_000, 3_000, 10_000])]
fn figures_opened(bencher: Bencher, utterances: u32) {
    opened(bencher, 'a', utterances);
}

/// Types and deletes a letter in the composer, with a frame for each.
#[divan::bench(args = UTTERANCES)]
fn letter_in_the_composer(bencher: Bencher, utterances: u32) {
    let mut screen = screen(utterances);
    let mut terminal = Terminal::new(120, 40);
    let [write, letter] = ['i', 'q'].map(|c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
    let back = KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE);
    key(&mut screen, &write);
    bencher.bench_local(|| {
        for pressed in [letter, back] {
            key(&mut screen, &pressed);
            terminal.draw(&mut screen);
        }
    });
}

/// Converts a theme to 256 colours, which delays the first frame.
#[divan::bench]
fn theme_in_256_colours(bencher: Bencher) {
    let library = ThemeLibrary::default();
    bencher.bench(|| library.theme(black_box("nord"), None, Depth::Indexed).unwrap());
}

fn message(bytes: usize) -> String {
    const PART: &str =
        "A *word* or **two**, `code`, and a [link](https://example.org).\n\n- one\n- two\n\n";
    PART.chars().cycle().take(bytes).collect()
}

/// Types and deletes the last letter of a search text, with a frame for each.
#[divan::bench(args = UTTERANCES)]
fn search_key(bencher: Bencher, utterances: u32) {
    let mut screen = screen(utterances);
    let letter = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
    let mut terminal = Terminal::new(120, 40);
    "/w9".chars().for_each(|c| _ = key(&mut screen, &letter(c)));
    let back = KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE);
    bencher.bench_local(|| {
        for pressed in [letter('9'), back] {
            key(&mut screen, &pressed);
            terminal.draw(&mut screen);
        }
    });
}

/// Draws the last thousand words of a reply of `words` words, ten words at a time.
#[divan::bench(args = [1_000, 10_000, 100_000], sample_count = 5)]
fn growing_reply(bencher: Bencher, words: usize) {
    let paragraph = "Ten words that stand in a paragraph of their own. ".repeat(6) + "\n\n";
    let grown = || {
        let mut screen = screen(2);
        let state = screen.transcript.state();
        let seq = state.next_seq;
        let ms = state.ms;
        let mut events = Talk::run(By::Lines, "round_robin", 2).events.into_iter();
        let grant = events.rfind(|e| matches!(e.kind, Kind::FloorGranted(_))).unwrap();
        let event = Event { seq, ms, ..grant };
        screen.take(&Item::Event(Arc::new(Record::new(event).unwrap())));
        let mut terminal = Terminal::new(120, 40);
        say(&mut screen, &paragraph.repeat((words - 1_000) / 60));
        terminal.draw(&mut screen);
        (screen, terminal)
    };
    bencher.with_inputs(grown).bench_local_values(|(mut screen, mut terminal)| {
        for _ in 0..100 {
            say(&mut screen, "ten words more that make the last paragraph grow on ");
            terminal.draw_words(&mut screen);
        }
        screen
    });
}

fn say(screen: &mut Screen, text: &str) {
    let turn = screen.transcript.speaking().next().unwrap().id;
    let piece = Piece { turn, channel: Channel::Say, at: Ms(0), text: text.into() };
    screen.take(&Item::Piece(piece));
}

/// Lays out a whole message at once.
#[divan::bench(args = [100, 1_000, 10_000, 100_000])]
fn markdown_of_a_message(bencher: Bencher, bytes: usize) {
    let said = message(bytes);
    let theme = Theme::default();
    let rows = || markdown::rows(black_box(&said), 80, &theme);
    bencher.counter(BytesCount::new(bytes)).bench(rows);
}

#[divan::bench(args = [100, 1_000, 10_000, 100_000])]
fn wrap_of_a_line(bencher: Bencher, bytes: usize) {
    let line = Line::raw(message(bytes).replace('\n', " "));
    let rows = || colloquium::ui::text::wrap::wrap(black_box(&line), 80);
    bencher.counter(BytesCount::new(bytes)).bench(rows);
}
