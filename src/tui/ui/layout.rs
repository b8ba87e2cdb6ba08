//! The layout of the screen, at every size.
//!
//! On a small screen the sidebar is dropped first, then the footer; the status line never is.

use ratatui::layout::Rect;

/// Minimum size of a usable screen, as columns and rows.
pub const SMALLEST: (u16, u16) = (40, 10);
/// Columns below which the status line has no room for the usage, and another row shows it.
const NARROW_COLUMNS: u16 = 60;
/// Cells beside the text from `NARROW_COLUMNS` on, before its own gutter of one cell.
const MARGIN: u16 = 1;
/// Minimum columns of a screen with a sidebar, and with the wide one.
const SIDEBAR_COLUMNS: u16 = 100;
const WIDE_COLUMNS: u16 = 160;
/// Widths of the sidebar, in columns, and the cells on both sides of it.
const SIDEBAR_WIDTH: u16 = 26;
const WIDE_SIDEBAR_WIDTH: u16 = 40;
const SIDEBAR_GAP: u16 = 2;
/// Minimum rows of the transcript, however long the draft is.
const TRANSCRIPT_ROWS: u16 = 5;
/// Maximum width of the transcript, in columns: on a wide screen it is centred.
const COLUMN_WIDTH: u16 = 104;
/// Minimum rows of a screen on which the frame of the composer has a lower edge.
const EDGE_ROWS: u16 = 16;
/// Minimum rows of a screen with a footer.
const FOOTER_ROWS: u16 = 12;
/// Rows that the messages keep above a card, and rows that a card has nevertheless.
const ROWS_ABOVE_CARD: u16 = 2;
const CARD_ROWS: u16 = 6;
/// Minimum rows at which the answers and votes are shown, and the divisor of the messages' rows that limits their
/// height.
const BOARD_ROWS: u16 = 20;
const BOARD_PART: u16 = 3;

/// Cells before the timeline's axis.
pub const TIMELINE_LABEL: usize = 10;
/// Cells after the timeline's axis.
const TIMELINE_BEHIND: usize = 9;

/// Areas of the panes; a pane with an empty area is not shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Areas {
    /// Title and status.
    pub header: Rect,
    /// Row below the header: the people between the poles, or one after the other, or a rule.
    pub rope: Rect,
    /// Messages.
    pub transcript: Rect,
    /// People at the table.
    pub sidebar: Rect,
    /// Progress of the policy: steps of a plan, or answers and votes.
    pub board: Rect,
    /// Card that asks for the operator's attention.
    pub card: Rect,
    /// Status line: the current speaker and the next.
    pub floor: Rect,
    /// Queued messages.
    pub queue: Rect,
    /// Input of the operator.
    pub composer: Rect,
    /// Lower edge of its frame.
    pub edge: Rect,
    /// Turns of a recording, with the playhead.
    pub timeline: Rect,
    /// Hints for the available keys.
    pub footer: Rect,
}

impl Areas {
    /// Returns whether the status line has no room for the usage, which the header shows then.
    pub fn is_narrow(&self) -> bool {
        self.header.width < NARROW_COLUMNS
    }
}

/// Returns the area of the axis within the timeline's rows.
pub fn axis(area: Rect) -> Rect {
    let width = area.width.saturating_sub((TIMELINE_LABEL + TIMELINE_BEHIND) as u16);
    Rect { x: area.x + TIMELINE_LABEL as u16, width, ..area }
}

/// Rows that the panes below the transcript need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowsNeeded {
    /// Rows of queued messages.
    pub queue: u16,
    pub composer: u16,
    /// True if it has a frame.
    pub framed: bool,
    /// True for a recording, whose turns have a row.
    pub timeline: bool,
    /// True if text is shown as written, with nothing beside it.
    pub raw: bool,
    /// Rows of the card that asks for the operator's attention.
    pub card: u16,
    /// Rows of the progress of the policy, and its minimum beside an outcome.
    pub board: (u16, u16),
}

