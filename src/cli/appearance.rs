//! Appearance of the screen: theme, colours, symbols and keys. Options override environment variables, which override
//! the settings.
//!
//! More than 16 colours are used only if the terminal is known to support them. Without a chosen theme, the terminal
//! keeps its own background and text colour. Errors in a theme or in key bindings are reported before the screen
//! starts.

use crate::cli::args::Colour;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::memory::private_file;
use crate::settings::{
    ColourDepth, Environment, Habits, Motion, Mouse, Notify, Settings, Signs, StartFocus,
    ThemeChoice,
};
use crate::ui::keymap::Keymap;
use crate::ui::terminal::{TerminalModes, TerminalReport};
use crate::ui::theme::glyphs::{self, Glyphs};
use crate::ui::theme::{
    Appearance, Depth, Ground, Theme, ThemeError, ThemeLibrary, ThemeSource, Themes,
};
use crate::ui::view::absence::PATIENCE_MS;
use crate::untrusted;
use std::path::{MAIN_SEPARATOR, Path};
use std::{fs, io};

/// File extension of themes.
const ENDING: &str = ".toml";
/// The largest theme file that is read, in bytes.
const THEME_MAX_BYTES: usize = 64 << 10;
/// The theme that is right on every ground, and the one without colours.
const USUAL: &str = "terminal";
const COLOURLESS: &str = "mono";
/// Values of `TERM` for terminals without a mouse that answer no queries.
const MUTE: [&str; 2] = ["linux", "dumb"];
/// Substrings of `TERM` for terminals with 24-bit colour that may not set `COLORTERM`.
const ALL_COLOURS: [&str; 5] = ["kitty", "alacritty", "ghostty", "wezterm", "-direct"];
/// Values of `TERM_PROGRAM` for terminals with 24-bit colour.
const PROGRAMS: [&str; 5] = ["iTerm.app", "WezTerm", "ghostty", "vscode", "Hyper"];

/// Choices for the screen that do not depend on the terminal.
#[derive(Clone, Copy)]
pub struct ScreenHabits {
    /// Style of the key bindings.
    pub keys: Habits,
    /// Milliseconds from the last key for which the next turn waits while a person writes.
    pub hold: u64,
    /// Milliseconds without a key after which the poster opens.
    pub poster: Option<u64>,
}

/// Appearance as chosen by options, environment and settings, before the terminal is queried.
pub struct AppearanceSettings {
    /// Bundled themes and those in the settings folder.
    pub shelf: ThemeLibrary,
    /// Colour depth of the terminal.
    pub depth: Depth,
    /// Characters for frames and symbols.
    pub glyphs: &'static Glyphs,
    /// Key bindings: the defaults, overridden by the settings.
    pub keymap: Keymap,
    /// True if the screen captures the mouse.
    pub mouse: bool,
    /// True if the terminal bell rings while the user looks elsewhere.
    pub rings: bool,
    /// True if animations are off.
    pub still: bool,
    /// Choices that do not depend on the terminal.
    pub habits: ScreenHabits,
    choice: ThemeChoice,
    /// True if an option or the settings determine the theme. A choice on the screen then holds for this run only.
    fixed: bool,
    /// Background according to the environment.
    ground: Option<Ground>,
}

/// Complete appearance of the screen.
pub struct ScreenAppearance {
    /// Styles by role, in the terminal's colour depth.
    pub theme: Theme,
    /// Characters for frames and symbols.
    pub glyphs: &'static Glyphs,
    /// Key bindings: the defaults, overridden by the settings.
    pub keymap: Keymap,
    /// Terminal features to switch on.
    pub modes: TerminalModes,
    /// Themes to choose from on the screen.
    pub themes: Themes,
    /// Choices that do not depend on the terminal.
    pub habits: ScreenHabits,
}

impl ScreenAppearance {
    /// Determines the appearance for this terminal. Queries the terminal for its background and its keyboard protocol.
    pub fn here(context: &Context) -> Result<ScreenAppearance, Failure> {
        let appearance = AppearanceSettings::from_context(context)?;
        let told =
            if may_ask(context) { context.terminal_report() } else { TerminalReport::default() };
        let keymap = appearance.keymap.clone();
        let keymap = if told.keyboard { keymap.told_apart() } else { keymap };
        let modes = TerminalModes {
            mouse: appearance.mouse,
            keyboard: told.keyboard,
            title: context.environment.term().is_none_or(|term| !MUTE.contains(&term)),
            still: appearance.still,
            far: context.environment.over_ssh(),
            rings: appearance.rings,
            links: may_link(&context.environment),
        };
        let theme = appearance.theme(told.ground)?;
        let themes = Themes {
            current: appearance.name(told.ground)?.to_owned(),
            ground: told.ground.or(appearance.ground),
            depth: appearance.depth,
            library: appearance.shelf,
            fixed: appearance.fixed,
            chosen: false,
        };
        let AppearanceSettings { glyphs, habits, .. } = appearance;
        Ok(ScreenAppearance { theme, glyphs, keymap, modes, themes, habits })
    }
}

