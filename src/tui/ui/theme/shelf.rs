//! The theme library: bundled themes, and the user's own.

use crate::model::near::nearest;
use crate::ui::theme::file::{File, Ground, Meta, ThemeLayer, ThemeSource, fault, styles};
use crate::ui::theme::{Depth, Theme, ThemeError};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// Bundled themes: name and file.
const BUNDLED: &[(&str, &str)] = &[
    ("terminal", include_str!("../../themes/terminal.toml")),
    ("colloquium-dark", include_str!("../../themes/colloquium-dark.toml")),
    ("colloquium-light", include_str!("../../themes/colloquium-light.toml")),
    ("high-contrast-dark", include_str!("../../themes/high-contrast-dark.toml")),
    ("high-contrast-light", include_str!("../../themes/high-contrast-light.toml")),
    ("mono", include_str!("../../themes/mono.toml")),
    ("catppuccin-mocha", include_str!("../../themes/catppuccin-mocha.toml")),
    ("catppuccin-latte", include_str!("../../themes/catppuccin-latte.toml")),
    ("gruvbox-dark", include_str!("../../themes/gruvbox-dark.toml")),
    ("gruvbox-light", include_str!("../../themes/gruvbox-light.toml")),
    ("solarized-dark", include_str!("../../themes/solarized-dark.toml")),
    ("solarized-light", include_str!("../../themes/solarized-light.toml")),
    ("nord", include_str!("../../themes/nord.toml")),
    ("tokyo-night", include_str!("../../themes/tokyo-night.toml")),
];
/// Parsed bundled files, each parsed once.
static READ: [OnceLock<Arc<File>>; BUNDLED.len()] = [const { OnceLock::new() }; BUNDLED.len()];
/// Maximum length of a chain of inherited themes.
const INHERITED_MAX: usize = 8;

/// The bundled themes and the user's own.
#[derive(Clone, Debug, Default)]
pub struct ThemeLibrary {
    own: Vec<ThemeSource>,
}

impl ThemeLibrary {
    /// Returns all themes: the user's own first, then the bundled ones.
    pub fn with(own: Vec<ThemeSource>) -> ThemeLibrary {
        ThemeLibrary { own }
    }

    /// Returns the names of all themes, the bundled ones first; a user's theme replaces a bundled one with the same
    /// name.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = BUNDLED.iter().map(|(name, _)| *name).collect();
        names.extend(
            self.own
                .iter()
                .map(|s| &*s.name)
                .filter(|n| !BUNDLED.iter().any(|(name, _)| name == n)),
        );
        names
    }

    /// Returns whether a theme is the user's own.
    pub fn is_own(&self, name: &str) -> bool {
        self.own.iter().any(|s| s.name == name)
    }

    /// Returns the metadata of a theme.
    pub fn meta(&self, name: &str) -> Result<Meta, ThemeError> {
        Ok(self.read(name)?.1.meta.clone())
    }

    /// Returns a theme in the colours of a terminal.
    pub fn theme(
        &self,
        name: &str,
        ground: Option<Ground>,
        depth: Depth,
    ) -> Result<Theme, ThemeError> {
        let mut layers = self.layers(name)?;
        layers.reverse();
        Ok(Theme { styles: styles(&layers, ground, depth)? })
    }

    /// Returns a theme's file and those it inherits, the requested one first.
    fn layers(&self, name: &str) -> Result<Vec<ThemeLayer>, ThemeError> {
        let mut layers = vec![self.read(name)?];
        while let Some((source, file)) = layers.last()
            && let Some(from) = &file.meta.inherits
        {
            let wrong = |why: String| fault(source, from.span().start, why);
            if layers.len() == INHERITED_MAX {
                return Err(wrong(format!(
                    "a theme can inherit through at most {INHERITED_MAX} others"
                )));
            }
            self.source(from.get_ref()).map_err(|e| wrong(e.to_string()))?;
            let next = self.read(from.get_ref())?;
            layers.push(next);
        }
        Ok(layers)
    }

    /// Returns a theme's source and parsed file.
    fn read(&self, name: &str) -> Result<ThemeLayer, ThemeError> {
        let source = self.source(name)?;
        let bundled = BUNDLED.iter().position(|(n, _)| *n == name && !self.is_own(name));
        let kept = bundled.and_then(|at| READ.get(at));
        let file = match kept.and_then(OnceLock::get) {
            Some(file) => file.clone(),
            None => Arc::new(File::read(&source)?),
        };
        // another thread may have stored the same result
        kept.into_iter().for_each(|kept| _ = kept.set(file.clone()));
        Ok((source, file))
    }

    fn source(&self, name: &str) -> Result<ThemeSource, ThemeError> {
        let own = self.own.iter().find(|s| s.name == name).cloned();
        let bundled = || {
            let (name, text) = BUNDLED.iter().find(|(n, _)| *n == name)?;
            let path = format!("themes/{name}.toml");
            Some(ThemeSource { name: (*name).into(), path, text: Cow::Borrowed(*text) })
        };
        own.or_else(bundled).ok_or_else(|| {
            let names = self.names();
            let nearest = nearest(name, names.iter().copied()).map(str::to_owned);
            ThemeError::Unknown { name: name.to_owned(), nearest }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundled_theme_is_read_once_and_gives_way_to_one_of_the_users_own() {
        let file = |library: &ThemeLibrary| library.read("nord").unwrap().1;
        let read = file(&ThemeLibrary::default());
        assert!(Arc::ptr_eq(&read, &file(&ThemeLibrary::default())));
        let text = "[meta]\nname = \"mine\"\nappearance = \"dark\"".into();
        let own = ThemeSource { name: "nord".into(), path: "nord.toml".into(), text };
        assert_eq!(file(&ThemeLibrary::with(vec![own])).meta.name, "mine");
    }
}
