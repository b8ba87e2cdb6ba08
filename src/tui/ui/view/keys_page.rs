//! The keys on one page, beside the names in the list of actions.

use crate::ui::action::Action;
use crate::ui::keymap::{Focus, KeyRow, Keymap, LISTED, ListSection, ROWS};
use crate::ui::text::wrap::{clip, width, wrap};
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::view::page::{Page, Section};
use ratatui::text::Line;
use std::iter;

/// Minimum cells at which both halves are side by side.
const BESIDE_MIN: usize = 72;
/// Cells of the keys in a row, and of the heading of a section.
const KEYS: usize = 11;
const SECTION: usize = 8;

/// A row: signs that are typed, actions with their focus, and the effect.
struct Row(&'static str, &'static [(Action, Focus)], &'static str);

const LINE: &[Row] = &[
    Row("", &[(Action::Send, Focus::Write)], "send; again: say it now"),
    Row("", &[(Action::Offer, Focus::Line)], "alone: what it offers"),
    Row("", &[(Action::TogglePause, Focus::Line)], "pause, go on"),
    Row("", &[(Action::Skip, Focus::Line)], "twice: skip the speaker"),
    Row("", &[(Action::Retry, Focus::Line)], "twice: the last again"),
    Row("", &[(Action::SelectNext, Focus::Line)], "whom; which turn"),
    Row("@bo @@bo", &[], "all hear it; only Bo"),
    Row("/", &[(Action::Help, Focus::Line)], "commands; this page"),
    Row(
        "",
        &[(Action::Earlier, Focus::Write), (Action::Later, Focus::Write)],
        "edit queued, history",
    ),
    Row("", &[(Action::DropQueued, Focus::Line)], "drop what is queued"),
    Row("", &[(Action::NewLine, Focus::Write)], "new line"),
    Row("1 2 3", &[], "and enter: answer a card"),
    Row("", &[(Action::PageUp, Focus::Write), (Action::PageDown, Focus::Write)], "scroll"),
    Row("", &[(Action::Interrupt, Focus::Write)], "clear; twice: leave"),
    Row(
        "",
        &[
            (Action::Help, Focus::Write),
            (Action::Table, Focus::Write),
            (Action::TogglePause, Focus::Write),
        ],
        "keys; table; pause",
    ),
    Row(
        "",
        &[(Action::Palette, Focus::Write), (Action::Back, Focus::Write)],
        "the list; marks a message",
    ),
    Row(
        "",
        &[(Action::MessageUp, Focus::Marked), (Action::MessageDown, Focus::Marked)],
        "another message",
    ),
    Row("", &[(Action::Menu, Focus::Marked)], "on it: its menu"),
];

/// Returns the page; its sections depend on the cells of a row.
pub fn page() -> Page {
    Page { title: "Keys".into(), fitted: Some(parts), ..Page::default() }
}

/// Returns the sections for a number of cells.
fn parts(keymap: &Keymap, glyphs: &Glyphs, place: Focus, width: usize) -> Vec<Section> {
    let own = keymap.lines().map(|(key, line)| {
        let keys = padded(glyphs.key(key), KEYS);
        format!("{keys} {line}")
    });
    let line: Vec<String> = if matches!(place, Focus::Read | Focus::Replay) {
        ROWS.iter().filter_map(|row| of_reader(row, keymap, place, glyphs)).collect()
    } else {
        LINE.iter().map(|row| describe(row, keymap, glyphs)).chain(own).collect()
    };
    let column = if width < BESIDE_MIN { width } else { (width / 2).min(44) };
    let mut list = listed(if width < BESIDE_MIN { width } else { width - column });
    let names = "The list: / or ctrl-p";
    let keys =
        if matches!(place, Focus::Read | Focus::Replay) { "Keys" } else { "Keys: letters write" };
    if width < BESIDE_MIN {
        return vec![section(keys, line), section(names, list)];
    }
    list.resize(list.len().max(line.len()), String::new());
    let line = line.into_iter().chain(iter::repeat(String::new()));
    let rows = line.zip(list).map(|(line, names)| padded(&line, column) + &names);
    vec![section(&(padded(keys, column) + names), rows.collect())]
}

/// Returns a row for an action that has a key where nothing can be written.
fn of_reader(row: &KeyRow, keymap: &Keymap, place: Focus, glyphs: &Glyphs) -> Option<String> {
    let key = keymap.key(row.action, place)?;
    Some(format!("{} {}", padded(glyphs.key(key), KEYS), row.hint))
}

/// Returns the names of the list of actions, wrapped, section by section.
fn listed(room: usize) -> Vec<String> {
    let mut rows = vec![];
    for part in ListSection::ALL {
        let names = LISTED.iter().filter(|listed| listed.section == part).map(|listed| listed.name);
        let names = names.collect::<Vec<_>>().join(" ");
        let names = wrap(&Line::from(names), room.saturating_sub(SECTION).max(1));
        let heads = iter::once(part.heading()).chain(iter::repeat(""));
        rows.extend(
            heads.zip(names).map(|(head, names)| padded(head, SECTION) + &names.to_string()),
        );
    }
    rows
}

fn section(head: &str, rows: Vec<String>) -> Section {
    Section { head: head.to_owned(), body: rows.join("\n"), ..Section::default() }
}

fn padded(text: &str, cells: usize) -> String {
    let text = clip(text, cells.saturating_sub(1), "");
    format!("{text}{}", " ".repeat(cells - width(&text)))
}

/// Returns a row with the keys of this keymap.
fn describe(Row(signs, actions, what): &Row, keymap: &Keymap, glyphs: &Glyphs) -> String {
    let key = |(action, place): &(Action, Focus)| keymap.key(*action, *place);
    let keys = actions.iter().filter_map(key).map(|key| glyphs.key(key));
    let keys: Vec<&str> = [*signs].into_iter().filter(|s| !s.is_empty()).chain(keys).collect();
    format!("{} {what}", padded(&keys.join(" "), KEYS))
}
