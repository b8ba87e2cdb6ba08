//! The last row: the keyboard focus, the outcome of the last command, and the most useful key bindings.

use crate::steer::slash::{row as command, usage};
use crate::ui::action::Action;
use crate::ui::draw::bar::Bar;
use crate::ui::draw::{composer, input};
use crate::ui::frame::Frame;
use crate::ui::keymap::{Focus, row};
use crate::ui::layout::Areas;
use crate::ui::screen::{Screen, ViewState};
use crate::ui::text::wrap::{clip, width, wrap};
use crate::ui::theme::ThemeRole;
use crate::ui::view::composer::VimMode;
use crate::ui::view::floor::Status;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::Clear;

/// Draws the row; a notice replaces the hints until the next key.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let theme = &screen.theme;
    let place = screen.view.place();
    let mut bar = Bar::new();
    let (badge, role) = match place {
        Focus::Marked => ("MARKED", ThemeRole::BadgeTable),
        Focus::Read => ("WATCH", ThemeRole::BadgeTable),
        Focus::Replay => ("REPLAY", ThemeRole::BadgeTable),
        Focus::Write | Focus::Line => mode(screen),
        Focus::Pick => ("PICK", ThemeRole::BadgeTable),
        Focus::Search => ("SEARCH", ThemeRole::BadgePen),
        Focus::Analysis => ("ANALYSIS", ThemeRole::BadgeTable),
        Focus::Page => ("VIEW", ThemeRole::BadgeTable),
        Focus::Start | Focus::StartList => ("START", ThemeRole::BadgeTable),
    };
    if badge.is_empty() {
        bar.left(" ", Style::new());
    } else {
        bar.left(format!(" {badge} "), theme.style(role)).left("  ", Style::new());
    }
    let mut clicks: Vec<(Rect, Action)> = Vec::new();
    let mut spills = false;
    // help is the last hint to be dropped
    for action in last(place, screen) {
        let hint = hint(screen, *action, place);
        bar.right.splice(0..0, hint.iter().cloned());
        clicks.push((click(area, area.right(), &bar.right, &hint), *action));
    }
    if place == Focus::Search
        && let Some((typed, told)) = screen.view.over.search_status(&screen.transcript)
    {
        let caret = bar.left.iter().map(Span::width).sum::<usize>() + width(&typed);
        bar.left(typed, theme.style(ThemeRole::Text));
        bar.left(format!("   {told}"), theme.style(ThemeRole::Notice));
        let x = area.x + u16::try_from(caret).unwrap_or(u16::MAX).min(area.width - 1);
        frame.set_cursor_position(Position::new(x, area.y));
    } else if let Some(told) = notice(screen, place, room(&bar, area)) {
        bar.left(told, theme.style(ThemeRole::Notice));
    } else {
        spills = screen.view.notice.is_some();
        let line = matches!(place, Focus::Line | Focus::Write);
        let hints: Vec<(Vec<Span<'static>>, Option<Action>)> = if line {
            input::hints(screen, place)
        } else {
            let of = |action| (hint(screen, action, place), Some(action));
            hints(screen, place).into_iter().map(of).collect()
        };
        for (hint, action) in hints {
            let used: usize = bar.left.iter().chain(&bar.right).chain(&hint).map(Span::width).sum();
            if used > usize::from(area.width) {
                continue;
            }
            let end = bar.left.iter().chain(&hint).map(Span::width).sum::<usize>();
            let cells = click(area, area.x + end as u16, &hint, &hint);
            clicks.extend(action.map(|action| (cells, action)));
            bar.left.extend(hint);
        }
    }
    screen.view.clicks.extend(clicks);
    screen.view.spills = spills;
    bar.draw(frame, area, " ", Style::new(), screen.glyphs.ellipsis);
}

/// Returns the badge of the composer and its role: a whisper has a colour of its own.
fn mode(screen: &Screen) -> (&'static str, ThemeRole) {
    let whispers = screen.whispered_to().is_some();
    match screen.view.vim.as_ref().map(|vim| vim.mode) {
        None | Some(VimMode::Insert) if whispers => ("WHISPER", ThemeRole::BadgeWhisper),
        // the frame of the input box shows the focus
        None => ("", ThemeRole::BadgePen),
        Some(VimMode::Insert) => ("WRITE INSERT", ThemeRole::BadgePen),
        Some(VimMode::Normal) => ("WRITE NORMAL", ThemeRole::BadgePen),
    }
}