/// Returns the columns of the sidebar with the cells on both sides of it; 0 on a narrow screen.
pub fn sidebar_columns(width: u16) -> u16 {
    match width {
        WIDE_COLUMNS.. => WIDE_SIDEBAR_WIDTH + 2 * SIDEBAR_GAP,
        SIDEBAR_COLUMNS.. => SIDEBAR_WIDTH + 2 * SIDEBAR_GAP,
        _ => 0,
    }
}

/// Returns the layout with the smallest board if only then an outcome of a number of rows fits.
pub fn areas_with_outcome(screen: Rect, needs: RowsNeeded, rows: u16) -> Option<Areas> {
    let usual = areas(screen, needs)?;
    let small = RowsNeeded { board: (needs.board.0.min(needs.board.1), needs.board.1), ..needs };
    Some(if usual.transcript.height >= rows { usual } else { areas(screen, small)? })
}

/// Returns the layout; `None` if the screen is too small.
pub fn areas(screen: Rect, needs: RowsNeeded) -> Option<Areas> {
    if screen.width < SMALLEST.0 || screen.height < SMALLEST.1 {
        return None;
    }
    let mut rest = screen;
    let mut areas = Areas { header: top(&mut rest, 1), ..Areas::default() };
    areas.rope = top(&mut rest, 1);
    if screen.height >= FOOTER_ROWS {
        areas.footer = bottom(&mut rest, 1);
    }
    areas.timeline = bottom(&mut rest, needs.timeline.into());
    let edge = needs.framed && screen.height >= EDGE_ROWS;
    areas.edge = bottom(&mut rest, u16::from(edge));
    let spare = rest.height.saturating_sub(TRANSCRIPT_ROWS + 1);
    areas.composer = bottom(&mut rest, needs.composer.min(spare));
    areas.queue = bottom(&mut rest, needs.queue.min(spare - areas.composer.height));
    areas.floor = bottom(&mut rest, 1);
    let side = if needs.raw { 0 } else { sidebar_columns(screen.width) };
    areas.transcript = Rect { width: rest.width - side, ..rest };
    if side > 0 {
        let x = areas.transcript.right() + SIDEBAR_GAP;
        areas.sidebar = Rect { x, width: side - 2 * SIDEBAR_GAP, ..rest };
    }
    if screen.height >= BOARD_ROWS && !needs.raw {
        let most = areas.transcript.height / BOARD_PART;
        areas.board = bottom(&mut areas.transcript, needs.board.0.min(most));
    }
    let rows = areas.transcript.height;
    let spare = rows.saturating_sub(ROWS_ABOVE_CARD).max(rows.min(CARD_ROWS));
    areas.card = bottom(&mut areas.transcript, needs.card.min(spare));
    let spare = areas.transcript.width.saturating_sub(COLUMN_WIDTH);
    let margin = if needs.raw || areas.is_narrow() { 0 } else { MARGIN };
    areas.transcript.x += margin.max(spare / 2);
    areas.transcript.width -= spare.max(2 * margin);
    Some(areas)
}

fn top(rest: &mut Rect, rows: u16) -> Rect {
    let taken = Rect { height: rows, ..*rest };
    rest.y += rows;
    rest.height -= rows;
    taken
}

fn bottom(rest: &mut Rect, rows: u16) -> Rect {
    rest.height -= rows;
    Rect { y: rest.y + rest.height, height: rows, ..*rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_is_shown_at_every_size_that_can_be_read() {
        for width in 1..220 {
            for height in 1..70 {
                let needs = RowsNeeded {
                    queue: height % 3,
                    composer: width % 7,
                    timeline: (width + height) % 2 == 1,
                    ..RowsNeeded::default()
                };
                let areas = areas(Rect::new(0, 0, width, height), needs);
                assert_eq!(areas.is_some(), width >= SMALLEST.0 && height >= SMALLEST.1);
                let Some(a) = areas else { continue };
                assert_eq!((a.floor.height, a.floor.width), (1, width));
                assert!(a.transcript.height >= 5 && a.transcript.width >= 40);
                let side = a.sidebar;
                assert!(
                    side.is_empty()
                        || side.x >= a.transcript.right() + 2 && side.right() + 2 == width
                );
                assert!(a.footer.bottom() <= height);
            }
        }
    }
}