/// Rejects an invalid theme named for this run, even if no screen will use it.
pub fn check_theme(context: &Context) -> Result<(), Failure> {
    if let Some(name) = &context.options.theme {
        shelf(context, &ThemeChoice::One(name.clone()))?.meta(name)?;
    }
    Ok(())
}

/// Describes the settings that have no effect any more, with their replacements.
pub fn outdated(settings: &Settings) -> Vec<String> {
    let mut told = Keymap::outdated(&settings.keys);
    if settings.start == StartFocus::Read {
        told.push(format!(
            "{}: start = \"read\" does nothing: letters write, / lists what they did. Write [keys] alt-s = \"/skip\" for a \
             key of your own",
            settings.path.display()
        ));
    }
    told
}

/// Returns true if hyperlinks may be sent. Terminals without hyperlinks ignore them, except for a few old ones.
fn may_link(environment: &Environment) -> bool {
    let term = environment.term().unwrap_or_default();
    let inside_screen = term.starts_with("screen") && environment.get("TMUX").is_none();
    !term.is_empty() && !MUTE.contains(&term) && !inside_screen
}

/// Returns true if the terminal can be queried: it is local, it is known to answer, and no theme is named for this run.
/// The last condition gives users a way to avoid the query.
fn may_ask(context: &Context) -> bool {
    let environment = &context.environment;
    context.options.theme.is_none() && !environment.over_ssh() && may_link(environment)
}

impl AppearanceSettings {
    /// Determines the appearance without querying the terminal.
    pub fn from_context(context: &Context) -> Result<AppearanceSettings, Failure> {
        let settings = context.settings()?;
        context.warn_once(&outdated(&settings));
        let environment = &context.environment;
        let colour = context.options.color.unwrap_or(Colour::Auto);
        let colourless = match colour {
            Colour::Never => true,
            Colour::Always => false,
            Colour::Auto => environment.no_color() && !environment.clicolor_force(),
        };
        let named = context.options.theme.clone().map(ThemeChoice::One).or(settings.theme.clone());
        let fixed = colourless || named.is_some();
        // the saved theme may have been removed since
        let kept = || {
            Some(private_file::theme(&context.paths.state)?).filter(|name| is_known(context, name))
        };
        let named = named.or_else(|| kept().map(ThemeChoice::One));
        let choice = match named {
            _ if colourless => ThemeChoice::One(COLOURLESS.into()),
            Some(named) => named,
            None => ThemeChoice::One(USUAL.into()),
        };
        let signs = context.options.glyphs.or(settings.glyphs).unwrap_or_default();
        let appearance = AppearanceSettings {
            shelf: shelf(context, &choice)?,
            depth: depth(environment, &settings),
            glyphs: match signs {
                Signs::Unicode => &glyphs::UNICODE,
                Signs::Ascii => &glyphs::ASCII,
            },
            keymap: Keymap::with(&settings.keys)?,
            habits: ScreenHabits {
                keys: settings.keymap,
                hold: settings.hold.map_or(PATIENCE_MS, |seconds| seconds.saturating_mul(1_000)),
                poster: settings
                    .poster
                    .or(settings.ambient)
                    .map(|minutes| minutes.saturating_mul(60_000)),
            },
            still: context.options.motion.unwrap_or(settings.motion) == Motion::None,
            mouse: match context.options.mouse.unwrap_or(settings.mouse) {
                Mouse::Auto => environment.term().is_none_or(|term| !MUTE.contains(&term)),
                Mouse::On => true,
                Mouse::Off => false,
            },
            rings: settings.notify == Notify::Auto
                && environment.term().is_none_or(|term| !MUTE.contains(&term)),
            choice,
            fixed,
            ground: environment.get("COLORFGBG").and_then(|v| ground(v.to_str()?)),
        };
        for ground in [Ground::Dark, Ground::Light] {
            let name = appearance.name(Some(ground))?;
            // bundled themes are known to be valid
            if appearance.shelf.is_own(name) {
                // check at full depth, whatever the terminal supports
                appearance.shelf.theme(name, Some(ground), Depth::True)?;
            }
        }
        Ok(appearance)
    }

    /// Returns the name of the theme for a background.
    pub fn name(&self, ground: Option<Ground>) -> Result<&str, ThemeError> {
        let name = match (&self.choice, ground.or(self.ground)) {
            (ThemeChoice::One(name), _) => name,
            (ThemeChoice::Two { light, .. }, Some(Ground::Light)) => light,
            (ThemeChoice::Two { dark, .. }, Some(Ground::Dark)) => dark,
            (ThemeChoice::Two { .. }, None) => USUAL,
        };
        // fixed colours cannot be shown with only 16 colours
        let fixed = self.shelf.meta(name)?.appearance != Appearance::Any;
        Ok(if fixed && self.depth == Depth::Ansi { USUAL } else { name })
    }

