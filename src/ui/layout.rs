//! The layout of the screen, at every size.
//!
//! The line of the floor stays the longest: the panel goes first, then the row of the cast, then the footer.

use ratatui::layout::Rect;

/// The smallest screen on which anything can be read.
pub const SMALLEST: (u16, u16) = (40, 10);
/// Columns below which the line of the floor has no room for what was used: another row says it.
const NARROW_COLUMNS: u16 = 60;
/// Columns from which the panel is docked at the side.
const PANEL_COLUMNS: u16 = 100;
/// Columns from which there is a second one.
const SIDE_COLUMNS: u16 = 160;
/// Width of the second panel, in columns.
const SIDE_WIDTH: u16 = 38;
/// Width of the panel, in columns.
const PANEL_WIDTH: u16 = 30;
/// Rows that the transcript keeps, however much is written.
const TRANSCRIPT_ROWS: u16 = 5;
/// The widest transcript, in columns: on a wide screen it is centred.
const COLUMN_WIDTH: u16 = 104;
/// Rows of a timeline without a lane for each seat: marks, who spoke, the playhead.
pub const SHORT_TIMELINE: u16 = 3;
/// Rows that must be left beside a timeline with a lane for each seat.
const ROWS_BESIDE_LANES: u16 = 14;
/// Rows below which the cast folds away.
const FOLD_ROWS: u16 = 16;
/// Rows below which the footer folds away.
const FOOTER_ROWS: u16 = 12;
/// Rows from which lanes are shown below a live conversation: by default, and where they were asked for.
const LANES_ROWS: u16 = 30;
const LANES_ASKED_ROWS: u16 = 20;
/// Rows from which a card asks for the operator's attention, and the rows that the messages keep above it.
const CARD_ROWS: u16 = 12;
const ROWS_ABOVE_CARD: u16 = 2;
/// Rows from which answers, votes and what is known of the person are shown, and the part of the messages that they
/// take at most.
const BOARD_ROWS: u16 = 20;
const BOARD_PART: u16 = 3;
/// Rows that the panel keeps above what is known of the person.
const PANEL_ROWS: u16 = 10;
/// Lanes that have a row each; more of them share one.
pub const MOST_LANES: usize = 6;

/// Cells before the timeline's axis.
pub const TIMELINE_LABEL: usize = 10;
/// Cells after the timeline's axis.
const TIMELINE_BEHIND: usize = 9;

/// The parts; one without area is not shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Areas {
    /// The title and the status.
    pub header: Rect,
    /// The cast, in one row.
    pub cast: Rect,
    /// The rule below the header.
    pub rule: Rect,
    /// Where the messages are.
    pub transcript: Rect,
    /// The cast, the floor and the limits, at the side.
    pub panel: Rect,
    /// The message that is read, at the other side of a wide screen.
    pub side: Rect,
    /// The plan, or the answers and votes of a table that looks for one answer.
    pub coordination: Rect,
    /// What is known of the person: at the side below the panel, or below the messages.
    pub profile: Rect,
    /// The lanes of a live conversation: who spoke when.
    pub lanes: Rect,
    /// The card that asks for the operator's attention.
    pub card: Rect,
    /// The current speaker and the next.
    pub floor: Rect,
    /// The queued messages.
    pub queue: Rect,
    /// The input of the operator.
    pub composer: Rect,
    /// The lanes of a recording, with the playhead.
    pub timeline: Rect,
    /// The keys that work here.
    pub footer: Rect,
}

impl Areas {
    /// Returns whether the line of the floor has no room for what was used: the row of the cast says it, or the header.
    pub fn is_narrow(&self) -> bool {
        self.header.width < NARROW_COLUMNS
    }

    /// Returns the columns of the walls of the panels that are shown.
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

/// The rows that the operator's part of the screen needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowsNeeded {
    /// Rows of queued messages.
    pub queue: u16,
    /// Rows of the composer.
    pub composer: u16,
    /// The lanes of a recording, with the playhead; 0 for a live conversation.
    pub timeline: u16,
    /// The lanes of a live conversation.
    pub lanes: u16,
    /// Rows of the card that asks for the operator's attention.
    pub card: u16,
    /// Rows of the plan, or of answers and votes.
    pub coordination: u16,
    /// Rows of what is known of the person: at the side, and below the messages.
    pub profile: (u16, u16),
    /// Whether the panel is shown at this width.
    pub panels: Panels,
}

/// When the panel is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Panels {
    /// The panel is shown where the screen is wide enough.
    #[default]
    Auto,
    /// Also where they leave little room.
    Show,
    /// The panel is never shown.
    Hide,
}

impl Panels {
    /// Every way, as it is spelled where it is kept.
    pub const ALL: [(Panels, &str); 3] =
        [(Panels::Auto, "auto"), (Panels::Show, "show"), (Panels::Hide, "hide")];

    /// Returns the columns that the panel leaves on a screen of a width.
    pub fn beside(self, width: u16) -> u16 {
        if width >= self.columns() { width - PANEL_WIDTH } else { width }
    }

    /// Returns the columns from which the panel is docked.
    fn columns(self) -> u16 {
        match self {
            Panels::Auto => PANEL_COLUMNS,
            Panels::Show => SMALLEST.0 + PANEL_WIDTH,
            Panels::Hide => u16::MAX,
        }
    }
}

/// Returns the layout; none where the screen is too small.
pub fn areas(screen: Rect, needs: RowsNeeded) -> Option<Areas> {
    if screen.width < SMALLEST.0 || screen.height < SMALLEST.1 {
        return None;
    }
    let mut rest = screen;
    let mut areas = Areas { header: top(&mut rest, 1), ..Areas::default() };
    let docked = screen.width >= needs.panels.columns();
    if !docked && screen.height >= FOLD_ROWS {
        areas.cast = top(&mut rest, 1);
    }
    areas.rule = top(&mut rest, 1);
    if screen.height >= FOOTER_ROWS {
        areas.footer = bottom(&mut rest, 1);
    }
    areas.timeline = bottom(&mut rest, timeline_rows(needs.timeline, screen.height));
    let spare = rest.height.saturating_sub(TRANSCRIPT_ROWS + 1);
    areas.composer = bottom(&mut rest, needs.composer.min(spare));
    areas.queue = bottom(&mut rest, needs.queue.min(spare - areas.composer.height));
    areas.floor = bottom(&mut rest, 1);
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
    if screen.height >= lanes_from {
        areas.lanes = bottom(&mut areas.transcript, needs.lanes);
    }
    if screen.height >= BOARD_ROWS {
        let most = areas.transcript.height / BOARD_PART;
        areas.coordination = bottom(&mut areas.transcript, needs.coordination.min(most));
        let (at_side, below) = needs.profile;
        let spare = areas.panel.height.saturating_sub(PANEL_ROWS);
        areas.profile = match docked {
            true => bottom(&mut areas.panel, at_side.min(spare)),
            false => bottom(&mut areas.transcript, below.min(most)),
        };
    }
    if screen.height >= CARD_ROWS {
        let spare = areas.transcript.height.saturating_sub(ROWS_ABOVE_CARD);
        areas.card = bottom(&mut areas.transcript, needs.card.min(spare));
    }
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
    (rest.y, rest.height) = (rest.y + rows, rest.height - rows);
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
