//! Scroll position in the transcript, and the visible lines.
//!
//! A position is a row's id and a line in that row, never an offset from the top, so that new rows below do not move
//! it. Only visible rows are laid out, and finished rows only once per width.

use crate::ui::text::code;
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use crate::ui::view::drag::body;
use crate::ui::view::ending;
use crate::ui::view::message::{Growing, Look, Rows, is_left_out, lines};
use crate::ui::view::transcript::{Id, RowView, Transcript};
use ratatui::text::{Line, Span};
use std::collections::HashMap;
use std::rc::Rc;

/// Number of cached rows at which the cache is cleared, to bound memory in long conversations.
const CACHED_ROWS: usize = 512;
/// Minimum cells of a card's upper edge after its title: a blank, a piece of the rule, the corner.
const EDGE_END: usize = 3;

/// Cache key of a row, in addition to the width: two numbers that change with its content, and a flag that changes with
/// the messages that it replies to.
type Stamp = (usize, usize, bool);

/// State of the viewport.
#[derive(Default)]
pub struct Viewport {
    /// First visible line; `None` while following the end.
    anchor: Option<(Id, usize)>,
    /// Message selected by a jump; actions apply to it at any position on the screen.
    selected: Option<Id>,
    /// True if the end itself is shown, although the outcome does not fit: the reader has scrolled.
    bottom: bool,
    height: usize,
    width: usize,
    /// Index of the row, and of the line in it, for each line of the last frame.
    spots: Vec<(usize, usize)>,
    /// True if code is laid out with syntax highlighting.
    coloured: bool,
    cache: HashMap<Id, (Stamp, Rows)>,
    /// Incremental layouts of rows that still grow.
    growing: HashMap<Id, Growing>,
    /// Empty lines, shared by all rows without content.
    nothing: Rows,
}

/// A visible line. Consecutive frames share unchanged lines, which makes comparing them cheap.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenLine {
    /// Content of the line.
    pub line: Rc<Line<'static>>,
    /// True if the line belongs to the message that actions apply to.
    pub marked: bool,
}

/// A line of the transcript: the index of its row, and the index of the line in that row.
type Spot = (usize, usize);

impl Viewport {
    /// Returns `true` if the viewport follows the end.
    pub fn following(&self) -> bool {
        self.anchor.is_none()
    }

    /// Follows the end.
    pub fn follow(&mut self) {
        self.anchor = None;
        self.selected = None;
        self.bottom = true;
    }

    /// Shows the outcome from its first row if it does not fit; no effect if the viewport does not follow the end.
    pub fn open_outcome(&mut self) {
        if self.following() {
            self.bottom = false;
        }
    }

    /// Returns whether the last line is visible and stays so when lines are added.
    pub fn is_at_end(&mut self, transcript: &Transcript, look: Look<'_>) -> bool {
        self.following() && self.top(transcript, look) == self.last_top(transcript, look)
    }

    /// Returns the number of lines of the outcome's first row, and of the whole outcome; 0 without one.
    pub fn outcome_lines(&mut self, transcript: &Transcript, look: Look<'_>) -> usize {
        let Some(rows) = ending::rows(transcript) else { return 0 };
        self.measure(look);
        let all: usize = rows.map(|at| self.lines(transcript, at, look).len()).sum();
        // the line above the outcome is blank
        all.saturating_sub(1)
    }

    /// Returns the number of the outcome's lines below the visible ones while it is shown from its first row; 0
    /// otherwise.
    pub fn lines_below(&mut self, transcript: &Transcript, look: Look<'_>) -> usize {
        if !self.following() {
            return 0;
        }
        let Some(rows) = ending::rows(transcript) else { return 0 };
        let (first, line) = self.top(transcript, look);
        let mut lines = 0;
        for at in first..=*rows.end() {
            lines += self.lines(transcript, at, look).len();
        }
        lines.saturating_sub(line + self.height)
    }

