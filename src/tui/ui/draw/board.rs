//! The progress of the conversation below the transcript: a row for each step or participant.

use crate::model::SeatId;
use crate::policy::{Board, BoardRow, RowLabel};
use crate::ui::action::Action;
use crate::ui::draw::bar::Bar;
use crate::ui::frame::Frame;
use crate::ui::screen::Screen;
use crate::ui::text::markdown::bold;
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use crate::ui::view::board::{current, label, sign};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span, Text};

/// Maximum cells of a name.
const NAME_MAX: usize = 14;
/// Cells of the longest bar of votes.
const BAR: usize = 8;
/// Minimum columns at which votes are drawn as bars.
const BARS_FROM: usize = 56;
/// Minimum columns at which the seats of the rows and the additions to their notes are shown.
const ALL_FROM: usize = 64;

/// Returns the rows that the board needs, a heading and its rows, and those that it needs at the end.
pub fn rows(screen: &Screen) -> (u16, u16) {
    let Some(board) = current(&screen.transcript).filter(|b| !b.rows.is_empty()) else {
        return (0, 0);
    };
    let all = u16::try_from(board.rows.len()).map_or(u16::MAX, |n| n.saturating_add(1));
    (all, if board.is_outcome { all } else { 1 })
}

/// Draws the board. If not all rows fit, finished ones are dropped first, and the last row counts the hidden ones.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let Some(board) = current(&screen.transcript) else { return };
    heading(frame, area, &board, screen);
    let below = usize::from(area.height.saturating_sub(1));
    let all = board.rows.len();
    let room = if all > below { below.saturating_sub(1) } else { all };
    let open = board.rows.iter().position(|row| !row.is_over).unwrap_or(0);
    let first = open.min(all - room);
    let columns = Columns::new(&board, usize::from(area.width), screen);
    let shown = board.rows.iter().skip(first).take(room);
    let mut lines: Vec<Line<'static>> = shown.map(|row| columns.line(row, screen)).collect();
    if room < all {
        let hidden = board.rows.iter().take(first).chain(board.rows.iter().skip(first + room));
        let hidden = rest(&board, &hidden.collect::<Vec<_>>());
        lines.push(Line::styled(hidden, screen.theme.style(ThemeRole::Muted)));
    }
    let body = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    frame.render_widget(Text::from(lines), body);
}

/// Draws the rule above a pane: title, facts, and the key binding of the full view.
fn heading(frame: &mut Frame<'_>, area: Rect, board: &Board, screen: &Screen) {
    let theme = &screen.theme;
    let glyphs = screen.glyphs;
    let rule = theme.style(ThemeRole::Rule);
    let mut bar = Bar { left: vec![], right: vec![] };
    bar.left(glyphs.rule, rule)
        .left(format!(" {} ", board.title), bold(theme.style(ThemeRole::Muted)));
    for fact in &board.facts {
        bar.left(format!("{} {fact} ", glyphs.dot), theme.style(ThemeRole::Text));
    }
    bar.right(glyphs.rule, rule);
    let key = screen.keymap.way(Action::Dependencies, screen.view.steering());
    bar.right(" all ", theme.style(ThemeRole::HintText));
    bar.right(format!(" {key}"), theme.style(ThemeRole::HintKey));
    let row = Rect { height: 1, ..area };
    bar.draw(frame, row, glyphs.rule, rule, glyphs.ellipsis);
}

/// Widths of the parts of a row, in cells; 0 for parts that are not shown.
struct Columns {
    all: usize,
    label: usize,
    word: usize,
    text: usize,
    seat: usize,
    note: usize,
    most_votes: usize,
}

impl Columns {
    fn new(board: &Board, all: usize, screen: &Screen) -> Columns {
        let transcript = &screen.transcript;
        let widest =
            |cells: &dyn Fn(&BoardRow) -> usize| board.rows.iter().map(cells).max().unwrap_or(0);
        let label = widest(&|row| width(&label(transcript, &row.label))).min(NAME_MAX);
        let name = |row: &BoardRow| row.seat.as_ref().map_or(0, |s| width(&transcript.name(s)));
        let seat = if all < ALL_FROM { 0 } else { widest(&name).min(NAME_MAX) };
        // gaps around the label, the symbol and the state, before the note, and at the edge
        let around = label + board.word_cells + 8 + if seat > 0 { seat + 2 } else { 0 };
        let spare = all.saturating_sub(around);
        let note = widest(&|row| width(&note(row, all))).min(spare * 3 / 5);
        let votes = |row: &BoardRow| row.tally.map_or(0, |tally| tally.votes);
        Columns {
            all,
            label,
            word: board.word_cells,
            text: spare - note,
            seat,
            note,
            most_votes: widest(&votes).max(1),
        }
    }

