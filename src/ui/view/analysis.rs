//! The figures of the talk on the screen: pages of tables, computed from the same fold and ledger as any file of them.
//!
//! They are computed when a page is first drawn and again when a turn is over, never for a frame; of a long talk on
//! another thread. It holds where the reader stands; drawing is `draw`'s.

use crate::analysis::{Cell, FigurePage, Stand, Standpoints, Table, name, standpoints};
use crate::export::utterances;
use crate::model::SeatId;
use crate::text::word_count;
use crate::ui::action::Action;
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::view::search::LineMatches;
use crate::ui::view::transcript::Transcript;
use ratatui::text::Line;
use std::rc::Rc;

/// Cells of the names before a chart.
const NAMES: usize = 14;

/// Turns and moments of a talk whose figures are computed between two frames; of a longer one they come later.
const AT_ONCE: usize = 4_000;

/// What the rows of a page depend on: the page, how much has happened, and the width in cells.
pub type LaidFor = (FigurePage, usize, usize);

/// Where the reader of the figures stands.
#[derive(Clone, Debug, Default)]
pub struct AnalysisPane {
    /// Which figures are shown.
    pub page: FigurePage,
    /// The first row that is shown; of events, the one that is chosen.
    pub at: usize,
    /// How many rows are shown.
    pub height: usize,
    /// What was found on the page.
    pub found: LineMatches,
    laid: Option<(LaidFor, Rc<Laid>)>,
    /// What is to be computed on another thread.
    wanted: Option<LaidFor>,
}

/// A page as rows.
#[derive(Debug)]
pub struct Laid {
    /// The figures as rows, as wide as the pane.
    pub rows: Vec<Line<'static>>,
    /// The place of the first row that can be chosen.
    pub first: usize,
    /// The figures themselves.
    pub tables: Vec<Table>,
}

impl AnalysisPane {
    /// Returns the page as rows of a width, which are made once for it; of a long talk what is there so far, while
    /// [`wanted`](AnalysisPane::wanted) says what is to be made.
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

    /// Returns what is to be computed and laid out on another thread, once.
    pub fn wanted(&mut self) -> Option<LaidFor> {
        self.wanted.take()
    }

    /// Takes a page as rows, as it was at some moment.
    pub fn take(&mut self, of: LaidFor, laid: Laid) {
        self.laid = Some((of, Rc::new(laid)));
    }

    /// Forgets the rows: colours changed.
    pub fn forget(&mut self) {
        self.laid = None;
    }

    /// Moves within the figures, if an action means that here; returns whether it did.
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
                    (self.page, self.at) = (*page, 0);
                    self.found.restart();
                }
                return true;
            }
            _ => return false,
        };
        self.at = self.at.saturating_add_signed(rows);
        true
    }

    /// Returns the figures of the page.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        let of_page = self.laid.as_ref().filter(|((page, ..), _)| *page == self.page);
        let tables = of_page.into_iter().flat_map(|(_, laid)| &laid.tables);
        tables.filter(|table| !table.rows.is_empty())
    }

    /// Returns whether rows are chosen here rather than scrolled.
    pub fn chooses(&self) -> bool {
        self.page == FigurePage::Events
    }

    /// Returns the utterance at which the chosen event stands.
    pub fn utterance(&self) -> Option<u32> {
        match self.tables().next()?.rows.get(self.at)?.first()? {
            Cell::Count(number) if self.chooses() => u32::try_from(*number).ok(),
            _ => None,
        }
    }
}

/// Returns where everybody stood as rows, with the place of the seat where a row is one's: a column an utterance, the last
/// ones that fit, then what the letters mean. Nothing where nobody said so in a form that can be read.
pub fn stood(
    transcript: &Transcript,
    glyphs: &Glyphs,
    room: usize,
) -> Vec<(Option<usize>, String)> {
    let stood = standpoints(&transcript.analysis());
    if stood.lanes.is_empty() {
        return vec![];
    }
    let (first, last) = stood.span;
    let columns = u32::try_from(room.saturating_sub(NAMES + 1)).unwrap_or(u32::MAX).max(1);
    let span = first.max(last.saturating_sub(columns - 1))..=last;
    let lane = |stands: &[Stand]| -> String {
        let column = |n| match Standpoints::at(stands, n) {
            Some(stand) if stand.at == n => Standpoints::sign(stand.choice).to_string(),
            Some(Stand { choice: Some(_), .. }) => glyphs.rule.to_owned(),
            Some(Stand { choice: None, .. }) | None => " ".to_owned(),
        };
        span.clone().map(column).collect()
    };
    let seats = stood.lanes.iter().map(|(seat, stands)| {
        let place = transcript.seat_place(seat);
        (Some(place), named(place, transcript, seat, glyphs) + &lane(stands))
    });
    let vote = |n| if stood.votes.contains(&n) { 'v' } else { ' ' };
    let votes = format!("{:NAMES$}{}", "vote", span.clone().map(vote).collect::<String>());
    let votes = votes.trim_end().to_owned();
    let meant = stood.choices.iter().enumerate();
    let meant = meant.map(|(i, choice)| format!("{} {choice}", Standpoints::sign(Some(i))));
    let rows = seats.chain((!stood.votes.is_empty()).then_some((None, votes)));
    rows.chain([(None, meant.collect::<Vec<_>>().join(", "))]).collect()
}

/// Returns the name of a seat before its row of a chart.
fn named(place: usize, transcript: &Transcript, seat: &SeatId, glyphs: &Glyphs) -> String {
    let who = format!("{} {}", place + 1, name(transcript.state(), seat));
    let who = clip(&who, NAMES - 2, glyphs.ellipsis);
    let gap = " ".repeat(NAMES.saturating_sub(width(&who)));
    who + &gap
}

/// Returns who spoke when as rows: a column an utterance, as high as it has words; as many as fit, the last ones.
pub fn lanes(transcript: &Transcript, glyphs: &Glyphs, room: usize) -> Vec<(usize, String)> {
    let analysis = transcript.analysis();
    let all: Vec<_> = analysis.utterances().filter_map(|(e, _)| Some((e, e.seat()?))).collect();
    let fit = all.get(all.len().saturating_sub(room.saturating_sub(NAMES))..).unwrap_or_default();
    let fit: Vec<(usize, u32)> =
        fit.iter().map(|(e, seat)| (transcript.seat_place(seat), word_count(e.text()))).collect();
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
    let seats = transcript.state().seats.iter().enumerate();
    seats
        .map(|(place, seat)| {
            (place, named(place, transcript, &seat.spec.id, glyphs) + &lane(place))
        })
        .collect()
}
