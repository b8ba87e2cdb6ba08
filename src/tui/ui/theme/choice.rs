//! The available themes of this terminal, and the current one.

use crate::ui::theme::colour::Depth;
use crate::ui::theme::file::{Appearance, Ground};
use crate::ui::theme::{Theme, ThemeLibrary};

/// The available themes.
#[derive(Clone, Debug, Default)]
pub struct Themes {
    /// All known themes.
    pub library: ThemeLibrary,
    /// Brightness of the terminal's background, if known.
    pub ground: Option<Ground>,
    /// Colour depth of the terminal.
    pub depth: Depth,
    /// Name of the current theme.
    pub current: String,
    /// True if an option or the settings name the theme: a choice on the screen then holds for this run only.
    pub fixed: bool,
    /// True if the theme was chosen on the screen.
    pub chosen: bool,
}

impl Themes {
    /// Returns the names of the available themes; themes with fixed colours need more than 16.
    pub fn names(&self) -> Vec<&str> {
        let any = |name: &&str| {
            self.library.meta(name).is_ok_and(|meta| meta.appearance == Appearance::Any)
        };
        let names = self.library.names().into_iter();
        names.filter(|name| self.depth != Depth::Ansi || any(name)).collect()
    }

    /// Returns a theme by its name, in the colours of this terminal.
    pub fn theme(&self, name: &str) -> Result<Theme, String> {
        self.library.theme(name, self.ground, self.depth).map_err(|e| e.to_string())
    }
}
