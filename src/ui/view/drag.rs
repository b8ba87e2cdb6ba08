//! Words of one message that the mouse selects: which cells they stand in, and which part of the source they are.
//!
//! The screen breaks lines, drops marks of form and adds a gutter; what is copied is the message as it was written. Letters
//! and digits stand in the same order in both, and by these a place on the screen is found in the source.

use ratatui::text::Line;
use std::rc::Rc;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Letters of the source that may be left out on the screen, as the address of a link is.
const NEAR: usize = 300;

/// A place in a message: the line of its layout, and the cell in it.
pub type DragSpot = (usize, usize);

/// What is being selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drag {
    /// The row of the transcript.
    pub row: usize,
    /// Where the button went down.
    pub from: DragSpot,
    /// Where the mouse is.
    pub to: DragSpot,
}

impl Drag {
    /// Returns where it begins and ends, in the order of the text.
    pub fn span(&self) -> (DragSpot, DragSpot) {
        (self.from.min(self.to), self.from.max(self.to))
    }

    /// Returns the cells of a line that are selected: the first, and the one behind the last.
    pub fn cells(&self, line: usize, width: usize) -> Option<(usize, usize)> {
        let (first, last) = self.span();
        if !(first.0..=last.0).contains(&line) {
            return None;
        }
        let begin = if line == first.0 { first.1 } else { 0 };
        let end = if line == last.0 { last.1 + 1 } else { width };
        Some((begin.min(width), end.min(width)))
    }

    /// Returns the part of a message that is selected, as it was written; `lines` are its layout. Nothing where no letter
    /// is selected.
    pub fn source<'a>(&self, lines: &[Rc<Line<'_>>], said: &'a str) -> Option<&'a str> {
        let (mut shown, mut chosen): (Vec<char>, Vec<usize>) = (vec![], vec![]);
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
        let (first, last) = (place(chosen.first())?, place(chosen.last())?);
        let end = last + said[last..].chars().next().map_or(0, char::len_utf8);
        // marks around the words belong to them
        let mark = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
        let begin = said[..first].trim_end_matches(mark).len();
        let rest = &said[end..];
        let end = end + (rest.len() - rest.trim_start_matches(mark).len());
        said.get(begin..end)
    }
}

/// Returns the first line of a message that holds words of it: behind its head, which a gap may stand above.
pub fn body(lines: &[Rc<Line<'_>>]) -> usize {
    let head = lines.iter().position(|line| !line.to_string().trim().is_empty());
    head.map_or(lines.len(), |head| head + 1)
}

/// Returns where each letter that is shown stands in the source; nothing for one that the program added.
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
    fn what_is_selected_is_the_source_and_not_the_screen() {
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
