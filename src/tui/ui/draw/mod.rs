//! Draws the screen: a table of panes, each with its area and its drawing function.
//!
//! Drawing changes only the layout state of the screen. All text comes from `transcript` and `message`, which have
//! already sanitised it.

mod ambiguous;
mod analysis;
mod bar;
mod board;
mod cast;
mod completion;
mod composer;
pub(super) mod floor;
mod footer;
mod header;
mod input;
mod list;
mod moment;
mod open;
mod overlay;
mod page;
mod poster;
mod sidebar;
pub mod start;
pub(super) mod timeline;
mod transcript;

pub use analysis::counting;

use crate::ui::action::Action;
use crate::ui::frame::Frame;
use crate::ui::layout::{Areas, SMALLEST, areas, areas_with_outcome};
use crate::ui::screen::{Screen, ViewState};
use crate::ui::text::wrap::wrap;
use crate::ui::view::ending::is_over;
use crate::ui::view::floor::Status;
use crate::ui::view::message::Look;
use crate::ui::view::rest;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Text};

/// A part of the screen: its area and its drawing function.
struct Pane {
    area: fn(&Areas) -> Rect,
    draw: fn(&mut Frame<'_>, Rect, &mut Screen),
}

/// All panes, in drawing order.
const PANES: &[Pane] = &[
    Pane { area: |a| a.header, draw: header::draw },
    Pane { area: |a| a.rope, draw: header::rope },
    Pane { area: |a| a.transcript, draw: transcript::draw },
    Pane { area: |a| a.sidebar, draw: sidebar::draw },
    Pane { area: |a| a.board, draw: board::draw },
    Pane { area: |a| a.card, draw: moment::draw },
    Pane { area: |a| a.floor, draw: floor::draw },
    Pane { area: |a| a.queue, draw: composer::queue },
    Pane { area: |a| a.composer, draw: composer::draw },
    Pane { area: |a| a.edge, draw: composer::edge },
    Pane { area: |a| a.timeline, draw: timeline::draw },
    Pane { area: |a| a.footer, draw: footer::draw },
];

/// All overlays, in drawing order; a closed one draws nothing.
const OVERLAYS: &[fn(&mut Frame<'_>, Rect, &mut Screen)] =
    &[completion::draw, analysis::draw, page::draw, list::draw, footer::spilt];

/// Draws the whole screen.
pub fn draw(frame: &mut Frame<'_>, screen: &mut Screen) {
    frame.begin();
    let whole = frame.area();
    frame.wipe(whole, &screen.theme);
    rest::update(screen);
    screen.transcript.unattended = screen.view.is_recording() || screen.view.is_read_only();
    let Some(areas) = arrange(whole, screen) else {
        screen.view.areas = Areas::default();
        screen.view.card = None;
        too_small(frame, whole, screen);
        return;
    };
    screen.view.areas = areas;
    moment::note(screen);
    // the footer may clear this; a low screen does not draw one
    screen.view.spills = true;
    let follow = (areas.floor, Action::Follow);
    screen.view.clicks = vec![follow, (areas.composer, Action::Write)];
    for pane in PANES {
        let area = (pane.area)(&areas);
        if !area.is_empty() {
            (pane.draw)(frame, area, screen);
        }
    }
    if screen.view.over.poster {
        let height = areas.floor.y.saturating_sub(footer::spilt_rows(&screen.view));
        poster::draw(frame, Rect { height, ..whole }, screen);
    }
    let view = &screen.view;
    // a theme is previewed as it is
    let dims = view.over.list.as_ref().is_some_and(|list| list.theme.is_none());
    if view.over.page.is_some() || dims {
        let header = areas.header.bottom();
        let behind = Rect { y: header, height: areas.floor.y.saturating_sub(header), ..whole };
        frame.buffer_mut().set_style(behind, Modifier::DIM);
    }
    for overlay in OVERLAYS {
        overlay(frame, whole, screen);
    }
    moment::note_seen(screen);
    ambiguous::settle(frame.buffer_mut(), 0..whole.height);
}

/// Returns the layout; `None` if the screen is too small.
fn arrange(whole: Rect, screen: &mut Screen) -> Option<Areas> {
    let needs = composer::needs(screen, whole.width);
    let usual = areas(whole, needs)?;
    if needs.board.0 == 0 || !is_over(screen.transcript.state()) {
        return Some(usual);
    }
    let Screen { transcript, view, theme, glyphs, keymap, .. } = screen;
    let width = usize::from(usual.transcript.width);
    let place = view.steering();
    let look = Look { width, theme, glyphs, keymap, place, reading: &view.reading };
    let lines = view.viewport.outcome_lines(transcript, look);
    areas_with_outcome(whole, needs, u16::try_from(lines).unwrap_or(u16::MAX))
}

/// Draws only the text added since the last frame if nothing else has changed; otherwise the whole screen.
pub fn draw_words(frame: &mut Frame<'_>, screen: &mut Screen) {
    let Areas { transcript: area, floor, .. } = screen.view.areas;
    if !frame.kept || area.is_empty() || needs_all(&screen.view) {
        return draw(frame, screen);
    }
    frame.rows = transcript::draw_words(frame, area, screen);
    // if the reader is further up, the status line counts the lines below
    if !screen.view.viewport.following() {
        frame.wipe(floor, &screen.theme);
        floor::draw(frame, floor, screen);
        frame.rows = frame.rows.start.min(floor.y)..frame.rows.end.max(floor.bottom());
    }
    let rows = frame.rows.clone();
    frame.rows.end = ambiguous::settle(frame.buffer_mut(), rows);
}

/// Returns whether an overlay is open, or whether a search, a selection or a notice may cover the streamed text.
fn needs_all(view: &ViewState) -> bool {
    let told = view.notice.is_some() && view.spills;
    let marked = view.over.search.is_some() || view.drag.is_some();
    view.over.hides() || view.over.poster || view.completion.is_some() || marked || told
}

fn too_small(frame: &mut Frame<'_>, whole: Rect, screen: &Screen) {
    let (columns, rows) = SMALLEST;
    let status = Status::from_state(screen.transcript.state()).word().to_lowercase();
    let text = format!("Too small (need {columns}x{rows}). Still {status}");
    frame.render_widget(Text::from(wrap(&Line::from(text), usize::from(whole.width))), whole);
}
