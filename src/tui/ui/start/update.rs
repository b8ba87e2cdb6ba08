//! Effects of keys on the start screen, and the choice that Enter makes.
//!
//! Letters are text in the topic and in filters; they are commands only on a row of a list.

use crate::catalogue::SessionStatus;
use crate::text;
use crate::ui::action::Action;
use crate::ui::keymap;
use crate::ui::start::keying::{Keying, address, is_address};
use crate::ui::start::keys;
use crate::ui::start::state::{Choice, OfferedModel, StartRow, StartScreen, VoiceChoice};
use crate::ui::text::caret;
use crate::ui::view::card::{CardAnswer, answer};
use crossterm::event::{KeyCode, KeyEvent};
use std::path::PathBuf;

/// Handles a key.
pub fn key(start: &mut StartScreen, key: &KeyEvent) -> Option<Choice> {
    let spelled = keymap::spell(key)?;
    let prefixed = std::mem::take(&mut start.prefixed);
    let place = if prefixed { start.place().prefixed() } else { start.place() };
    let action = start.keymap.action(place, &spelled);
    // the offer stays while a number is typed
    start.offers_ways &= action.is_none() || action == Some(Action::RunEntry);
    let begins = std::mem::take(&mut start.begins);
    if !start.offers_ways {
        start.notice = None;
    }
    if prefixed && action == Some(Action::Back) {
        return None;
    }
    if start.keying.is_some() && action != Some(Action::Interrupt) {
        return keys::key(start, key, action);
    }
    let leaving = std::mem::take(&mut start.leaving);
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
        Some(Action::RunEntry) => enter(start, begins),
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
    match action {
        Action::Interrupt if leaving => return Some(Choice::Leave),
        Action::Interrupt => {
            start.leaving = true;
            start.notice = Some(format!("press {} again to quit", key_label(start, action)));
        }
        Action::Quit => return Some(Choice::Leave),
        Action::Demo => return demo(start),
        Action::Recorded => return example(start, 0),
        Action::Connect => connect(start),
        Action::Help => start.help = Some(0),
        Action::ReplaySession => return session(start).map(Choice::Replay),
        Action::CompareSessions => return beside(start),
        Action::DropSession => return drop_session(start, dropping),
        Action::Prefix => start.prefixed = true,
        Action::EntryUp => step(start, Way::Back, |_| true),
        Action::EntryDown => step(start, Way::On, |_| true),
        Action::PageUp => (0..start.page).for_each(|_| step(start, Way::Back, |_| true)),
        Action::PageDown => (0..start.page).for_each(|_| step(start, Way::On, |_| true)),
        Action::Top => end_of_list(start, Way::Back),
        Action::Follow => end_of_list(start, Way::On),
        // a list is one stop: its first row
        Action::NextField => step(start, Way::On, |row| !matches!(row, StartRow::Session(1..))),
        Action::PreviousField => {
            step(start, Way::Back, |row| !matches!(row, StartRow::Session(1..)))
        }
        // in the topic they move the cursor
        Action::TurnBack | Action::TurnOn if start.at == StartRow::Topic => write(start, key),
        Action::TurnBack => turn(start, Way::Back),
        Action::TurnOn => turn(start, Way::On),
        Action::Back if start.first => {}
        Action::Back => start.typed.clear(),
        // the start screen binds no other actions, or the loop handles them
        _ => {}
    }
    None
}

/// Returns the key of an action, for a sentence.
fn key_label(start: &StartScreen, action: Action) -> String {
    start.keymap.reach(action, start.place()).unwrap_or_default()
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

/// Handles pasted text: it goes to the topic, or is the key that is asked for.
pub fn paste(start: &mut StartScreen, pasted: &str) {
    if let Some(keying) = &mut start.keying {
        if keying.at <= start.keyless.len() {
            keying.paste(start.keyless.len(), pasted);
        }
        return;
    }
    start.first = false;
    start.at = StartRow::Topic;
    let one_line = pasted.split_whitespace().collect::<Vec<_>>().join(" ");
    start.topic.insert_str(text::line(&one_line));
}

/// The rows of a new conversation, above the lists.
const FIELDS: [StartRow; 6] = [
    StartRow::Topic,
    StartRow::Scenario,
    StartRow::Voice,
    StartRow::Remember,
    StartRow::Cast,
    StartRow::You,
];

/// Direction of a step.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Back,
    On,
}

