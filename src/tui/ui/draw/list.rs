//! The list overlay: the filter, the visible entries, and the action of Enter.

use crate::steer::slash::usage;
use crate::ui::action::Action;
use crate::ui::draw::overlay::{framed, on_top};
use crate::ui::frame::Frame;
use crate::ui::keymap::{Focus, capital};
use crate::ui::screen::Screen;
use crate::ui::text::wrap::{clip, clip_middle, width, wrap};
use crate::ui::theme::ThemeRole;
use crate::ui::view::availability::{unfit, unfit_action};
use crate::ui::view::floor::Status;
use crate::ui::view::list::{EntryAction, List, ListEntry};
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::Clear;

/// Maximum width of a list, and of the list of commands with their long titles, in cells.
const WIDTH_MAX: u16 = 96;
const COMMANDS_MAX: u16 = 116;
/// Maximum height of the list, in rows.
const HEIGHT_MAX: u16 = 26;
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
    let Some(list) = &screen.view.over.list else { return };
    let theme = &screen.theme;
    let glyphs = screen.glyphs;
    let entries = list.entries();
    let headed = list.has_sections();
    let widest = if list.is_commands { COMMANDS_MAX } else { WIDTH_MAX };
    let wide = on_top(whole, &screen.view.areas, widest, HEIGHT_MAX).width.saturating_sub(2);
    let high = |entries: &[ListEntry]| {
        let rows = rows_of(entries, list, usize::from(wide), screen);
        let rows = if headed { rows + headings(entries, list) } else { rows };
        u16::try_from(rows + AROUND).unwrap_or(u16::MAX).min(HEIGHT_MAX)
    };
    let most = if list.is_commands { HEIGHT_MAX } else { high(&list.all) };
    // the row of the filter must not move while the operator types
    let area = on_top(whole, &screen.view.areas, widest, most);
    let needed = high(&entries);
    let area = Rect { height: area.height.min(needed), ..area };
    let block = framed(screen, &list.title, &screen.keymap.way(Action::Back, Focus::Pick));
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
    let call = call_width(&entries, room);
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
        let mut told = row(entry, list, chosen, call, room, screen);
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
    if let Some(list) = &mut screen.view.over.list {
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

/// Returns the cells of the left column. It must not move while the operator types. Names, such as those of models, often
/// share their first letters.
fn call_width(entries: &[ListEntry], room: usize) -> usize {
    let widest = entries.iter().map(|entry| width(&entry.call)).max().unwrap_or(0);
    widest.min(room * 3 / 5)
}

/// Returns the rows of a list for any selection, given that the selected entry is shown in full. Without entries, the
/// rows of the message that says so.
fn rows_of(entries: &[ListEntry], list: &List, room: usize, screen: &Screen) -> usize {
    let calls = call_width(entries, room);
    let told = entries.iter().map(|entry| row(entry, list, true, calls, room, screen).len());
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

/// Parts of a row, from the left: a text, the title in the cells that are left, and texts in columns of their own.
struct RowParts {
    before: String,
    title: String,
    role: ThemeRole,
    behind: Vec<(String, ThemeRole)>,
}

/// Returns the rows of an entry. The selected one is shown in full, in as many rows as needed.
fn row(
    entry: &ListEntry,
    list: &List,
    chosen: bool,
    calls: usize,
    room: usize,
    screen: &Screen,
) -> Vec<Line<'static>> {
    let glyphs = screen.glyphs;
    let parts = if list.is_commands {
        of_command(entry, room, screen)
    } else {
        of_entry(entry, calls, room, screen)
    };
    let beside = parts.behind.iter().map(|(text, _)| width(text)).sum::<usize>();
    let left = room.saturating_sub(3 + width(&parts.before) + beside);
    let mut titles = if chosen {
        wrap(&Line::from(parts.title), left).iter().map(Line::to_string).collect()
    } else {
        vec![clip(&parts.title, left, glyphs.ellipsis)]
    };
    if chosen {
        titles.extend(form(entry).map(|form| clip(&form, left, glyphs.ellipsis)));
    }
    let role = |role| if chosen { ThemeRole::Selection } else { role };
    let span = |text: String, of| Span::styled(text, screen.theme.style(role(of)));
    let line = |(i, title): (usize, String)| {
        let own = |text: &str| if i == 0 { text.to_owned() } else { " ".repeat(width(text)) };
        let sign = if chosen && i == 0 { glyphs.speaking } else { " " };
        let pad = " ".repeat(left.saturating_sub(width(&title)));
        let mut spans = vec![
            span(format!(" {sign} "), ThemeRole::Text),
            span(own(&parts.before), ThemeRole::HintKey),
            span(format!("{title}{pad}"), parts.role),
        ];
        spans.extend(parts.behind.iter().map(|(text, role)| span(own(text), *role)));
        Line::from(spans)
    };
    titles.into_iter().enumerate().map(line).collect()
}

/// Returns a text in a number of cells, with a blank at its end.
fn cell(text: &str, cells: usize, screen: &Screen) -> String {
    let text = clip(text, cells.saturating_sub(1), screen.glyphs.ellipsis);
    let gap = " ".repeat(cells - width(&text));
    format!("{text}{gap}")
}

/// Returns the parts of an entry: its key or command, its description, and its group if that fits.
fn of_entry(entry: &ListEntry, calls: usize, room: usize, screen: &Screen) -> RowParts {
    let call = clip_middle(&entry.call, calls, screen.glyphs.ellipsis);
    let gap = " ".repeat(calls - width(&call) + 2);
    let group = match &entry.action {
        EntryAction::Action(row) if room >= GROUP_ROOM => {
            format!(" {:>GROUP_WIDTH$} ", row.group.heading())
        }
        _ => " ".into(),
    };
    RowParts {
        before: format!("{call}{gap}"),
        title: entry.title.clone(),
        role: ThemeRole::Text,
        behind: vec![(group, ThemeRole::Muted)],
    }
}

/// Returns the parts of an entry of the list of commands: its name, its `/command` and its first key.
fn of_command(entry: &ListEntry, room: usize, screen: &Screen) -> RowParts {
    let why = unable(entry, screen);
    let name = action_name(entry, screen).unwrap_or_else(|| entry.title.clone());
    let title = capital(&match why {
        Some(why) => format!("{name}: {why}"),
        None => name,
    });
    let key = match &entry.action {
        EntryAction::Action(row) => screen.keymap.key(row.action, screen.view.steering()),
        _ => None,
    };
    // a narrow list has one of them; what cannot be run needs no command
    let is_narrow = room < BOTH_ROOM;
    let has_both = !is_narrow && why.is_none();
    let key = key.unwrap_or(if has_both { "" } else { &entry.call });
    let command = cell(&entry.call, if has_both { COMMAND } else { 0 }, screen);
    let key = cell(key, if is_narrow { NARROW_KEY } else { KEY }, screen);
    RowParts {
        before: String::new(),
        title,
        role: if why.is_none() { ThemeRole::Text } else { ThemeRole::Muted },
        behind: vec![
            (" ".repeat(3), ThemeRole::Text),
            (command, ThemeRole::Muted),
            (key, ThemeRole::HintKey),
        ],
    }
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
