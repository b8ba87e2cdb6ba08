//! Search in the transcript: matching rows, the current match, and highlighting.
//!
//! A lower-case query ignores case. `from:bo` restricts the search to messages of that seat.

use crate::catalogue::split_query;
use crate::model::{SeatId, Seq};
use crate::state::Who;
use crate::ui::action::Direction;
use crate::ui::theme::{Theme, ThemeRole};
use crate::ui::view::transcript::{RowView, Transcript};
use ratatui::text::{Line, Span};
use regex::{Regex, RegexBuilder};
use std::cell::RefCell;
use std::iter::repeat_n;

/// Current or last search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Text of the query.
    pub query: String,
    /// Current match: index of its row, and index of the match in that row.
    pub at: Option<(usize, usize)>,
    /// Cached matches.
    pub found: Matches,
}

/// Cached matches, so that each frame searches new rows only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// Cache key: the query, the last change to an earlier message, and the number of inserted rows.
    of: (String, (Option<Seq>, usize)),
    /// Number of rows that were searched and will not change.
    upto: usize,
    /// Matching rows with their numbers of matches, running turns included.
    rows: Vec<(usize, usize)>,
}

impl Search {
    /// Returns the matching rows in order, as (row, number of matches). Only new rows are searched.
    pub fn matches(&mut self, transcript: &Transcript) -> &[(usize, usize)] {
        let of = (self.query.clone(), (transcript.revised(), transcript.inserted()));
        // the position in a recording may have moved back
        if self.found.of.1 != of.1 || self.found.upto > transcript.rows().len() {
            self.found = Matches { of, ..Matches::default() };
        } else if self.found.of.0 != of.0 {
            let Matches { of: (query, _), upto, rows } = std::mem::take(&mut self.found);
            let (upto, rows) = if narrows(&query, &of.0) {
                let settled = rows.into_iter().map(|(at, _)| at).filter(|at| *at < upto);
                (upto, self.fitting(transcript, settled))
            } else {
                (0, vec![])
            };
            self.found = Matches { of, upto, rows };
        }
        let upto = self.found.upto;
        self.found.rows.retain(|(at, _)| *at < upto);
        let new = self.fitting(transcript, upto..transcript.len());
        self.found.rows.extend(new);
        self.found.upto = transcript.rows().len();
        &self.found.rows
    }

    /// Returns the matching rows among `rows`, with their numbers of matches.
    fn fitting(
        &self,
        transcript: &Transcript,
        rows: impl Iterator<Item = usize>,
    ) -> Vec<(usize, usize)> {
        let (words, from) = split_query(&self.query);
        if words.is_empty() && from.is_none() {
            return vec![];
        }
        let is_by = |seat: &SeatId| {
            from.as_ref().is_none_or(|name| {
                *seat == name.as_str() || transcript.name(seat).to_lowercase() == *name
            })
        };
        let count = |at: usize| match transcript.shown(at) {
            Some(RowView::Words(entry, _)) => match &entry.who {
                Who::Seat(seat) if is_by(seat) => match_count(entry.text(), &words),
                Who::Operator if from.is_none() => match_count(entry.text(), &words),
                Who::Seat(_) | Who::Operator => 0,
            },
            Some(RowView::Speaking(turn)) if is_by(&turn.seat) => {
                match_count(&transcript.live.said(turn.id), &words)
            }
            Some(RowView::Aside(head, _)) if from.is_none() => match_count(head, &words),
            Some(RowView::Speaking(_) | RowView::Aside(..)) | None => 0,
        };
        rows.map(|at| (at, count(at))).filter(|(_, n)| *n > 0).collect()
    }

    /// Returns the status line: the number of matches and the index of the current one.
    pub fn status(&mut self, transcript: &Transcript) -> String {
        let at = self.at;
        let nothing_typed = self.query.is_empty();
        let found = self.matches(transcript);
        let place = at.and_then(|(row, nth)| {
            let at = found.iter().position(|(m, n)| *m == row && nth < *n)?;
            Some(found[..at].iter().map(|(_, n)| n).sum::<usize>() + nth)
        });
        match (found.iter().map(|(_, n)| n).sum::<usize>(), place) {
            (0, _) if nothing_typed => "text, or from:NAME".into(),
            (0, _) => "no matches".into(),
            (n, Some(place)) => format!("{}/{n}", place + 1),
            (n, None) => format!("{n} matches"),
        }
    }

    /// Returns the number of matches in a line as displayed.
    pub fn in_line(&self, line: &Line<'_>) -> usize {
        let (words, _) = split_query(&self.query);
        many_in(line, &words)
    }

    /// Highlights the matches in a line; `current` is the index in this line of the current match.
    pub fn light(
        &self,
        line: &Line<'static>,
        theme: &Theme,
        current: Option<usize>,
    ) -> Line<'static> {
        let (words, _) = split_query(&self.query);
        let mut seen = 0;
        let mut lit = Line::default().style(line.style);
        for span in &line.spans {
            let mut from = 0;
            let found = |pattern: &Regex| -> Vec<_> {
                pattern.find_iter(&span.content).map(|found| found.range()).collect()
            };
            for found in with_pattern(&words, found) {
                lit.spans
                    .push(Span::styled(span.content[from..found.start].to_owned(), span.style));
                let here = current == Some(seen);
                let role = if here { ThemeRole::SearchCurrent } else { ThemeRole::SearchMatch };
                let style = span.style.patch(theme.style(role));
                seen += 1;
                from = found.end;
                lit.spans.push(Span::styled(span.content[found].to_owned(), style));
            }
            lit.spans.push(Span::styled(span.content[from..].to_owned(), span.style));
        }
        lit
    }
}

