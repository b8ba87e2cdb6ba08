//! Where the reader stands in the transcript, and the lines that are seen from there.
//!
//! A position is a row's id and a line in it, never an offset from the top: what comes below moves nothing above. Only
//! what is seen is laid out, and finished rows are laid out once for each width.

use crate::ui::text::code;
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use crate::ui::view::drag::body;
use crate::ui::view::message::{Growing, Look, Rows, is_left_out, lines};
use crate::ui::view::transcript::{Id, RowView, Transcript};
use ratatui::text::{Line, Span};
use std::collections::HashMap;
use std::rc::Rc;

/// Rows whose lines are kept; beyond that the cache starts over, so that a long talk does not fill the memory.
const CACHED_ROWS: usize = 512;

/// What a row's lines depend on besides the width: growth, changes of it, changes of what it answers.
type Stamp = (usize, usize, bool);

/// The reader's place.
#[derive(Default)]
pub struct Viewport {
    /// The first line that is seen; none while the end is followed.
    anchor: Option<(Id, usize)>,
    /// The message that was gone to, which keys act on wherever on the screen it stands.
    selected: Option<Id>,
    height: usize,
    width: usize,
    /// The row and the line in it of each line that was seen last.
    spots: Vec<(usize, usize)>,
    /// Whether code stands in the colours of its language.
    coloured: bool,
    cache: HashMap<Id, (Stamp, Rows)>,
    /// What is laid out of the rows that still grow.
    growing: HashMap<Id, Growing>,
    /// The lines of a row that has none.
    nothing: Rows,
}

/// A line that is seen. Two frames share the lines that did not change, so that comparing them is cheap.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenLine {
    /// What it says.
    pub line: Rc<Line<'static>>,
    /// Whether it is part of the message that keys act on.
    pub marked: bool,
}

/// A line of the transcript: the place of its row, and the line in it.
type Spot = (usize, usize);

impl Viewport {
    /// Returns whether the end is followed.
    pub fn following(&self) -> bool {
        self.anchor.is_none()
    }

    /// Follows the end.
    pub fn follow(&mut self) {
        (self.anchor, self.selected) = (None, None);
    }

    /// Returns the place of the row that keys act on: the message that was gone to, else the last one while the end is
    /// followed, else the first that is seen.
    pub fn reading(&mut self, transcript: &Transcript, look: Look<'_>) -> usize {
        let selected = self.selected.and_then(|id| transcript.place(id));
        match (selected, self.following()) {
            (Some(at), _) => at,
            (None, true) => transcript.len().saturating_sub(1),
            (None, false) => self.first(transcript, look).0,
        }
    }

    /// Returns the place of the last row that is seen while nothing was gone to.
    pub fn last_seen(&mut self, transcript: &Transcript, look: Look<'_>) -> Option<usize> {
        if self.following() || self.selected.is_some() {
            return None;
        }
        let (mut at, line) = self.top(transcript, look);
        let mut left = (self.height + line).saturating_sub(self.lines(transcript, at, look).len());
        while left > 0 && at + 1 < transcript.len() {
            at += 1;
            left = left.saturating_sub(self.lines(transcript, at, look).len());
        }
        Some(at)
    }

    /// Goes to a message so that keys act on it: to its beginning, or as near to it as there are lines below.
    pub fn select(&mut self, transcript: &Transcript, look: Look<'_>, at: usize) {
        self.stand(transcript, look, (at, 0));
        self.selected = transcript.id(at);
        if self.following() {
            let (at, line) = self.last_top(transcript, look);
            self.anchor = transcript.id(at).map(|id| (id, line));
        }
    }

    /// Goes to a message as [`select`](Viewport::select) does, so that a line of it is in sight.
    pub fn select_line(
        &mut self,
        transcript: &Transcript,
        look: Look<'_>,
        (at, line): (usize, usize),
    ) {
        if line + 1 < self.height {
            return self.select(transcript, look, at);
        }
        self.stand(transcript, look, (at, line - self.height / 2));
        self.selected = transcript.id(at);
    }

