//! The list overlay: the filter, the visible entries, and the action of Enter.

use crate::export::FORMATS;
use crate::steer::slash::usage;
use crate::ui::action::Action;
use crate::ui::draw::overlay::{framed, on_top};
use crate::ui::frame::Frame;
use crate::ui::keymap::Focus;
use crate::ui::screen::Screen;
use crate::ui::text::wrap::{clip, clip_middle, width, wrap};
use crate::ui::theme::ThemeRole;
use crate::ui::view::availability::{unfit, unfit_action};
use crate::ui::view::floor::Status;
use crate::ui::view::list::{EntryAction, List, ListEntry, ListKind};
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::Clear;

/// Maximum width of the list, in cells.
const WIDTH_MAX: u16 = 96;
/// Maximum height of the list, in rows.
const HEIGHT_MAX: u16 = 26;
/// Maximum cells of the left column; in a narrow list, a third of it.
const CALL_MAX: usize = 24;
/// Minimum cells of the left column in lists of keys and commands.
const CALL_MIN: usize = 18;
/// Cells of the column that names the group.
const GROUP_WIDTH: usize = 9;
/// Minimum cells at which the group is named; below, the description needs the space.
const GROUP_ROOM: usize = 82;
/// Cells of the columns of commands and of keys in the list of commands, and the minimum cells for both.
const COMMAND: usize = 15;
const KEY: usize = 10;
const NARROW_KEY: usize = 12;
const BOTH_ROOM: usize = 64;
/// Rows of a list besides its entries: the frame, the filter, and the rule below it.
const AROUND: usize = 4;
/// Minimum rows at which a rule is drawn below the filter.
const RULE_ROWS: u16 = 8;

/// Rows that even a long entry leaves to the others.
const BESIDE: usize = 2;

