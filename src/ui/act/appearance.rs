//! Changing clothes while the talk goes on: themes tried on from a list, and the panels shown, hidden, or as they fit.

use crate::ui::layout::Panels;
use crate::ui::screen::Screen;
use crate::ui::view::list::{EntryAction, List, ListEntry};

/// Lists the themes; the one that is chosen in the list is current at once.
pub fn themes(screen: &mut Screen) {
    let current = screen.themes.current.clone();
    let entries = screen.themes.names().into_iter().map(|name| ListEntry {
        action: EntryAction::Theme(name.to_owned()),
        call: name.to_owned(),
        title: if name == current { "worn now".into() } else { String::new() },
    });
    let entries: Vec<ListEntry> = entries.collect();
    let at = entries.iter().position(|e| e.call == current).unwrap_or(0);
    screen.view.previous_theme = Some(screen.theme.clone());
    screen.view.list = Some(List { at, ..List::of("Themes".into(), entries) });
}

/// Wears what is chosen in the list of themes.
pub fn preview_theme(screen: &mut Screen) {
    let Some(list) = &screen.view.list else { return };
    let entries = list.entries(&screen.keymap);
    let Some(EntryAction::Theme(name)) = entries.get(list.at).map(|e| &e.action) else { return };
    if let Ok(theme) = screen.themes.theme(name) {
        screen.set_theme(theme);
    }
}

/// Wears again what was worn before a theme was tried on.
pub fn restore_theme(screen: &mut Screen) {
    if let Some(theme) = screen.view.previous_theme.take() {
        screen.set_theme(theme);
    }
}

/// Wears a theme from now on.
pub fn set_theme(screen: &mut Screen, name: &str) {
    screen.view.previous_theme = None;
    screen.view.notice = Some(match screen.themes.theme(name) {
        Ok(theme) => {
            screen.set_theme(theme);
            screen.themes.current = name.to_owned();
            format!("{name} is current; theme = \"{name}\" in the settings keeps it")
        }
        Err(why) => why,
    });
}

/// Goes on to the next way in which panels are shown.
pub fn panels(screen: &mut Screen) {
    screen.view.panels = match screen.view.panels {
        Panels::Auto => Panels::Show,
        Panels::Show => Panels::Hide,
        Panels::Hide => Panels::Auto,
    };
    screen.view.notice = Some(match screen.view.panels {
        Panels::Auto => "panels where the screen is wide enough".into(),
        Panels::Show => "panels also on a narrower screen".into(),
        Panels::Hide => "no panels".into(),
    });
}
