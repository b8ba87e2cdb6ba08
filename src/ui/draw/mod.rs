//! Draws the screen: a table of panes, each with its place and a function that draws it.
//!
//! Drawing changes nothing but what is remembered of the layout. All text comes from `transcript` and `message`, which made
//! it safe.

mod ambiguous;
mod analysis;
mod cast;
mod completion;
mod composer;
mod details;
pub(super) mod floor;
mod footer;
mod header;
mod list;
mod page;
mod panel;
mod prefix;
pub mod start;
pub(super) mod timeline;
mod transcript;

use crate::text;
use crate::ui::Screen;
use crate::ui::action::Action;
use crate::ui::layout::{Areas, SMALLEST, areas};
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::border;
use ratatui::text::{Line, Span};
use ratatui::widgets::Block;

/// A part of the screen: where it stands and how it is drawn.
struct Pane {
    area: fn(&Areas) -> Rect,
    draw: fn(&mut Frame<'_>, Rect, &mut Screen),
}

/// Every part, in the order in which they are drawn.
const PANES: &[Pane] = &[
    Pane { area: |a| a.header, draw: header::draw },
    Pane { area: |a| a.cast, draw: cast::draw },
    Pane { area: |a| a.rule, draw: header::rule },
    Pane { area: |a| a.transcript, draw: transcript::draw },
    Pane { area: |a| a.panel, draw: panel::draw },
    Pane { area: |a| a.side, draw: details::draw },
    Pane { area: |a| a.floor, draw: floor::draw },
    Pane { area: |a| a.queue, draw: composer::queue },
    Pane { area: |a| a.composer, draw: composer::draw },
    Pane { area: |a| a.timeline, draw: timeline::draw },
    Pane { area: |a| a.footer, draw: footer::draw },
];

/// Draws everything.
pub fn draw(frame: &mut Frame<'_>, screen: &mut Screen) {
    let whole = frame.area();
    let ground =
        screen.theme.style(ThemeRole::Background).patch(screen.theme.style(ThemeRole::Text));
    frame.render_widget(Block::new().style(ground), whole);
    let needs = composer::needs(screen, whole.width);
    let Some(areas) = areas(whole, needs) else {
        too_small(frame, whole, screen);
        return;
    };
    screen.view.areas = areas;
    // unless the last row says otherwise, which a low screen has not
    screen.view.spills = true;
    let follow = (areas.floor, Action::Follow);
    screen.view.clicks = vec![follow, (areas.composer, Action::Write)];
    for pane in PANES {
        let area = (pane.area)(&areas);
        if !area.is_empty() {
            (pane.draw)(frame, area, screen);
        }
    }
    completion::draw(frame, whole, screen);
    analysis::draw(frame, whole, screen);
    page::draw(frame, whole, screen);
    list::draw(frame, whole, screen);
    prefix::draw(frame, whole, screen);
    footer::spilt(frame, whole, screen);
    floor::join(frame, screen);
    ambiguous::settle(frame.buffer_mut());
}

/// Cells that must be left at each side of what lies on top; where there are fewer it takes the whole width, since words
/// cut by its edge would only disturb.
const BESIDE: u16 = 12;

/// Returns where something lies that wants to be as large as that: between header and floor, which stay in sight.
fn on_top(whole: Rect, areas: &Areas, (wide, high): (u16, u16)) -> Rect {
    let width = if whole.width < wide + 2 * BESIDE { whole.width } else { wide };
    let room = areas.floor.y.saturating_sub(areas.header.bottom());
    let height = room.min(high);
    let y = areas.header.bottom() + (room - height) / 3;
    Rect { x: whole.x + (whole.width - width) / 2, y, width, height }
}

/// Returns the frame of what lies on top, with its title and the key that closes it.
fn framed(screen: &Screen, title: &str, close: &str) -> Block<'static> {
    let (theme, glyphs) = (&screen.theme, screen.glyphs);
    let [top_left, top_right, bottom_left, bottom_right] = glyphs.corners;
    let border = border::Set {
        top_left,
        top_right,
        bottom_left,
        bottom_right,
        vertical_left: glyphs.wall,
        vertical_right: glyphs.wall,
        horizontal_top: glyphs.rule,
        horizontal_bottom: glyphs.rule,
    };
    Block::bordered()
        .border_set(border)
        .border_style(theme.style(ThemeRole::Rule))
        .title(Span::styled(format!(" {} ", text::line(title)), theme.style(ThemeRole::Title)))
        .title(
            Line::styled(format!(" {close} close "), theme.style(ThemeRole::Muted)).right_aligned(),
        )
        .style(theme.style(ThemeRole::Overlay).patch(theme.style(ThemeRole::Text)))
}

fn too_small(frame: &mut Frame<'_>, whole: Rect, screen: &Screen) {
    let (columns, rows) = SMALLEST;
    let text = format!("{columns}x{rows} is the least; the talk goes on");
    let text = clip(&text, usize::from(whole.width), screen.glyphs.ellipsis);
    frame.render_widget(Line::from(text), whole);
}

/// A row that is filled from both ends; what does not fit on the left is left out, from the back.
struct Bar {
    left: Vec<Span<'static>>,
    right: Vec<Span<'static>>,
}

impl Bar {
    fn new() -> Bar {
        Bar { left: vec![Span::raw(" ")], right: vec![Span::raw(" ")] }
    }

    fn left(&mut self, text: impl Into<String>, style: Style) -> &mut Bar {
        self.left.push(Span::styled(text.into(), style));
        self
    }

    /// Puts something before what stands at the right already.
    fn right(&mut self, text: impl Into<String>, style: Style) -> &mut Bar {
        self.right.insert(0, Span::styled(text.into(), style));
        self
    }

    /// Returns the cells that all of it needs.
    fn width(&self) -> usize {
        self.left.iter().chain(&self.right).map(Span::width).sum()
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, fill: &str, rule: Style, ellipsis: &str) {
        let room = usize::from(area.width);
        let right: usize = self.right.iter().map(Span::width).sum();
        let mut used = 0;
        let mut spans: Vec<Span<'static>> = Vec::new();
        for span in &self.left {
            let left = room.saturating_sub(right + used);
            if span.width() > left {
                // what was cut must not run into what stands at the right
                let clipped = clip(&span.content, left.saturating_sub(1), ellipsis);
                used += width(&clipped);
                spans.push(Span::styled(clipped, span.style));
                break;
            }
            used += span.width();
            spans.push(span.clone());
        }
        let gap = room.saturating_sub(used + right);
        spans.push(Span::styled(fill.repeat(gap), rule));
        spans.extend(self.right.iter().cloned());
        frame.render_widget(Line::from(spans), area);
    }
}
