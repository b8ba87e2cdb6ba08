//! Breaks styled lines at a width, in cells as the terminal counts them; what hangs under a bullet stays under it.
//!
//! It measures in graphemes, as ratatui draws, so that a row never spills. It deliberately knows no Markdown: the
//! indent is read off the line itself.

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The widest hanging indent, in cells; what is deeper would leave no room for words.
const INDENT_MAX: usize = 8;

/// Returns the width of a text in cells.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Returns a text cut to a width, with an ellipsis where something is left out.
pub fn clip(text: &str, room: usize, ellipsis: &str) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut clipped = String::new();
    let mut used = width(ellipsis);
    for g in text.graphemes(true) {
        used += width(g);
        if used > room {
            break;
        }
        clipped.push_str(g);
    }
    if room == 0 { String::new() } else { clipped.trim_end().to_owned() + ellipsis }
}

struct Cell<'a> {
    text: &'a str,
    width: usize,
    style: Style,
}

/// Breaks a line at a width of at least one cell.
pub fn wrap(line: &Line<'_>, room: usize) -> Vec<Line<'static>> {
    let room = room.max(2);
    let cells: Vec<Cell> = line
        .spans
        .iter()
        .flat_map(|span| {
            let style = line.style.patch(span.style);
            span.content.graphemes(true).map(move |text| Cell { text, width: width(text), style })
        })
        .collect();
    let text: String = cells.iter().map(|c| c.text).collect();
    let indent = hanging(&text).min(INDENT_MAX).min(room / 2);
    let (mut rows, mut start) = (Vec::new(), 0);
    loop {
        let lead = if rows.is_empty() { 0 } else { indent };
        let end = row_end(&cells, start, room - lead);
        rows.push(row(&cells[start..end], lead));
        start = end;
        // the space at which a row was broken belongs to neither row
        while cells.get(start).is_some_and(|c| c.text == " ") {
            start += 1;
        }
        if start >= cells.len() {
            return rows;
        }
    }
}

/// Returns where the row that begins at `start` ends: behind the last space that fits, or in the middle of a word that
/// fits no row.
fn row_end(cells: &[Cell], start: usize, room: usize) -> usize {
    let (mut used, mut space) = (0, None);
    for (i, cell) in cells.iter().enumerate().skip(start) {
        used += cell.width;
        if used > room {
            let at_space = cell.text == " ";
            let end = if at_space { i } else { space.unwrap_or(i) };
            return end.max(start + 1);
        }
        if cell.text == " " && i > start {
            space = Some(i);
        }
    }
    cells.len()
}

fn row(cells: &[Cell], lead: usize) -> Line<'static> {
    let mut spans: Vec<Span<'static>> = Vec::new();
    if lead > 0 {
        spans.push(Span::raw(" ".repeat(lead)));
    }
    for cell in cells {
        match spans.last_mut() {
            Some(last) if last.style == cell.style => last.content.to_mut().push_str(cell.text),
            _ => spans.push(Span::styled(cell.text.to_owned(), cell.style)),
        }
    }
    Line::from(spans)
}

/// The marks before a list item or a line: those of Markdown, and those of the program's narration.
const BULLETS: [&str; 6] = ["- ", "* ", "+ ", "• ", "● ", "· "];

/// Returns how far the rows after the first are indented: past blanks, quote marks, a bullet or a number.
fn hanging(text: &str) -> usize {
    let blank = text.len() - text.trim_start_matches([' ', '>', '│']).len();
    let rest = &text[blank..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let bullet = match rest.as_bytes().get(digits) {
        Some(b'.' | b')') if digits > 0 && rest[digits + 1..].starts_with(' ') => digits + 2,
        _ => BULLETS.iter().find(|b| rest.starts_with(**b)).map_or(0, |b| width(b)),
    };
    width(&text[..blank]) + bullet
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, room: usize, expected: &[&str]) {
        let rows: Vec<String> =
            wrap(&Line::from(text), room).iter().map(|l| l.to_string()).collect();
        assert_eq!(rows, expected, "{text:?} at {room}");
        assert!(rows.iter().all(|r| width(r) <= room.max(2)), "{rows:?} is wider than {room}");
    }

    #[test]
    fn words_are_kept_whole_where_they_fit() {
        check("", 10, &[""]);
        check("one two three", 8, &["one two", "three"]);
        check("one two", 7, &["one two"]);
        check("abcdefghij", 4, &["abcd", "efgh", "ij"]);
        check("a abcdefgh", 4, &["a", "abcd", "efgh"]);
        check("漢字漢字", 5, &["漢字", "漢字"]);
    }

    #[test]
    fn what_hangs_under_a_bullet_stays_under_it() {
        check("- one two three", 9, &["- one two", "  three"]);
        check("12. one two three", 11, &["12. one two", "    three"]);
        check("> one two three", 9, &["> one two", "  three"]);
        check("2026 was a year", 9, &["2026 was", "a year"]);
    }

    #[test]
    fn a_clipped_text_says_so() {
        for (text, room, expected) in
            [("abc", 3, "abc"), ("abcd", 3, "ab~"), ("漢字漢", 4, "漢~"), ("ab", 0, "")]
        {
            assert_eq!(clip(text, room, "~"), expected);
        }
    }
}
