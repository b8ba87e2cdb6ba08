//! Changes of the appearance: themes, previewed from a list.

use crate::ui::action::Action;
use crate::ui::screen::Screen;
use crate::ui::view::list::{EntryAction, List, ListEntry};
use crate::ui::view::undo::ChangedSetting;

/// Lists the themes; the selected one is previewed.
pub fn themes(screen: &mut Screen) {
    let current = screen.themes.current.clone();
    let entries = screen.themes.names().into_iter().map(|name| ListEntry {
        action: EntryAction::Theme(name.to_owned()),
        call: name.to_owned(),
        title: if name == current { "current".into() } else { String::new() },
    });
    let entries: Vec<ListEntry> = entries.collect();
    let at = entries.iter().position(|e| e.call == current).unwrap_or(0);
    let theme = Some(screen.theme.clone());
    let list = List { at, theme, ..List::with_entries("Themes".into(), entries) };
    screen.open_list(Some(list));
}

/// Previews the theme that is selected in the list.
pub fn preview_theme(screen: &mut Screen) {
    let Some(list) = &screen.view.over.list else { return };
    let entries = list.entries();
    let Some(EntryAction::Theme(name)) = entries.get(list.at).map(|e| &e.action) else { return };
    if let Ok(theme) = screen.themes.theme(name) {
        screen.set_theme(theme);
    }
}

/// Changes the theme.
pub fn set_theme(screen: &mut Screen, name: &str) {
    let key = screen.keymap.way(Action::Undo, screen.view.steering());
    screen.view.notice = Some(match screen.themes.theme(name) {
        Ok(theme) => {
            screen.view.undo = None;
            screen.view.changed = Some(ChangedSetting {
                name: screen.themes.current.clone(),
                theme: Box::new(screen.theme.clone()),
                chosen: screen.themes.chosen,
            });
            screen.set_theme(theme);
            screen.themes.current = name.to_owned();
            screen.themes.chosen = true;
            if screen.themes.fixed {
                format!("theme: {name}, for this run; the settings or --theme name another")
            } else {
                format!("theme: {name}, kept for the next time ({key}: undo)")
            }
        }
        Err(why) => why,
    });
}

/// Restores a setting that the last key changed.
pub fn take_back(screen: &mut Screen, before: ChangedSetting) {
    let ChangedSetting { name, theme, chosen } = before;
    screen.set_theme(*theme);
    screen.themes.chosen = chosen;
    screen.view.notice = Some(format!("theme: {name}, as before"));
    screen.themes.current = name;
}