/// Moves to the next row that is a stop.
fn step(start: &mut StartScreen, way: Way, stop: impl Fn(&StartRow) -> bool) {
    let rows = start.rows();
    let at = rows.iter().position(|r| *r == start.at).unwrap_or(0);
    let next = match way {
        Way::On => rows.iter().skip(at + 1).find(|r| stop(r)),
        Way::Back => rows[..at].iter().rev().find(|r| stop(r)),
    };
    start.at = next.copied().unwrap_or(start.at);
    start.typed.clear();
}

/// Moves to the first or the last row below the fields.
fn end_of_list(start: &mut StartScreen, way: Way) {
    let listed = |row: &StartRow| !FIELDS.contains(row);
    let mut rows = start.rows().into_iter().filter(listed);
    let end = if way == Way::On { rows.next_back() } else { rows.next() };
    start.at = end.unwrap_or(start.at);
    start.typed.clear();
}

/// Switches to the next or previous scenario or voice.
fn turn(start: &mut StartScreen, way: Way) {
    let next = |at: usize, len: usize| match way {
        Way::On => (at + 1) % len.max(1),
        Way::Back => (at + len.max(1) - 1) % len.max(1),
    };
    start.typed.clear();
    match start.at {
        StartRow::Scenario => start.script = next(start.script, start.scripts.len()),
        StartRow::Voice => {
            let voices = start.voices();
            let now = start.voice();
            let at = voices.iter().position(|v| Some(v) == now.as_ref()).unwrap_or(0);
            start.voice = voices.into_iter().nth(next(at, start.voices().len()));
        }
        StartRow::You => start.take_part = !start.take_part,
        StartRow::Cast => start.asks_cast = !start.asks_cast,
        _ => {}
    }
}

/// Handles a key that is text: for the topic or a filter.
fn write(start: &mut StartScreen, key: &KeyEvent) {
    match (start.at, key.code) {
        (StartRow::You, KeyCode::Char(' ')) => start.take_part = !start.take_part,
        (StartRow::Cast, KeyCode::Char(' ')) => start.asks_cast = !start.asks_cast,
        (StartRow::Topic, _) => caret::input(&mut start.topic, *key),
        (StartRow::Scenario | StartRow::Voice, _) if caret::line(&mut start.typed, key) => {
            find(start);
        }
        _ => {}
    }
}

/// Chooses the first scenario or voice that matches the filter; an unlisted model is accepted by its full name.
fn find(start: &mut StartScreen) {
    let typed = start.typed.to_lowercase();
    let has = |name: &str| name.to_lowercase().contains(&typed);
    if start.at == StartRow::Scenario {
        let fits = start.scripts.iter().position(|s| has(&s.name) || has(&s.choice().title));
        start.script = fits.unwrap_or(start.script);
        return;
    }
    start.voice = matching_voice(start).or(start.voice.take());
}

/// Returns the first voice that matches the filter, or the model that it spells in full.
fn matching_voice(start: &StartScreen) -> Option<VoiceChoice> {
    let typed = start.typed.to_lowercase();
    let has = |name: &str| name.to_lowercase().contains(&typed);
    let fits = start.voices().into_iter().find(|voice| match voice {
        VoiceChoice::Model(model) => has(&model.name),
        VoiceChoice::Rehearsed => has("rehearsed"),
        VoiceChoice::Own => has("scenario"),
    });
    let named = || {
        let parts = start.typed.split_once(':').filter(|(p, m)| !p.is_empty() && !m.is_empty());
        parts.map(|_| {
            VoiceChoice::Model(OfferedModel {
                name: start.typed.clone(),
                ..OfferedModel::default()
            })
        })
    };
    fits.or_else(named)
}

/// Returns whether the row of the model has a filter that the chosen voice does not match.
fn is_unmatched(start: &StartScreen) -> bool {
    let filters = start.at == StartRow::Voice && !start.typed.is_empty();
    filters && matching_voice(start).is_none_or(|voice| start.voice() != Some(voice))
}

fn demo(start: &mut StartScreen) -> Option<Choice> {
    let scenario = start.scripts.first()?.name.clone();
    let take_part = false;
    Some(Choice::Begin {
        scenario,
        topic: None,
        voice: VoiceChoice::Rehearsed,
        take_part,
        cast: false,
    })
}

fn example(start: &StartScreen, at: usize) -> Option<Choice> {
    start.examples.get(at).map(|(name, _)| Choice::Example(name.clone()))
}

