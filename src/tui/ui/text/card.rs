//! A card: a few rows in a heavy frame with a title, for important notices. Also bars that compare amounts.

use crate::ui::text::wrap::{clip, width, wrap};
use crate::ui::theme::glyphs::Glyphs;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

/// Cells of a frame besides its content.
pub const AROUND: usize = 4;
/// Maximum cells of a bar.
const BAR_MAX: usize = 24;

/// Returns rows in a frame of a width; rows that are too long are wrapped.
pub fn card(
    title: &str,
    rows: Vec<Line<'static>>,
    room: usize,
    edge: Style,
    glyphs: &Glyphs,
) -> Vec<Line<'static>> {
    footed_card(title, Span::raw(""), rows, room, edge, glyphs)
}

/// Returns a card with a text in its lower edge.
pub fn footed_card(
    title: &str,
    foot: Span<'static>,
    rows: Vec<Line<'static>>,
    room: usize,
    edge: Style,
    glyphs: &Glyphs,
) -> Vec<Line<'static>> {
    let inside = room.saturating_sub(AROUND);
    let [top_left, top_right, bottom_left, bottom_right] = glyphs.card_corners;
    let title = clip(title, inside.saturating_sub(2), glyphs.ellipsis);
    let gap = (inside + 1).saturating_sub(width(&title) + 2);
    let top = [
        format!("{top_left}{} ", glyphs.card_rule),
        title,
        format!(" {}{top_right}", glyphs.card_rule.repeat(gap)),
    ];
    // only the title is underlined or reversed: a frame is not text
    let named = edge;
    let edge = edge.remove_modifier(Modifier::UNDERLINED | Modifier::REVERSED);
    let [before, title, after] = top;
    let mut lines = vec![Line::from(vec![
        Span::styled(before, edge),
        Span::styled(title, named),
        Span::styled(after, edge),
    ])];
    for mut row in rows.iter().flat_map(|row| wrap(row, inside)) {
        let gap = " ".repeat(inside.saturating_sub(row.width()));
        let style = std::mem::take(&mut row.style);
        row.spans.iter_mut().for_each(|span| span.style = style.patch(span.style));
        row.spans.insert(0, Span::styled(format!("{} ", glyphs.card_wall), edge));
        row.spans.push(Span::styled(format!("{gap} {}", glyphs.card_wall), edge));
        lines.push(row);
    }
    let text = clip(&foot.content, inside.saturating_sub(2), glyphs.ellipsis);
    let gap = (inside + 2).saturating_sub(if text.is_empty() { 0 } else { width(&text) + 3 });
    let mut bottom =
        vec![Span::styled(format!("{bottom_left}{}", glyphs.card_rule.repeat(gap)), edge)];
    if !text.is_empty() {
        bottom.push(Span::styled(format!(" {text} "), foot.style));
        bottom.push(Span::styled(glyphs.card_rule, edge));
    }
    bottom.push(Span::styled(bottom_right, edge));
    lines.push(Line::from(bottom));
    lines
}

/// Returns a bar for a part of the largest value, at most a third of the room long; any part above 0 has at least one
/// cell.
pub fn bar(part: f64, most: f64, room: usize, glyphs: &Glyphs) -> String {
    let longest = (room / 3).min(BAR_MAX);
    if part <= 0.0 || most <= 0.0 {
        return String::new();
    }
    let cells = (part / most * longest as f64).round() as usize;
    glyphs.bar.repeat(cells.clamp(1, longest.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::glyphs::{ASCII, UNICODE};

    #[test]
    fn every_row_of_a_card_is_as_wide() {
        for (glyphs, room) in [(&UNICODE, 30), (&ASCII, 30), (&UNICODE, 12), (&UNICODE, 5)] {
            let rows = vec![Line::from("a row that is longer than the card is wide"), "".into()];
            let drawn = card("A title that is too long for it", rows, room, Style::new(), glyphs);
            let widths: Vec<usize> = drawn.iter().map(Line::width).collect();
            assert!(room < 12 || widths.iter().all(|w| *w == room), "{room}: {widths:?}");
        }
    }

    #[test]
    fn of_a_frame_the_title_alone_is_underlined() {
        for modifier in [Modifier::UNDERLINED, Modifier::REVERSED] {
            let edge = Style::new().add_modifier(Modifier::BOLD | modifier);
            let drawn = card("STOPPED", vec![Line::from("short")], 30, edge, &UNICODE);
            let spans = drawn.iter().flat_map(|l| {
                l.spans.iter().map(|s| {
                    l.style.patch(s.style).add_modifier.contains(modifier).then_some(&*s.content)
                })
            });
            assert_eq!(spans.flatten().collect::<Vec<_>>(), ["STOPPED"]);
        }
    }

    #[test]
    fn bars_compare_and_something_is_never_nothing() {
        let long = |part| width(&bar(part, 8.0, 30, &UNICODE));
        assert_eq!([long(0.0), long(0.01), long(4.0), long(8.0)], [0, 1, 5, 10]);
        assert_eq!(bar(1.0, 1.0, 2, &UNICODE), "▆");
    }
}
