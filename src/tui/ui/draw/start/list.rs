//! The lists over the start screen: models with ticks, and kinds of talk.

use crate::text::{self, plural};
use crate::ui::draw::overlay;
use crate::ui::frame::Frame;
use crate::ui::start::{
    ListRow, OfferedModel, StartRow, StartScreen, TalkSetting, bare, focused, rows,
};
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};

/// Least width of a list on a screen that has it.
const WIDTH: u16 = 72;
/// Columns of the name of a model's seat, and the width of a list that has room for it.
const SEAT: usize = 16;
const ROOMY: usize = 56;

/// Draws the open list over the box, which has some width.
pub(super) fn draw(frame: &mut Frame<'_>, body: Rect, over: u16, start: &mut StartScreen) {
    let Some(list) = &start.list else { return };
    let style = |role| start.theme.style(role);
    let glyphs = start.glyphs;
    let all = rows(start);
    let here = focused(start);
    let is_who = list.of == StartRow::Who;
    let count = format!(" {} ticked ", start.table().len());
    let title = if is_who { "Who sits at the table?" } else { "What kind of talk?" };
    let mut block = overlay::frame(&start.theme, glyphs, title);
    if is_who {
        block = block.title(Line::styled(count, style(ThemeRole::Notice)).right_aligned());
    }
    let asks =
        if is_who { "type to filter, or a model as PROVIDER:NAME" } else { "type to filter" };
    let (filter, role) = match list.filter.as_str() {
        "" => (asks, ThemeRole::Muted),
        typed => (typed, ThemeRole::Title),
    };
    let chrome = 3 + u16::from(start.notice.is_some());
    let wide = body.width.min(WIDTH.max(over));
    let inside = usize::from(wide) - 2;
    let room = usize::from(body.height.saturating_sub(chrome)).max(1);
    let at = all.iter().position(|row| Some(row) == here.as_ref()).unwrap_or(0);
    let from = (at + 1).saturating_sub(room);
    let veiled = start.veiled(filter);
    let filter = veiled.as_deref().unwrap_or(filter);
    let filter = clip(&text::line(filter), inside.saturating_sub(5), glyphs.ellipsis);
    let caret = if list.filter.is_empty() { 0 } else { width(&filter) };
    let mut lines = vec![Line::from(vec![
        Span::styled(format!("  {} ", glyphs.prompt), style(ThemeRole::Muted)),
        Span::styled(filter, style(role)),
    ])];
    let shown = all.iter().skip(from).take(room);
    lines.extend(shown.map(|row| spans(start, row, Some(row) == here.as_ref(), inside).into()));
    if let Some(notice) = &start.notice {
        let notice = clip(&text::line(notice), inside.saturating_sub(3), glyphs.ellipsis);
        lines.push(Line::styled(format!("  {notice}"), style(ThemeRole::Notice)));
    }
    let height = (lines.len() as u16 + 2).min(body.height);
    let x = body.x + (body.width - wide) / 2;
    let area = Rect { x, y: body.y + (body.height - height) / 3, width: wide, height };
    // nothing of the page is beside it
    frame.wipe(Rect { x: body.x, width: body.width, ..area }, &start.theme);
    let within = block.inner(area);
    frame.render_widget(block, area);
    frame.render_widget(Text::from(lines), within);
    let x = area.x + 5 + caret as u16;
    frame.set_cursor_position(Position::new(x.min(area.right() - 2), area.y + 1));
    start.page = room;
}

