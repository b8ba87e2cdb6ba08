//! Changing clothes while the talk goes on: themes tried on from a list, and the panels shown, hidden, or as they fit.

use crate::ui::Screen;
use crate::ui::layout::Panels;
use crate::ui::theme::{Appearance, Depth, Ground, Theme, ThemeLibrary};
use crate::ui::view::analysis::Analysis;
use crate::ui::view::list::{EntryAction, List, ListEntry};

/// The themes that can be worn here.
#[derive(Clone, Debug, Default)]
pub struct ThemeChoice {
    /// All themes.
    pub library: ThemeLibrary,
    /// The terminal's ground, where it is known.
    pub ground: Option<Ground>,
    /// How many colours it shows.
    pub depth: Depth,
    /// What is worn before anybody tries on another.
    pub current: String,
}

impl ThemeChoice {
    /// Returns the names of the themes that can be shown here: fixed colours cannot in sixteen.
    pub fn names(&self) -> Vec<&str> {
        let any = |name: &&str| {
            self.library.meta(name).is_ok_and(|meta| meta.appearance == Appearance::Any)
        };
        let names = self.library.names().into_iter();
        names.filter(|name| self.depth != Depth::Ansi || any(name)).collect()
    }

    fn theme(&self, name: &str) -> Result<Theme, String> {
        self.library.theme(name, self.ground, self.depth).map_err(|e| e.to_string())
    }
}

/// Lists the themes; the one that is chosen in the list is worn at once.
pub fn themes(screen: &mut Screen) {
    let current = screen.themes.current.clone();
    let entries = screen.themes.names().into_iter().map(|name| ListEntry {
        action: EntryAction::Theme(name.to_owned()),
        call: name.to_owned(),
        title: if name == worn { "worn now".into() } else { String::new() },
    });
    let entries: Vec<ListEntry> = entries.collect();
    let at = entries.iter().position(|e| e.call == worn).unwrap_or(0);
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
            format!("{name} is worn; theme = \"{name}\" in the settings keeps it")
        }
        Err(why) => why,
    });
}

impl Screen {
    /// Changes the colours; what was laid out in others is laid out anew.
    pub fn set_theme(&mut self, theme: Theme) {
        self.theme = theme;
        self.view.viewport.forget();
        self.view.analysis.iter_mut().for_each(Analysis::forget);
    }
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
