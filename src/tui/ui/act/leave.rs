//! Leaving: closing overlays, leaving the line, leaving the screen.
//!
//! Nothing is lost: a cleared draft can be restored, and leaving does not change the session.

use crate::state::State;
use crate::text;
use crate::ui::act::intents;
use crate::ui::action::Action;
use crate::ui::keymap::Focus;
use crate::ui::request::Request;
use crate::ui::screen::{Screen, ViewState};
use crate::ui::view::floor::Status;

/// Closes the highest overlay; returns whether one was open.
fn close_top(screen: &mut Screen) -> bool {
    let ViewState { over, vim, writing, .. } = &mut screen.view;
    match over.focus(*writing) {
        Some(Focus::Pick) => _ = screen.close_list(),
        Some(Focus::Search) => {
            let query = over.search.take().unwrap_or_default().query;
            vim.iter_mut().for_each(|vim| vim.sought.clone_from(&query));
        }
        Some(Focus::Page) => over.page = None,
        Some(_) => over.analysis = None,
        None => return false,
    }
    true
}

/// Goes back one step: closes an overlay or a completion, leaves the line with its draft, clears the selection.
pub(in crate::ui) fn back(screen: &mut Screen) -> Option<Request> {
    if close_top(screen) {
        return None;
    }
    let view = &mut screen.view;
    if view.writing && view.completion.take().is_some() {
        // the sign only opened the list
        if view.composer.text() == "/" {
            view.composer.clear();
        }
        return None;
    }
    // a chosen participant on the line is dropped first
    if view.place() == Focus::Line && view.selected.take().is_some() {
        return None;
    }
    if view.writing
        && let Some(message) = view.withdrawn.take()
    {
        view.composer.clear();
        return Some(Request::Send(message.command()));
    }
    if std::mem::take(&mut view.writing) {
        return None;
    }
    if view.selected.take().is_some() {
        return None;
    }
    if view.reading.raw {
        return raw(screen);
    }
    screen.open_line();
    None
}

/// Takes the focus from the composer when a page or the analysis opens, and gives it back when the last one closes.
pub(in crate::ui) fn pass_focus(screen: &mut Screen, covered: bool) {
    let view = &mut screen.view;
    match (covered, view.over.has_view()) {
        (false, true) => view.over.returns |= std::mem::take(&mut view.writing),
        (true, false) => view.writing |= std::mem::take(&mut view.over.returns),
        _ => {}
    }
}

/// Handles Ctrl-C: closes a list or a search, or clears a draft; without these, leaves the screen. It stops no speaker.
pub(in crate::ui) fn interrupt(screen: &mut Screen) -> Option<Request> {
    if matches!(screen.view.place(), Focus::Pick | Focus::Search) && close_top(screen) {
        return None;
    }
    if screen.view.writing && !screen.view.composer.is_empty() {
        screen.view.composer.clear();
        screen.view.withdrawn = None;
        let key = screen.keymap.way(Action::RestoreDraft, Focus::Write);
        return intents::notice(screen, format!("draft cleared: {key} restores it"));
    }
    leave(screen, Action::Interrupt)
}

/// Leaves, at once if nothing is running.
pub(in crate::ui) fn quit(screen: &mut Screen, by: Action, how: Request) -> Option<Request> {
    if screen.view.is_recording() || screen.view.is_away() {
        return Some(how);
    }
    // a line that names it was typed on purpose
    let has_key = screen.keymap.key(by, screen.view.steering()).is_some();
    match Status::from_state(screen.transcript.state()) {
        Status::Running | Status::Stepping | Status::Pausing if has_key => leave(screen, by),
        _ => Some(how),
    }
}

/// Leaves while the conversation goes on in the background, or says why it cannot.
pub(in crate::ui) fn detach(screen: &mut Screen) -> Option<Request> {
    let fault = if screen.view.is_away() {
        return Some(Request::Leave);
    } else if screen.view.is_read_only() || screen.view.is_recording() {
        Some("this screen does not run it".to_owned())
    } else {
        detach_fault(screen.transcript.state(), screen.view.stays.as_deref())
    };
    match fault {
        None => Some(Request::Detach),
        Some(fault) => intents::notice(screen, format!("cannot detach: {fault}")),
    }
}

/// Returns the reason why a conversation cannot go on in the background; `stays` is the reason why nobody could attach.
pub(in crate::ui) fn detach_fault(state: &State, stays: Option<&str>) -> Option<String> {
    if state.ended.is_some() {
        return Some("the conversation has ended".to_owned());
    }
    match state.seats.iter().find(|seat| seat.spec.voice.is_operators() && !seat.gone) {
        Some(person) => Some(format!("{} speaks at this screen", text::label(&person.spec.name))),
        None => stays.map(str::to_owned),
    }
}

/// Toggles the raw view, which shows messages unformatted from the first column and leaves the mouse to the terminal.
pub(in crate::ui) fn raw(screen: &mut Screen) -> Option<Request> {
    let raw = !screen.view.reading.raw;
    screen.view.reading.raw = raw;
    screen.view.viewport.forget();
    let key = screen.keymap.way(Action::Raw, screen.view.steering());
    screen.view.notice = Some(if raw {
        format!("raw view: select with the mouse, {key} to leave")
    } else {
        "formatted view".into()
    });
    Some(Request::Mouse(screen.modes.mouse && !raw))
}

/// Leaves on the second press in a row.
fn leave(screen: &mut Screen, by: Action) -> Option<Request> {
    let key = screen.keymap.way(by, screen.view.steering());
    let saved = match (screen.view.unsaved, screen.view.is_away()) {
        (_, true) => "they go on".to_owned(),
        (true, false) => "not saved".to_owned(),
        (false, false) => format!("saved at #{}", screen.transcript.state().numbers),
    };
    let told = if by == Action::Interrupt {
        let speaker = if screen.view.steers() { screen.transcript.speaker() } else { None };
        let skip = screen.keymap.key(Action::Skip, Focus::Line).map(|key| screen.glyphs.key(key));
        // the notice stays when the next one begins to speak
        let skip = speaker.and(skip);
        let skips = skip.map(|key| format!(" {} {key} {key} skips the speaker", screen.glyphs.dot));
        format!("again: leave, {saved}{}", skips.unwrap_or_default())
    } else {
        let what = if by == Action::Home { "for the start screen" } else { "to quit" };
        format!("press {key} again {what} ({saved})")
    };
    intents::ask_again(screen, by, told)
}
