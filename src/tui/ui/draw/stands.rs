//! The positions of the participants over the turns, below the messages and the panel.

use crate::analysis::Axis;
use crate::ui::frame::Frame;
use crate::ui::screen::Screen;
use crate::ui::text::markdown::plainly;
use crate::ui::text::wrap::width;
use crate::ui::theme::{Theme, ThemeRole};
use crate::ui::view::tracks::{Ink, rows as tracks};
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};

/// Heading of the drawing.
const HEADING: &str = "WHERE THEY STAND";
/// Cells around the note behind the heading.
const NOTE_AROUND: usize = 3;
/// Rows besides the positions: the heading, the numbers of the turns, the captions.
const AROUND: usize = 3;

/// Returns the rows that the drawing needs; 0 without positions.
pub fn rows(screen: &Screen) -> u16 {
    if screen.view.lanes_instead {
        return 0;
    }
    let standing = screen.transcript.positions();
    standing.map_or(0, |standing| (standing.rows.len() + AROUND) as u16)
}

/// Draws the heading and the positions.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let Some(standing) = screen.transcript.positions() else { return };
    let Screen { theme, glyphs, .. } = screen;
    let room = usize::from(area.width);
    let note = match standing.axis {
        Axis::Poles => "each says so after its turn",
        Axis::Positions | Axis::Numbers => "as stated in replies",
    };
    let edge = theme.style(ThemeRole::Rule);
    let mut heading = vec![
        Span::styled(format!("{} ", glyphs.rule), edge),
        Span::styled(HEADING, theme.style(ThemeRole::Title)),
        Span::raw(" "),
    ];
    let before: usize = heading.iter().map(Span::width).sum();
    let covered = before..before + width(note) + NOTE_AROUND;
    // the border of a panel joins the rule
    if !screen.view.areas.walls().any(|x| covered.contains(&usize::from(x))) {
        heading.push(Span::styled(format!("{} ", glyphs.rule), edge));
        heading.push(Span::styled(note, theme.style(ThemeRole::Muted)));
        heading.push(Span::raw(" "));
    }
    let used: usize = heading.iter().map(Span::width).sum();
    heading.push(Span::styled(glyphs.rule.repeat(room.saturating_sub(used)), edge));
    let mut lines = vec![Line::from(heading)];
    for row in tracks(standing, room, glyphs) {
        let spans =
            row.into_iter().map(|stroke| Span::styled(stroke.text, style(theme, stroke.ink)));
        lines.push(Line::from(spans.collect::<Vec<_>>()));
    }
    frame.render_widget(Text::from(lines), area);
}

fn style(theme: &Theme, ink: Ink) -> Style {
    match ink {
        Ink::Seat(place) => plainly(theme.speaker_bar(place)),
        Ink::Muted => theme.style(ThemeRole::Muted),
        Ink::Plain => theme.style(ThemeRole::Text),
        Ink::Band => theme.style(ThemeRole::Notice),
    }
}
