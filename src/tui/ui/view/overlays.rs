//! Overlays over the transcript. At most one of each kind is open, and their order is fixed: the poster is the lowest,
//! then the analysis, a page, the search, and a list. The highest one has the keys, except that a page or the analysis
//! leaves them to the composer while the person writes.

use crate::ui::action::Action;
use crate::ui::keymap::Focus;
use crate::ui::view::analysis::AnalysisPane;
use crate::ui::view::list::List;
use crate::ui::view::page::Page;
use crate::ui::view::search::{LineMatches, Search};
use crate::ui::view::transcript::Transcript;

#[derive(Default)]
pub struct Overlays {
    pub list: Option<List>,
    pub search: Option<Search>,
    pub page: Option<Page>,
    pub analysis: Option<AnalysisPane>,
    pub poster: bool,
    /// True if the composer gets the focus back when the page and the analysis are closed.
    pub returns: bool,
}

impl Overlays {
    /// Returns the focus of the highest overlay; `writing` is true if the composer has the focus.
    pub fn focus(&self, writing: bool) -> Option<Focus> {
        match self {
            Overlays { list: Some(_), .. } => Some(Focus::Pick),
            Overlays { search: Some(_), .. } => Some(Focus::Search),
            _ if writing => None,
            Overlays { page: Some(_), .. } => Some(Focus::Page),
            Overlays { analysis: Some(_), .. } => Some(Focus::Analysis),
            _ => None,
        }
    }

    /// Returns whether a page or the analysis is open.
    pub fn has_view(&self) -> bool {
        self.page.is_some() || self.analysis.is_some()
    }

    /// Returns whether a page, the analysis or a list is open.
    pub fn hides(&self) -> bool {
        self.has_view() || self.list.is_some()
    }

    /// Returns the search matches in the page or the analysis.
    pub fn found(&mut self) -> Option<&mut LineMatches> {
        let analysis = self.analysis.as_mut().map(|analysis| &mut analysis.found);
        self.page.as_mut().map(|page| &mut page.found).or(analysis)
    }

    /// Returns the query, and the number of matches in the page or the analysis, otherwise in the transcript.
    pub fn search_status(&mut self, transcript: &Transcript) -> Option<(String, String)> {
        let mut search = self.search.take()?;
        let status = match self.found() {
            Some(found) => found.status(&search),
            None => search.status(transcript),
        };
        let query = format!("/{}", search.query);
        self.search = Some(search);
        Some((query, status))
    }

    /// Scrolls the page, otherwise the analysis.
    pub fn scroll(&mut self, action: Action) {
        match self {
            Overlays { page: Some(page), .. } => _ = page.moves(action),
            Overlays { analysis: Some(analysis), .. } => _ = analysis.handle(action),
            _ => {}
        }
    }
}
