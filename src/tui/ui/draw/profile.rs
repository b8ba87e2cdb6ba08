//! Profile of the person who is advised: below the sidebar of a wide screen, otherwise below the transcript.

use crate::model::RankedItem;
use crate::text;
use crate::ui::action::Action;
use crate::ui::draw::bar::section_heading;
use crate::ui::draw::board::heading;
use crate::ui::frame::Frame;
use crate::ui::keymap::Focus;
use crate::ui::screen::Screen;
use crate::ui::text::markdown::bold;
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use crate::ui::view::profile::{Fact, FactIs, facts, ranking, stage};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span, Text};

/// Maximum cells of a field's name.
const NAME_MAX: usize = 13;
/// Maximum and minimum cells of a fact below the transcript, including its name.
const FACT_MAX: usize = 28;
const FACT_MIN: usize = 22;
/// Minimum columns at which the ranking is beside the facts.
const BESIDE: usize = 74;
/// Cells of the longest bar of a score.
const BAR: usize = 6;
/// Maximum score of an item.
const SCORE_MAX: f64 = 100.0;
/// Maximum items of a ranking below the transcript.
const ITEMS: usize = 4;

/// Returns the rows that the profile needs: at the side, and below a transcript of the given width.
pub fn rows(screen: &Screen, columns: u16) -> (u16, u16) {
    let state = screen.transcript.state();
    let facts = facts(state).len();
    let items = ranking(state).len();
    if facts == 0 {
        return (0, 0);
    }
    let ranked = if items == 0 { 0 } else { items + 2 };
    let room = usize::from(columns);
    let high = facts.div_ceil(fact_columns(room));
    let below =
        if room >= BESIDE { high.max(items.min(ITEMS)) } else { high + usize::from(items > 0) };
    ((facts + ranked + 3) as u16, below as u16 + 1)
}

/// Returns the number of facts beside each other below the transcript.
fn fact_columns(room: usize) -> usize {
    let room = if room >= BESIDE { room * 2 / 3 } else { room };
    (room / FACT_MIN).clamp(1, 3)
}

/// Draws the profile in the pane that is available.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    if screen.view.areas.sidebar.is_empty() {
        below(frame, area, screen)
    } else {
        beside(frame, area, screen)
    }
}

fn beside(frame: &mut Frame<'_>, area: Rect, screen: &Screen) {
    let state = screen.transcript.state();
    let theme = &screen.theme;
    let glyphs = screen.glyphs;
    let room = usize::from(area.width);
    let mut head = section_heading(screen, "PROFILE");
    let stage = stage(state);
    if let Some(known) = stage.last() {
        head.push_span(Span::styled(format!("  {known}"), theme.style(ThemeRole::Muted)));
    }
    if let Some(key) = screen.keymap.key(Action::Profile, Focus::Read) {
        let gap = " ".repeat(room.saturating_sub(head.width() + width(key) + 4));
        head.push_span(Span::raw(gap));
        head.push_span(Span::styled(key.to_owned(), theme.style(ThemeRole::HintKey)));
        head.push_span(Span::styled(" all", theme.style(ThemeRole::HintText)));
    }
    let mut lines = vec![head];
    if let [name, _] = &stage[..] {
        let name = clip(name, room, glyphs.ellipsis);
        lines.push(Line::styled(name, bold(theme.style(ThemeRole::Text))));
    }
    let facts = facts(state);
    let names = names(&facts);
    lines.extend(facts.iter().map(|f| Line::from(fact(f, names, room, screen))));
    let items = ranking(state);
    let left = usize::from(area.height).saturating_sub(lines.len() + 2);
    if !items.is_empty() && left > 0 {
        lines.push(Line::default());
        lines.push(section_heading(screen, "RANKING"));
        let items = items.iter().enumerate().take(left);
        lines.extend(items.map(|(n, item)| Line::from(ranked(n, item, room, screen))));
    }
    frame.render_widget(Text::from(lines), area);
}

