//! The input of the operator, and above it the queued messages.

use crate::model::{QueuedWords, Recipient};
use crate::text;
use crate::ui::action::Action;
use crate::ui::draw::bar::Bar;
use crate::ui::draw::{board, moment};
use crate::ui::frame::Frame;
use crate::ui::keymap::Focus;
use crate::ui::layout::{RowsNeeded, sidebar_columns};
use crate::ui::screen::Screen;
use crate::ui::text::markdown::bold;
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use crate::ui::view::card::{ChoicePrice, current, typed};
use crate::ui::view::offer::offer;
use crate::ui::view::reply;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::Line;

/// Cells before the input.
const PROMPT: u16 = 3;
/// Cells of the shortest words on an empty input.
const PLACEHOLDER: usize = 7;

/// Maximum rows of queued messages; the last ones are shown.
const QUEUE_ROWS: usize = 3;

/// Returns the rows that the composer and the panes near it need at a width.
pub fn needs(screen: &Screen, width: u16) -> RowsNeeded {
    let room = usize::from(width.saturating_sub(PROMPT + 1));
    let waiting = screen.transcript.queued().count().min(QUEUE_ROWS);
    let held = usize::from(screen.transcript.waiting_command().is_some());
    let asks_person = !screen.transcript.unattended && screen.transcript.human_turn().is_some();
    let queue = (waiting + held + usize::from(asks_person)) as u16;
    let needs = RowsNeeded {
        queue,
        raw: screen.view.reading.raw,
        board: board::rows(screen),
        timeline: screen.view.is_recording(),
        ..RowsNeeded::default()
    };
    if needs.timeline {
        return needs;
    }
    RowsNeeded {
        composer: screen.view.composer.rows(room),
        framed: screen.view.is_framed() || screen.view.steers() && screen.view.over.page.is_none(),
        card: moment::rows(screen, width - sidebar_columns(width)),
        ..needs
    }
}

/// Draws the pending turn of a person and the queued messages.
pub fn queue(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let theme = &screen.theme;
    let covered = screen.view.is_covered();
    let may_drop = !covered && !screen.view.is_read_only();
    let place = if screen.view.writing { screen.view.place() } else { screen.view.steering() };
    let way = |action| screen.keymap.way(action, place);
    let mut rows = Vec::new();
    if !screen.transcript.unattended
        && let Some(who) = screen.transcript.human_turn()
    {
        let name = screen.transcript.name(&who);
        let mut bar = Bar::new();
        let votes = !screen.transcript.human_choices().is_empty();
        let what = if votes { "Your vote as " } else { "Your turn as " };
        bar.left(what, theme.style(ThemeRole::Notice));
        bar.left(name, bold(theme.speaker(screen.transcript.seat_place(&who))));
        let how = match screen.view.writing {
            // the card of a vote says it
            _ if covered || votes => String::new(),
            true => format!(": type, {} sends", screen.keymap.way(Action::Send, Focus::Write)),
            false => ": type".to_owned(),
        };
        if !covered {
            bar.right(" /pass ", theme.style(ThemeRole::HintText));
        }
        // the footer names the key as well
        if bar.width() + width(&how) <= usize::from(area.width) {
            bar.left(how, theme.style(ThemeRole::Notice));
        }
        rows.push(bar);
    }
    let waiting: Vec<_> = screen.transcript.queued().collect();
    let last = waiting.len();
    for (i, message) in waiting.into_iter().enumerate().skip(last.saturating_sub(QUEUE_ROWS)) {
        let mut bar = Bar::new();
        let words = message.words.as_ref();
        let whom = words
            .and_then(QueuedWords::hearer)
            .map_or(String::new(), |to| format!(", only {} hears it", screen.transcript.name(to)));
        let words = words.and_then(|words| words.text_for(&Recipient::Operator));
        let words = words.map_or("", |words| &**words);
        bar.left(format!("queued {}{whom}: ", i + 1), theme.style(ThemeRole::Notice));
        bar.left(text::line(words).into_owned(), theme.style(ThemeRole::Text));
        if i + 1 == last && may_drop {
            let edit = screen.keymap.way(Action::Earlier, Focus::Write);
            let keys = format!(" {edit} edit  {} drop ", way(Action::DropQueued));
            bar.right(keys, theme.style(ThemeRole::HintText));
        }
        rows.push(bar);
    }
    if let Some(held) = screen.transcript.waiting_command() {
        let mut bar = Bar::new();
        let is_held = screen.transcript.state().holds_back(held);
        let when = if is_held { "queued in the parent: " } else { "next: " };
        bar.left(when, theme.style(ThemeRole::Notice));
        bar.left(held.given.line.command.name(), theme.style(ThemeRole::Text));
        if last == 0 && may_drop {
            let keys = format!(" {} drop ", way(Action::DropQueued));
            bar.right(keys, theme.style(ThemeRole::HintText));
        }
        rows.push(bar);
    }
    // inside the frame the rows begin in the column of the input
    let inset = if screen.view.is_framed() { PROMPT - 1 } else { 0 };
    let width = area.width.saturating_sub(inset + inset / 2);
    // on a low screen the card of a turn says the same as the first row
    let hidden = rows.len().saturating_sub(area.height.into());
    for (bar, y) in rows.iter().skip(hidden).zip(area.y..area.bottom()) {
        let row = Rect { x: area.x + inset, y, width, height: 1 };
        bar.draw(frame, row, " ", Style::new(), screen.glyphs.ellipsis);
    }
}

