//! Graphemes on whose width terminals disagree: joined emoji, flags, skin tones.
//!
//! A terminal that uses more cells for a grapheme than we count overwrites the following cells. So the rest of the row
//! after such a grapheme is written again each time, which restores the cells up to the end of the row.

use crate::ui::text::wrap::width;
use ratatui::buffer::{Buffer, CellDiffOption};
use std::ops::Range;

/// Maximum cells that a terminal uses for a grapheme that it does not join.
const SPILL: u16 = 12;

/// Rewrites every cell that a grapheme of ambiguous width in the given rows may have overwritten. Returns the row
/// after the last rewritten one.
pub fn settle(buffer: &mut Buffer, rows: Range<u16>) -> u16 {
    let area = buffer.area;
    let mut end = rows.end;
    for y in rows {
        let (from, width_of) = (buffer.index_of(area.left(), y), usize::from(area.width));
        let row = &buffer.content[from..from + width_of];
        let Some(at) = row.iter().position(|cell| is_doubtful(cell.symbol())) else { continue };
        let at = area.left() + at as u16;
        let behind = at + width(buffer[(at, y)].symbol()) as u16;
        let row = (behind..area.right()).map(|x| (x, y));
        // cells beyond the last column wrap to the next row
        let over = (at + SPILL).saturating_sub(area.right()).min(area.width);
        let over = if y + 1 < area.bottom() { over } else { 0 };
        let next = (area.left()..area.left() + over).map(|x| (x, y + 1));
        end = end.max(area.bottom().min(y + 2));
        for place in row.chain(next) {
            let cell = &mut buffer[place];
            if matches!(cell.diff_option, CellDiffOption::None) {
                cell.set_diff_option(CellDiffOption::AlwaysUpdate);
            }
        }
    }
    end
}

/// Returns whether a grapheme consists of several characters, each with a width of its own.
fn is_doubtful(sign: &str) -> bool {
    // fast path: most cells hold one letter
    sign.len() > 4 && sign.chars().nth(1).is_some() && width(sign) > 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;

    /// Returns the cells that are written again although nothing changed, as (column, row).
    fn again(rows: [&str; 2]) -> Vec<(u16, u16)> {
        let mut buffer = Buffer::with_lines(rows);
        assert_eq!(buffer.area, Rect::new(0, 0, buffer.area.width, 2));
        let before = buffer.clone();
        settle(&mut buffer, 0..2);
        before.diff(&buffer).into_iter().map(|(x, y, _)| (x, y)).collect()
    }

    #[test]
    fn cells_after_an_ambiguous_symbol_are_rewritten() {
        assert_eq!(again(["a 漢字 e\u{301} x", "abc"]), []);
        let family = "👨\u{200d}👩\u{200d}👧";
        let row = format!("{family} ab{}", " ".repeat(20));
        assert_eq!(again([&row, "abc"])[..4], [(2, 0), (3, 0), (4, 0), (5, 0)]);
        assert_eq!(
            again(["0123456789🇩🇪", "abc"])[..3],
            [(0, 1), (1, 1), (2, 1)],
            "and the next row"
        );
    }
}