/// Asks for a missing key, or for the address of a server.
fn connect(start: &mut StartScreen) {
    start.keying = Some(Keying::default());
}

/// Takes the focused row; `begins` is true if the last key announced a scenario without a topic.
fn enter(start: &mut StartScreen, begins: bool) -> Option<Choice> {
    if std::mem::take(&mut start.offers_ways) {
        start.notice = None;
        if let CardAnswer::Choice(way) = answer(&start.typed, u64::MAX, WAYS.len()) {
            start.typed.clear();
            return match way {
                0 => {
                    connect(start);
                    None
                }
                1 => Some(Choice::Look),
                _ => demo(start),
            };
        }
    }
    match start.at {
        StartRow::Demo => return demo(start),
        StartRow::Topic if start.first && start.topic().is_none() => return demo(start),
        StartRow::Session(at) => {
            let session = start.sessions.get(at)?;
            let path = session.path.clone();
            return Some(match session.standing {
                SessionStatus::Ended { .. } => Choice::Read(path),
                SessionStatus::Live { .. } => Choice::Attach(path),
                _ => Choice::Open(path),
            });
        }
        StartRow::Voice if is_address(&start.typed) => {
            return Some(Choice::Server(address(&start.typed)));
        }
        StartRow::Voice if is_unmatched(start) => {
            start.notice = Some(format!("no model matches \"{}\"", start.typed));
        }
        StartRow::Topic | StartRow::Scenario | StartRow::Voice | StartRow::Cast | StartRow::You => {
            start.first = false;
            return begin(start, begins);
        }
        StartRow::Remember => return start.answered().map(|(_, url)| Choice::Remember(url)),
        StartRow::Write => return Some(Choice::Write(start.writing.clone())),
        StartRow::Own => (start.first, start.at) = (false, StartRow::Topic),
        StartRow::Example(at) => return example(start, at),
        StartRow::Provider => connect(start),
        StartRow::Local => match start.hosts.iter().flat_map(|h| &h.models).find(|m| m.local) {
            Some(model) => {
                start.voice = Some(VoiceChoice::Model(model.clone()));
                start.first = false;
                start.at = StartRow::Topic;
            }
            None => {
                start.notice = Some(
                    "no local server found; start Ollama, llama.cpp, LM Studio or vLLM on its default port \
                     and reopen colloquium, or type the address of a server under Connect"
                        .into(),
                );
            }
        },
    }
    None
}

/// The ways to a voice.
const WAYS: [&str; 3] =
    ["connect one", "look again for local servers", "watch the rehearsed debate on cars"];

/// Offers the ways to a voice for what was entered; the number of one, and Enter, take it.
fn offer_ways(start: &mut StartScreen) {
    start.offers_ways = true;
    start.typed.clear();
    let ways = WAYS.iter().zip(1..).map(|(way, n)| format!("{n} {way}"));
    start.notice = Some(format!("No model yet.  {}", ways.collect::<Vec<_>>().join("   ")));
}

/// Starts the conversation as entered, or reports the missing part and the alternatives. What may cost money begins only
/// with a topic in its field and the estimate on the screen; a scenario without a topic is announced first.
fn begin(start: &mut StartScreen, announced: bool) -> Option<Choice> {
    let script = start.script()?.clone();
    if let Some(fault) = script.fault {
        start.notice = Some(format!("cannot run {}: {fault}", script.name));
        return None;
    }
    let Some(voice) = start.voice() else {
        start.at = StartRow::Voice;
        offer_ways(start);
        return None;
    };
    let topic = start.other_topic();
    if let (VoiceChoice::Rehearsed, Some(_)) = (&voice, &topic) {
        start.at = StartRow::Voice;
        offer_ways(start);
        return None;
    }
    if start.may_cost(&voice) {
        let plan = start.plan()?;
        let (estimate, _) = start.estimate.clone().filter(|(_, of)| *of == plan)?;
        if start.topic().is_none() && !announced {
            let enter = key_label(start, Action::RunEntry);
            start.begins = script.topic.is_none();
            start.notice = Some(match script.topic {
                Some(own) => {
                    start.at = StartRow::Topic;
                    start.about(&own);
                    format!("the scenario's topic: {enter} begins with it")
                }
                None => format!("{enter} again: {} without a topic, {estimate}", script.name),
            });
            return None;
        }
    }
    let take_part = start.take_part;
    let cast = start.asks_cast && start.may_cast();
    Some(Choice::Begin { scenario: script.name, topic, voice, take_part, cast })
}