    /// Returns the index of the row that actions apply to: the selected one, otherwise the last row while following the
    /// end, otherwise the first visible row.
    pub fn reading(&mut self, transcript: &Transcript, look: Look<'_>) -> usize {
        let selected = self.selected.and_then(|id| transcript.place(id));
        match (selected, self.following()) {
            (Some(at), _) => at,
            (None, true) => transcript.len().saturating_sub(1),
            (None, false) => self.first(transcript, look).0,
        }
    }

    /// Returns the index of the last visible row; `None` while following the end or if a message is selected.
    pub fn last_seen(&mut self, transcript: &Transcript, look: Look<'_>) -> Option<usize> {
        if self.following() || self.selected.is_some() {
            return None;
        }
        let (mut at, line) = self.top(transcript, look);
        let mut left = (self.height + line).saturating_sub(self.lines(transcript, at, look).len());
        // the first line of a message is blank
        while left > 1 && at + 1 < transcript.len() {
            at += 1;
            left = left.saturating_sub(self.lines(transcript, at, look).len());
        }
        Some(at)
    }

    /// Selects a message and scrolls its first line to the top, as far as there are enough lines below.
    pub fn select(&mut self, transcript: &Transcript, look: Look<'_>, at: usize) {
        self.stand(transcript, look, (at, 0));
        self.selected = transcript.id(at);
        if self.following() {
            let (at, line) = self.last_top(transcript, look);
            self.anchor = transcript.id(at).map(|id| (id, line));
        }
    }

    /// Selects a message without scrolling.
    pub fn mark(&mut self, transcript: &Transcript, at: usize) {
        self.selected = transcript.id(at);
    }

    /// Selects a message like [`select`](Viewport::select), with one of its lines in view.
    pub fn select_line(&mut self, transcript: &Transcript, look: Look<'_>, at: usize, line: usize) {
        if line + 1 < self.height {
            return self.select(transcript, look, at);
        }
        self.stand(transcript, look, (at, line - self.height / 2));
        self.selected = transcript.id(at);
    }