/// Draws the input with the terminal's cursor in it. If the keyboard focus is elsewhere, letters do not write, and
/// the key bindings are shown instead.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let covered = screen.view.is_covered();
    let writes = screen.view.is_framed();
    let inner = Rect { x: area.x + PROMPT, width: area.width.saturating_sub(PROMPT + 1), ..area };
    if writes {
        walls(frame, screen);
    }
    let look = if writes { ThemeRole::Text } else { ThemeRole::Muted };
    let look = screen.theme.style(look);
    let composer = &mut screen.view.composer;
    composer.area.set_style(look);
    frame.render_widget(&composer.area, inner);
    let is_empty = composer.is_empty();
    let side = if writes { side(screen, inner.width) } else { None };
    let cells = side.as_ref().map_or(0, |told| width(told) + 1);
    if is_empty && !covered {
        let gap = usize::from(cells > 0);
        let room = usize::from(inner.width).saturating_sub(cells + gap);
        frame.render_widget(placeholder(screen, room), inner);
    }
    if let Some(told) = side {
        let cells = cells as u16;
        let at = Rect { x: inner.right() - cells, width: cells, height: 1, ..inner };
        frame.render_widget(Line::styled(told, screen.theme.style(ThemeRole::HintText)), at);
    }
    if matches!(screen.view.place(), Focus::Write | Focus::Line) {
        let composer = &screen.view.composer;
        let ((row, column), (top, left)) = (composer.caret(), composer.area.scroll_offset());
        let x = inner.x + (column as u16).saturating_sub(left);
        let y = inner.y + (row as u16).saturating_sub(top);
        frame.set_cursor_position(Position::new(x.min(inner.right()), y.min(inner.bottom() - 1)));
    }
}

/// Draws the sides of the frame, from the status line to the lower edge; the queued messages are inside.
fn walls(frame: &mut Frame<'_>, screen: &Screen) {
    let areas = &screen.view.areas;
    let style = screen.frame_style();
    let buffer = frame.buffer_mut();
    for y in areas.floor.bottom()..areas.composer.bottom() {
        for x in [areas.composer.x, areas.composer.right() - 1] {
            buffer[(x, y)].set_symbol(screen.glyphs.wall).set_style(style);
        }
    }
}

/// Draws the lower edge of the frame; a plain rule while the focus is elsewhere, so that nothing moves.
pub fn edge(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    if !screen.view.is_framed() {
        let rule = screen.glyphs.rule.repeat(usize::from(area.width));
        let style = screen.theme.style(ThemeRole::Rule);
        return frame.render_widget(Line::styled(rule, style), area);
    }
    let [.., left, right] = screen.glyphs.corners;
    let rule = screen.glyphs.rule.repeat(usize::from(area.width.saturating_sub(2)));
    let style = screen.frame_style();
    frame.render_widget(Line::styled(format!("{left}{rule}{right}"), style), area);
}

/// Returns the effect of Enter, or the speaker after whom a message is heard, for the right end of the first row; `None`
/// if it does not fit. A text keeps its cells, and an empty row half of them; the effect of Enter is always legible, in
/// the richest form that fits beside the shortest placeholder.
fn side(screen: &Screen, room: u16) -> Option<String> {
    let composer = &screen.view.composer;
    let room = usize::from(room);
    let text = match composer.area.lines().first() {
        Some(line) if !composer.is_empty() => width(line) + 1,
        _ => PLACEHOLDER,
    };
    if composer.area.scroll_offset().0 > 0 {
        return None;
    }
    let fits = |told: &String, used: usize| used + width(told) + 1 < room;
    if let Some(forms) = chosen(screen).or_else(|| offered(screen)) {
        let form = forms.iter().find(|form| fits(form, text)).or(forms.last())?;
        return Some(clip(form, room.saturating_sub(text + 2), screen.glyphs.ellipsis));
    }
    let is_line = screen.view.place() == Focus::Line;
    let told = match current(screen) {
        // others speak while a participant fails: the line says when a message is heard
        Some(card) if is_line && card.seat.is_none() => "a number answers".into(),
        _ => delivery(screen)?,
    };
    let used = if composer.is_empty() { room / 2 } else { text };
    fits(&told, used).then_some(told)
}

