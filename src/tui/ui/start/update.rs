//! Effects of keys on the start screen, and the choice that Enter makes.
//!
//! Letters are text in the box and in filters; they are commands only on a row of sessions.

use crate::catalogue::SessionStatus;
use crate::text;
use crate::ui::action::Action;
use crate::ui::keymap;
use crate::ui::start::keying::Keying;
use crate::ui::start::state::{Choice, StartRow, StartScreen, TalkPlan, field};
use crate::ui::start::{keys, list};
use crate::ui::text::caret;
use crate::ui::view::card::{CardAnswer, answer};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::path::PathBuf;

/// Choices of the card "no model yet".
pub const WAYS: [&str; 3] = ["connect one", "look again", "watch the rehearsed debate"];

/// Handles a key.
pub fn key(start: &mut StartScreen, key: &KeyEvent) -> Option<Choice> {
    let spelled = keymap::spell(key)?;
    let action = start.keymap.action(start.place(), &spelled);
    start.notice = None;
    if start.keying.is_some() {
        return keys::key(start, key, action);
    }
    if start.list.is_some() {
        return list::key(start, key, action);
    }
    let leaving = std::mem::take(&mut start.leaving);
    let doubted = std::mem::take(&mut start.doubted);
    let dropping = start.dropping.take();
    if let Some(top) = start.help.take()
        && action != Some(Action::Interrupt)
    {
        start.help = match action {
            Some(Action::EntryUp) => Some(top.saturating_sub(1)),
            Some(Action::EntryDown) => Some(top + 1),
            Some(Action::PageUp) => Some(top.saturating_sub(start.page)),
            Some(Action::PageDown) => Some(top + start.page),
            _ => None,
        };
        return None;
    }
    match action {
        Some(Action::RunEntry) => enter(start, doubted),
        Some(action) => act(start, action, key, leaving, dropping),
        None => {
            write(start, key);
            None
        }
    }
}

/// Performs an action. The last argument holds the confirmations that the previous key requested.
fn act(
    start: &mut StartScreen,
    action: Action,
    key: &KeyEvent,
    leaving: bool,
    dropping: Option<PathBuf>,
) -> Option<Choice> {
    let is_listed = matches!(start.at, StartRow::Session(_) | StartRow::Example(_));
    match action {
        Action::Interrupt if leaving => return Some(Choice::Leave),
        Action::Interrupt if !start.typed.is_empty() => start.typed.clear(),
        Action::Interrupt if start.topic().is_some() => start.topic = field(""),
        Action::Interrupt => start.leaving = true,
        Action::Quit => return Some(Choice::Leave),
        Action::Help => start.help = Some(0),
        Action::ReplaySession => return session(start).map(Choice::Replay),
        Action::CompareSessions => return beside(start),
        Action::DropSession => return drop_session(start, dropping),
        Action::EntryDown if matches!(start.at, StartRow::Who | StartRow::Kind) => {
            list::open(start, start.at);
        }
        Action::EntryUp if matches!(start.at, StartRow::Who | StartRow::Kind) => {
            start.at = StartRow::Topic;
        }
        Action::EntryUp => step(start, -1),
        Action::EntryDown => step(start, 1),
        Action::PageUp => step(start, -(start.page as isize)),
        Action::PageDown => step(start, start.page as isize),
        Action::Top => step(start, isize::MIN),
        Action::Follow => step(start, isize::MAX),
        Action::NextField | Action::PreviousField if is_listed => start.at = StartRow::Topic,
        Action::NextField => turn(start, 1),
        Action::PreviousField => turn(start, 2),
        Action::TurnBack | Action::TurnOn if start.at == StartRow::Topic => write(start, key),
        Action::TurnBack if !is_listed => turn(start, 2),
        Action::TurnOn if !is_listed => turn(start, 1),
        Action::Back => {
            start.typed.clear();
            start.at = StartRow::Topic;
            // elsewhere this sign only opens a list
            if start.topic().as_deref() == Some("/") {
                start.topic = field("");
            }
        }
        // the start screen binds no other actions, or the loop handles them
        _ => {}
    }
    None
}

/// Moves the focus through the box: topic, table, kind of talk.
fn turn(start: &mut StartScreen, by: usize) {
    let stops = [StartRow::Topic, StartRow::Who, StartRow::Kind];
    let at = stops.iter().position(|row| *row == start.at).unwrap_or(0);
    start.at = stops[(at + by) % stops.len()];
    start.typed.clear();
}

/// Moves the focus by rows: from the topic to the first session, and back from it.
fn step(start: &mut StartScreen, by: isize) {
    let rows = start.rows();
    let list =
        rows.iter().position(|row| matches!(row, StartRow::Session(_) | StartRow::Example(_)));
    let Some(first) = list.map(usize::cast_signed) else { return };
    let at = rows.iter().position(|row| *row == start.at).unwrap_or(0).cast_signed();
    let at = if at < first { first - 1 } else { at };
    let last = rows.len().cast_signed() - 1;
    let to = at.saturating_add(by).clamp(first - isize::from(by == -1), last);
    start.at = if to < first { StartRow::Topic } else { rows[to.cast_unsigned()] };
}

/// Returns the key of an action, for a sentence.
fn key_label(start: &StartScreen, action: Action) -> String {
    start.keymap.key(action, start.place()).unwrap_or_default().to_owned()
}

/// Returns the file of the focused session.
fn session(start: &StartScreen) -> Option<PathBuf> {
    let StartRow::Session(at) = start.at else { return None };
    start.sessions.get(at).map(|s| s.path.clone())
}

