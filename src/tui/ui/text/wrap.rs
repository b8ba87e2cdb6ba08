//! Breaks styled lines at a width, in cells as the terminal counts them, with hanging indents for list items.
//!
//! It measures in graphemes, as ratatui draws, so that a row never exceeds its width. It deliberately knows no
//! Markdown: the indent is derived from the line itself.

use crate::text::is_printable;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Maximum hanging indent, in cells; a deeper one would leave too little space for text.
const INDENT_MAX: usize = 8;

/// Returns the width of a text in cells.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Returns a text clipped to a width, with an ellipsis if it is cut.
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

/// Returns a text clipped in its middle: names of models often differ only at their ends.
pub fn clip_middle(text: &str, room: usize, ellipsis: &str) -> String {
    let left = room.saturating_sub(width(ellipsis));
    if width(text) <= room || left < 2 {
        return clip(text, room, ellipsis);
    }
    let mut used = 0;
    let tail = text.graphemes(true).rev().take_while(|g| {
        used += width(g);
        used <= left - left / 3
    });
    let tail: usize = tail.map(str::len).sum();
    let head = clip(text, left / 3 + width(ellipsis), ellipsis);
    head + &text[text.len() - tail..]
}

struct Cell<'a> {
    text: &'a str,
    width: usize,
    style: Style,
}

/// Breaks a line at a width of at least two cells.
pub fn wrap(line: &Line<'_>, room: usize) -> Vec<Line<'static>> {
    let room = room.max(2);
    if let [] | [_] = line.spans.as_slice() {
        let (text, style) = match line.spans.first() {
            Some(span) => (&*span.content, line.style.patch(span.style)),
            None => ("", line.style),
        };
        // fast path for most lines: a byte is a cell
        if is_printable(text) {
            return wrap_ascii(text, style, room);
        }
    }
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
    let mut rows = Vec::new();
    let mut start = 0;
    loop {
        let lead = if rows.is_empty() { 0 } else { indent };
        let end = row_end(&cells, start, room - lead);
        rows.push(row(&cells[start..end], lead));
        start = end;
        // the space at a break belongs to neither row
        while cells.get(start).is_some_and(|c| c.text == " ") {
            start += 1;
        }
        if start >= cells.len() {
            return rows;
        }
    }
}

/// Breaks a line of printable ASCII in one style, with the same result as [`wrap`].
fn wrap_ascii(text: &str, style: Style, room: usize) -> Vec<Line<'static>> {
    let indent = hanging(text).min(INDENT_MAX).min(room / 2);
    let mut rows = Vec::new();
    let mut rest = text;
    loop {
        let lead = if rows.is_empty() { 0 } else { indent };
        let fits = room - lead;
        let end = match rest.as_bytes().get(fits) {
            None => rest.len(),
            Some(b' ') => fits,
            Some(_) => rest[1..fits].rfind(' ').map_or(fits, |space| space + 1),
        };
        let (words, after) = rest.split_at(end);
        let blank = " ".repeat(lead);
        rows.push(match (lead, style == Style::default()) {
            _ if words.is_empty() => Line::default(),
            (0, _) => Line::from(Span::styled(words.to_owned(), style)),
            (_, true) => Line::from(blank + words),
            (_, false) => Line::from(vec![Span::raw(blank), Span::styled(words.to_owned(), style)]),
        });
        rest = after.trim_start_matches(' ');
        if rest.is_empty() {
            return rows;
        }
    }
}

/// Returns the end of the row that starts at `start`: after the last space that fits, or within a word that is
/// longer than a row.
fn row_end(cells: &[Cell], start: usize, room: usize) -> usize {
    let mut used = 0;
    let mut space = None;
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

/// Markers before a list item or a line: those of Markdown, and those of the program's narration.
const BULLETS: [&str; 10] = ["- ", "* ", "+ ", "• ", "● ", "· ", "○ ", "✓ ", "[ ] ", "[x] "];

/// Returns the indent of the rows after the first: past blanks, quote marks, a bullet or a number.
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
    fn nested_content_stays_under_its_bullet() {
        check("- one two three", 9, &["- one two", "  three"]);
        check("12. one two three", 11, &["12. one two", "    three"]);
        check("> one two three", 9, &["> one two", "  three"]);
        check("2026 was a year", 9, &["2026 was", "a year"]);
    }

    #[test]
    fn a_line_in_one_style_is_broken_as_one_in_two() {
        let styles = [Style::default(), Style::new().bold()];
        let texts =
            ["", " ", "    ", "a  b   c", "- one two three  ", "  > 12. abcdefghijklmnop q", "x y"];
        for (text, style) in texts.into_iter().flat_map(|t| styles.map(|s| (t, s))) {
            for room in 2..text.len() + 3 {
                let whole = wrap(&Line::styled(text, style), room);
                let each: Vec<Span> =
                    text.split_inclusive(' ').map(|part| Span::styled(part, style)).collect();
                let parts = match each.len() {
                    0 | 1 => vec![Span::styled("", style), Span::styled(text, style)],
                    _ => each,
                };
                assert_eq!(whole, wrap(&Line::from(parts), room), "{text:?} at {room}");
            }
        }
    }

    #[test]
    fn a_clipped_text_says_so() {
        for (text, room, expected) in
            [("abc", 3, "abc"), ("abcd", 3, "ab~"), ("漢字漢", 4, "漢~"), ("ab", 0, "")]
        {
            assert_eq!(clip(text, room, "~"), expected);
        }
        for (text, room, expected) in [
            ("openai:gpt-5-mini", 17, "openai:gpt-5-mini"),
            ("openai:gpt-5-mini", 13, "open~t-5-mini"),
            ("漢字漢字", 5, "~字"),
            ("abc", 1, "~"),
        ] {
            assert_eq!(clip_middle(text, room, "~"), expected);
        }
    }
}