fn below(frame: &mut Frame<'_>, area: Rect, screen: &Screen) {
    let state = screen.transcript.state();
    heading(frame, area, "PROFILE", &stage(state), Action::Profile, screen);
    let facts = facts(state);
    let items = ranking(state);
    let room = usize::from(area.width);
    let columns = fact_columns(room);
    let high = usize::from(area.height.saturating_sub(1));
    let whole = if room >= BESIDE && !items.is_empty() { room * 2 / 3 } else { room };
    let cells = (whole / columns).min(FACT_MAX);
    let names = names(&facts);
    let rows = facts.len().div_ceil(columns).max(1);
    let mut lines = Vec::new();
    for at in 0..high {
        let mut line = Line::raw(" ");
        for column in 0..columns {
            let of = (at < rows).then(|| facts.get(column * rows + at)).flatten();
            let spans = of.map_or(vec![], |f| fact(f, names, cells - 1, screen));
            let used: usize = spans.iter().map(Span::width).sum();
            line.spans.extend(spans);
            line.spans.push(Span::raw(" ".repeat(cells.saturating_sub(used))));
        }
        if room >= BESIDE
            && let Some(item) = items.get(at)
        {
            let used = line.width();
            line.spans.push(Span::raw(" ".repeat((whole + 1).saturating_sub(used))));
            let left = room.saturating_sub(line.width() + 1);
            line.spans.extend(ranked(at, item, left, screen));
        }
        lines.push(line);
    }
    if room < BESIDE && !items.is_empty() && rows < high {
        let all: Vec<String> = items
            .iter()
            .enumerate()
            .map(|(n, item)| format!("{} {} {}", n + 1, text::label(&item.name), item.score))
            .collect();
        let all = clip(&all.join("  "), room.saturating_sub(3), screen.glyphs.ellipsis);
        lines[rows] = Line::styled(format!("   {all}"), screen.theme.style(ThemeRole::Text));
    }
    let body = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    frame.render_widget(Text::from(lines), body);
}

fn names(facts: &[Fact]) -> usize {
    facts.iter().map(|f| width(&f.name)).max().unwrap_or(0).min(NAME_MAX)
}

/// Returns a fact: its symbol, its name and its value.
fn fact(fact: &Fact, names: usize, room: usize, screen: &Screen) -> Vec<Span<'static>> {
    let theme = &screen.theme;
    let glyphs = screen.glyphs;
    let name = clip(&fact.name, names, glyphs.ellipsis);
    let gap = " ".repeat(names - width(&name));
    let (value, style) = match fact.is {
        FactIs::Unknown => (glyphs.dot, theme.style(ThemeRole::Muted)),
        FactIs::Deleted => ("deleted", theme.style(ThemeRole::Muted)),
        FactIs::Known => (&*fact.value, theme.style(ThemeRole::Text)),
        FactIs::New | FactIs::Changed => (&*fact.value, bold(theme.style(ThemeRole::Notice))),
    };
    let value = clip(value, room.saturating_sub(names + 3), glyphs.ellipsis);
    vec![
        Span::styled(format!("{} ", fact.is.sign()), bold(theme.style(ThemeRole::Notice))),
        Span::styled(format!("{name}{gap} "), theme.style(ThemeRole::Muted)),
        Span::styled(value, style),
    ]
}

/// Returns an item of the ranking: its rank, its name, and a bar of its score.
fn ranked(n: usize, item: &RankedItem, room: usize, screen: &Screen) -> Vec<Span<'static>> {
    let theme = &screen.theme;
    let glyphs = screen.glyphs;
    let figure = format!("{:>5}", item.score);
    let cells = (item.score / SCORE_MAX * BAR as f64).round() as usize;
    let drawn = glyphs.bar.repeat(cells.min(BAR));
    let names = room.saturating_sub(BAR + width(&figure) + 3);
    let name = clip(&text::label(&item.name), names, glyphs.ellipsis);
    let gap = " ".repeat(names.saturating_sub(width(&name)));
    let look =
        if n == 0 { bold(theme.style(ThemeRole::Text)) } else { theme.style(ThemeRole::Text) };
    vec![
        Span::styled(format!("{} ", n + 1), theme.style(ThemeRole::Muted)),
        Span::styled(format!("{name}{gap} "), look),
        Span::styled(format!("{drawn:<BAR$}"), theme.style(ThemeRole::Notice)),
        Span::styled(figure, theme.style(ThemeRole::Muted)),
    ]
}