    /// Returns the theme for a background. Without one, the background of the environment is used.
    pub fn theme(&self, ground: Option<Ground>) -> Result<Theme, Failure> {
        let theme = self.shelf.theme(self.name(ground)?, ground.or(self.ground), self.depth);
        Ok(theme?)
    }
}

/// Returns true if a bundled theme or one in the user's folder has this name.
fn is_known(context: &Context, name: &str) -> bool {
    let usual = ThemeChoice::One(USUAL.into());
    shelf(context, &usual).is_ok_and(|shelf| shelf.meta(name).is_ok())
}

/// Returns all themes: the bundled ones, those in the user's folder, and those that `choice` names by path.
fn shelf(context: &Context, choice: &ThemeChoice) -> Result<ThemeLibrary, Failure> {
    let folder = context.paths.themes();
    // a missing or unreadable folder contains no themes
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|e| e.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == &ENDING[1..]));
    files.sort();
    let mut own = Vec::new();
    for path in files {
        let name = path.file_stem().map(|n| n.to_string_lossy().into_owned());
        own.push(read(&path, name.unwrap_or_default())?);
    }
    let named = match choice {
        ThemeChoice::One(name) => vec![name],
        ThemeChoice::Two { light, dark } => vec![light, dark],
    };
    for name in named {
        if name.contains(MAIN_SEPARATOR) || name.ends_with(ENDING) {
            own.push(read(Path::new(name), name.clone())?);
        }
    }
    Ok(ThemeLibrary::with(own))
}

fn read(path: &Path, name: String) -> Result<ThemeSource, Failure> {
    let long = || io::Error::other(format!("longer than {THEME_MAX_BYTES} bytes"));
    let read = untrusted::read_own_text(path);
    let read = read.and_then(|t| if t.len() > THEME_MAX_BYTES { Err(long()) } else { Ok(t) });
    let path = path.display().to_string();
    let failed = |e| Failure::new(Exit::Invalid, format!("cannot read the theme {path}: {e}"));
    let text = read.map_err(failed)?;
    Ok(ThemeSource { name, path, text: text.into() })
}

/// Returns the colour depth: as set by the user, otherwise as far as the environment guarantees it.
fn depth(environment: &Environment, settings: &Settings) -> Depth {
    let variable = |name: &str| environment.get(name).and_then(|v| v.to_str()).unwrap_or_default();
    let term = variable("TERM");
    let program = variable("TERM_PROGRAM");
    let says_all = matches!(variable("COLORTERM"), "truecolor" | "24bit")
        || ALL_COLOURS.iter().any(|name| term.contains(name))
        || PROGRAMS.contains(&program)
        || environment.get("WT_SESSION").is_some();
    match settings.color_depth {
        ColourDepth::Sixteen => Depth::Ansi,
        ColourDepth::Indexed => Depth::Indexed,
        ColourDepth::True => Depth::True,
        // sets `COLORTERM` to 24bit at most, but supports only 256 colours
        ColourDepth::Auto if program == "Apple_Terminal" => Depth::Indexed,
        ColourDepth::Auto if says_all => Depth::True,
        ColourDepth::Auto if term.contains("256color") => Depth::Indexed,
        ColourDepth::Auto => Depth::Ansi,
    }
}

/// Parses the background from `COLORFGBG`, such as `15;0`. The last number is one of the 16 colours.
fn ground(value: &str) -> Option<Ground> {
    match value.rsplit(';').next()?.parse::<u8>().ok()? {
        7 | 9..=15 => Some(Ground::Light),
        0..=6 | 8 => Some(Ground::Dark),
        16.. => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    #[test]
    fn colours_are_shown_on_evidence_alone() {
        for (variables, shown) in [
            (&[("TERM", "xterm")][..], Depth::Ansi),
            (&[("TERM", "xterm-256color")], Depth::Indexed),
            (&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], Depth::True),
            (&[("TERM", "tmux-256color"), ("COLORTERM", "24bit")], Depth::True),
            (&[("TERM", "xterm-kitty")], Depth::True),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app")], Depth::True),
            (&[("TERM_PROGRAM", "Apple_Terminal"), ("COLORTERM", "truecolor")], Depth::Indexed),
            (&[("TERM", "linux")], Depth::Ansi),
        ] {
            let environment: Environment =
                variables.iter().map(|(k, v)| (OsString::from(k), OsString::from(v))).collect();
            assert_eq!(depth(&environment, &Settings::default()), shown, "{variables:?}");
        }
    }

    #[test]
    fn the_environment_may_know_the_ground() {
        for (value, known) in [
            ("15;0", Some(Ground::Dark)),
            ("0;15", Some(Ground::Light)),
            ("0;default;7", Some(Ground::Light)),
            ("12;8", Some(Ground::Dark)),
            ("default", None),
            ("0;255", None),
        ] {
            assert_eq!(ground(value), known, "{value}");
        }
    }
}