    /// Returns the line in a row that shows its `nth` match, and the index of the match in that line. If the visible
    /// text has fewer matches, returns the last one.
    pub fn locate(
        &mut self,
        transcript: &Transcript,
        look: Look<'_>,
        at: usize,
        nth: usize,
        in_line: impl Fn(&Line<'_>) -> usize,
    ) -> (usize, usize) {
        // skip the head; only the text of a message is searched
        let words = !matches!(transcript.shown(at), Some(RowView::Aside(..)) | None);
        let lines = self.lines(transcript, at, look);
        let mut before = 0;
        let mut last = (0, 0);
        let body = if words { body(&lines) } else { 0 };
        for (i, line) in lines.iter().enumerate().skip(body) {
            let n = in_line(line);
            if n > 0 {
                last = (i, (n - 1).min(nth.saturating_sub(before)));
            }
            before += n;
            if before > nth {
                break;
            }
        }
        last
    }

    /// Returns the index of the row, and of the line in it, for each line of the last frame.
    pub fn spots(&self) -> &[(usize, usize)] {
        &self.spots
    }

    /// Returns the width of the last frame in cells.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of lines to scroll per page: the height without the sticky head and one line of overlap.
    pub fn page(&self) -> usize {
        self.height.saturating_sub(2).max(1)
    }

    /// Returns the number of cached rows: the ones visible since the last change of the width, and their neighbours.
    pub fn laid(&self) -> usize {
        self.cache.len()
    }

    /// Clears the caches after a change of colours or symbols.
    pub fn forget(&mut self) {
        self.cache.clear();
        self.growing.clear();
    }

    /// Takes over the width, and clears the caches if they no longer fit.
    fn measure(&mut self, look: Look<'_>) {
        let coloured = code::ready();
        if self.width != look.width || self.coloured != coloured || self.cache.len() > CACHED_ROWS {
            self.forget();
        }
        self.width = look.width;
        self.coloured = coloured;
    }

    /// Returns the visible lines for a height; lines of the row at index `mark` are marked.
    pub fn window(
        &mut self,
        transcript: &Transcript,
        look: Look<'_>,
        height: usize,
        mark: Option<usize>,
    ) -> Vec<SeenLine> {
        self.measure(look);
        self.height = height;
        let (mut at, mut skip) = self.top(transcript, look);
        let mut seen: Vec<SeenLine> = Vec::with_capacity(height);
        self.spots.clear();
        let rows = self.lines(transcript, at, look);
        // the sticky head must not replace the only remaining line of the message
        let sticky = (skip > 1 && rows.len() > skip + 1).then(|| continued(&rows, look)).flatten();
        while seen.len() < height && at < transcript.len() {
            let rows = self.lines(transcript, at, look);
            let rows = rows.iter().skip(skip).take(height - seen.len()).cloned();
            self.spots.extend((skip..skip + rows.len()).map(|line| (at, line)));
            seen.extend(rows.map(|line| SeenLine { line, marked: mark == Some(at) }));
            at += 1;
            skip = 0;
        }
        if let (Some(head), Some(first)) = (sticky, seen.first_mut()) {
            first.line = Rc::new(head);
        }
        seen
    }

    /// Returns the number of rows that are not completely visible below.
    pub fn below(&mut self, transcript: &Transcript, look: Look<'_>) -> usize {
        if self.following() {
            return 0;
        }
        let (mut at, line) = self.top(transcript, look);
        let mut left = self.height + line;
        while at < transcript.len() {
            let rows = self.lines(transcript, at, look).len();
            if rows > left {
                break;
            }
            left -= rows;
            at += 1;
        }
        transcript.len() - at
    }

    /// Scrolls up.
    pub fn up(&mut self, transcript: &Transcript, look: Look<'_>, by: usize) {
        let (mut at, mut line) = self.top(transcript, look);
        let mut by = by;
        while by > line && at > 0 {
            by -= line;
            at -= 1;
            line = self.lines(transcript, at, look).len();
        }
        self.stand(transcript, look, (at, line.saturating_sub(by)));
    }

    /// Scrolls down; at the last line, starts to follow the end.
    pub fn down(&mut self, transcript: &Transcript, look: Look<'_>, by: usize) {
        let (mut at, mut line) = self.top(transcript, look);
        line += by;
        while at < transcript.len() {
            let rows = self.lines(transcript, at, look).len();
            if line < rows {
                break;
            }
            at += 1;
            line -= rows;
        }
        self.stand(transcript, look, (at, line));
    }

    /// Returns `true` if a row has any lines.
    pub fn shows(&mut self, transcript: &Transcript, look: Look<'_>, at: usize) -> bool {
        !self.lines(transcript, at, look).is_empty()
    }

    /// Scrolls to the start of a row.
    pub fn go(&mut self, transcript: &Transcript, look: Look<'_>, at: usize) {
        self.stand(transcript, look, (at, 0));
    }

    /// Returns the index of the first visible row, and `true` if its first line is visible.
    pub fn first(&mut self, transcript: &Transcript, look: Look<'_>) -> (usize, bool) {
        let (at, line) = self.top(transcript, look);
        // with a seat filter, the rows of other seats are empty
        let seen =
            (at..transcript.len()).find(|at| self.shows(transcript, look, *at)).unwrap_or(at);
        (seen, seen > at || line == 0)
    }

    fn stand(&mut self, transcript: &Transcript, look: Look<'_>, spot: Spot) {
        self.selected = None;
        self.bottom = true;
        let last = self.last_top(transcript, look);
        self.anchor = match transcript.id(spot.0) {
            Some(id) if spot < last => Some((id, spot.1)),
            Some(_) | None => None,
        };
    }

    /// Returns the first visible line. At the end of the transcript no rows stay empty; an outcome that does not fit is
    /// shown from its first row.
    fn top(&mut self, transcript: &Transcript, look: Look<'_>) -> Spot {
        let last = self.last_top(transcript, look);
        let stands = self.anchor.and_then(|(id, line)| Some((transcript.place(id)?, line)));
        if let Some((at, line)) = stands {
            let rows = self.lines(transcript, at, look).len();
            return (at, line.min(rows.saturating_sub(1))).min(last);
        }
        self.anchor = None;
        if self.bottom {
            return last;
        }
        // the first line of a row is blank
        ending::rows(transcript).map_or(last, |rows| (*rows.start(), 1).min(last))
    }

    /// Returns the first visible line at the end of the transcript.
    fn last_top(&mut self, transcript: &Transcript, look: Look<'_>) -> Spot {
        let mut room = self.height;
        for at in (0..transcript.len()).rev() {
            let rows = self.lines(transcript, at, look).len();
            if rows >= room {
                return (at, rows - room);
            }
            room -= rows;
        }
        (0, 0)
    }

    /// Returns the laid-out lines of a row.
    pub fn lines(&mut self, transcript: &Transcript, at: usize, look: Look<'_>) -> Rows {
        let (Some(id), Some(shown)) = (transcript.id(at), transcript.shown(at)) else {
            return self.nothing.clone();
        };
        // with a seat filter most rows are left out; they must not evict the others from the cache
        if is_left_out(transcript, at, &shown, look) {
            return self.nothing.clone();
        }
        let stamp = match shown {
            RowView::Words(e, _) => {
                let changed = e.changed.map_or(0, |since| since.0 as usize + 1);
                (changed, e.text().len(), transcript.answers_earlier(e))
            }
            RowView::Speaking(turn) => {
                (transcript.speaking().count(), transcript.live.bytes(turn.id), true)
            }
            RowView::Aside(..) => match transcript.step(at) {
                // the head of a step's thread shows the current state of the step
                Some(step) => (transcript.state().next_seq.0 as usize, step.0 as usize, false),
                None => (0, 0, false),
            },
        };
        if let Some((_, lines)) = self.cache.get(&id).filter(|(known, _)| *known == stamp) {
            return lines.clone();
        }
        // release the cached lines, so that the lines can grow in place
        self.cache.remove(&id);
        let laid = match shown {
            RowView::Speaking(turn) => {
                let opens = look.reading.opens(Some(id));
                self.growing.entry(id).or_default().grown(transcript, turn, opens, look)
            }
            RowView::Words(..) | RowView::Aside(..) => {
                self.growing.remove(&id);
                Rc::new(lines(transcript, at, look).into_iter().map(Rc::new).collect())
            }
        };
        self.cache.insert(id, (stamp, laid.clone()));
        laid
    }
}

/// Returns the head of a message that starts above the screen; `None` for notes.
fn continued(lines: &[Rc<Line<'static>>], look: Look<'_>) -> Option<Line<'static>> {
    let head = lines.get(1)?;
    if lines[0].width() > 0 {
        return None;
    }
    let mut head = Line::clone(head);
    let signs = [look.glyphs.note, look.glyphs.stopped];
    head.spans.first().filter(|span| !signs.contains(&span.content.trim()))?;
    let note = format!("  {}  continued", look.glyphs.dot);
    let corner = look.glyphs.card_corners[0];
    let card = head.spans.get(1).is_some_and(|span| span.content.starts_with(corner));
    let whole = head.width();
    // the gutter and the name; of a card, its upper edge
    let edge = if card { head.spans.get(3).cloned() } else { None };
    head.spans.truncate(if card { 3 } else { 2 });
    let ends = if edge.is_some() { EDGE_END } else { 0 };
    let room = if edge.is_some() { whole } else { look.width };
    let over = (head.width() + width(&note) + ends).saturating_sub(room);
    if over > 0
        && let Some(name) = head.spans.last_mut()
    {
        let room = name.width().saturating_sub(over);
        name.content = clip(&name.content, room, look.glyphs.ellipsis).into();
    }
    head.spans.push(Span::styled(note, look.theme.style(ThemeRole::Muted)));
    if let Some(edge) = edge {
        let gap = look.glyphs.card_rule.repeat(whole.saturating_sub(head.width() + ends - 1));
        let corner = look.glyphs.card_corners[1];
        head.spans.push(Span::styled(format!(" {gap}{corner}"), edge.style));
    }
    Some(head)
}
