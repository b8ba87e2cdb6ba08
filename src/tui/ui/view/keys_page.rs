//! The keys of the input box and of READ on one page; the command list has the rest.

use crate::ui::action::Action;
use crate::ui::keymap::{Focus, Keymap};
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::view::page::{Page, Section};

/// Minimum cells at which both halves are side by side.
const BESIDE_MIN: usize = 72;
/// Cells of the keys in a row.
const KEYS: usize = 11;

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
    Row("", &[(Action::Interrupt, Focus::Write)], "clear; stop; quit"),
    Row("", &[(Action::Prefix, Focus::Write)], "then any key of READ"),
    Row(
        "",
        &[(Action::Palette, Focus::Write), (Action::Back, Focus::Write)],
        "every command; READ",
    ),
];

const READ: &[Row] = &[
    Row("", &[(Action::TogglePause, Focus::Read), (Action::Step, Focus::Read)], "pause; one turn"),
    Row("", &[(Action::Skip, Focus::Read), (Action::PauseNow, Focus::Read)], "skip; stop now"),
    Row("", &[(Action::Retry, Focus::Read), (Action::Undo, Focus::Read)], "again; undo"),
    Row(
        "",
        &[(Action::SelectNext, Focus::Read), (Action::Address, Focus::Read)],
        "choose; address",
    ),
    Row(
        "",
        &[(Action::GiveFloor, Focus::Read), (Action::Mute, Focus::Read)],
        "floor; mute (the chosen)",
    ),
    Row("", &[(Action::Write, Focus::Read), (Action::Interject, Focus::Read)], "write; cut in"),
    Row("j k", &[], "line down, up"),
    Row(
        "",
        &[(Action::MessageDown, Focus::Read), (Action::MessageUp, Focus::Read)],
        "message down, up",
    ),
    Row("", &[(Action::Top, Focus::Read), (Action::Follow, Focus::Read)], "start; end and follow"),
    Row(
        "",
        &[(Action::Search, Focus::Read), (Action::NextFound, Focus::Found)],
        "search; next match",
    ),
    Row(
        "",
        &[
            (Action::Mark, Focus::Read),
            (Action::MarkUp, Focus::Read),
            (Action::MarkDown, Focus::Read),
        ],
        "bookmark; moments",
    ),
    Row("", &[(Action::Copy, Focus::Read), (Action::Prompt, Focus::Read)], "copy; its prompt"),
    Row(
        "",
        &[(Action::Reasoning, Focus::Read), (Action::Fork, Focus::Read)],
        "reasoning; branch after it",
    ),
    Row("", &[(Action::Analysis, Focus::Read)], "analysis"),
    Row("", &[(Action::Palette, Focus::Read), (Action::Quit, Focus::Read)], "every command; leave"),
    Row("", &[(Action::Back, Focus::Read)], "the box"),
];

/// Returns the page for a screen of a width.
pub fn page(keymap: &Keymap, glyphs: &Glyphs, width: usize) -> Page {
    let half = |rows: &[Row]| -> Vec<String> {
        rows.iter().map(|row| describe(row, keymap, glyphs)).collect()
    };
    let (line, read) = (half(LINE), half(READ));
    let parts = if width < BESIDE_MIN {
        vec![section("The input box: letters write", line), section("READ", read)]
    } else {
        let column = (width / 2).min(44);
        let head = padded("The input box: letters write", column) + "READ";
        let rows = line.iter().zip(&read).map(|(line, read)| padded(line, column) + read);
        vec![section(&head, rows.collect())]
    };
    Page { title: "Keys".into(), parts, ..Page::default() }
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