/// Draws the list, if one is open.
pub fn draw(frame: &mut Frame<'_>, whole: Rect, screen: &mut Screen) {
    let Some(list) = &screen.view.list else { return };
    let theme = &screen.theme;
    let glyphs = screen.glyphs;
    let entries = list.entries();
    let headed = list.has_sections();
    let wide = on_top(whole, &screen.view.areas, WIDTH_MAX, HEIGHT_MAX).width.saturating_sub(2);
    let high = |entries: &[ListEntry]| {
        let rows = rows_of(entries, list.kind, usize::from(wide), screen);
        let rows = if headed { rows + headings(entries, list) } else { rows };
        u16::try_from(rows + AROUND).unwrap_or(u16::MAX).min(HEIGHT_MAX)
    };
    let most = match list.kind {
        ListKind::Commands => HEIGHT_MAX,
        ListKind::Formats => FORMATS.len() as u16 + AROUND as u16,
        ListKind::Own => high(&list.own.1),
    };
    // the row of the filter must not move while the operator types
    let area = on_top(whole, &screen.view.areas, WIDTH_MAX, most);
    let needed = high(&entries);
    let area = Rect { height: area.height.min(needed), ..area };
    let title = match list.kind {
        ListKind::Commands => "Commands",
        ListKind::Own => &list.own.0,
        ListKind::Formats => "Export as",
    };
    let block = framed(screen, title, &screen.keymap.way(Action::Back, Focus::Pick));
    let inner = block.inner(area);
    frame.render_widget(Clear, area);
    frame.render_widget(block, area);
    let count = format!("{} of {} ", (list.at + 1).min(entries.len()), entries.len());
    let typed = format!(" {} {}", glyphs.prompt, list.filter);
    let gap = usize::from(inner.width).saturating_sub(width(&typed) + width(&count));
    let first = Line::from(vec![
        Span::raw(typed.clone()),
        Span::raw(" ".repeat(gap)),
        Span::styled(count, theme.style(ThemeRole::Muted)),
    ]);
    let room = usize::from(inner.width);
    let mut lines = vec![first];
    // if everything fits, there is room for it in any case
    if inner.height >= RULE_ROWS || area.height >= needed {
        let rule = format!(" {}", glyphs.rule.repeat(room.saturating_sub(2)));
        lines.push(Line::styled(rule, theme.style(ThemeRole::Rule)));
    }
    let above = lines.len() as u16;
    let rows = usize::from(inner.height.saturating_sub(above));
    let call = call_width(&entries, list.kind, room);
    let mut listed: Vec<(Option<usize>, Line<'static>)> = Vec::new();
    let mut above_entry = None;
    for (i, entry) in entries.iter().enumerate() {
        if headed {
            let heading = list.heading(entry);
            if above_entry.replace(heading) != Some(heading) {
                listed.extend((i > 0).then(|| (None, Line::default())));
                listed.push((None, header(heading, screen)));
            }
        }
        let chosen = i == list.at;
        let mut told = row(entry, list.kind, chosen, call, room, screen);
        // an entry longer than the list leaves a row for its neighbours on both sides
        let others = BESIDE.min(entries.len() - 1);
        shorten(&mut told, rows.saturating_sub(others).max(1), screen);
        listed.extend(told.into_iter().map(|l| (Some(i), l)));
    }
    if entries.is_empty() {
        listed.extend(nothing_found(room, screen).into_iter().map(|line| (None, line)));
    }
    let end = listed.iter().rposition(|(i, _)| *i == Some(list.at)).map_or(0, |last| last + 1);
    let seen = listed.into_iter().skip(end.saturating_sub(rows)).take(rows);
    let (drawn, seen): (Vec<_>, Vec<_>) = seen.unzip();
    lines.extend(seen);
    frame.render_widget(Text::from(lines), inner);
    frame.set_cursor_position(Position::new(inner.x + width(&typed) as u16, inner.y));
    if let Some(list) = &mut screen.view.list {
        list.rows = Rect { y: inner.y + above, height: rows as u16, ..inner };
        list.drawn = drawn;
    }
}

/// Cuts an entry down to a number of rows; the last one ends in an ellipsis.
fn shorten(told: &mut Vec<Line<'static>>, rows: usize, screen: &Screen) {
    let cut = told.len() > rows;
    told.truncate(rows);
    // the last cell of a row is blank
    if let (true, Some(end)) = (cut, told.last_mut().and_then(|line| line.spans.last_mut())) {
        let kept = end.content.trim_end_matches(' ').to_owned();
        let blank = width(&end.content) - width(&kept);
        let room = blank.saturating_sub(width(screen.glyphs.ellipsis));
        end.content = format!("{kept}{}{}", " ".repeat(room), screen.glyphs.ellipsis).into();
    }
}

/// Returns the cells of the left column. It must not move while the operator types.
fn call_width(entries: &[ListEntry], kind: ListKind, room: usize) -> usize {
    let widest = entries.iter().map(|entry| width(&entry.call)).max().unwrap_or(0);
    let least = if kind == ListKind::Own || kind == ListKind::Formats { 0 } else { CALL_MIN };
    let most = match kind {
        // names, such as those of models, often share their first letters
        ListKind::Own => room * 3 / 5,
        _ if room < GROUP_ROOM => room / 3,
        _ => CALL_MAX,
    };
    widest.max(least).min(most)
}

/// Returns the rows of a list for any selection, given that the selected entry is shown in full. Without entries, the
/// rows of the message that says so.
fn rows_of(entries: &[ListEntry], kind: ListKind, room: usize, screen: &Screen) -> usize {
    let calls = call_width(entries, kind, room);
    let told = entries.iter().map(|entry| row(entry, kind, true, calls, room, screen).len());
    match told.max() {
        Some(longest) => entries.len() - 1 + longest,
        None => nothing_found(room, screen).len(),
    }
}

/// Returns the rows of the headings of a list, including blank rows between groups.
fn headings(entries: &[ListEntry], list: &List) -> usize {
    let groups = entries.chunk_by(|one, other| list.heading(one) == list.heading(other));
    (groups.count() * 2).saturating_sub(1)
}

/// Returns the message for an empty result, with the keys to continue.
fn nothing_found(room: usize, screen: &Screen) -> Vec<Line<'static>> {
    let close = screen.keymap.way(Action::Back, Focus::Pick);
    let words = format!("Nothing found. Type less (backspace deletes), or {close} to close.");
    let rows =
        wrap(&Line::styled(words, screen.theme.style(ThemeRole::Muted)), room.saturating_sub(4));
    let indent = |mut row: Line<'static>| {
        row.spans.insert(0, Span::raw("   "));
        row
    };
    rows.into_iter().map(indent).collect()
}

/// Returns the row of a heading.
fn header(heading: &str, screen: &Screen) -> Line<'static> {
    Line::styled(format!("   {}", heading.to_uppercase()), screen.theme.style(ThemeRole::Muted))
}

/// Returns the rows of an entry: its key or command, its description, and its group if that fits. The selected
/// entry is shown in full, in as many rows as needed.
fn row(
    entry: &ListEntry,
    kind: ListKind,
    chosen: bool,
    calls: usize,
    room: usize,
    screen: &Screen,
) -> Vec<Line<'static>> {
    let theme = &screen.theme;
    let glyphs = screen.glyphs;
    if kind == ListKind::Commands {
        return command_entry(entry, chosen, room, screen);
    }
    let group = match &entry.action {
        _ if room < GROUP_ROOM => String::new(),
        EntryAction::Action(row) => format!(" {:>GROUP_WIDTH$}", row.group.heading()),
        _ => String::new(),
    };
    let left = room.saturating_sub(3 + calls + 2 + width(&group) + 1);
    let title = if chosen {
        let whole = Line::from(entry.title.as_str());
        let mut rows: Vec<String> = wrap(&whole, left).iter().map(Line::to_string).collect();
        rows.extend(form(entry).map(|form| clip(&form, left, glyphs.ellipsis)));
        rows
    } else {
        vec![clip(&entry.title, left, glyphs.ellipsis)]
    };
    let look = |role| if chosen { theme.style(ThemeRole::Selection) } else { theme.style(role) };
    let line = |(i, title): (usize, String)| {
        let (sign, call, group) = match i {
            0 if chosen => (glyphs.speaking, &*entry.call, &*group),
            0 => (" ", &*entry.call, &*group),
            _ => (" ", "", ""),
        };
        let call = clip_middle(call, calls, glyphs.ellipsis);
        let gap = " ".repeat(calls - width(&call));
        let pad = " ".repeat(room.saturating_sub(3 + calls + 2 + width(&title) + width(group) + 1));
        Line::from(vec![
            Span::styled(format!(" {sign} "), look(ThemeRole::Text)),
            Span::styled(format!("{call}{gap}"), look(ThemeRole::HintKey)),
            Span::styled(format!("  {title}{pad}"), look(ThemeRole::Text)),
            Span::styled(format!("{group} "), look(ThemeRole::Muted)),
        ])
    };
    title.into_iter().enumerate().map(line).collect()
}

