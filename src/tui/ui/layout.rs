//! The layout of the screen, at every size.
//!
//! On a small screen the panel is dropped first, then the row of the cast, then the footer; the status line never is.

use ratatui::layout::Rect;

/// Minimum size of a usable screen, as columns and rows.
pub const SMALLEST: (u16, u16) = (40, 10);
/// Columns below which the status line has no room for the usage, and another row shows it.
const NARROW_COLUMNS: u16 = 60;
/// Minimum columns at which the panel is docked at the side.
const PANEL_COLUMNS: u16 = 100;
/// Minimum columns at which there is a second panel.
const SIDE_COLUMNS: u16 = 160;
/// Width of the second panel, in columns.
const SIDE_WIDTH: u16 = 38;
/// Width of the panel, in columns.
const PANEL_WIDTH: u16 = 30;
/// Minimum rows of the transcript, however long the draft is.
const TRANSCRIPT_ROWS: u16 = 5;
/// Maximum width of the transcript, in columns: on a wide screen it is centred.
const COLUMN_WIDTH: u16 = 104;
/// Rows of a timeline without a lane for each seat: marks, speakers, the playhead.
pub const SHORT_TIMELINE: u16 = 3;
/// Minimum rows beside a timeline with a lane for each seat.
const ROWS_BESIDE_LANES: u16 = 14;
/// Minimum rows of a screen with a row for the cast.
const FOLD_ROWS: u16 = 16;
/// Minimum rows of a screen on which the frame of the composer has a lower edge.
const EDGE_ROWS: u16 = 16;
/// Minimum rows of a screen with a footer.
const FOOTER_ROWS: u16 = 12;
/// Minimum rows at which lanes are shown below a live conversation: by default, and if panels are always shown.
const LANES_ROWS: u16 = 30;
const LANES_ASKED_ROWS: u16 = 20;
/// Minimum rows at which the positions of a finished conversation are shown, and of the messages beside positions.
const STANDS_FINAL_ROWS: u16 = 24;
const STANDS_BESIDE: u16 = 8;
/// Rows that the messages keep above a card, and rows that a card has nevertheless.
const ROWS_ABOVE_CARD: u16 = 2;
const CARD_ROWS: u16 = 6;
/// Minimum rows at which the answers, votes and the profile are shown, and the divisor of the messages' rows that
/// limits their height.
const BOARD_ROWS: u16 = 20;
const BOARD_PART: u16 = 3;
/// Minimum rows of the panel above the profile.
const PANEL_ROWS: u16 = 10;
/// Maximum number of lanes with a row each; more of them share a row, two by two.
pub const LANES_MAX: usize = 6;
/// Maximum number of lanes of which two share a row.
pub const PAIRED_LANES_MAX: usize = 16;

/// Cells before the timeline's axis.
pub const TIMELINE_LABEL: usize = 10;
/// Cells after the timeline's axis.
const TIMELINE_BEHIND: usize = 9;

/// Areas of the panes; a pane with an empty area is not shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Areas {
    /// Title and status.
    pub header: Rect,
    /// The cast, in one row.
    pub cast: Rect,
    /// Rule below the header.
    pub rule: Rect,
    /// Messages.
    pub transcript: Rect,
    /// Side panel: the cast, the floor and the limits.
    pub panel: Rect,
    /// Second side panel of a wide screen: the current message.
    pub side: Rect,
    /// Progress of the policy: steps of a plan, or answers and votes.
    pub board: Rect,
    /// Profile of the person: at the side below the panel, or below the messages.
    pub profile: Rect,
    /// Positions of the participants over the turns, over the whole width.
    pub stands: Rect,
    /// Lanes of a live conversation: the speakers over time.
    pub lanes: Rect,
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
    /// Lanes of a recording, with the playhead.
    pub timeline: Rect,
    /// Hints for the available keys.
    pub footer: Rect,
}

impl Areas {
    /// Returns whether the status line has no room for the usage, which the row of the cast or the header shows then.
    pub fn is_narrow(&self) -> bool {
        self.header.width < NARROW_COLUMNS
    }

    /// Returns the columns of the visible panel borders.
    pub fn walls(&self) -> impl Iterator<Item = u16> {
        let panel = (!self.panel.is_empty()).then_some(self.panel.x);
        let side = (!self.side.is_empty()).then(|| self.side.right() - 1);
        panel.into_iter().chain(side)
    }
}

