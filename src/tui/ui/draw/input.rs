//! The hints of the input box: keys that work on its text now.

use crate::ui::action::Action;
use crate::ui::draw::composer;
use crate::ui::keymap::Focus;
use crate::ui::screen::Screen;
use crate::ui::theme::ThemeRole;
use crate::ui::view::card::current;
use crate::ui::view::extension::way_on;
use crate::ui::view::floor::Status;
use crate::ui::view::hold::seconds;
use crate::ui::view::rest;
use ratatui::text::Span;

/// A hint, and the action of a click on it.
pub(super) type Hint = (Vec<Span<'static>>, Option<Action>);

/// Returns a key and its effect.
pub(super) fn hint(screen: &Screen, key: &str, word: &str) -> Vec<Span<'static>> {
    // a typed line often says its effect
    let is_told = key.strip_prefix('/') == Some(word);
    let word = if is_told { "  ".to_owned() } else { format!(" {word}  ") };
    vec![
        Span::styled(key.to_owned(), screen.theme.style(ThemeRole::HintKey)),
        Span::styled(word, screen.theme.style(ThemeRole::HintText)),
    ]
}

/// Returns the hints for the empty line or for text, most important first.
pub(super) fn hints(screen: &Screen, place: Focus) -> Vec<Hint> {
    let keys = if place == Focus::Line { on_empty_line(screen) } else { on_text(screen) };
    let hint = |(key, word, action): (String, String, _)| (hint(screen, &key, &word), action);
    keys.into_iter().map(hint).collect()
}

type Key = (String, String, Option<Action>);

fn on_empty_line(screen: &Screen) -> Vec<Key> {
    let key = |action| screen.keymap.way(action, Focus::Line);
    let sign = || ("/".into(), "commands".into(), None);
    if let Some(to) = screen.chosen() {
        let name = screen.transcript.name(&to);
        return vec![
            ("@".into(), format!("only {name} hears it"), None),
            (
                screen.glyphs.key(&key(Action::Later)).to_owned(),
                "mute, model, persona".into(),
                Some(Action::Seat),
            ),
            (key(Action::SelectNext), "the next".into(), Some(Action::SelectNext)),
        ];
    }
    let status = Status::from_state(screen.transcript.state());
    if status.is_limited() || matches!(status, Status::Done | Status::Error) {
        let far = |action: Action, word: &str| (key(action), word.to_owned(), Some(action));
        let end = current(screen).filter(|card| card.title.is_empty());
        let choices = end.map_or(0, |card| card.choices.len());
        let more = || ("1".into(), way_on(screen.transcript.state()), None);
        let picture = (choices > 1).then(|| ("2".into(), "picture".into(), None));
        if screen.view.over.poster {
            let hints = [(choices > 0).then(more), picture, Some(sign())];
            let back = ("esc".into(), "transcript".into(), None);
            return hints.into_iter().flatten().chain([back]).collect();
        }
        // the line has the other choice
        let poster = rest::follows(screen).then(|| far(Action::Poster, "opens by itself"));
        let rest = [
            sign(),
            far(Action::Analysis, "analysis"),
            far(Action::Export, "export"),
            far(Action::Home, "start screen"),
        ];
        return poster.into_iter().chain(picture).chain(rest).collect();
    }
    let held = matches!(status, Status::Paused | Status::Pausing);
    let pause = if held { "go on" } else { "pause" };
    let player = if held { again(screen) } else { skip(screen) };
    let pause = (key(Action::TogglePause), pause.into(), Some(Action::TogglePause));
    if screen.view.areas.is_narrow() {
        return vec![pause, sign()];
    }
    let choose = (key(Action::SelectNext), "choose who".into(), Some(Action::SelectNext));
    [Some(pause), player, Some(choose), Some(sign())].into_iter().flatten().collect()
}

fn on_text(screen: &Screen) -> Vec<Key> {
    let view = &screen.view;
    let key = |action| screen.keymap.way(action, Focus::Write);
    let hint = |action: Action, word: &str| (key(action), word.to_owned(), Some(action));
    let send = key(Action::Send);
    let complete = hint(Action::Complete, "complete");
    // the right end of the line shows the effect of Enter on a number
    if composer::chosen(screen).is_some() {
        return vec![];
    }
    if view.completion.is_some() {
        return vec![(send, "take it".into(), Some(Action::Send)), complete];
    }
    if view.composer.area.lines().first().is_some_and(|line| line.starts_with('/')) {
        return vec![(send, "run".into(), Some(Action::Send)), complete];
    }
    // a whisper stops nobody
    let whispers = screen.whispered_to().is_some();
    let mut keys = vec![(send.clone(), "send".to_owned(), Some(Action::Send))];
    let next = || screen.transcript.next_speakers().first().map(|id| screen.transcript.name(id));
    if seconds(screen, screen.clock.now()).is_some()
        && let Some(next) = next()
    {
        keys.push(("ctrl-u".into(), format!("let {next} go on"), None));
    } else if !whispers && screen.transcript.speaker().is_some() {
        keys.push((format!("{send} again"), "now".into(), None));
    }
    keys.push(hint(Action::NewLine, "new line"));
    keys.push((key(Action::Complete), "answers".into(), Some(Action::Complete)));
    keys
}

/// Returns the hint for skipping; `None` if nobody would be skipped.
fn skip(screen: &Screen) -> Option<Key> {
    let next = || screen.transcript.next_speakers().first().map(|id| screen.transcript.name(id));
    let who = screen.transcript.speaker().or_else(next)?;
    let key = screen.glyphs.key(screen.keymap.key(Action::Skip, Focus::Line)?);
    Some((format!("{key} {key}"), format!("skip {who}"), Some(Action::Skip)))
}

/// Returns the hint for asking the last speaker again; `None` before the first turn.
fn again(screen: &Screen) -> Option<Key> {
    let last = screen.transcript.state().last.as_ref()?;
    let key = screen.glyphs.key(screen.keymap.key(Action::Retry, Focus::Line)?);
    let name = screen.transcript.name(&last.seat);
    Some((format!("{key} {key}"), format!("{name} again"), Some(Action::Retry)))
}
