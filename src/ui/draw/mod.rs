//! Draws the screen: a table of panes, each with its place and a function that draws it.
//!
//! Drawing changes only what the screen remembers of its layout. All text comes from `transcript` and `message`, which
//! made it safe.

mod ambiguous;
mod analysis;
mod bar;
mod cast;
mod completion;
mod composer;
mod coordination;
mod details;
pub(super) mod floor;
mod footer;
mod header;
mod lanes;
mod list;
mod moment;
mod overlay;
mod page;
mod panel;
mod plan;
mod prefix;
mod profile;
pub mod start;
pub(super) mod timeline;
mod transcript;

pub use analysis::counting;

use crate::ui::action::Action;
use crate::ui::layout::{Areas, SMALLEST, areas};
use crate::ui::screen::Screen;
use crate::ui::text::wrap::wrap;
use crate::ui::theme::ThemeRole;
use crate::ui::view::floor::Status;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Text};
use ratatui::widgets::Block;

/// A part of the screen: its place and its drawing function.
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
    Pane { area: |a| a.coordination, draw: standing },
    Pane { area: |a| a.profile, draw: profile::draw },
    Pane { area: |a| a.lanes, draw: lanes::draw },
    Pane { area: |a| a.card, draw: moment::draw },
    Pane { area: |a| a.floor, draw: floor::draw },
    Pane { area: |a| a.queue, draw: composer::queue },
    Pane { area: |a| a.composer, draw: composer::draw },
    Pane { area: |a| a.timeline, draw: timeline::draw },
    Pane { area: |a| a.footer, draw: footer::draw },
];

/// The overlays, in the order in which they are drawn; a closed one draws nothing.
const OVERLAYS: &[fn(&mut Frame<'_>, Rect, &mut Screen)] =
    &[completion::draw, analysis::draw, page::draw, list::draw, prefix::draw, footer::spilt];

/// Draws the whole screen.
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
    for overlay in OVERLAYS {
        overlay(frame, whole, screen);
    }
    floor::join(frame, screen);
    ambiguous::settle(frame.buffer_mut());
}

/// Draws how the table stands: its plan, or its answers and votes.
fn standing(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    match plan::rows(screen) {
        0 => coordination::draw(frame, area, screen),
        _ => plan::draw(frame, area, screen),
    }
}

fn too_small(frame: &mut Frame<'_>, whole: Rect, screen: &Screen) {
    let (columns, rows) = SMALLEST;
    let status = Status::of(screen.transcript.state()).word().to_lowercase();
    let text = format!("Too small (need {columns}x{rows}). Still {status}");
    frame.render_widget(Text::from(wrap(&Line::from(text), usize::from(whole.width))), whole);
}
