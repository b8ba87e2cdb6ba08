//! The themes that can be shown on this terminal, and the one that is.

use crate::ui::theme::colour::Depth;
use crate::ui::theme::file::{Appearance, Ground};
use crate::ui::theme::{Theme, ThemeLibrary};

/// The themes that can be shown here.
#[derive(Clone, Debug, Default)]
pub struct Themes {
    /// The themes to choose from.
    pub library: ThemeLibrary,
    /// The terminal's ground, where it is known.
    pub ground: Option<Ground>,
    /// How many colours it shows.
    pub depth: Depth,
    /// The name of the current theme.
    pub current: String,
    /// Whether an option or the settings name the theme: then the one that is chosen holds for this run alone.
    pub fixed: bool,
    /// Whether it was chosen on the screen.
    pub chosen: bool,
}

impl Themes {
    /// Returns the names of the themes that can be shown here: fixed colours cannot in sixteen.
    pub fn names(&self) -> Vec<&str> {
        let any = |name: &&str| {
            self.library.meta(name).is_ok_and(|meta| meta.appearance == Appearance::Any)
        };
        let names = self.library.names().into_iter();
        names.filter(|name| self.depth != Depth::Ansi || any(name)).collect()
    }

    /// Returns a theme by its name, in the colours of this terminal.
    ///
    /// # Errors
    /// Why it cannot be shown.
    pub fn theme(&self, name: &str) -> Result<Theme, String> {
        self.library.theme(name, self.ground, self.depth).map_err(|e| e.to_string())
    }
}