/// Returns the cells of the first hint of some spans that end at a column.
fn click(area: Rect, end: u16, spans: &[Span<'_>], hint: &[Span<'_>]) -> Rect {
    let width = |spans: &[Span<'_>]| spans.iter().map(Span::width).sum::<usize>() as u16;
    Rect { x: end.saturating_sub(width(spans)), width: width(hint), ..area }
}

/// Returns the free cells between the two ends of a row.
fn room(bar: &Bar, area: Rect) -> usize {
    usize::from(area.width).saturating_sub(bar.width() + 1)
}

/// Returns the text that replaces the hints: a notice, or the usage of the command in the composer, with its
/// meaning if that fits. A notice that does not fit is drawn by [`spilt`].
fn notice(screen: &Screen, place: Focus, room: usize) -> Option<String> {
    let fits = |told: &String| width(told) <= room;
    let written = || {
        let command = command(screen.view.composer.area.lines().first()?)?;
        let whole = format!("{}   {}", usage(command), command.meaning);
        Some(whole).filter(fits).or_else(|| Some(usage(command)))
    };
    match &screen.view.notice {
        Some(notice) => Some(notice.clone()).filter(fits),
        None if let Some(effect) = composer::unfit_effect(screen) => {
            Some(clip(&effect, room, screen.glyphs.ellipsis))
        }
        None => (place == Focus::Write).then(written).flatten(),
    }
}

/// Draws above the status line a notice that is too long for the row. A screen too low for the row shows every
/// notice there, and the search.
pub fn spilt(frame: &mut Frame<'_>, _: Rect, screen: &mut Screen) {
    let areas = screen.view.areas;
    let style = screen.theme.style(ThemeRole::Overlay).patch(screen.theme.style(ThemeRole::Notice));
    let mut caret = None;
    let told = match &screen.view.notice {
        Some(notice) if screen.view.spills => notice.clone(),
        None if areas.footer.is_empty()
            && let Some((typed, told)) = screen.view.over.search_status(&screen.transcript) =>
        {
            caret = Some(1 + width(&typed) as u16);
            format!("{typed}   {told}")
        }
        Some(_) | None => return,
    };
    let rows = above_floor(&told, areas);
    let height = rows.len() as u16;
    let area = Rect { y: areas.floor.y.saturating_sub(height), height, ..areas.floor };
    frame.render_widget(Clear, area);
    frame.render_widget(Text::from(rows).style(style), area);
    if let Some(x) = caret {
        frame.set_cursor_position(Position::new(area.x + x.min(area.width - 1), area.y));
    }
}

/// Returns the rows of a text above the status line.
fn above_floor(told: &str, areas: Areas) -> Vec<Line<'static>> {
    let room = usize::from(areas.floor.width).saturating_sub(1);
    let mut rows = wrap(&Line::from(format!(" {told}")), room);
    rows.truncate(usize::from(areas.floor.y.saturating_sub(areas.header.bottom())));
    rows
}

/// Returns the number of rows that a notice takes above the status line.
pub fn spilt_rows(view: &ViewState) -> u16 {
    match &view.notice {
        Some(notice) if view.spills => above_floor(notice, view.areas).len() as u16,
        _ => 0,
    }
}

/// Returns the actions named at the right end.
fn last(place: Focus, screen: &Screen) -> &'static [Action] {
    match place {
        Focus::Read | Focus::Replay => &[Action::Quit, Action::Help],
        Focus::Marked => &[Action::Back, Action::Help],
        Focus::Line if screen.view.areas.is_narrow() => &[Action::Help],
        Focus::Line if screen.view.over.poster => &[Action::Interrupt],
        Focus::Line => &[Action::Interrupt, Action::Help],
        Focus::Write | Focus::Pick | Focus::Search => &[Action::Back],
        Focus::Analysis | Focus::Page => &[Action::Back, Action::Help],
        Focus::Start | Focus::StartList => &[],
    }
}

/// Returns the actions with hints, most important first.
fn hints(screen: &Screen, place: Focus) -> Vec<Action> {
    use Action::{
        Copy, EntryDown, EntryUp, Export, Faster, Follow, Fork, LineDown, MarkOn, Menu,
        MessageDown, MessageUp, NextFound, OpenEvent, OpenLink, PageDown, PageUp, Palette,
        PlayPause, PreviousFound, RunEntry, Search, Select, SelectLines, Slower, Tenth, TextOn,
        Top, UtteranceBack, UtteranceOn, Waits,
    };
    match place {
        Focus::Write | Focus::Line | Focus::Start | Focus::StartList => vec![],
        Focus::Search => vec![NextFound, PreviousFound],
        Focus::Analysis
            if screen.view.over.analysis.as_ref().is_some_and(|analysis| analysis.chooses()) =>
        {
            vec![Select(1), LineDown, OpenEvent, Search, Export, Copy]
        }
        Focus::Analysis => vec![Select(1), LineDown, Search, Export, Copy],
        Focus::Pick => vec![RunEntry, EntryUp, EntryDown, PageUp, PageDown],
        Focus::Page => match &screen.view.over.page {
            Some(page) if page.link.is_some() => vec![OpenLink, Copy],
            Some(page) if page.lines.is_some() => vec![LineDown, SelectLines, Copy],
            Some(_) | None => vec![LineDown, PageUp, PageDown, Search, Top, Follow, Copy],
        },
        Focus::Replay => vec![
            PlayPause,
            UtteranceBack,
            UtteranceOn,
            Fork,
            MarkOn,
            Slower,
            Faster,
            Search,
            Tenth(1),
            TextOn,
            Waits,
            Copy,
        ],
        Focus::Marked => {
            vec![Menu, MessageUp, MessageDown, PageUp, PageDown, Follow, Palette]
        }
        Focus::Read => vec![Search, Palette, Copy, PageUp, Top, Follow],
    }
}

/// Returns a key and its effect; empty if the action has no key in this focus.
fn hint(screen: &Screen, action: Action, place: Focus) -> Vec<Span<'static>> {
    let key = screen.keymap.key(action, place).map(|key| screen.glyphs.key(key).to_owned());
    let (Some(key), Some(row)) = (key, row(action)) else { return vec![] };
    let held =
        matches!(Status::from_state(screen.transcript.state()), Status::Paused | Status::Pausing);
    let word = match action {
        Action::TogglePause if held => "resume",
        Action::Select(_) if place == Focus::Analysis => "page",
        Action::LineDown if place == Focus::Page || place == Focus::Analysis => "scroll",
        Action::Help if place == Focus::Line => "keys",
        Action::Back if place == Focus::Line && screen.chosen().is_some() => "nobody",
        Action::Back if screen.view.completion.is_some() => "close",
        Action::Back if matches!(place, Focus::Line | Focus::Write) => "mark",
        Action::Back if place == Focus::Marked => "the line",
        Action::SelectLines if place == Focus::Page => "set start",
        _ => row.hint,
    };
    input::hint(screen, &key, word)
}
