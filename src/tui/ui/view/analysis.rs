//! Analysis pages of the open conversation: tables and charts, computed from the same fold and ledger as the exported
//! files.
//!
//! A page is computed when it is first drawn and again after each turn, never per frame. For long conversations this
//! happens on another thread. This module holds the scroll position; `draw` renders the page.

use crate::analysis::{Cell, FigurePage, Table};
use crate::export::utterances;
use crate::ui::action::Action;
use crate::ui::text::wrap::clip;
use crate::ui::view::search::LineMatches;
use crate::ui::view::transcript::Transcript;
use ratatui::text::Line;
use std::rc::Rc;

/// Maximum number of turns and moments for which a page is computed between two frames; longer conversations use
/// another thread.
const AT_ONCE: usize = 4_000;

/// Cache key of a laid-out page: the page, the number of turns and moments so far, and the width in cells.
pub type LaidFor = (FigurePage, usize, usize);

/// State of the analysis pane.
#[derive(Clone, Debug, Default)]
pub struct AnalysisPane {
    /// The page that is shown.
    pub page: FigurePage,
    /// Index of the first visible row; on the events page, of the selected event.
    pub at: usize,
    /// Number of visible rows.
    pub height: usize,
    /// Search matches on the page.
    pub found: LineMatches,
    laid: Option<(LaidFor, Rc<Laid>)>,
    /// Layout to compute on another thread, if any.
    wanted: Option<LaidFor>,
}

/// A laid-out page.
#[derive(Debug)]
pub struct Laid {
    /// Rows, as wide as the pane.
    pub rows: Vec<Line<'static>>,
    /// Index of the first selectable row.
    pub first: usize,
    /// Tables that the rows show.
    pub tables: Vec<Table>,
}

impl AnalysisPane {
    /// Creates a pane that shows a page.
    pub fn new(page: FigurePage) -> AnalysisPane {
        AnalysisPane { page, ..AnalysisPane::default() }
    }

    /// Returns the page laid out for a width, computing it at most once per [`LaidFor`].
    ///
    /// In long conversations, returns the previous layout or a placeholder and sets [`wanted`](AnalysisPane::wanted).
    pub fn laid(
        &mut self,
        transcript: &Transcript,
        room: usize,
        make: impl FnOnce(FigurePage) -> Laid,
    ) -> Rc<Laid> {
        let happened = transcript.turn_log.happened();
        let of = (self.page, happened, room);
        let known = self.laid.as_ref();
        if let Some((_, laid)) = known.filter(|(known, _)| *known == of) {
            return laid.clone();
        }
        if happened <= AT_ONCE {
            self.take(of, make(self.page));
        } else {
            self.wanted = Some(of);
        }
        match &self.laid {
            Some(((page, _, wide), laid)) if (*page, *wide) == (self.page, room) => laid.clone(),
            _ => {
                let turns = transcript.state().utterances;
                let counting =
                    Line::raw(clip(&format!(" counting {}", utterances(turns)), room, ""));
                Rc::new(Laid { rows: vec![counting], first: 0, tables: vec![] })
            }
        }
    }

    /// Takes the layout to compute on another thread; `None` if it was already taken.
    pub fn wanted(&mut self) -> Option<LaidFor> {
        self.wanted.take()
    }

    /// Stores a layout and the state that it was computed for.
    pub fn take(&mut self, of: LaidFor, laid: Laid) {
        self.laid = Some((of, Rc::new(laid)));
    }

    /// Drops the layout after a change of colours.
    pub fn forget(&mut self) {
        self.laid = None;
    }

    /// Handles an action that scrolls or switches pages; returns `true` if it did.
    pub fn handle(&mut self, action: Action) -> bool {
        let page = isize::try_from(self.height).unwrap_or(0);
        let rows = match action {
            Action::LineUp => -1,
            Action::LineDown => 1,
            Action::PageUp => -page,
            Action::PageDown => page,
            Action::Top => isize::MIN,
            Action::Follow => isize::MAX,
            Action::Select(number) => {
                if let Some(page) = FigurePage::ALL.get(usize::from(number) - 1) {
                    self.page = *page;
                    self.at = 0;
                    self.found.restart();
                }
                return true;
            }
            _ => return false,
        };
        self.at = self.at.saturating_add_signed(rows);
        true
    }

    /// Returns the non-empty tables of the current page.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        let of_page = self.laid.as_ref().filter(|((page, ..), _)| *page == self.page);
        let tables = of_page.into_iter().flat_map(|(_, laid)| &laid.tables);
        tables.filter(|table| !table.rows.is_empty())
    }

    /// Returns `true` if rows are selected on this page instead of scrolled.
    pub fn chooses(&self) -> bool {
        self.page == FigurePage::Events
    }

    /// Returns the number of the turn of the selected event.
    pub fn utterance(&self) -> Option<u32> {
        match self.tables().next()?.rows.get(self.at)?.first()? {
            Cell::Count(number) if self.chooses() => u32::try_from(*number).ok(),
            _ => None,
        }
    }
}
