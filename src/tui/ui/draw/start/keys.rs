//! The keys of the start screen, from the active keymap: the most useful ones in the last row, and all of them as help.

use crate::catalogue::SessionStatus;
use crate::ui::action::Action::{
    self, Back, CompareSessions, Connect, Demo, DropSession, EntryDown, EntryUp, Follow, Help,
    Interrupt, NextField, PageDown, PageUp, Prefix, PreviousField, Quit, Recorded, ReplaySession,
    RunEntry, Suspend, Top, TurnBack, TurnOn,
};
use crate::ui::draw::bar::Bar;
use crate::ui::draw::start::page::{LABEL, StartPage, VALUE};
use crate::ui::frame::Frame;
use crate::ui::keymap::row;
use crate::ui::start::{StartRow, StartScreen};
use crate::ui::text::wrap::{width, wrap};
use crate::ui::theme::ThemeRole;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::cmp::Ordering;

/// Actions of the help, row by row; related keys share a row.
const ROWS: [&[Action]; 18] = [
    &[RunEntry],
    &[EntryUp, EntryDown],
    &[PageUp, PageDown],
    &[Top],
    &[Follow],
    &[NextField, PreviousField],
    &[TurnOn, TurnBack],
    &[ReplaySession],
    &[CompareSessions],
    &[DropSession],
    &[Demo],
    &[Recorded],
    &[Connect],
    &[Help],
    &[Back],
    &[Suspend],
    &[Quit],
    &[Interrupt],
];

/// Actions that are listed after the prefix.
const LISTED: [Action; 8] =
    [Demo, Recorded, Connect, ReplaySession, CompareSessions, DropSession, Help, Quit];

/// Returns the keys that reach some actions from the current focus.
pub(super) fn pair(start: &StartScreen, actions: &[Action]) -> String {
    let keys = actions.iter().filter_map(|action| start.keymap.reach(*action, start.place()));
    keys.collect::<Vec<_>>().join(" ")
}

/// Returns the hints of the open page.
fn hints(start: &StartScreen, scrolls: bool) -> Vec<(String, &'static str)> {
    let begins = match start.at {
        StartRow::Topic if start.first && start.topic().is_none() => "watch a debate",
        StartRow::Topic | StartRow::Scenario | StartRow::Voice | StartRow::Cast | StartRow::You => {
            "start"
        }
        StartRow::Remember => "remember",
        StartRow::Write => "write",
        StartRow::Session(at) => match start.sessions.get(at).map(|session| &session.standing) {
            Some(SessionStatus::Ended { .. }) => "read",
            _ => "open, paused",
        },
        StartRow::Demo | StartRow::Example(_) => "watch",
        StartRow::Local | StartRow::Provider | StartRow::Own => "choose",
    };
    let hint = |actions: &[Action]| {
        let hint = actions.first().and_then(|action| row(*action)).map_or("", |row| row.hint);
        (pair(start, actions), hint)
    };
    let moves = |word| (pair(start, &[EntryUp, EntryDown]), word);
    if start.prefixed {
        return vec![];
    }
    if start.keying.is_some() {
        let at = start.keying.as_ref().map_or(0, |keying| keying.at);
        let word = match at.cmp(&start.keyless.len()) {
            Ordering::Less => "save",
            Ordering::Equal => "connect",
            Ordering::Greater => "delete the key",
        };
        let keep = (pair(start, &[RunEntry]), word);
        return vec![keep, moves("another provider or a server")];
    }
    if start.help.is_some() {
        return scrolls.then(|| moves("scroll")).into_iter().collect();
    }
    let filters = matches!(start.at, StartRow::Scenario | StartRow::Voice);
    let turns = filters || matches!(start.at, StartRow::Cast | StartRow::You);
    let session = matches!(start.at, StartRow::Session(_));
    let hints = [
        Some((pair(start, &[RunEntry]), begins)),
        turns.then(|| (pair(start, &[TurnBack, TurnOn]), "change")),
        filters.then(|| ("type".to_owned(), "filter")),
        session.then(|| hint(&[ReplaySession])),
        session.then(|| hint(&[CompareSessions])),
        session.then(|| hint(&[DropSession])),
        Some(moves("move")),
        Some(hint(&[NextField])),
        Some(hint(&[Demo])),
    ];
    hints.into_iter().flatten().collect()
}

