//! The mouse: the wheel moves what is under the pointer, a click does what stands there. Nothing needs it.

use crate::ui::act::{playback, update::act};
use crate::ui::action::{Action, Direction};
use crate::ui::layout::axis;
use crate::ui::request::Request;
use crate::ui::screen::Screen;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

/// Lines that one notch of the wheel moves.
const NOTCH_LINES: usize = 3;

/// Takes in what the mouse did.
pub fn mouse(screen: &mut Screen, event: &MouseEvent) -> Option<Request> {
    let at = Position::new(event.column, event.row);
    match event.kind {
        MouseEventKind::ScrollUp => wheel(screen, at, Direction::Up),
        MouseEventKind::ScrollDown => wheel(screen, at, Direction::Down),
        MouseEventKind::Down(MouseButton::Left) => click(screen, at),
        MouseEventKind::Drag(MouseButton::Left) => {
            scrub(screen, at);
            None
        }
        MouseEventKind::Down(_)
        | MouseEventKind::Up(_)
        | MouseEventKind::Drag(_)
        | MouseEventKind::Moved
        | MouseEventKind::ScrollLeft
        | MouseEventKind::ScrollRight => None,
    }
}

/// Moves the list that is open, else the transcript; never what was written before.
fn wheel(screen: &mut Screen, at: Position, way: Direction) -> Option<Request> {
    match (&screen.view.list, way) {
        (Some(_), Direction::Up) => act(screen, Action::EntryUp),
        (Some(_), Direction::Down) => act(screen, Action::EntryDown),
        (None, _) if screen.view.areas.composer.contains(at) => None,
        (None, way) => {
            screen.read(|t, transcript, look| match way {
                Direction::Up => t.up(transcript, look, NOTCH_LINES),
                Direction::Down => t.down(transcript, look, NOTCH_LINES),
            });
            None
        }
    }
}

/// Goes to the moment of a recording that stands under the pointer; returns whether one does.
fn scrub(screen: &mut Screen, at: Position) -> bool {
    let axis = axis(screen.view.areas.timeline);
    let hit = screen.view.list.is_none() && axis.contains(at);
    if hit {
        let (column, columns) = (usize::from(at.x - axis.x), usize::from(axis.width));
        playback::scrub(&mut screen.view, column, columns);
    }
    hit
}

/// Does what stands under the pointer; beside an open list, closes it.
fn click(screen: &mut Screen, at: Position) -> Option<Request> {
    if let Some(list) = &mut screen.view.list {
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
