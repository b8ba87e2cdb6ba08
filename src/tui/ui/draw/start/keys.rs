//! The keys of the start screen, from the active keymap: the most useful ones in the last row, and all of them as help.

use crate::catalogue::SessionStatus;
use crate::ui::action::Action::{
    self, Back, CompareSessions, DropSession, EntryDown, EntryUp, Help, Interrupt, NextField,
    ReplaySession, RunEntry, TurnBack, TurnOn,
};
use crate::ui::draw::bar::Bar;
use crate::ui::draw::start::page::{LABEL, StartPage, VALUE};
use crate::ui::frame::Frame;
use crate::ui::keymap::{Focus, ROWS, row};
use crate::ui::start::{ListRow, StartRow, StartScreen, focused};
use crate::ui::text::wrap::{width, wrap};
use crate::ui::theme::ThemeRole;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::cmp::Ordering;

/// Returns the keys that reach some actions from the current focus.
pub(super) fn pair(start: &StartScreen, actions: &[Action]) -> String {
    let keys = actions.iter().filter_map(|action| start.keymap.key(*action, start.place()));
    keys.map(|key| start.glyphs.key(key)).collect::<Vec<_>>().join(" ")
}

/// Returns the hints of the open page.
fn hints(start: &StartScreen, scrolls: bool) -> Vec<(String, &'static str)> {
    let hint = |actions: &[Action]| {
        let hint = actions.first().and_then(|action| row(*action)).map_or("", |row| row.hint);
        (pair(start, actions), hint)
    };
    let moves = |word| (pair(start, &[EntryUp, EntryDown]), word);
    let enter = |word| (pair(start, &[RunEntry]), word);
    if let Some(keying) = &start.keying {
        let word = match keying.at.cmp(&start.keyless.len()) {
            _ if keying.server.is_some() => return vec![enter("try the key, and save it")],
            Ordering::Less => "save",
            Ordering::Equal => "connect",
            Ordering::Greater => "delete the key",
        };
        return vec![enter(word), moves("another provider or a server")];
    }
    if start.help.is_some() {
        return scrolls.then(|| moves("scroll")).into_iter().collect();
    }
    if start.list.is_some() {
        let turn = pair(start, &[TurnBack, TurnOn]);
        let here = focused(start);
        let seats = matches!(here, Some(ListRow::Model(_)));
        let space = seats || matches!(here, Some(ListRow::Usual));
        let word = match here {
            Some(ListRow::Scenario(_)) => "take it",
            Some(ListRow::Connect(_)) => "connect",
            _ => "done",
        };
        let hints = [
            space.then(|| ("space".to_owned(), "tick")),
            seats.then_some((turn, "to another seat")),
            Some(enter(word)),
        ];
        return hints.into_iter().flatten().collect();
    }
    match start.at {
        StartRow::Topic => {
            let word = match start.topic() {
                Some(_) if start.has_no_model() => "choose",
                Some(_) => "begin",
                None => "watch",
            };
            let lists = !(start.sessions.is_empty() && start.examples.is_empty());
            let sessions = lists.then(|| (pair(start, &[EntryDown]), "sessions"));
            let who = (pair(start, &[NextField]), "who and what");
            [Some(enter(word)), Some(who), sessions].into_iter().flatten().collect()
        }
        StartRow::Who if start.has_no_model() => {
            vec![("1 2 3".to_owned(), "choose"), enter("take it")]
        }
        StartRow::Who => vec![enter(opens(start)), (pair(start, &[NextField]), "what kind")],
        StartRow::Kind if start.writing.is_some() => {
            vec![enter(opens(start)), (pair(start, &[EntryDown]), "what kind of talk")]
        }
        StartRow::Kind => vec![enter(opens(start)), (pair(start, &[NextField]), "topic")],
        StartRow::Example(_) => vec![enter(opens(start)), moves("move")],
        StartRow::Session(_) => {
            let own = [&[ReplaySession][..], &[CompareSessions], &[DropSession]].map(hint);
            [enter(opens(start))].into_iter().chain(own).chain([moves("move")]).collect()
        }
    }
}

/// Returns the effect of Enter on a row other than the topic.
pub(super) fn opens(start: &StartScreen) -> &'static str {
    match start.at {
        StartRow::Who => "who sits there",
        StartRow::Kind if start.writing.is_some() => "edit mine",
        StartRow::Kind => "what kind of talk",
        StartRow::Topic | StartRow::Example(_) => "watch",
        StartRow::Session(at) => match start.sessions.get(at).map(|session| &session.standing) {
            Some(SessionStatus::Ended { .. }) => "read",
            Some(SessionStatus::Live { .. }) => "attach",
            _ => "open, paused",
        },
    }
}

/// Draws the last row; `scrolls` is true if the page is longer than the screen.
pub(super) fn footer(frame: &mut Frame<'_>, area: Rect, start: &StartScreen, scrolls: bool) {
    let mut bar = Bar::new();
    let theme = &start.theme;
    let is_page = start.keying.is_none() && start.help.is_none() && start.list.is_none();
    let last = if is_page {
        let word = if start.leaving { "again: leave" } else { "leave" };
        vec![(pair(start, &[Interrupt]), word), (pair(start, &[Help]), "keys")]
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
        for row in ROWS {
            let mut keys = vec![];
            for focus in [Focus::StartList, Focus::Start] {
                let key = self.start.keymap.keys(row.action, focus).next();
                keys.extend(key.filter(|key| !keys.contains(key)));
            }
            if keys.is_empty() {
                continue;
            }
            let keys = keys.join(" ");
            let words = row.title;
            let room = self.room.saturating_sub(LABEL + 1);
            for (i, words) in wrap(&Line::from(words), room).into_iter().enumerate() {
                let keys = if i == 0 { &*keys } else { "" };
                let key = Span::styled(format!("{keys:<VALUE$} "), self.style(ThemeRole::HintKey));
                let words = Span::styled(words.to_string(), self.style(ThemeRole::Text));
                self.push(Line::from(vec![key, words]));
            }
        }
        let said = "Letters are text in the box and in lists.";
        let said = Line::styled(said, self.style(ThemeRole::Muted));
        wrap(&said, self.room).into_iter().for_each(|line| self.push(line));
    }
}