    fn line(&self, row: &BoardRow, screen: &Screen) -> Line<'static> {
        let theme = &screen.theme;
        let glyphs = screen.glyphs;
        let filled = |words: &str, room: usize| {
            let words = clip(words, room, glyphs.ellipsis);
            let gap = " ".repeat(room.saturating_sub(width(&words)));
            format!("{words}{gap}")
        };
        let speaker = |seat: &SeatId| theme.speaker(screen.transcript.seat_place(seat));
        let text = if row.is_over { ThemeRole::Muted } else { ThemeRole::Text };
        let muted = theme.style(ThemeRole::Muted);
        let head = label(&screen.transcript, &row.label);
        let mut spans = vec![match &row.label {
            RowLabel::Number(_) => {
                Span::styled(format!(" {head:>0$} ", self.label), theme.style(text))
            }
            RowLabel::Seat(seat) => {
                Span::styled(format!(" {}  ", filled(&head, self.label)), bold(speaker(seat)))
            }
        }];
        let (sign, role) = sign(row.progress, glyphs);
        spans.push(Span::styled(format!("{sign} {:<1$} ", row.word, self.word), theme.style(role)));
        if let Some(words) = &row.text {
            spans.push(Span::styled(filled(words, self.text), theme.style(text)));
            if self.seat > 0 {
                let style = row.seat.as_ref().map_or(theme.style(text), speaker);
                let name = row.seat.as_ref().map(|seat| screen.transcript.name(seat));
                let name = filled(&name.unwrap_or_default(), self.seat);
                spans.push(Span::styled(format!("  {name}"), style));
            }
            let note = clip(&note(row, self.all), self.note, glyphs.ellipsis);
            spans.push(Span::styled(format!("  {note}"), muted));
            return Line::from(spans);
        }
        if let Some(tally) = row.tally
            && self.all >= BARS_FROM
        {
            let cells = (tally.votes * BAR).div_ceil(self.most_votes);
            let bar = format!(" {}", glyphs.bar.repeat(cells));
            let style = match &row.label {
                RowLabel::Seat(seat) => speaker(seat),
                RowLabel::Number(_) => theme.style(text),
            };
            let votes = if tally.votes == 0 { String::new() } else { format!(" {}", tally.votes) };
            let won = if tally.won { format!(" {}", glyphs.done) } else { String::new() };
            let used = cells + width(&votes) + width(&won);
            spans.extend([
                Span::styled(bar, style),
                Span::styled(votes, theme.style(ThemeRole::Text)),
                Span::styled(won, theme.style(ThemeRole::FloorSpeaking)),
                Span::raw(" ".repeat((BAR + 5).saturating_sub(used))),
            ]);
        }
        let mut gap = "";
        if let Some(choice) = &row.choice {
            spans.push(Span::styled(format!("{} ", glyphs.arrow), muted));
            spans.push(Span::styled(screen.transcript.name(choice), speaker(choice)));
            gap = "  ";
        }
        let used: usize = spans.iter().map(Span::width).sum();
        let room = self.all.saturating_sub(used + gap.len() + 1);
        spans.push(Span::styled(format!("{gap}{}", clip(&row.note, room, glyphs.ellipsis)), muted));
        Line::from(spans)
    }
}

/// Returns the note of a row, with its addition if there is space.
fn note(row: &BoardRow, all: usize) -> String {
    if all < ALL_FROM { row.note.clone() } else { format!("{}{}", row.note, row.more) }
}

/// Counts the rows without space, under each word of the board.
fn rest(board: &Board, hidden: &[&BoardRow]) -> String {
    let count = |word: &&str| {
        let n = hidden.iter().filter(|row| row.counts.contains(word)).count();
        (n > 0).then(|| format!("{n} {word}"))
    };
    let parts: Vec<String> = board.counted.iter().filter_map(count).collect();
    let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    format!(" and {} more{parts}", hidden.len())
}