/// Lists the keys that can follow the prefix.
pub(super) fn prefixed(start: &StartScreen, room: usize) -> Vec<Line<'static>> {
    let theme = &start.theme;
    let keymap = &start.keymap;
    let of_session = |action| matches!(action, ReplaySession | CompareSessions | DropSession);
    let here = |action| matches!(start.at, StartRow::Session(_)) || !of_session(action);
    let own = LISTED.iter().filter(|action| here(**action));
    let keys = own.filter_map(|a| Some((keymap.key(*a, start.place().prefixed())?, row(*a)?.hint)));
    let prefix = keymap.key(Prefix, start.place()).unwrap_or_default();
    let mut rows = vec![Line::styled(format!(" {prefix}, then"), theme.style(ThemeRole::Text))];
    for (key, word) in keys {
        let hint = [
            Span::styled(format!("  {key}"), theme.style(ThemeRole::HintKey)),
            Span::styled(format!(" {word}"), theme.style(ThemeRole::HintText)),
        ];
        match rows.last_mut() {
            Some(row) if row.width() + hint.iter().map(Span::width).sum::<usize>() < room => {
                row.spans.extend(hint);
            }
            _ => rows.push(Line::from(hint.to_vec())),
        }
    }
    rows
}

/// Draws the last row; `scrolls` is true if the page is longer than the screen.
pub(super) fn footer(frame: &mut Frame<'_>, area: Rect, start: &StartScreen, scrolls: bool) {
    let mut bar = Bar::new();
    let theme = &start.theme;
    let leave = start.keymap.key(Quit, start.place()).map(str::to_owned);
    let leave = leave.unwrap_or_else(|| pair(start, &[Interrupt]));
    let last = if start.keying.is_none() && start.help.is_none() && !start.prefixed {
        vec![(leave, "quit"), (pair(start, &[Help]), "help")]
    } else {
        vec![(pair(start, &[Back]), "back")]
    };
    for (key, word) in last {
        bar.right(format!(" {word}  "), theme.style(ThemeRole::HintText));
        bar.right(key, theme.style(ThemeRole::HintKey));
    }
    for (key, word) in hints(start, scrolls).into_iter().filter(|(key, _)| !key.is_empty()) {
        let used: usize = bar.left.iter().chain(&bar.right).map(Span::width).sum();
        if used + width(&key) + width(word) + 3 > usize::from(area.width) {
            break;
        }
        bar.left(key, theme.style(ThemeRole::HintKey));
        bar.left(format!(" {word}  "), theme.style(ThemeRole::HintText));
    }
    bar.draw(frame, area, " ", Style::new(), start.glyphs.ellipsis);
}

impl StartPage<'_> {
    /// Lists all keys of the start screen.
    pub(super) fn help(&mut self) {
        self.heading("Keys");
        for actions in ROWS {
            let titles = actions.iter().filter_map(|action| row(*action)).map(|row| row.title);
            let words = titles.collect::<Vec<_>>().join("; ");
            let keys = pair(self.start, actions);
            let room = self.room.saturating_sub(LABEL + 1);
            for (i, words) in wrap(&Line::from(words), room).into_iter().enumerate() {
                let keys = if i == 0 { &*keys } else { "" };
                let key =
                    Span::styled(format!("   {keys:<VALUE$} "), self.style(ThemeRole::HintKey));
                let words = Span::styled(words.to_string(), self.style(ThemeRole::Text));
                self.lines.push(Line::from(vec![key, words]));
            }
        }
        let told = "Type to edit the topic or filter the list.";
        let told = Line::styled(format!(" {told}"), self.style(ThemeRole::Muted));
        self.lines.extend(wrap(&told, self.room));
    }
}