    /// Returns in which line of a row a match stands, and which of that line's it is, as far as the row's lines show it.
    pub fn locate(
        &mut self,
        transcript: &Transcript,
        look: Look<'_>,
        (at, nth): (usize, usize),
        in_line: impl Fn(&Line<'_>) -> usize,
    ) -> (usize, usize) {
        // words stand below their head
        let words = !matches!(transcript.shown(at), Some(RowView::Aside(..)) | None);
        let lines = self.lines(transcript, at, look);
        let (mut before, mut last) = (0, (0, 0));
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

    /// Returns the row and the line in it of each line that was seen last.
    pub fn spots(&self) -> &[(usize, usize)] {
        &self.spots
    }

    /// Returns the lines of a row, as they are laid out.
    pub fn lines_of(&mut self, transcript: &Transcript, look: Look<'_>, at: usize) -> Rows {
        self.lines(transcript, at, look)
    }

    /// Returns the width it was seen at last, in cells.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns how many lines a page moves: two stay, the head that sticks to the top and one to find the place by.
    pub fn page(&self) -> usize {
        self.height.saturating_sub(2).max(1)
    }

    /// Returns how many rows are laid out: those that were seen since the last change of the width, and their neighbours.
    pub fn laid(&self) -> usize {
        self.cache.len()
    }

    /// Forgets all lines: colours or signs changed.
    pub fn forget(&mut self) {
        self.cache.clear();
        self.growing.clear();
    }

    /// Returns the lines that are seen at a height; those of the message at a place are marked.
    pub fn window(
        &mut self,
        transcript: &Transcript,
        look: Look<'_>,
        height: usize,
        mark: Option<usize>,
    ) -> Vec<SeenLine> {
        let coloured = code::ready();
        if self.width != look.width || self.coloured != coloured || self.cache.len() > CACHED_ROWS {
            self.forget();
        }
        (self.width, self.height, self.coloured) = (look.width, height, coloured);
        let (mut at, mut skip) = self.top(transcript, look);
        let mut seen: Vec<SeenLine> = Vec::with_capacity(height);
        self.spots.clear();
        let rows = self.lines(transcript, at, look);
        // the head must not take the place of the only line that is left
        let sticky = (skip > 1 && rows.len() > skip + 1).then(|| continued(&rows, look)).flatten();
        while seen.len() < height && at < transcript.len() {
            let rows = self.lines(transcript, at, look);
            let rows = rows.iter().skip(skip).take(height - seen.len()).cloned();
            self.spots.extend((skip..skip + rows.len()).map(|line| (at, line)));
            seen.extend(rows.map(|line| SeenLine { line, marked: mark == Some(at) }));
            (at, skip) = (at + 1, 0);
        }
        if let (Some(head), Some(first)) = (sticky, seen.first_mut()) {
            first.line = Rc::new(head);
        }
        seen
    }

    /// Returns how many rows stand below what is seen.
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
            (left, at) = (left - rows, at + 1);
        }
        transcript.len() - at
    }

    /// Moves towards the beginning.
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

    /// Moves towards the end; at the last line the end is followed.
    pub fn down(&mut self, transcript: &Transcript, look: Look<'_>, by: usize) {
        let (mut at, mut line) = self.top(transcript, look);
        line += by;
        while at < transcript.len() {
            let rows = self.lines(transcript, at, look).len();
            if line < rows {
                break;
            }
            (at, line) = (at + 1, line - rows);
        }
        self.stand(transcript, look, (at, line));
    }

    /// Returns whether a row has anything to show.
    pub fn shows(&mut self, transcript: &Transcript, look: Look<'_>, at: usize) -> bool {
        !self.lines(transcript, at, look).is_empty()
    }

    /// Stands at the beginning of a row.
    pub fn go(&mut self, transcript: &Transcript, look: Look<'_>, at: usize) {
        self.stand(transcript, look, (at, 0));
    }

    /// Returns the place of the first row that is seen, and whether it is seen from its beginning.
    pub fn first(&mut self, transcript: &Transcript, look: Look<'_>) -> (usize, bool) {
        let (at, line) = self.top(transcript, look);
        // where one speaker's words alone are shown, other rows have no lines
        let seen =
            (at..transcript.len()).find(|at| self.shows(transcript, look, *at)).unwrap_or(at);
        (seen, seen > at || line == 0)
    }

    fn stand(&mut self, transcript: &Transcript, look: Look<'_>, spot: Spot) {
        self.selected = None;
        let last = self.last_top(transcript, look);
        self.anchor = match transcript.id(spot.0) {
            Some(id) if spot < last => Some((id, spot.1)),
            Some(_) | None => None,
        };
    }

    /// The first line that is seen.
    fn top(&mut self, transcript: &Transcript, look: Look<'_>) -> Spot {
        let stands = self.anchor.and_then(|(id, line)| Some((transcript.place(id)?, line)));
        match stands {
            Some((at, line)) => {
                let rows = self.lines(transcript, at, look).len();
                (at, line.min(rows.saturating_sub(1)))
            }
            None => {
                self.anchor = None;
                self.last_top(transcript, look)
            }
        }
    }

    /// The first line that is seen when the last one is.
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

    fn lines(&mut self, transcript: &Transcript, at: usize, look: Look<'_>) -> Rows {
        let (Some(id), Some(shown)) = (transcript.id(at), transcript.shown(at)) else {
            return self.nothing.clone();
        };
        // most rows are, where one speaker's words alone are shown: they must not push the others out of the cache
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
                // its head says how it stands
                Some(step) => (transcript.state().next_seq.0 as usize, step.0 as usize, false),
                None => (0, 0, false),
            },
        };
        if let Some((_, lines)) = self.cache.get(&id).filter(|(known, _)| *known == stamp) {
            return lines.clone();
        }
        // what it held is let go first, so that the lines can grow in place
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

/// Returns the head of a message that begins above the screen; a note has none.
fn continued(lines: &[Rc<Line<'static>>], look: Look<'_>) -> Option<Line<'static>> {
    let mut head = Line::clone(lines.get(1).filter(|_| lines[0].width() == 0)?);
    let signs = [look.glyphs.note, look.glyphs.stopped];
    head.spans.first().filter(|span| !signs.contains(&span.content.trim()))?;
    // the gutter and the name; of a card, its corner before the title as well
    let corner = look.glyphs.card_corners[0];
    let card = head.spans.get(1).is_some_and(|span| span.content.starts_with(corner));
    head.spans.truncate(if card { 3 } else { 2 });
    let note = format!("  {}  continued", look.glyphs.dot);
    let over = (head.width() + width(&note)).saturating_sub(look.width);
    if let Some(name) = head.spans.last_mut().filter(|_| over > 0) {
        let room = name.width().saturating_sub(over);
        name.content = clip(&name.content, room, look.glyphs.ellipsis).into();
    }
    head.spans.push(Span::styled(note, look.theme.style(ThemeRole::Muted)));
    Some(head)
}
