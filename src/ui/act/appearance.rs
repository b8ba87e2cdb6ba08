//! Changing clothes while the talk goes on: themes tried on from a list, and the panels shown, hidden, or as they fit.

use crate::ui::Screen;
use crate::ui::layout::Panels;
use crate::ui::theme::{Appearance, Depth, Ground, Shelf, Theme};
use crate::ui::view::analysis::Study;
use crate::ui::view::list::{Does, Entry, List};

/// The themes that can be worn here.
#[derive(Clone, Debug, Default)]
pub struct Wardrobe {
    /// All themes.
    pub shelf: Shelf,
    /// The terminal's ground, where it is known.
    pub ground: Option<Ground>,
    /// How many colours it shows.
    pub depth: Depth,
    /// What is worn before anybody tries on another.
    pub worn: String,
}

impl Wardrobe {
    /// Returns the names of the themes that can be shown here: fixed colours cannot in sixteen.
    pub fn names(&self) -> Vec<&str> {
        let any = |name: &&str| {
            self.shelf.meta(name).is_ok_and(|meta| meta.appearance == Appearance::Any)
        };
        let names = self.shelf.names().into_iter();
        names.filter(|name| self.depth != Depth::Ansi || any(name)).collect()
    }

    fn theme(&self, name: &str) -> Result<Theme, String> {
        self.shelf.theme(name, self.ground, self.depth).map_err(|e| e.to_string())
    }
}

/// Lists the themes; the one that is chosen in the list is worn at once.
pub fn themes(screen: &mut Screen) {
    let worn = screen.wardrobe.worn.clone();
    let entries = screen.wardrobe.names().into_iter().map(|name| Entry {
        does: Does::Wear(name.to_owned()),
        call: name.to_owned(),
        title: if name == worn { "worn now".into() } else { String::new() },
    });
    let entries: Vec<Entry> = entries.collect();
    let at = entries.iter().position(|e| e.call == worn).unwrap_or(0);
    screen.view.worn_before = Some(screen.theme.clone());
    screen.view.list = Some(List { at, ..List::of("Themes".into(), entries) });
}

/// Wears what is chosen in the list of themes.
pub fn try_on(screen: &mut Screen) {
    let Some(list) = &screen.view.list else { return };
    let entries = list.entries(&screen.keymap);
    let Some(Does::Wear(name)) = entries.get(list.at).map(|e| &e.does) else { return };
    if let Ok(theme) = screen.wardrobe.theme(name) {
        screen.wears(theme);
    }
}

/// Wears again what was worn before a theme was tried on.
pub fn take_off(screen: &mut Screen) {
    if let Some(theme) = screen.view.worn_before.take() {
        screen.wears(theme);
    }
}

/// Wears a theme from now on.
pub fn wear(screen: &mut Screen, name: &str) {
    screen.view.worn_before = None;
    screen.view.notice = Some(match screen.wardrobe.theme(name) {
        Ok(theme) => {
            screen.wears(theme);
            screen.wardrobe.worn = name.to_owned();
            format!("{name} is worn; theme = \"{name}\" in the settings keeps it")
        }
        Err(why) => why,
    });
}

impl Screen {
    /// Changes the colours; what was laid out in others is laid out anew.
    pub fn wears(&mut self, theme: Theme) {
        self.theme = theme;
        self.view.transcript.forget();
        self.view.study.iter_mut().for_each(Study::forget);
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