/// Marks a session for comparison; with a second one, requests the comparison.
fn beside(start: &mut StartScreen) -> Option<Choice> {
    let here = session(start)?;
    match start.beside.take().filter(|first| *first != here) {
        Some(first) => Some(Choice::Beside(first, here)),
        None => {
            let key = key_label(start, Action::CompareSessions);
            start.notice = Some(format!("now select another session and press {key} to compare"));
            start.beside = Some(here);
            None
        }
    }
}

/// Requests the deletion of a session on the second press in a row.
fn drop_session(start: &mut StartScreen, dropping: Option<PathBuf>) -> Option<Choice> {
    let here = session(start)?;
    if dropping.as_ref() == Some(&here) {
        return Some(Choice::Delete(here));
    }
    let key = key_label(start, Action::DropSession);
    start.notice = Some(format!("press {key} again to move it to the trash"));
    start.dropping = Some(here);
    None
}

/// Handles pasted text: it goes to the box or to the filter, or is the key that is asked for. A key is entered as a key
/// wherever it is pasted.
pub fn paste(start: &mut StartScreen, pasted: &str) {
    if let Some(keying) = &mut start.keying {
        if keying.at <= start.keyless.len() {
            keying.paste(&start.keyless, &start.shapes, pasted);
        }
        return;
    }
    if start.divert(pasted) {
        return;
    }
    let pasted = text::line(&pasted.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned();
    if let Some(list) = &mut start.list {
        list.filter.push_str(&pasted);
        list.at = 0;
    } else {
        start.at = StartRow::Topic;
        start.topic.insert_str(pasted);
    }
}

/// Handles a key that is text. A digit alone, on the row of the table under the card "no model yet", is a choice.
fn write(start: &mut StartScreen, key: &KeyEvent) {
    let is_text = !key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        _ if start.at == StartRow::Topic => caret::input(&mut start.topic, *key),
        KeyCode::Backspace => caret::pop(&mut start.typed),
        KeyCode::Char(c)
            if c.is_ascii_digit()
                && start.typed.is_empty()
                && matches!(start.at, StartRow::Who | StartRow::Kind)
                && start.has_no_model() =>
        {
            start.typed.push(c);
        }
        KeyCode::Char(_) if is_text => {
            start.at = StartRow::Topic;
            start.topic.insert_str(std::mem::take(&mut start.typed));
            caret::input(&mut start.topic, *key);
        }
        _ => {}
    }
}

fn demo(start: &StartScreen) -> Option<Choice> {
    let scenario = start.scripts.first()?.name.clone();
    Some(Choice::Begin(Box::new(TalkPlan { scenario, ..TalkPlan::default() })))
}

/// Takes the focused row. A topic that may contain a key has been doubted by the previous key.
fn enter(start: &mut StartScreen, doubted: bool) -> Option<Choice> {
    match start.at {
        StartRow::Session(at) => {
            let session = start.sessions.get(at)?;
            let path = session.path.clone();
            Some(match session.standing {
                SessionStatus::Ended { .. } => Choice::Read(path),
                SessionStatus::Live { .. } => Choice::Attach(path),
                _ => Choice::Open(path),
            })
        }
        StartRow::Example(at) => {
            start.examples.get(at).map(|example| Choice::Example(example.name.clone()))
        }
        StartRow::Who | StartRow::Kind if start.has_no_model() && !start.typed.is_empty() => {
            let typed = std::mem::take(&mut start.typed);
            match answer(&typed, u64::MAX, WAYS.len()) {
                CardAnswer::Choice(0) => start.keying = Some(Keying::default()),
                CardAnswer::Choice(1) => return Some(Choice::Look),
                CardAnswer::Choice(_) => return demo(start),
                CardAnswer::Words => {
                    start.at = StartRow::Topic;
                    start.topic.insert_str(typed);
                }
            }
            None
        }
        StartRow::Kind if start.writing.is_some() => Some(Choice::Write(start.writing.clone())),
        StartRow::Who | StartRow::Kind => {
            list::open(start, start.at);
            None
        }
        StartRow::Topic => begin(start, doubted),
    }
}

/// Starts the conversation as entered. An empty box plays the rehearsed debate; anything that may cost money begins only
/// after a frame that shows its cost.
fn begin(start: &mut StartScreen, doubted: bool) -> Option<Choice> {
    let Some(topic) = start.topic() else { return demo(start) };
    if start.divert(&topic) {
        start.topic = field("");
        return None;
    }
    // nothing follows, so its last word is whole
    if let Some(is_known) = start.doubt(&format!("{topic} "))
        && (is_known || !doubted)
    {
        start.doubted = !is_known;
        let key = key_label(start, Action::RunEntry);
        start.notice = Some(if is_known {
            "this looks like a key; take it out of the topic first".into()
        } else {
            format!("a key or a password? press {key} again if all may read it")
        });
        return None;
    }
    let script = start.script()?;
    if let Some(fault) = &script.fault {
        start.notice = Some(format!("cannot run {}: {fault}", script.name));
        return None;
    }
    let Some(plan) = start.plan() else {
        start.at = StartRow::Who;
        return None;
    };
    let expected = start.expected();
    if let Some(fault) = expected.and_then(|forecast| forecast.fault.clone()) {
        start.notice = Some(fault);
        return None;
    }
    let is_promised = expected.is_some() && start.promised.as_ref() == Some(&plan.shape());
    (is_promised || !start.may_cost(&plan.voice)).then(|| Choice::Begin(Box::new(plan)))
}
