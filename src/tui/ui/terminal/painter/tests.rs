//! After any sequence of frames the terminal shows the last one, and only the necessary bytes are written.

use super::*;
use ratatui::style::Style;

const SIZE: (u16, u16) = (40, 12);
const AREA: Rect = Rect::new(0, 0, SIZE.0, SIZE.1);

/// A terminal and its last frame.
struct Shown {
    painter: Painter<Vec<u8>>,
    terminal: vt100::Parser,
    last: Buffer,
}

impl Shown {
    fn new() -> Shown {
        let (columns, rows) = SIZE;
        let mut painter = Painter::new(vec![]);
        painter.forget();
        let [rows, columns] = [rows, columns].map(|cells| cells.try_into().unwrap());
        let terminal = vt100::Parser::new(rows, columns, 0);
        Shown { painter, terminal, last: Buffer::empty(AREA) }
    }

    /// Shows rows; returns the bytes written for them.
    fn show(&mut self, rows: &[(&str, Style)], cursor: Option<Position>) -> String {
        let mut next = Buffer::empty(AREA);
        for (y, (row, style)) in (0..).zip(rows) {
            next.set_string(0, y, row, *style);
        }
        // the painter gets the range of rows that may differ
        let row = |cells: &Buffer, y: u16| -> Vec<Cell> {
            (0..SIZE.0).map(|x| cells[(x, y)].clone()).collect()
        };
        let differ = |y: &u16| row(&self.last, *y) != row(&next, *y);
        let first = (0..SIZE.1).find(differ);
        let last = (0..SIZE.1).rfind(differ);
        let rows = first.zip(last).map_or(0..0, |(first, last)| first..last + 1);
        self.painter.show(&next, rows, cursor).unwrap();
        let sent = self.painter.take();
        self.terminal.process(&sent);
        self.check(&next);
        self.last = next;
        String::from_utf8(sent).unwrap()
    }

    fn check(&self, next: &Buffer) {
        let screen = self.terminal.screen();
        for (x, y) in (0..SIZE.1).flat_map(|y| (0..SIZE.0).map(move |x| (x, y))) {
            let cell = &next[(x, y)];
            let there = screen.cell(y, x).unwrap();
            if there.is_wide_continuation() {
                continue;
            }
            let symbol = if there.has_contents() { there.contents() } else { " " };
            assert_eq!(symbol, cell.symbol(), "at {x}, {y} of\n{}", screen.contents());
            if symbol != " " {
                assert_eq!(there.bold(), cell.modifier.contains(Modifier::BOLD), "at {x}, {y}");
                let colour = match there.fgcolor() {
                    vt100::Color::Default => Color::Reset,
                    vt100::Color::Idx(number) => Color::Indexed(number),
                    vt100::Color::Rgb(r, g, b) => Color::Rgb(r, g, b),
                };
                assert_eq!(colour, cell.fg, "at {x}, {y}");
            }
        }
    }
}

