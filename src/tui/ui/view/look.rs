//! Appearance of messages: the settings of the reader, the width of the text, and the gutter before it.

use crate::model::{Seq, ThreadId};
use crate::ui::keymap::Keymap;
use crate::ui::text::markdown::{CodeFrames, framed, plain, plainly};
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::theme::{Theme, ThemeRole};
use crate::ui::view::row::Id;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::collections::HashSet;

/// Maximum width of the text column in cells; longer lines are hard to read.
pub(super) const WORDS_MAX: usize = 100;
/// Width of the gutter before the text of a message, in cells.
pub const INDENT: usize = 3;
/// Appearance of messages.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// Width of the transcript in cells.
    pub width: usize,
    /// Current theme.
    pub theme: &'a Theme,
    /// Character set of marks and frames.
    pub glyphs: &'static Glyphs,
    /// Key bindings, for hints.
    pub keymap: &'a Keymap,
    /// The reader's settings: folded, expanded or raw text.
    pub reading: &'a Reading,
}

/// The reader's settings.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// True if all reasoning is expanded by default.
    pub reasoning: bool,
    /// Rows whose reasoning deviates from that default.
    pub others: HashSet<Id>,
    /// Index of the only seat whose messages are shown, if any.
    pub only: Option<usize>,
    /// True if text is shown as written, without Markdown or gutter.
    pub raw: bool,
}

impl Reading {
    /// Returns `true` if the reasoning of a row is expanded.
    pub fn opens(&self, id: Option<Id>) -> bool {
        self.reasoning != id.is_some_and(|id| self.others.contains(&id))
    }

    /// Returns `true` if the thread of a step is expanded.
    pub fn opens_step(&self, step: ThreadId) -> bool {
        self.opens(Some(Id::Event(Seq(step.0))))
    }
}

/// Lays out the text of a message, or shows it as written; code blocks are numbered starting at `from`.
pub(super) fn body_rows(said: &str, from: usize, look: Look<'_>) -> Vec<Line<'static>> {
    if look.reading.raw {
        plain(said, room(look), look.theme.style(ThemeRole::Text))
    } else {
        framed(said, room(look), look.theme, CodeFrames { glyphs: look.glyphs, from })
    }
}

/// Returns the width of the text column, in cells.
pub(super) fn room(look: Look<'_>) -> usize {
    if look.reading.raw {
        return look.width.max(1);
    }
    look.width.saturating_sub(INDENT + 1).clamp(1, WORDS_MAX)
}

/// Adds a gutter in the speaker's colour and the background of messages.
pub(super) fn block(body: Vec<Line<'static>>, style: Style, look: Look<'_>) -> Vec<Line<'static>> {
    let ground =
        if look.reading.raw { Style::new() } else { look.theme.style(ThemeRole::MessageGround) };
    let rows = behind_gutter(body, style, look).into_iter();
    rows.map(|line| {
        let style = line.style.patch(ground);
        line.style(style)
    })
    .collect()
}

/// Adds a gutter in a style.
pub(super) fn behind_gutter(
    body: Vec<Line<'static>>,
    style: Style,
    look: Look<'_>,
) -> Vec<Line<'static>> {
    if look.reading.raw {
        return body;
    }
    let gutter = format!(" {} ", look.glyphs.gutter);
    let drawn = body.into_iter().map(|mut line| {
        // the attributes of a row are not those of the gutter; its background is
        let ground = line.style.bg;
        let style_of_row = std::mem::take(&mut line.style);
        line.spans.iter_mut().for_each(|span| span.style = style_of_row.patch(span.style));
        line.style.bg = ground;
        line.spans.insert(0, Span::styled(gutter.clone(), plainly(style)));
        line
    });
    drawn.collect()
}