/// Describes the effect of Enter on the empty line, or the choice that an ended conversation offers in its place, the
/// richest form first.
fn offered(screen: &Screen) -> Option<Vec<String>> {
    if screen.view.place() != Focus::Line {
        return None;
    }
    let end = current(screen).filter(|card| card.title.is_empty());
    let forms = end.and_then(|card| card.choices.into_iter().next()).map(|more| more.forms(false));
    let Some((action, what)) = offer(screen) else {
        return forms.map(|forms| forms.iter().map(|form| format!("1 {form}")).collect());
    };
    let shorter = if action == Action::MoreRound { forms } else { None };
    let forms = std::iter::once(what).chain(shorter.into_iter().flatten());
    let key = screen.keymap.way(Action::Offer, Focus::Line);
    Some(forms.map(|form| format!("{key}: {form}")).collect())
}

/// Describes the turn that the draft answers, if that does not fit into the first row.
pub(super) fn unfit_effect(screen: &Screen) -> Option<String> {
    let room = screen.view.areas.composer.width.saturating_sub(PROMPT + 1);
    if side(screen, room).is_none() { reference(screen) } else { None }
}

/// Describes the choice whose number is on the line, the richest form first; `None` without one.
pub(super) fn chosen(screen: &Screen) -> Option<Vec<String>> {
    let mut card = current(screen)?;
    let at = typed(screen, &card)?;
    let key = screen.keymap.way(Action::Send, Focus::Write);
    let choice = card.choices.swap_remove(at);
    let waits = screen.view.confirming.as_ref().is_some_and(|c| c.card == card.id && c.at == at);
    let again = if waits { " again" } else { "" };
    let more = if waits || choice.price == ChoicePrice::Free { "" } else { ", asks once more" };
    let forms = choice.forms(waits).into_iter().map(|form| format!("{key}{again}: {form}"));
    let forms: Vec<String> = forms.collect();
    let whole = forms.iter().map(|form| format!("{form}{more}"));
    Some(whole.chain(forms.iter().cloned()).collect())
}

/// Describes when a message is heard, while somebody speaks; `None` for commands and with nobody to wait for.
fn delivery(screen: &Screen) -> Option<String> {
    let transcript = &screen.transcript;
    if transcript.human_turn().is_some() {
        return None;
    }
    if let Some(name) = screen.whispered_to() {
        return (!name.is_empty()).then(|| format!("only {name} hears it"));
    }
    let re = reference(screen);
    let Some(name) = transcript.speaker() else { return re };
    let composer = &screen.view.composer;
    match composer.area.lines().first().and_then(|line| line.chars().next()) {
        Some('/') => None,
        Some(_) => Some(match re {
            Some(re) => format!("{re} {} after {name}", screen.glyphs.dot),
            None => format!("after {name}"),
        }),
        None => Some(format!("heard after {name}")),
    }
}

/// Names the turn that the draft answers; `None` without one.
fn reference(screen: &Screen) -> Option<String> {
    let number = reply::answered(screen)?;
    Some(format!("re #{number} {}", reply::name(screen, number)?))
}

fn placeholder(screen: &Screen, room: usize) -> Line<'static> {
    Line::styled(asked(screen, room), screen.theme.style(ThemeRole::Muted))
}

fn asked(screen: &Screen, room: usize) -> String {
    let etc = screen.glyphs.ellipsis;
    let words = match (screen.transcript.human_turn(), screen.chosen()) {
        _ if screen.view.is_loading() => "reading the session".into(),
        _ if screen.view.is_read_only() => "read-only: steer it where it runs".into(),
        _ if screen.transcript.state().ended.is_some() && screen.view.unsaved => {
            "not saved: cannot be extended".into()
        }
        (Some(who), _) if screen.transcript.human_choices().is_empty() => {
            format!("Speak as {}{etc}", screen.transcript.name(&who))
        }
        (_, Some(to)) => format!("to {}, all hear it", screen.transcript.name(&to)),
        (_, None) => {
            let ended = screen.transcript.state().ended.is_some();
            let to = if ended { ", and it goes on" } else { " to everyone" };
            let forms = [&format!("Say something{to}"), "Say something", "Speak"];
            let mut forms = forms.into_iter().map(|form| format!("{form}{etc}"));
            forms.find(|form| width(form) <= room).unwrap_or_default()
        }
    };
    clip(&words, room, etc)
}