/// Returns the area of the axis within the timeline's rows.
pub fn axis(area: Rect) -> Rect {
    let width = area.width.saturating_sub((TIMELINE_LABEL + TIMELINE_BEHIND) as u16);
    Rect { x: area.x + TIMELINE_LABEL as u16, width, ..area }
}

/// Rows that the panes below the transcript need, and the mode of the panels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowsNeeded {
    /// Rows of queued messages.
    pub queue: u16,
    /// Rows of the composer.
    pub composer: u16,
    /// True if the row under the header shows the people between two poles, so that no row for the cast is needed.
    pub has_rope: bool,
    /// True if it has a frame.
    pub framed: bool,
    /// Rows of the timeline of a recording; 0 for a live conversation.
    pub timeline: u16,
    /// Rows of the lanes of a live conversation.
    pub lanes: u16,
    /// Rows of the positions, which take the place of the lanes.
    pub stands: u16,
    /// True if the conversation is over, so that the positions are shown on lower screens as well.
    pub is_final: bool,
    /// Rows of the outcome of a finished conversation, for which other panes shrink: its first card, and all of it.
    pub outcome: (u16, u16),
    /// Rows of the card that asks for the operator's attention.
    pub card: u16,
    /// Rows of the progress of the policy, and its minimum beside an outcome.
    pub board: (u16, u16),
    /// Rows of the profile: at the side, and below the messages.
    pub profile: (u16, u16),
    /// Mode of the panels.
    pub panels: Panels,
}

/// Mode of the panels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Panels {
    /// Shown if the screen is wide enough.
    #[default]
    Auto,
    /// Shown on narrower screens as well.
    Show,
    /// Never shown.
    Hide,
}

impl Panels {
    /// All modes with their names in the settings.
    pub const ALL: [(Panels, &str); 3] =
        [(Panels::Auto, "auto"), (Panels::Show, "show"), (Panels::Hide, "hide")];

    /// Returns the columns beside the panel on a screen of a width.
    pub fn beside(self, width: u16) -> u16 {
        if width >= self.columns() { width - PANEL_WIDTH } else { width }
    }

    /// Returns the minimum columns at which the panel is docked.
    fn columns(self) -> u16 {
        match self {
            Panels::Auto => PANEL_COLUMNS,
            Panels::Show => SMALLEST.0 + PANEL_WIDTH,
            Panels::Hide => u16::MAX,
        }
    }
}

impl RowsNeeded {
    /// Returns smaller needs that leave more rows to the outcome, step by step. The last ones have no drawing.
    fn shrunk(self) -> [RowsNeeded; 4] {
        let lanes = RowsNeeded { timeline: self.timeline.min(SHORT_TIMELINE), ..self };
        let stands = |rows: u16| lanes.stands.saturating_sub(rows).max(lanes.stands.min(1));
        // the captions go first, then the numbers of the turns
        let captions = RowsNeeded { stands: stands(1), ..lanes };
        let numbers = RowsNeeded {
            stands: stands(2),
            board: (self.board.0.min(self.board.1), self.board.1),
            ..lanes
        };
        [lanes, captions, numbers, RowsNeeded { stands: 0, lanes: 0, ..numbers }]
    }
}

/// Returns the layout; `None` if the screen is too small. Beside an outcome that does not fit, the other panes shrink;
/// the drawing goes only if more of the outcome then fits: all of it, or its first card.
pub fn areas(screen: Rect, needs: RowsNeeded) -> Option<Areas> {
    let usual = arrange(screen, needs)?;
    let (first, all) = needs.outcome;
    let [lanes, captions, numbers, drawing] =
        needs.shrunk().map(|needs| arrange(screen, needs).unwrap_or(usual));
    let fits = |areas: &Areas, rows: u16| areas.transcript.height >= rows;
    let whole = [usual, lanes, captions, numbers].into_iter().find(|areas| fits(areas, all));
    Some(match whole {
        Some(areas) => areas,
        None if fits(&numbers, first) => numbers,
        None if fits(&drawing, first) => drawing,
        None => numbers,
    })
}