/// Returns an entry of the list of commands: its name, its `/command` and its first key, in columns.
fn command_entry(
    entry: &ListEntry,
    chosen: bool,
    room: usize,
    screen: &Screen,
) -> Vec<Line<'static>> {
    let theme = &screen.theme;
    let glyphs = screen.glyphs;
    let look = |role| if chosen { theme.style(ThemeRole::Selection) } else { theme.style(role) };
    let why = unable(entry, screen);
    let name = action_name(entry, screen).unwrap_or_else(|| entry.title.clone());
    let name = capital(&match why {
        Some(why) => format!("{}: {why}", name.trim_end_matches('.')),
        None => name,
    });
    let command = entry.call.clone();
    let key = match &entry.action {
        EntryAction::Action(row) => screen.keymap.key(row.action, screen.view.steering()),
        _ => None,
    };
    let key = key.unwrap_or_default();
    // a narrow list has one of them; what cannot be run needs no command
    let (commands, keys) = match why {
        None if room >= BOTH_ROOM => (COMMAND, KEY),
        Some(_) if room >= BOTH_ROOM => (0, KEY),
        _ => (0, NARROW_KEY),
    };
    let (command, key) = match commands {
        0 if key.is_empty() => ("", &*command),
        0 => ("", key),
        _ => (&*command, key),
    };
    let left = room.saturating_sub(3 + 2 + commands + keys + 1);
    let mut rows = if chosen {
        wrap(&Line::from(name), left).iter().map(Line::to_string).collect()
    } else {
        vec![clip(&name, left, glyphs.ellipsis)]
    };
    if chosen {
        rows.extend(form(entry).map(|form| clip(&form, left, glyphs.ellipsis)));
    }
    let line = |(i, name): (usize, String)| {
        let (sign, command, key) =
            if i == 0 { (glyphs.speaking, command, key) } else { (" ", "", "") };
        let sign = if chosen { sign } else { " " };
        let role = if why.is_none() { ThemeRole::Text } else { ThemeRole::Muted };
        let cell = |text: &str, cells: usize| {
            let text = clip(text, cells.saturating_sub(1), glyphs.ellipsis);
            let gap = " ".repeat(cells - width(&text));
            format!("{text}{gap}")
        };
        Line::from(vec![
            Span::styled(format!(" {sign} {}  ", cell(&name, left + 1)), look(role)),
            Span::styled(cell(command, commands), look(ThemeRole::Muted)),
            Span::styled(cell(key, keys), look(ThemeRole::HintKey)),
        ])
    };
    rows.into_iter().enumerate().map(line).collect()
}

/// Returns the effect of an action in the current state, if more specific than its description.
fn action_name(entry: &ListEntry, screen: &Screen) -> Option<String> {
    let EntryAction::Action(row) = &entry.action else { return None };
    let state = screen.transcript.state();
    let seat = screen.view.selected.and_then(|place| state.seats.get(place));
    let name = seat.map(|seat| screen.transcript.name(&seat.spec.id));
    let held = matches!(Status::from_state(state), Status::Paused | Status::Pausing);
    match (row.action, name) {
        (Action::TogglePause, _) if held => Some("resume".into()),
        (Action::TogglePause, _) => Some("pause after this turn".into()),
        (Action::Mute, Some(name)) => {
            let muted = seat.is_some_and(|seat| seat.muted);
            Some(format!("{} {name}", if muted { "unmute" } else { "mute" }))
        }
        (Action::GiveFloor, Some(name)) => Some(format!("give the turn to {name}")),
        (Action::ChangeModel, Some(name)) => Some(format!("change the model of {name}")),
        (Action::Skip, _) => {
            let speaker = screen.transcript.speaker()?;
            Some(format!("stop {speaker}"))
        }
        _ => None,
    }
}

/// Returns a text with a capital first letter.
fn capital(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// Returns the reason why an entry is not available now.
fn unable(entry: &ListEntry, screen: &Screen) -> Option<&'static str> {
    match &entry.action {
        _ if screen.view.is_recording() => None,
        EntryAction::Command(command) => unfit(&screen.transcript, command.name),
        EntryAction::Action(row) => unfit_action(&screen.transcript, row.action),
        _ => None,
    }
}

/// Returns the usage of a command, if it has arguments.
fn form(entry: &ListEntry) -> Option<String> {
    match &entry.action {
        EntryAction::Command(command) => Some(usage(command)).filter(|form| *form != entry.call),
        _ => None,
    }
}
