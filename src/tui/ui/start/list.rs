//! The two lists of the start screen: models with ticks, and kinds of talk with their settings.

use crate::ui::action::Action;
use crate::ui::start::keying::{Keying, is_address};
use crate::ui::start::state::{Choice, StartList, StartRow, StartScreen, TalkSetting};
use crate::ui::start::table::{ModelPlace, OfferedModel};
use crate::ui::text::caret;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Maximum characters of a typed number.
const DIGITS: usize = 9;
/// Text of the group of this computer while no server answers.
const NO_SERVER: &str = "no server answers (Ollama, llama.cpp, LM Studio, vLLM)";

#[derive(Clone, Debug, PartialEq)]
pub enum ListRow {
    /// Heading.
    Group(&'static str),
    /// Text that cannot have the focus.
    Said(String),
    Model(OfferedModel),
    /// Saves the table as the usual one.
    Usual,
    /// Adds the server at this address to the settings.
    Remember(String),
    /// Connects a server or a provider; with its address if it was typed as the filter.
    Connect(String),
    /// Scenario, by its index.
    Scenario(usize),
    Setting(TalkSetting),
    /// Writes a scenario.
    Write,
}

impl ListRow {
    /// Returns whether the row can have the focus.
    pub fn has_focus(&self) -> bool {
        !matches!(self, ListRow::Group(_) | ListRow::Said(_))
    }
}

/// Returns the rows of the open list.
pub fn rows(start: &StartScreen) -> Vec<ListRow> {
    let Some(list) = &start.list else { return vec![] };
    if start.veiled(&list.filter).is_some() {
        return vec![ListRow::Said(
            "this looks like a key or a password; it is not used here".into(),
        )];
    }
    if list.of == StartRow::Kind { kinds(start, list) } else { models(start, list) }
}

pub fn focused(start: &StartScreen) -> Option<ListRow> {
    let at = start.list.as_ref()?.at;
    rows(start).into_iter().filter(ListRow::has_focus).nth(at)
}

fn models(start: &StartScreen, list: &StartList) -> Vec<ListRow> {
    let filter = list.filter.to_lowercase();
    let offers = start.offers();
    let has = |model: &&OfferedModel| {
        let texts = [&model.name, &model.word, &model.family];
        texts.iter().any(|text| text.to_lowercase().contains(&filter))
    };
    let mut rows = vec![];
    for (place, title) in ModelPlace::GROUPS {
        let of_place = offers.iter().filter(|model| model.place == place).filter(has);
        let found: Vec<ListRow> = of_place.cloned().map(ListRow::Model).collect();
        if !found.is_empty() {
            rows.push(ListRow::Group(title));
            rows.extend(found);
        } else if place == ModelPlace::Here && filter.is_empty() {
            rows.extend([ListRow::Group(title), ListRow::Said(NO_SERVER.into())]);
        }
    }
    if filter.is_empty() {
        rows.push(ListRow::Usual);
        rows.extend(start.answered().map(|(_, url)| ListRow::Remember(url)));
        rows.push(ListRow::Connect(String::new()));
    } else if is_address(&list.filter) {
        return vec![ListRow::Connect(list.filter.clone())];
    } else if rows.is_empty() {
        let is_full =
            list.filter.split_once(':').is_some_and(|(p, m)| !p.is_empty() && !m.is_empty());
        rows.push(if is_full {
            ListRow::Model(OfferedModel::from_name(&list.filter).beside(&offers))
        } else {
            ListRow::Said(format!("no model matches \"{}\"", list.filter))
        });
    }
    rows
}

fn kinds(start: &StartScreen, list: &StartList) -> Vec<ListRow> {
    let filter = list.filter.to_lowercase();
    let has = |text: &str| text.to_lowercase().contains(&filter);
    let named = (0..).zip(&start.scripts).filter(|(_, script)| {
        filter.is_empty() || has(&script.name) || has(&script.choice().title)
    });
    let mut rows: Vec<ListRow> = named.map(|(at, _)| ListRow::Scenario(at)).collect();
    if rows.is_empty() {
        rows.push(ListRow::Said(format!("no kind of talk matches \"{}\"", list.filter)));
    }
    if filter.is_empty() {
        rows.push(ListRow::Write);
        rows.push(ListRow::Group("SETTINGS"));
        rows.extend(
            [TalkSetting::Length, TalkSetting::Seed, TalkSetting::Budget].map(ListRow::Setting),
        );
        let you = start.script().is_some_and(|script| !script.takes_part.is_empty());
        rows.extend(you.then_some(ListRow::Setting(TalkSetting::You)));
        rows.extend(start.may_cast().then_some(ListRow::Setting(TalkSetting::People)));
    }
    rows
}

/// Handles a key press, and the action bound to it, while a list is open.
pub fn key(start: &mut StartScreen, key: &KeyEvent, action: Option<Action>) -> Option<Choice> {
    let here = focused(start);
    let count = rows(start).iter().filter(|row| row.has_focus()).count().max(1);
    let page = start.page.max(1);
    let list = start.list.as_mut()?;
    let setting = match here {
        Some(ListRow::Setting(setting)) => Some(setting),
        _ => None,
    };
    match (action, key.code) {
        (Some(Action::Back | Action::Interrupt), _) if !list.filter.is_empty() => {
            (list.filter, list.at) = (String::new(), 0);
        }
        (Some(Action::Back | Action::Interrupt), _) => return close(start),
        (Some(Action::EntryUp), _) => list.at = (list.at + count - 1) % count,
        (Some(Action::EntryDown), _) => list.at = (list.at + 1) % count,
        (Some(Action::PageUp), _) => list.at = list.at.saturating_sub(page),
        (Some(Action::PageDown), _) => list.at = (list.at + page).min(count - 1),
        (Some(Action::NextField | Action::PreviousField), _) => {
            let other = if list.of == StartRow::Who { StartRow::Kind } else { StartRow::Who };
            let choice = close(start);
            open(start, other);
            return choice;
        }
        (Some(Action::RunEntry), _) => return enter(start, here),
        (Some(Action::TurnBack | Action::TurnOn), _) => {
            let is_back = action == Some(Action::TurnBack);
            match here {
                Some(ListRow::Model(model)) => move_seat(start, &model, is_back),
                _ => toggle(start, setting),
            }
        }
        (None, KeyCode::Char(' ')) => match here {
            Some(ListRow::Model(model)) => tick(start, &model),
            Some(ListRow::Usual) => list.keeps = !list.keeps,
            _ => toggle(start, setting),
        },
        (None, _) => match setting.filter(|setting| (*setting as usize) < start.numbers.len()) {
            Some(setting) => type_number(start, setting, key),
            None if caret::line(&mut list.filter, key) => {
                list.at = 0;
                let filter = list.filter.clone();
                start.divert(&filter);
            }
            None => {}
        },
        (Some(_), _) => {}
    }
    None
}

/// Opens a list, with the focus on the present choice.
pub(super) fn open(start: &mut StartScreen, of: StartRow) {
    let at = if of == StartRow::Kind { start.script } else { 0 };
    start.at = of;
    start.list = Some(StartList { at, ..StartList::new(of) });
}

/// Closes the list; a table to keep is saved.
fn close(start: &mut StartScreen) -> Option<Choice> {
    let keeps = start.list.take().is_some_and(|list| list.keeps);
    start.at = StartRow::Topic;
    let table = start.table();
    let words = table.iter().map(OfferedModel::setting);
    (keeps && !table.is_empty()).then(|| Choice::Usual(words.collect()))
}

/// Takes the focused row.
fn enter(start: &mut StartScreen, here: Option<ListRow>) -> Option<Choice> {
    let is_filtered = start.list.as_ref().is_some_and(|list| !list.filter.is_empty());
    match here {
        Some(ListRow::Connect(typed)) if typed.is_empty() => {
            start.list = None;
            start.keying = Some(Keying::default());
        }
        Some(ListRow::Connect(typed)) => return Some(Choice::Server(typed)),
        Some(ListRow::Remember(url)) => return Some(Choice::Remember(url)),
        Some(ListRow::Write) => return Some(Choice::Write(start.writing.clone())),
        Some(ListRow::Scenario(at)) => {
            let own = start.script().map(|script| script.own_topic().clone());
            start.script = at;
            // the topic of a scenario goes with it
            if start.topic().is_none_or(|topic| Some(&topic) == own.as_ref())
                && let Some(own) = start.script().map(|script| script.own_topic().clone())
            {
                start.about(&own);
            }
            return close(start);
        }
        Some(ListRow::Model(model)) if is_filtered => {
            if !start.table().iter().any(|other| other.is(&model)) {
                tick(start, &model);
            }
            if let Some(list) = &mut start.list {
                *list = StartList { keeps: list.keeps, ..StartList::new(list.of) };
            }
        }
        None => {}
        Some(_) => return close(start),
    }
    None
}

/// Seats a model, or takes all its seats away.
fn tick(start: &mut StartScreen, model: &OfferedModel) {
    let mut table = start.table();
    let seated = table.len();
    table.retain(|other| !other.is(model));
    if table.len() == seated {
        if !model.fits(&table) {
            start.notice = Some(
                "models of two typed servers cannot sit at one table: remember one in the settings"
                    .into(),
            );
            return;
        }
        table.push(model.clone());
    }
    start.ticked = Some(table);
}

/// Moves a model to the seat before or after its own.
fn move_seat(start: &mut StartScreen, model: &OfferedModel, is_back: bool) {
    let mut table = start.table();
    let Some(at) = table.iter().position(|other| other.is(model)) else { return };
    let to = if is_back { at + table.len() - 1 } else { at + 1 } % table.len();
    table.swap(at, to);
    start.ticked = Some(table);
}

fn toggle(start: &mut StartScreen, setting: Option<TalkSetting>) {
    match setting {
        Some(TalkSetting::You) => start.take_part = !start.take_part,
        Some(TalkSetting::People) => start.asks_cast = !start.asks_cast,
        Some(TalkSetting::Length | TalkSetting::Seed | TalkSetting::Budget) | None => {}
    }
}

/// Handles a key for a number; a budget may have a decimal point.
fn type_number(start: &mut StartScreen, setting: TalkSetting, key: &KeyEvent) {
    let Some(typed) = start.numbers.get_mut(setting as usize) else { return };
    match key.code {
        KeyCode::Char('u') if key.modifiers.contains(KeyModifiers::CONTROL) => typed.clear(),
        KeyCode::Backspace => _ = typed.pop(),
        KeyCode::Char(c) if typed.len() < DIGITS => {
            let point = c == '.' && setting == TalkSetting::Budget && !typed.contains('.');
            let first_zero = c == '0' && typed.is_empty() && setting == TalkSetting::Length;
            if point || (c.is_ascii_digit() && !first_zero) {
                typed.push(c);
            }
        }
        _ => {}
    }
}
