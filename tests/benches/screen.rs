//! What a frame costs, whatever the length of the talk.

use crate::talk::{By, Talk};
use colloquium::clock::Clock;
use colloquium::model::Seq;
use colloquium::session::{Item, Record};
use colloquium::ui::act::update::key;
use colloquium::ui::text::markdown;
use colloquium::ui::theme::Theme;
use colloquium::ui::theme::glyphs;
use colloquium::ui::{Screen, draw};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::text::Line;
use std::sync::Arc;

/// A screen of each layout: the smallest, one column, with a panel, with two.
const SIZES: [(u16, u16); 4] = [(40, 10), (80, 24), (120, 40), (200, 60)];
const UTTERANCES: [u32; 3] = [1_000, 10_000, 100_000];

fn screen(utterances: u32) -> Screen {
    let talk = Talk::of(By::Lines, "round_robin", utterances);
    let clock = Clock::virtual_from(talk.live.state.ms);
    let mut screen = Screen::new(Seq(0), clock, Theme::default(), &glyphs::UNICODE);
    for event in talk.events {
        screen.take(&Item::Event(Arc::new(Record::new(event).unwrap())));
    }
    screen
}

fn draw_at(bencher: Bencher, (width, height): (u16, u16), utterances: u32) {
    let mut screen = screen(utterances);
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    bencher.bench_local(|| {
        terminal.draw(|frame| draw::draw(frame, &mut screen)).unwrap();
    });
}

#[divan::bench(args = UTTERANCES)]
fn draw_40x10(bencher: Bencher, utterances: u32) {
    draw_at(bencher, SIZES[0], utterances);
}

#[divan::bench(args = UTTERANCES)]
fn draw_80x24(bencher: Bencher, utterances: u32) {
    draw_at(bencher, SIZES[1], utterances);
}

#[divan::bench(args = UTTERANCES)]
fn draw_120x40(bencher: Bencher, utterances: u32) {
    draw_at(bencher, SIZES[2], utterances);
}

#[divan::bench(args = UTTERANCES)]
fn draw_200x60(bencher: Bencher, utterances: u32) {
    draw_at(bencher, SIZES[3], utterances);
}

/// A page up and its frame.
#[divan::bench(args = UTTERANCES)]
fn page_up(bencher: Bencher, utterances: u32) {
    let mut screen = screen(utterances);
    let mut terminal = Terminal::new(TestBackend::new(120, 40)).unwrap();
    let up = KeyEvent::new(KeyCode::PageUp, KeyModifiers::NONE);
    bencher.bench_local(|| {
        key(&mut screen, &up);
        terminal.draw(|frame| draw::draw(frame, &mut screen)).unwrap();
    });
}

fn message(bytes: usize) -> String {
    const PART: &str =
        "A *word* or **two**, `code`, and a [link](https://example.org).\n\n- one\n- two\n\n";
    PART.chars().cycle().take(bytes).collect()
}

/// A message that grows is laid out anew with each piece.
#[divan::bench(args = [100, 1_000, 10_000, 100_000])]
fn markdown_of_a_message(bencher: Bencher, bytes: usize) {
    let (said, theme) = (message(bytes), Theme::default());
    let rows = || markdown::rows(black_box(&said), 80, &theme);
    bencher.counter(BytesCount::new(bytes)).bench(rows);
}

#[divan::bench(args = [100, 1_000, 10_000, 100_000])]
fn wrap_of_a_line(bencher: Bencher, bytes: usize) {
    let line = Line::raw(message(bytes).replace('\n', " "));
    let rows = || colloquium::ui::text::wrap::wrap(black_box(&line), 80);
    bencher.counter(BytesCount::new(bytes)).bench(rows);
}