/// Returns a row between the walls: its text, and its price or value at the right.
fn spans(start: &StartScreen, row: &ListRow, is_here: bool, room: usize) -> Vec<Span<'static>> {
    let style = |role| start.theme.style(role);
    let ellipsis = start.glyphs.ellipsis;
    let sign = if is_here { start.glyphs.speaking } else { " " };
    let look = if is_here { ThemeRole::Title } else { ThemeRole::Text };
    let tick = |ticked: bool| if ticked { "[x] " } else { "[ ] " };
    let list = start.list.as_ref();
    let (before, label, middle, right) = match row {
        ListRow::Group(title) => {
            return vec![Span::styled(format!("  {title}"), style(ThemeRole::Muted))];
        }
        ListRow::Said(said) => {
            let said = clip(&text::line(said), room.saturating_sub(5), ellipsis);
            return vec![Span::styled(format!("    {said}"), style(ThemeRole::Notice))];
        }
        ListRow::Model(model) => {
            let table = start.table();
            let at = table.iter().position(|other| other.is(model));
            let is_bare = model.endpoint.is_some() || room < ROOMY;
            let name = if is_bare { bare(&model.name) } else { &model.name };
            let seat = if room < ROOMY { None } else { seat(start, model, at) };
            (tick(at.is_some()), name.to_owned(), seat, price(start, model))
        }
        ListRow::Usual => {
            let keeps = list.is_some_and(|list| list.keeps);
            (tick(keeps), "usual".into(), None, "keep this table".to_owned())
        }
        ListRow::Remember(url) => ("+   ", format!("remember {url}"), None, String::new()),
        ListRow::Connect(typed) if typed.is_empty() => {
            ("+   ", "a server or a key\u{2026}".replace('\u{2026}', ellipsis), None, String::new())
        }
        ListRow::Connect(typed) => ("+   ", format!("connect to {typed}"), None, String::new()),
        ListRow::Scenario(at) => {
            let script = start.scripts.get(*at).map(|script| script.choice());
            let name = script.map_or("", |script| &script.name).replace('-', " ");
            let said = script.map_or("", |script| script.fault.as_ref().unwrap_or(&script.rules));
            (if start.script == *at { "\u{b7}   " } else { "    " }, name, None, said.to_owned())
        }
        ListRow::Write => {
            let own = start.writing.as_ref().map(|name| format!("edit {name}"));
            ("+   ", own.unwrap_or("write a scenario".into()), None, String::new())
        }
        ListRow::Setting(setting) => {
            let value = start.number(*setting).map(str::to_owned);
            let script = start.script();
            let (label, value) = match setting {
                TalkSetting::Length => {
                    let own = script.map_or("", |script| &script.length);
                    let own = if own.is_empty() { "as the scenario says" } else { own };
                    ("length", value.map_or(own.to_owned(), |n| plural(&n, "turn")))
                }
                TalkSetting::Seed => ("seed", value.unwrap_or("random".into())),
                TalkSetting::Budget => {
                    ("budget", plural(value.as_deref().unwrap_or("1"), "dollar"))
                }
                TalkSetting::You => (
                    "you",
                    if start.take_part {
                        format!("take part: {}", script.map_or("", |script| script.takes_part))
                    } else {
                        "watch, and write at any time".into()
                    },
                ),
                TalkSetting::People => {
                    let asks = start.asks_cast;
                    ("people", if asks { "proposed by the model" } else { "bundled" }.to_owned())
                }
            };
            ("    ", label.to_owned(), None, value)
        }
    };
    let right = clip(&text::line(&right), room / 2, ellipsis);
    let middle_width = if middle.is_some() { SEAT } else { 0 };
    let left = room.saturating_sub(8 + middle_width + width(&right));
    let label = clip(&text::line(&label), left.saturating_sub(1), ellipsis);
    let gap = left.saturating_sub(width(&label));
    let mut spans = vec![
        Span::styled(format!(" {sign}"), style(ThemeRole::FloorSpeaking)),
        Span::styled(before.replace('\u{b7}', start.glyphs.dot), style(ThemeRole::Notice)),
        Span::styled(format!("{label}{}", " ".repeat(gap)), style(look)),
    ];
    if let Some((name, colour)) = middle {
        let name = clip(&text::name(&name), SEAT - 1, ellipsis);
        spans.push(Span::styled(format!("{name}{}", " ".repeat(SEAT - width(&name))), colour));
    }
    spans.push(Span::styled(right, style(ThemeRole::Muted)));
    spans
}

/// Returns the name of a model's seats in the colour of the first one.
fn seat(start: &StartScreen, model: &OfferedModel, at: Option<usize>) -> Option<(String, Style)> {
    let at = at?;
    let forecast = start.expected();
    let seats = forecast.map_or(&[][..], |forecast| &forecast.seats);
    let named = seats.iter().filter(|seat| seat.model == model.name);
    let names = named.map(|seat| seat.name.as_str()).collect::<Vec<_>>().join(", ");
    let first = seats.iter().position(|seat| seat.model == model.name).unwrap_or(at);
    let name = if names.is_empty() { format!("seat {}", at + 1) } else { names };
    Some((name, start.theme.speaker_bar(first)))
}

fn price(start: &StartScreen, model: &OfferedModel) -> String {
    let known = start.forecast.as_ref().and_then(|(forecast, _)| forecast.prices.get(&model.name));
    known.cloned().unwrap_or_default()
}