fn arrange(screen: Rect, needs: RowsNeeded) -> Option<Areas> {
    if screen.width < SMALLEST.0 || screen.height < SMALLEST.1 {
        return None;
    }
    let mut rest = screen;
    let mut areas = Areas { header: top(&mut rest, 1), ..Areas::default() };
    let docked = screen.width >= needs.panels.columns();
    if !docked && screen.height >= FOLD_ROWS && !needs.has_rope {
        areas.cast = top(&mut rest, 1);
    }
    areas.rule = top(&mut rest, 1);
    if screen.height >= FOOTER_ROWS {
        areas.footer = bottom(&mut rest, 1);
    }
    areas.timeline = bottom(&mut rest, timeline_rows(needs.timeline, screen.height));
    let edge = needs.framed && screen.height >= EDGE_ROWS;
    areas.edge = bottom(&mut rest, u16::from(edge));
    let spare = rest.height.saturating_sub(TRANSCRIPT_ROWS + 1);
    areas.composer = bottom(&mut rest, needs.composer.min(spare));
    areas.queue = bottom(&mut rest, needs.queue.min(spare - areas.composer.height));
    areas.floor = bottom(&mut rest, 1);
    let from = match needs.panels {
        Panels::Auto if needs.is_final => STANDS_FINAL_ROWS,
        Panels::Auto => LANES_ROWS,
        Panels::Show => STANDS_FINAL_ROWS,
        Panels::Hide => u16::MAX,
    };
    if screen.height >= from && needs.stands + STANDS_BESIDE <= rest.height {
        areas.stands = bottom(&mut rest, needs.stands);
    }
    areas.transcript = rest;
    if docked {
        areas.transcript.width -= PANEL_WIDTH;
        areas.panel = Rect { x: areas.transcript.right(), width: PANEL_WIDTH, ..rest };
    }
    if screen.width >= SIDE_COLUMNS && docked {
        areas.side = Rect { width: SIDE_WIDTH, ..areas.transcript };
        areas.transcript.x += SIDE_WIDTH;
        areas.transcript.width -= SIDE_WIDTH;
    }
    let lanes_from = match needs.panels {
        Panels::Auto => LANES_ROWS,
        Panels::Show => LANES_ASKED_ROWS,
        Panels::Hide => u16::MAX,
    };
    if screen.height >= lanes_from && areas.stands.is_empty() {
        areas.lanes = bottom(&mut areas.transcript, needs.lanes);
    }
    if screen.height >= BOARD_ROWS {
        let most = areas.transcript.height / BOARD_PART;
        areas.board = bottom(&mut areas.transcript, needs.board.0.min(most));
        let (at_side, below) = needs.profile;
        let spare = areas.panel.height.saturating_sub(PANEL_ROWS);
        areas.profile = if docked {
            bottom(&mut areas.panel, at_side.min(spare))
        } else {
            bottom(&mut areas.transcript, below.min(most))
        };
    }
    let rows = areas.transcript.height;
    let spare = rows.saturating_sub(ROWS_ABOVE_CARD).max(rows.min(CARD_ROWS));
    areas.card = bottom(&mut areas.transcript, needs.card.min(spare));
    let spare = areas.transcript.width.saturating_sub(COLUMN_WIDTH);
    areas.transcript.x += spare / 2;
    areas.transcript.width -= spare;
    Some(areas)
}

/// Returns the rows of the timeline: all it needs, or the short form, or the row of the playhead alone.
fn timeline_rows(needed: u16, height: u16) -> u16 {
    let all = needed.saturating_add(ROWS_BESIDE_LANES) <= height;
    match height {
        _ if all => needed,
        FOLD_ROWS.. => needed.min(SHORT_TIMELINE),
        _ => needed.min(1),
    }
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
                    timeline: (width + height) % 12,
                    ..RowsNeeded::default()
                };
                let areas = areas(Rect::new(0, 0, width, height), needs);
                assert_eq!(areas.is_some(), width >= SMALLEST.0 && height >= SMALLEST.1);
                let Some(a) = areas else { continue };
                assert_eq!((a.floor.height, a.floor.width), (1, width));
                assert!(a.transcript.height >= 5 && a.transcript.width >= 40);
                assert!(a.footer.bottom() <= height);
            }
        }
    }
}