fn plain(rows: &[&'static str]) -> Vec<(&'static str, Style)> {
    rows.iter().map(|row| (*row, Style::new())).collect()
}

#[test]
fn a_frame_without_a_change_writes_nothing() {
    let mut shown = Shown::new();
    let rows = plain(&["one", "two"]);
    assert!(shown.show(&rows, None).starts_with("\u{1b}[?2026h"));
    assert_eq!(shown.show(&rows, None), "");
    let cursor = Some(Position { x: 3, y: 0 });
    let moved = shown.show(&rows, cursor);
    assert_eq!(moved, "\u{1b}[?2026h\u{1b}[1;4H\u{1b}[?25h\u{1b}[?2026l");
    assert_eq!(shown.show(&rows, cursor), "");
    // a typed letter takes one byte, plus the bytes around every frame
    let typed = shown.show(&plain(&["one!", "two"]), Some(Position { x: 4, y: 0 }));
    assert_eq!(typed, "\u{1b}[?2026h!\u{1b}[?2026l");
}

#[test]
fn rows_that_moved_are_scrolled() {
    let words = "the quick brown fox jumps over the dog";
    let said: Vec<String> = (0..30).map(|n| format!("{n:2} {}", &words[n % 9..])).collect();
    let page = |from: usize| -> Vec<(&str, Style)> {
        let body = said[from..from + 10].iter().map(|row| (row.as_str(), Style::new()));
        [("head", Style::new())].into_iter().chain(body).chain([("foot", Style::new())]).collect()
    };
    let mut shown = Shown::new();
    let whole = shown.show(&page(0), None).len();
    for (from, scrolls) in
        [(1, "\u{1b}[1S"), (3, "\u{1b}[2S"), (2, "\u{1b}[1T"), (5, "\u{1b}[3S"), (3, "\u{1b}[2T")]
    {
        let sent = shown.show(&page(from), None);
        assert!(sent.contains(scrolls), "{from}: {sent:?}");
        assert!(sent.len() < whole / 2, "{from}: {} of {whole} bytes", sent.len());
    }
    shown.show(&page(19), None);
}

#[test]
fn both_cells_of_a_wide_sign_are_written_or_none() {
    let ground = Style::new().bg(Color::Indexed(4));
    let mut shown = Shown::new();
    shown.show(&[("漢", ground)], None);
    let sent = shown.show(&plain(&["a"]), None);
    assert!(sent.contains("a "), "the colour below the second cell goes: {sent:?}");
    // a change of only the second cell is ignored, because writing it would split the character
    let mut next = Buffer::empty(AREA);
    next.set_string(0, 0, "漢x", Style::new());
    shown.painter.show(&next, 0..1, None).unwrap();
    shown.painter.take();
    next[(1, 0)].set_style(ground);
    shown.painter.show(&next, 0..1, None).unwrap();
    assert_eq!(String::from_utf8(shown.painter.take()).unwrap(), "");
}

/// After any sequence of frames the terminal shows the last one.
#[test]
fn any_frame_follows_any_other() {
    let words =
        ["", "a", "日本語 wide", "plain words that go on for a while", "e\u{301} 漢", "x y z"];
    let colours = [Color::Reset, Color::Indexed(2), Color::Rgb(1, 2, 3)];
    let mut shown = Shown::new();
    let mut dice = 7u64;
    let mut roll = |sides: usize| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (dice >> 33) as usize % sides
    };
    let mut rows: Vec<(&str, Style)> = vec![("", Style::new()); 12];
    for _ in 0..500 {
        let mut random = || {
            let style = Style::new().fg(colours[roll(3)]);
            let style = if roll(2) == 0 { style.add_modifier(Modifier::BOLD) } else { style };
            (words[roll(words.len())], style)
        };
        match random().0.len() % 3 {
            0 => rows.rotate_left(1),
            1 => rows.rotate_right(2),
            _ => {}
        }
        rows[random().0.len() % 12] = random();
        shown.show(&rows, None);
    }
}

/// A terminal may have more cells than 16 bits can count.
#[test]
fn a_very_large_terminal_is_painted() {
    let mut painter = Painter::new(vec![]);
    for (width, height) in [(2, 1), (500, 200), (1, 300)] {
        let next = Buffer::filled(Rect::new(0, 0, width, height), Cell::new("x"));
        painter.forget();
        painter.show(&next, 0..height, None).unwrap();
        let painted = painter.out.iter().filter(|byte| **byte == b'x').count();
        assert_eq!(painted, usize::from(width) * usize::from(height));
        painter.out.clear();
    }
}

/// An address on the screen costs nothing while other rows stream.
#[test]
fn an_address_in_an_unchanged_row_is_written_once() {
    let mut painter = Painter::new(vec![]);
    let rows = |words: &str| Buffer::with_lines(["see example.org here", words]);
    let link = ScreenLink { at: (4, 0), width: 11, address: "https://example.org/".into() };
    let links = [link];
    painter.forget();
    painter.show(&rows("a"), 0..2, None).unwrap();
    painter.link(&links).unwrap();
    assert!(String::from_utf8(painter.take()).unwrap().contains("\u{1b}]8;;https://example.org/"));
    painter.show(&rows("ab"), 0..2, None).unwrap();
    painter.take();
    painter.link(&links).unwrap();
    assert_eq!(painter.take(), b"");
    // its own row was written
    let other = Buffer::with_lines(["see example.org hers", "ab"]);
    painter.show(&other, 0..2, None).unwrap();
    painter.take();
    painter.link(&links).unwrap();
    assert!(String::from_utf8(painter.take()).unwrap().contains("https://example.org/"));
}
