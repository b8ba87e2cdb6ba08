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
use std::iter::repeat_n;

/// Current or last search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Text of the query.
    pub query: String,
    /// True while the query is being typed.
    pub typing: bool,
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
            let mut rest: &str = &span.content;
            while let Some((from, to)) = find(rest, &words) {
                lit.spans.push(Span::styled(rest[..from].to_owned(), span.style));
                let here = current == Some(seen);
                let role = if here { ThemeRole::SearchCurrent } else { ThemeRole::SearchMatch };
                let style = span.style.patch(theme.style(role));
                seen += 1;
                lit.spans.push(Span::styled(rest[from..to].to_owned(), style));
                rest = &rest[to..];
            }
            lit.spans.push(Span::styled(rest.to_owned(), span.style));
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
        return 1;
    }
    let mut rest = text;
    let mut n = 0;
    while let Some((_, end)) = find(rest, words) {
        rest = &rest[end..];
        n += 1;
    }
    n
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

/// Returns the byte range of the first match; a capital letter in `words` makes the search case-sensitive.
fn find(text: &str, words: &str) -> Option<(usize, usize)> {
    if words.is_empty() {
        return None;
    }
    let exact = words.chars().any(char::is_uppercase);
    if words.is_ascii() {
        return find_ascii(text.as_bytes(), words.as_bytes(), exact);
    }
    let same = |a: char, b: char| a == b || !exact && a.to_lowercase().eq(b.to_lowercase());
    text.char_indices().find_map(|(from, _)| {
        let mut rest = text[from..].char_indices();
        let mut end = from;
        for wanted in words.chars() {
            let (at, c) = rest.next()?;
            if !same(c, wanted) {
                return None;
            }
            end = from + at + c.len_utf8();
        }
        Some((from, end))
    })
}

/// Letters from the rarest in most texts to the most frequent; a search jumps between occurrences of the rarest one.
const RAREST_FIRST: &[u8] = b"zqxjkvbpygfwmucldrhsnioate ";

/// ASCII variant of [`find`], about a hundred times as fast; ASCII bytes are never part of another character in UTF-8.
fn find_ascii(text: &[u8], words: &[u8], exact: bool) -> Option<(usize, usize)> {
    let last = text.len().checked_sub(words.len())?;
    let rarity = |byte: u8| RAREST_FIRST.iter().position(|b| *b == byte.to_ascii_lowercase());
    let rarest = words.iter().enumerate().min_by_key(|(_, byte)| rarity(**byte));
    let (offset, byte) = rarest?;
    let (small, capital) =
        if exact { (*byte, *byte) } else { (byte.to_ascii_lowercase(), byte.to_ascii_uppercase()) };
    let fits = |from: &usize| {
        let here = &text[*from..from + words.len()];
        if exact { here == words } else { here.eq_ignore_ascii_case(words) }
    };
    let mut places = memchr::memchr2_iter(small, capital, &text[offset..=last + offset]);
    places.find(fits).map(|from| (from, from + words.len()))
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
            assert_eq!(find(text, words), found, "{words:?} in {text:?}");
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