/// Returns `true` if the matches of `query` are a subset of those of `before`, because text was appended.
fn narrows(before: &str, query: &str) -> bool {
    !before.trim().is_empty() && query.starts_with(before) && !query.contains("from:")
}

/// Returns the number of matches in a text; 1 if `words` is empty.
fn match_count(text: &str, words: &str) -> usize {
    if words.is_empty() {
        1
    } else {
        with_pattern(words, |pattern| pattern.find_iter(text).count())
    }
}

/// Search matches in laid-out lines, such as those of an overlay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineMatches {
    /// Index of the line of each match.
    lines: Vec<usize>,
    /// Index of the current match.
    at: Option<usize>,
    /// True if the current match must be scrolled into view.
    seeks: bool,
}

impl LineMatches {
    /// Resets the current match after a change of the query.
    pub fn restart(&mut self) {
        self.at = None;
        self.seeks = true;
    }

    /// Moves to the next or previous match, wrapping around.
    pub fn step(&mut self, way: Direction) {
        let n = self.lines.len().max(1);
        self.at = Some(match (way, self.at) {
            (_, None) => 0,
            (Direction::Down, Some(at)) => (at + 1) % n,
            (Direction::Up, Some(at)) => (at + n - 1) % n,
        });
        self.seeks = true;
    }

    /// Returns the status line: the number of matches and the index of the current one.
    pub fn status(&self, search: &Search) -> String {
        match (self.lines.len(), self.at) {
            (0, _) if search.query.is_empty() => "type the text to find".into(),
            (0, _) => "no matches".into(),
            (n, Some(at)) => format!("{}/{n}", at + 1),
            (n, None) => format!("{n} matches"),
        }
    }

    /// Searches all lines and highlights the matches; the first match at or below line `top` becomes the current one if
    /// none exists. Returns the index of the line to scroll into view, if any.
    pub fn light(
        &mut self,
        lines: &mut [Line<'static>],
        search: &Search,
        theme: &Theme,
        top: usize,
    ) -> Option<usize> {
        let (words, _) = split_query(&search.query);
        let each = lines.iter().enumerate();
        self.lines = each.flat_map(|(i, line)| repeat_n(i, many_in(line, &words))).collect();
        let first = self.lines.iter().position(|line| *line >= top);
        let proposed = first.or((!self.lines.is_empty()).then_some(0));
        self.at = self.at.filter(|at| *at < self.lines.len()).or(proposed);
        let current = self.at.and_then(|at| Some((at, *self.lines.get(at)?)));
        for matches in self.lines.chunk_by(|a, b| a == b) {
            let Some((i, line)) = matches.first().and_then(|i| Some((*i, lines.get_mut(*i)?)))
            else {
                continue;
            };
            let nth = current.filter(|(_, line)| *line == i).map(|(at, line)| {
                at - self.lines.iter().position(|other| *other == line).unwrap_or(at)
            });
            *line = search.light(line, theme, nth);
        }
        std::mem::take(&mut self.seeks).then_some(current?.1)
    }
}

/// Returns the number of matches in a line; 0 if `words` is empty.
fn many_in(line: &Line<'_>, words: &str) -> usize {
    match &line.spans[..] {
        _ if words.is_empty() => 0,
        [span] => match_count(&span.content, words),
        _ => match_count(&line.to_string(), words),
    }
}

/// Passes on the pattern of a query's text; a capital letter in it makes the search case-sensitive. A text that is
/// empty or too long for a pattern matches nothing.
fn with_pattern<T: Default>(words: &str, search: impl FnOnce(&Regex) -> T) -> T {
    thread_local! {
        /// The last pattern with its text: each frame searches many lines.
        static LAST: RefCell<Option<(String, Regex)>> = const { RefCell::new(None) };
    }
    if words.is_empty() {
        return T::default();
    }
    LAST.with_borrow_mut(|last| {
        if last.as_ref().is_none_or(|(text, _)| text != words) {
            let mut pattern = RegexBuilder::new(&regex::escape(words));
            let pattern = pattern.case_insensitive(!words.chars().any(char::is_uppercase)).build();
            *last = pattern.ok().map(|pattern| (words.to_owned(), pattern));
        }
        last.as_ref().map(|(_, pattern)| search(pattern)).unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_letters_find_capitals_and_capitals_only_themselves() {
        for (text, words, found) in [
            ("The Straße", "straße", Some((4, 11))),
            ("the end", "The", None),
            ("The end", "The", Some((0, 3))),
            ("aab", "ab", Some((1, 3))),
            ("an exquisite Quiz, a quiz", "quiz", Some((13, 17))),
            ("an exquisite Quiz, a quiz", "a Quiz", None),
            ("q", "a q", None),
            ("ab", "abc", None),
            ("ab", "", None),
        ] {
            let range =
                with_pattern(words, |pattern| pattern.find(text).map(|found| found.range()));
            assert_eq!(range.map(|r| (r.start, r.end)), found, "{words:?} in {text:?}");
        }
    }

    #[test]
    fn further_typing_narrows_the_completion() {
        for (before, query, narrowed) in [
            ("th", "the", true),
            ("the", "the e", true),
            ("the", "The", false),
            ("the", "th", false),
            ("", "t", false),
            ("fro", "from:bo", false),
            ("from:bo the", "from:bo then", false),
        ] {
            assert_eq!(narrows(before, query), narrowed, "{before:?} {query:?}");
        }
    }
}
