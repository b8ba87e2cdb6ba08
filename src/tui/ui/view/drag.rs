//! Mouse selection within one message: the selected cells, and the matching part of the source text.
//!
//! The screen wraps lines, hides Markdown syntax and adds a gutter, but the source text is copied. Letters and digits
//! have the same order in both; they map a screen position to a source offset.

use ratatui::text::Line;
use std::rc::Rc;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Maximum number of source letters skipped in a row because the screen hides them, such as the address of a link.
const NEAR: usize = 300;

/// A position in a message: the index of the line in its layout, and the cell in that line.
pub type DragSpot = (usize, usize);

/// The current mouse selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drag {
    /// Index of the row in the transcript.
    pub row: usize,
    /// Position at which the button was pressed.
    pub from: DragSpot,
    /// Current position of the mouse.
    pub to: DragSpot,
}

impl Drag {
    /// Returns the start and the end of the selection, in text order.
    pub fn span(&self) -> (DragSpot, DragSpot) {
        (self.from.min(self.to), self.from.max(self.to))
    }

    /// Returns the selected cells of a line as a half-open range; `None` if the line is outside the selection.
    pub fn cells(&self, line: usize, width: usize) -> Option<(usize, usize)> {
        let (first, last) = self.span();
        if !(first.0..=last.0).contains(&line) {
            return None;
        }
        let begin = if line == first.0 { first.1 } else { 0 };
        let end = if line == last.0 { last.1 + 1 } else { width };
        Some((begin.min(width), end.min(width)))
    }

    /// Returns the selected part of the source text `said`; `lines` is the layout of the message. `None` if no letter
    /// or digit of the message is selected.
    pub fn source<'a>(&self, lines: &[Rc<Line<'_>>], said: &'a str) -> Option<&'a str> {
        let mut shown: Vec<char> = vec![];
        let mut chosen: Vec<usize> = vec![];
        for (at, line) in lines.iter().enumerate().skip(body(lines)) {
            let cells = self.cells(at, usize::MAX);
            let mut x = 0;
            for sign in line.to_string().graphemes(true) {
                for letter in sign.chars().filter(|c| c.is_alphanumeric()) {
                    if cells.is_some_and(|(from, to)| (from..to).contains(&x)) {
                        chosen.push(shown.len());
                    }
                    shown.push(letter);
                }
                x += sign.width();
            }
        }
        let places = aligned(&shown, said);
        let place = |at: Option<&usize>| places.get(*at?).copied().flatten();
        let first = place(chosen.first())?;
        let last = place(chosen.last())?;
        let end = last + said[last..].chars().next().map_or(0, char::len_utf8);
        // include adjacent Markdown syntax and punctuation
        let mark = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
        let begin = said[..first].trim_end_matches(mark).len();
        let rest = &said[end..];
        let end = end + (rest.len() - rest.trim_start_matches(mark).len());
        said.get(begin..end)
    }
}

/// Returns the index of the first body line of a message, after its head; a blank line may precede the head.
pub fn body(lines: &[Rc<Line<'_>>]) -> usize {
    let head = lines.iter().position(|line| !line.to_string().trim().is_empty());
    head.map_or(lines.len(), |head| head + 1)
}

/// Returns the source offset of each shown letter; `None` for letters that the program added.
fn aligned(shown: &[char], said: &str) -> Vec<Option<usize>> {
    let source: Vec<(usize, char)> =
        said.char_indices().filter(|(_, c)| c.is_alphanumeric()).collect();
    let mut next = 0;
    let mut place = |c: &char| {
        let near = source.get(next..)?.iter().take(NEAR).position(|(_, s)| s == c)?;
        next += near + 1;
        source.get(next - 1).map(|(at, _)| *at)
    };
    shown.iter().map(&mut place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selection_copies_the_source_text() {
        let said = "A **bold** claim: `x = 1`, and\nthe rest.";
        let lines = ["head 1 A", "| A bold claim: x = 1, a", "| nd the rest."];
        let lines = lines.map(|line| Rc::new(Line::from(line)));
        let drag = |from, to| Drag { row: 0, from, to };
        assert_eq!(drag((1, 4), (1, 7)).source(&lines, said), Some("**bold**"));
        assert_eq!(drag((1, 7), (1, 4)).source(&lines, said), Some("**bold**"));
        assert_eq!(drag((1, 22), (2, 7)).source(&lines, said), Some("and\nthe"));
        assert_eq!(drag((1, 0), (1, 1)).source(&lines, said), None);
    }
}
