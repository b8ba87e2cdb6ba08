//! Code in its colours: which part of a line is a word of the language, a string, a number, a comment or a name.
//!
//! The tables of languages take a while to load, so they are loaded on a thread of their own when the first block of code
//! is shown, which has one colour until then. How the parts look is decided by the theme. A build without the feature
//! `highlight` has no tables, and all code in one colour.

#[cfg(feature = "highlight")]
mod languages;
#[cfg(not(feature = "highlight"))]
#[path = "code/plain.rs"]
mod languages;

pub use languages::ready;

use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::theme::{Theme, ThemeRole};
use ratatui::text::{Line, Span};

/// The longest block with colours, in lines: a longer one would hold up the frame, and few read it here.
const LINES_MAX: usize = 400;

/// Returns the lines of a block of code in the colours of its language, as far as that is known.
pub fn lines(code: &str, language: &str, theme: &Theme) -> Vec<Line<'static>> {
    let plain =
        || code.lines().map(|line| Line::styled(line.to_owned(), theme.style(ThemeRole::MdCode)));
    if language.is_empty() || code.lines().count() > LINES_MAX {
        return plain().collect();
    }
    languages::coloured(code, language, theme).unwrap_or_else(|| plain().collect())
}

/// Returns lines of code in a frame that names the language and the number of the block; they fit into `room` cells.
pub fn frame(
    lines: Vec<Line<'static>>,
    (language, number): (&str, usize),
    room: usize,
    theme: &Theme,
    glyphs: &Glyphs,
) -> Vec<Line<'static>> {
    let (edge, ground) = (theme.style(ThemeRole::Rule), theme.style(ThemeRole::CodeGround));
    let muted = theme.style(ThemeRole::Muted);
    let [top_left, top_right, bottom_left, bottom_right] = glyphs.corners;
    let end = format!(" c{number} ");
    let name = match clip(language, room.saturating_sub(end.len() + 2), glyphs.ellipsis) {
        name if name.is_empty() => String::new(),
        name => format!(" {name} "),
    };
    let widest = lines.iter().map(Line::width).max().unwrap_or(0);
    let inside = widest.max(width(&name) + end.len()).min(room);
    let gap = glyphs.rule.repeat((inside + 1).saturating_sub(width(&name) + end.len()));
    let mut framed = vec![Line::from(vec![
        Span::styled(format!("{top_left}{}", glyphs.rule), edge),
        Span::styled(name, muted),
        Span::styled(gap, edge),
        Span::styled(end, muted),
        Span::styled(top_right, edge),
    ])];
    for mut line in lines {
        let gap = " ".repeat(inside.saturating_sub(line.width()));
        line.spans.iter_mut().for_each(|span| span.style = ground.patch(span.style));
        line.spans.insert(0, Span::styled(format!("{} ", glyphs.wall), ground.patch(edge)));
        line.spans.push(Span::styled(format!("{gap} {}", glyphs.wall), ground.patch(edge)));
        framed.push(line);
    }
    let bottom = format!("{bottom_left}{}{bottom_right}", glyphs.rule.repeat(inside + 2));
    framed.push(Line::styled(bottom, edge));
    framed
}
