//! Syntax highlighting: keywords, strings, numbers, comments and names in code.
//!
//! The syntax definitions take a while to load, so they are loaded on a separate thread when the first code block is
//! shown, which has one colour until then. The theme decides the styles. A build without the feature `highlight` shows
//! all code in one colour.

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

/// Maximum lines of a block with colours: a longer one would delay the frame, and few are read here.
const LINES_MAX: usize = 400;

/// Returns the lines of a code block in the colours of its language, if that is known.
pub fn lines(code: &str, language: &str, theme: &Theme) -> Vec<Line<'static>> {
    let plain =
        || code.lines().map(|line| Line::styled(line.to_owned(), theme.style(ThemeRole::MdCode)));
    if language.is_empty() || code.lines().count() > LINES_MAX {
        return plain().collect();
    }
    languages::coloured(code, language, theme).unwrap_or_else(|| plain().collect())
}

/// Returns lines of code in a frame with the language and the number of the block. The lines fit into `room` cells.
pub fn frame(
    lines: Vec<Line<'static>>,
    language: &str,
    number: usize,
    room: usize,
    theme: &Theme,
    glyphs: &Glyphs,
) -> Vec<Line<'static>> {
    let edge = theme.style(ThemeRole::Rule);
    let ground = theme.style(ThemeRole::CodeGround);
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
