//! The mouse: the wheel scrolls the pane under the pointer, a click runs its action. No feature requires the mouse.

use crate::text;
use crate::ui::act::{playback, update::act};
use crate::ui::action::{Action, Direction};
use crate::ui::layout::axis;
use crate::ui::request::Request;
use crate::ui::screen::Screen;
use crate::ui::view::drag::{Drag, DragSpot};
use crate::ui::view::transcript::RowView;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

/// Lines per notch of the wheel.
const NOTCH_LINES: usize = 3;

/// Handles a mouse event.
pub fn mouse(screen: &mut Screen, event: &MouseEvent) -> Option<Request> {
    screen.view.rest.since = None;
    let at = Position::new(event.column, event.row);
    match event.kind {
        MouseEventKind::ScrollUp => wheel(screen, at, Direction::Up),
        MouseEventKind::ScrollDown => wheel(screen, at, Direction::Down),
        MouseEventKind::Down(MouseButton::Left) => {
            let began = begin_drag(screen, at);
            if began { None } else { click(screen, at) }
        }
        MouseEventKind::Drag(MouseButton::Left) => {
            if !drag(screen, at) {
                scrub(screen, at);
            }
            None
        }
        MouseEventKind::Up(MouseButton::Left) => end_drag(screen),
        _ => None,
    }
}

/// Starts selecting text of the message under the pointer; returns whether there is one.
fn begin_drag(screen: &mut Screen, at: Position) -> bool {
    let spot = if screen.view.over.hides() { None } else { spot(screen, at) };
    let words = |row: usize| matches!(screen.transcript.shown(row), Some(RowView::Words(..)));
    screen.view.drag =
        spot.filter(|(row, _)| words(*row)).map(|(row, spot)| Drag { row, from: spot, to: spot });
    screen.view.drag.is_some()
}

/// Extends the selection within its message; returns whether there is a selection.
fn drag(screen: &mut Screen, at: Position) -> bool {
    let spot = spot(screen, at);
    let Some(drag) = &mut screen.view.drag else { return false };
    if let Some((row, spot)) = spot
        && row == drag.row
    {
        drag.to = spot;
    }
    true
}

/// Copies the source text of the selection; a click marks the message.
fn end_drag(screen: &mut Screen) -> Option<Request> {
    let drag = screen.view.drag.take()?;
    if drag.from == drag.to {
        screen.view.viewport.mark(&screen.transcript, drag.row);
        return None;
    }
    let Some(RowView::Words(entry, _)) = screen.transcript.shown(drag.row) else { return None };
    let said = text::block(entry.text()).into_owned();
    let mut lines = None;
    screen.read(|t, transcript, look| lines = Some(t.lines(transcript, drag.row, look)));
    let words = drag.source(&lines?, &said)?.to_owned();
    Some(Request::Copy(words, "the selected words".into()))
}

/// Returns the row of the transcript under the pointer, and the position in its lines.
fn spot(screen: &Screen, at: Position) -> Option<(usize, DragSpot)> {
    let area = screen.view.areas.transcript;
    let line = area.contains(at).then(|| usize::from(at.y - area.y))?;
    let (row, line) = *screen.view.viewport.spots().get(line)?;
    Some((row, (line, usize::from(at.x - area.x))))
}

/// Scrolls the open list or view, otherwise the transcript; never the input history.
fn wheel(screen: &mut Screen, at: Position, way: Direction) -> Option<Request> {
    let (entry, line) = match way {
        Direction::Up => (Action::EntryUp, Action::LineUp),
        Direction::Down => (Action::EntryDown, Action::LineDown),
    };
    if screen.view.over.list.is_some() {
        return act(screen, entry);
    }
    if screen.view.over.has_view() {
        (0..NOTCH_LINES).for_each(|_| screen.view.over.scroll(line));
    } else if !screen.view.areas.composer.contains(at) {
        screen.read(|t, transcript, look| match way {
            Direction::Up => t.up(transcript, look, NOTCH_LINES),
            Direction::Down => t.down(transcript, look, NOTCH_LINES),
        });
    }
    None
}

/// Seeks to the time in a recording under the pointer; returns whether the pointer is on the timeline.
fn scrub(screen: &mut Screen, at: Position) -> bool {
    let axis = axis(screen.view.areas.timeline);
    let hit = screen.view.over.list.is_none() && axis.contains(at);
    if hit {
        let column = usize::from(at.x - axis.x);
        let columns = usize::from(axis.width);
        playback::scrub(&mut screen.view, column, columns);
    }
    hit
}

/// Runs the action under the pointer; a click beside an open list closes it.
fn click(screen: &mut Screen, at: Position) -> Option<Request> {
    if let Some(list) = &mut screen.view.over.list {
        let row = list.rows.contains(at).then(|| usize::from(at.y - list.rows.y));
        return match row.map(|row| list.drawn.get(row).copied().flatten()) {
            Some(Some(entry)) => {
                list.at = entry;
                act(screen, Action::RunEntry)
            }
            Some(None) => None,
            None => act(screen, Action::Back),
        };
    }
    if scrub(screen, at) {
        return None;
    }
    let hit = screen.view.clicks.iter().rev().find(|(area, _)| area.contains(at));
    let action = hit.map(|(_, action)| *action)?;
    screen.view.notice = None;
    act(screen, action)
}
