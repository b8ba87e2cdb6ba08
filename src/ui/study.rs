//! The figures of the talk on the screen: pages of tables, computed from the same fold and ledger as any file of them.
//!
//! They are computed when the pane opens and when a turn is over, never for a frame. It holds where the reader stands;
//! drawing is `draw`'s.

use super::action::Action;
use super::glyphs::Glyphs;
use super::story::Story;
use super::wrap::clip;
use crate::analysis::{Cell, Table, name};
use crate::text::word_count;
use ratatui::text::Line;
use std::rc::Rc;

/// A page: its name, and the figures on it.
type Page = (&'static str, &'static [&'static str]);

/// The pages, by their numbers.
pub const PAGES: &[Page] = &[
    ("floor", &["shares", "floor"]),
    ("cost", &["cost", "speed"]),
    ("positions", &["decisions", "positions", "stances", "alike", "mentions", "repetition"]),
    ("events", &["events"]),
];
/// The page whose rows can be opened in the transcript.
const EVENTS: usize = 3;
/// Cells of the names before a chart.
const NAMES: usize = 14;

/// Where the reader of the figures stands.
#[derive(Clone, Debug, Default)]
pub struct Study {
    /// Which page.
    pub page: usize,
    /// The first row that is shown; of events, the one that is chosen.
    pub at: usize,
    /// How many rows are shown.
    pub height: usize,
    tables: Vec<Table>,
    /// How much had happened when they were computed.
    counted: usize,
    laid: Option<((usize, usize, usize), Rc<Laid>)>,
}

/// A page as rows.
#[derive(Debug)]
pub struct Laid {
    /// The rows.
    pub rows: Vec<Line<'static>>,
    /// The place of the first row that can be chosen.
    pub first: usize,
}

impl Study {
    /// Returns the figures of a talk as it stands.
    pub fn of(story: &Story) -> Study {
        let mut study = Study::default();
        study.count(story);
        study
    }

    /// Counts anew, if anything happened that figures are made of.
    pub fn renew(&mut self, story: &Story) {
        if self.counted != story.ledger.happened() {
            self.count(story);
        }
    }

    fn count(&mut self, story: &Story) {
        self.tables = story.study().tables();
        self.counted = story.ledger.happened();
    }

    /// Returns the page as rows of a width, which are made once for it.
    pub fn laid(&mut self, room: usize, make: impl FnOnce(&Study) -> Laid) -> Rc<Laid> {
        let of = (self.page, self.counted, room);
        match &self.laid {
            Some((known, laid)) if *known == of => laid.clone(),
            _ => {
                let laid = Rc::new(make(self));
                self.laid = Some((of, laid.clone()));
                laid
            }
        }
    }

    /// Forgets the rows: colours changed.
    pub fn forget(&mut self) {
        self.laid = None;
    }

    /// Moves within the figures, if an action means that here; returns whether it did.
    pub fn heed(&mut self, action: Action) -> bool {
        let page = isize::try_from(self.height).unwrap_or(0);
        let rows = match action {
            Action::LineUp => -1,
            Action::LineDown => 1,
            Action::PageUp => -page,
            Action::PageDown => page,
            Action::Top => isize::MIN,
            Action::Pick(number) => {
                let page = usize::from(number) - 1;
                if page < PAGES.len() {
                    (self.page, self.at) = (page, 0);
                }
                return true;
            }
            _ => return false,
        };
        self.at = self.at.saturating_add_signed(rows);
        true
    }

    /// Returns the figures of the page.
    pub fn tables(&self) -> Vec<Table> {
        let here = PAGES.get(self.page).map_or(&[][..], |(_, names)| *names);
        let named = |name: &&str| self.tables.iter().find(|t| t.name == *name).cloned();
        here.iter().filter_map(named).filter(|t| !t.rows.is_empty()).collect()
    }

    /// Returns whether rows are chosen here rather than scrolled.
    pub fn chooses(&self) -> bool {
        self.page == EVENTS
    }

    /// Returns the utterance at which the chosen event stands.
    pub fn utterance(&self) -> Option<u32> {
        let rows = self.tables().into_iter().next()?.rows;
        match rows.get(self.at)?.first()? {
            Cell::Count(number) if self.chooses() => u32::try_from(*number).ok(),
            _ => None,
        }
    }
}

/// Returns who spoke when as rows: a column an utterance, as high as it has words; as many as fit, the last ones.
pub fn lanes(story: &Story, glyphs: &Glyphs, room: usize) -> Vec<(usize, String)> {
    let all: Vec<(usize, u32)> = story
        .study()
        .utterances()
        .filter_map(|(e, _)| Some((story.seat_place(e.seat()?), word_count(e.text()))))
        .collect();
    let fit = all.get(all.len().saturating_sub(room.saturating_sub(NAMES))..).unwrap_or_default();
    let most = fit.iter().map(|(_, words)| *words).max().unwrap_or(0).max(1) as usize;
    let steps = glyphs.levels.len();
    let level = |words: u32| glyphs.levels.get((words as usize * steps).div_ceil(most).max(1) - 1);
    let lane = |place: usize| -> String {
        let column = |(by, words): &(usize, u32)| match *by == place {
            true => level(*words).copied().unwrap_or(" "),
            false => " ",
        };
        fit.iter().map(column).collect()
    };
    let seats = story.state().seats.iter().enumerate();
    seats
        .map(|(place, seat)| {
            let who = format!("{} {}", place + 1, name(story.state(), &seat.spec.id));
            let who = clip(&who, NAMES - 2, glyphs.ellipsis);
            let gap = " ".repeat(NAMES.saturating_sub(super::wrap::width(&who)));
            (place, format!("{who}{gap}{}", lane(place)))
        })
        .collect()
}
