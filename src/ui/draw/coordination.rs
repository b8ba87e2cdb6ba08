//! The answers and votes of a conversation that seeks one answer: a row for each participant below the transcript.

use crate::ui::action::Action;
use crate::ui::draw::bar::Bar;
use crate::ui::frame::Frame;
use crate::ui::keymap::Focus;
use crate::ui::screen::Screen;
use crate::ui::text::markdown::bold;
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use crate::ui::view::coordination::{AtWork, SeatStanding, TableStanding, status, work};
use crate::ui::view::message::clock;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Maximum cells of a name.
const NAME_MAX: usize = 14;
/// Cells of the activity of a seat.
const WORK: usize = 15;
/// Cells of the longest bar of votes.
const BAR: usize = 8;
/// Minimum columns at which votes are drawn as bars.
const BARS_FROM: usize = 56;

/// Returns the rows that the pane needs: a heading and one for each participant.
pub fn rows(screen: &Screen) -> u16 {
    status(&screen.transcript).map_or(0, |table| table.seats.len() as u16 + 1)
}

/// Draws the pane. If not all rows fit, the last one summarises the others.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let Some(table) = status(&screen.transcript) else { return };
    heading(frame, area, "ANSWERS AND VOTES", &table.facts, Action::Dependencies, screen);
    let below = usize::from(area.height.saturating_sub(1));
    let seen = if table.seats.len() > below { below.saturating_sub(1) } else { below };
    let names = table.seats.iter().map(|seat| width(&name(seat.place, screen))).max();
    let names = names.unwrap_or(0).min(NAME_MAX);
    let room = usize::from(area.width);
    let mut lines: Vec<Line<'static>> =
        table.seats.iter().take(seen).map(|seat| row(seat, names, room, &table, screen)).collect();
    if seen < table.seats.len() {
        lines.push(Line::styled(rest(&table, seen), screen.theme.style(ThemeRole::Muted)));
    }
    let body = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    frame.render_widget(ratatui::text::Text::from(lines), body);
}

/// Draws the rule above a pane: title, facts, and the key binding of the full view.
pub fn heading(
    frame: &mut Frame<'_>,
    area: Rect,
    what: &str,
    facts: &[String],
    all: Action,
    screen: &Screen,
) {
    let theme = &screen.theme;
    let glyphs = screen.glyphs;
    let rule = theme.style(ThemeRole::Rule);
    let mut bar = Bar { left: vec![], right: vec![] };
    bar.left(glyphs.rule, rule).left(format!(" {what} "), bold(theme.style(ThemeRole::Muted)));
    for fact in facts {
        bar.left(format!("{} {fact} ", glyphs.dot), theme.style(ThemeRole::Text));
    }
    bar.right(glyphs.rule, rule);
    if let Some(key) = screen.keymap.key(all, Focus::Read) {
        bar.right(" all ", theme.style(ThemeRole::HintText));
        bar.right(format!(" {key}"), theme.style(ThemeRole::HintKey));
    }
    let row = Rect { height: 1, ..area };
    bar.draw(frame, row, glyphs.rule, rule, glyphs.ellipsis);
}

fn name(place: usize, screen: &Screen) -> String {
    let seat = screen.transcript.state().seats.get(place);
    seat.map_or(String::new(), |s| format!("{} {}", place + 1, screen.transcript.name(&s.spec.id)))
}

fn row(
    seat: &SeatStanding,
    names: usize,
    room: usize,
    table: &TableStanding,
    screen: &Screen,
) -> Line<'static> {
    let theme = &screen.theme;
    let glyphs = screen.glyphs;
    let style = theme.speaker(seat.place);
    let called = clip(&name(seat.place, screen), names, glyphs.ellipsis);
    let gap = " ".repeat(names - width(&called));
    let (sign, words, role) = match (seat.work, seat.answered) {
        (AtWork::Works, None) if seat.restarts > 0 => {
            (glyphs.speaking, "working again".to_owned(), ThemeRole::FloorSpeaking)
        }
        (AtWork::Works, None) => (glyphs.speaking, "working".to_owned(), ThemeRole::FloorSpeaking),
        (AtWork::Works, Some(_)) => {
            (glyphs.speaking, "choosing".to_owned(), ThemeRole::FloorSpeaking)
        }
        (_, Some(at)) => (glyphs.done, format!("answered {}", clock(at.0)), ThemeRole::Text),
        (AtWork::Left, None) => (glyphs.stopped, work(seat.work).into(), ThemeRole::FloorWaiting),
        (AtWork::Settled | AtWork::Waits, None) => {
            (glyphs.waiting, work(AtWork::Waits).into(), ThemeRole::FloorWaiting)
        }
    };
    let mut spans = vec![
        Span::styled(format!(" {called}{gap}  "), bold(style)),
        Span::styled(format!("{sign} {words:<WORK$}"), theme.style(role)),
    ];
    if room >= BARS_FROM {
        let most = table.seats.iter().map(|s| s.votes).max().unwrap_or(0).max(1);
        let cells = (seat.votes * BAR).div_ceil(most);
        let drawn = glyphs.bar.repeat(cells);
        spans.push(Span::styled(format!(" {drawn}"), style));
        let figure = if seat.votes == 0 { String::new() } else { format!(" {}", seat.votes) };
        spans.push(Span::styled(figure.clone(), theme.style(ThemeRole::Text)));
        let won = if seat.won { format!(" {}", glyphs.done) } else { String::new() };
        spans.push(Span::styled(won.clone(), theme.style(ThemeRole::FloorSpeaking)));
        let used = cells + width(&figure) + width(&won);
        spans.push(Span::raw(" ".repeat((BAR + 5).saturating_sub(used))));
    }
    if let Some((whose, why)) = &seat.vote {
        let whose_name = screen.transcript.state().seats.get(*whose);
        let whose_name = whose_name.map_or(String::new(), |s| screen.transcript.name(&s.spec.id));
        let arrow = format!("{} ", glyphs.arrow);
        spans.push(Span::styled(arrow, theme.style(ThemeRole::Muted)));
        spans.push(Span::styled(whose_name, theme.speaker(*whose)));
        let used: usize = spans.iter().map(Span::width).sum();
        let why = clip(why, room.saturating_sub(used + 3), glyphs.ellipsis);
        spans.push(Span::styled(format!("  {why}"), theme.style(ThemeRole::Muted)));
    } else if let Some(answer) = &seat.answer {
        let used: usize = spans.iter().map(Span::width).sum();
        let answer = clip(answer, room.saturating_sub(used + 1), glyphs.ellipsis);
        spans.push(Span::styled(answer, theme.style(ThemeRole::Muted)));
    }
    Line::from(spans)
}

/// Summarises the participants without a row.
fn rest(table: &TableStanding, seen: usize) -> String {
    let left = table.seats.get(seen..).unwrap_or_default();
    let count = |what: &str, fits: fn(&&SeatStanding) -> bool| {
        let n = left.iter().filter(fits).count();
        (n > 0).then(|| format!("{n} {what}"))
    };
    let parts = [
        count("working", |s| s.work == AtWork::Works),
        count("answered", |s| s.answered.is_some()),
        count("voted", |s| s.vote.is_some()),
        count("left the round", |s| s.work == AtWork::Left),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    format!(" and {} more{parts}", left.len())
}
