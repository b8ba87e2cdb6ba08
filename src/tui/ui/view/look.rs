//! Appearance of messages: the settings of the reader, the width of the text, and the gutter before it.

use crate::model::{Seq, ThreadId};
use crate::ui::keymap::{Focus, Keymap};
use crate::ui::text::markdown::{CodeFrames, framed, plain, plainly};
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::theme::{SPEAKERS, Theme, ThemeRole};
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
    pub theme: &'a Theme,
    /// Character set of marks and frames.
    pub glyphs: &'static Glyphs,
    /// Key bindings, for hints.
    pub keymap: &'a Keymap,
    /// Focus whose keys the hints name.
    pub place: Focus,
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

/// Bar before the rows of a message.
#[derive(Clone, Copy)]
pub(super) struct Gutter {
    /// Colour of the speaker.
    pub style: Style,
    /// Sign of the bar.
    pub sign: &'static str,
}

impl Gutter {
    /// Returns the usual bar.
    pub fn new(style: Style, look: Look<'_>) -> Gutter {
        Gutter { style, sign: look.glyphs.gutter }
    }

    /// Returns the bar of a participant by its order of arrival; from the ninth on the colours repeat.
    pub fn of_seat(place: usize, look: Look<'_>) -> Gutter {
        let sign = if place < SPEAKERS.len() { look.glyphs.gutter } else { look.glyphs.shades[2] };
        Gutter { style: look.theme.speaker(place), sign }
    }
}

/// Adds a gutter and the background of messages.
pub(super) fn block(
    body: Vec<Line<'static>>,
    gutter: Gutter,
    look: Look<'_>,
) -> Vec<Line<'static>> {
    let ground =
        if look.reading.raw { Style::new() } else { look.theme.style(ThemeRole::MessageGround) };
    let rows = behind_gutter(body, gutter, look).into_iter();
    rows.map(|line| {
        let style = line.style.patch(ground);
        line.style(style)
    })
    .collect()
}

/// Adds a gutter.
pub(super) fn behind_gutter(
    body: Vec<Line<'static>>,
    gutter: Gutter,
    look: Look<'_>,
) -> Vec<Line<'static>> {
    if look.reading.raw {
        return body;
    }
    let sign = format!(" {} ", gutter.sign);
    let drawn = body.into_iter().map(|mut line| {
        // the attributes of a row are not those of the gutter; its background is
        let ground = line.style.bg;
        let style_of_row = std::mem::take(&mut line.style);
        line.spans.iter_mut().for_each(|span| span.style = style_of_row.patch(span.style));
        line.style.bg = ground;
        line.spans.insert(0, Span::styled(sign.clone(), plainly(gutter.style)));
        line
    });
    drawn.collect()
}
