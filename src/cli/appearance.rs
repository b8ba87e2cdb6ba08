//! How the screen is dressed: theme, colours, signs and keys, from flags, environment and settings, in this order.
//!
//! Colours beyond the sixteen are shown only on evidence, and where nobody chose a theme the terminal's own ground and
//! words stay. What is wrong in a theme or a map of keys is said before anything begins.

use crate::cli::args::global::Colour;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::memory::preferences;
use crate::config::{
    ColourDepth, Environment, Habits, Motion, Mouse, Notify, Settings, Signs, ThemeChoice,
};
use crate::ui::keymap::Keymap;
use crate::ui::terminal::{TerminalModes, TerminalReport};
use crate::ui::theme::glyphs::{self, Glyphs};
use crate::ui::theme::{
    Appearance, Depth, Ground, Theme, ThemeError, ThemeLibrary, ThemeSource, Themes,
};
use crate::untrusted;
use std::fs;
use std::io;
use std::path::{MAIN_SEPARATOR, Path};

/// The ending of a theme's file.
const ENDING: &str = ".toml";
/// The largest theme file that is read, in bytes.
const THEME_MAX_BYTES: usize = 64 << 10;
/// The theme that is right on every ground, and the one without colours.
const USUAL: &str = "terminal";
const COLOURLESS: &str = "mono";
/// Types of terminals that have neither mouse nor answers.
const MUTE: [&str; 2] = ["linux", "dumb"];
/// Types of terminals that show all colours, however little they say so.
const ALL_COLOURS: [&str; 5] = ["kitty", "alacritty", "ghostty", "wezterm", "-direct"];
/// Programs that show all colours.
const PROGRAMS: [&str; 5] = ["iTerm.app", "WezTerm", "ghostty", "vscode", "Hyper"];

/// How the screen is dressed.
pub struct AppearanceSettings {
    /// The bundled themes and those in the settings folder.
    pub shelf: ThemeLibrary,
    /// How many colours are shown.
    pub depth: Depth,
    /// The characters that frames and signs are drawn with.
    pub glyphs: &'static Glyphs,
    /// The default keys with those of the settings over them.
    pub keymap: Keymap,
    /// Whether the mouse is the screen's.
    pub mouse: bool,
    /// Whether the terminal rings for somebody who looks elsewhere.
    pub rings: bool,
    /// Whether nothing moves by itself.
    pub still: bool,
    /// Which habits the keys follow.
    pub habits: Habits,
    choice: ThemeChoice,
    /// Whether an option or the settings name the theme.
    fixed: bool,
    /// The ground as the environment tells it.
    ground: Option<Ground>,
}

/// What the screen wears.
pub struct ScreenAppearance {
    /// The colours by role, as the terminal can show them.
    pub theme: Theme,
    /// The characters that frames and signs are drawn with.
    pub glyphs: &'static Glyphs,
    /// The default keys with those of the settings over them.
    pub keymap: Keymap,
    /// What the terminal is used for besides showing.
    pub modes: TerminalModes,
    /// The themes that can be in use instead.
    pub themes: Themes,
    /// Which habits the keys follow.
    pub habits: Habits,
}

impl ScreenAppearance {
    /// Dresses the screen for this terminal, which is asked how light it is and what its keyboard can tell.
    ///
    /// # Errors
    /// When a theme or a key is not what it should be.
    pub fn here(context: &Context) -> Result<ScreenAppearance, Failure> {
        let appearance = AppearanceSettings::of(context)?;
        let told = if may_ask(context) { context.told() } else { TerminalReport::default() };
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
        let habits = appearance.habits;
        let themes = Themes {
            current: appearance.name(told.ground)?.to_owned(),
            ground: told.ground.or(appearance.ground),
            depth: appearance.depth,
            library: appearance.shelf,
            fixed: appearance.fixed,
            chosen: false,
        };
        Ok(ScreenAppearance { theme, glyphs: appearance.glyphs, keymap, modes, themes, habits })
    }
}

/// Refuses a theme that was named for this run and does not exist, also where no screen shows it.
///
/// # Errors
/// When there is no such theme, or its file is not what it should be.
pub fn check_theme(context: &Context) -> Result<(), Failure> {
    if let Some(name) = &context.theme {
        shelf(context, &ThemeChoice::One(name.clone()))?.meta(name)?;
    }
    Ok(())
}

/// Returns whether the terminal may be told of addresses: those that know none leave them out, but for a few that are old.
fn may_link(environment: &Environment) -> bool {
    let term = environment.term().unwrap_or_default();
    let inside_screen = term.starts_with("screen") && environment.get("TMUX").is_none();
    !term.is_empty() && !MUTE.contains(&term) && !inside_screen
}

/// Returns whether the terminal can be asked: not over a slow link, not where the answer would be none, and not where a
/// theme was named for this run, so that there is always a way to do without.
fn may_ask(context: &Context) -> bool {
    let environment = &context.environment;
    let term = environment.term().unwrap_or_default();
    let inside_screen = term.starts_with("screen") && environment.get("TMUX").is_none();
    let mute = term.is_empty() || MUTE.contains(&term) || inside_screen;
    context.theme.is_none() && !environment.over_ssh() && !mute
}

impl AppearanceSettings {
    /// Finds out how the screen is to be dressed, without asking the terminal.
    ///
    /// # Errors
    /// When a theme or a key is not what it should be.
    pub fn of(context: &Context) -> Result<AppearanceSettings, Failure> {
        let settings = context.settings()?;
        let environment = &context.environment;
        let colour = context.colour.unwrap_or(Colour::Auto);
        let colourless = match colour {
            Colour::Never => true,
            Colour::Always => false,
            Colour::Auto => environment.no_color() && !environment.clicolor_force(),
        };
        let named = context.theme.clone().map(ThemeChoice::One).or(settings.theme.clone());
        let fixed = colourless || named.is_some();
        // one that was kept may have gone since
        let kept = || {
            Some(preferences::theme(&context.paths.state)?).filter(|name| is_known(context, name))
        };
        let named = named.or_else(|| kept().map(ThemeChoice::One));
        let choice = match named {
            _ if colourless => ThemeChoice::One(COLOURLESS.into()),
            Some(named) => named,
            None => ThemeChoice::One(USUAL.into()),
        };
        let signs = context.signs.or(settings.glyphs).unwrap_or_default();
        let appearance = AppearanceSettings {
            shelf: shelf(context, &choice)?,
            depth: depth(environment, &settings),
            glyphs: match signs {
                Signs::Unicode => &glyphs::UNICODE,
                Signs::Ascii => &glyphs::ASCII,
            },
            keymap: Keymap::with(&settings.keys)?,
            habits: settings.keymap,
            still: context.motion.unwrap_or(settings.motion) == Motion::None,
            mouse: match context.mouse.unwrap_or(settings.mouse) {
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
            // those that come with the program have no faults
            if appearance.shelf.is_own(name) {
                // in all colours, which need not be looked for among those of the terminal
                appearance.shelf.theme(name, Some(ground), Depth::True)?;
            }
        }
        Ok(appearance)
    }

    /// Returns the name of the theme on a ground.
    pub fn name(&self, ground: Option<Ground>) -> Result<&str, ThemeError> {
        let name = match (&self.choice, ground.or(self.ground)) {
            (ThemeChoice::One(name), _) => name,
            (ThemeChoice::Two { light, .. }, Some(Ground::Light)) => light,
            (ThemeChoice::Two { dark, .. }, Some(Ground::Dark)) => dark,
            (ThemeChoice::Two { .. }, None) => USUAL,
        };
        // fixed colours cannot be shown in sixteen
        let fixed = self.shelf.meta(name)?.appearance != Appearance::Any;
        Ok(if fixed && self.depth == Depth::Ansi { USUAL } else { name })
    }

    /// Returns the theme on a ground; where the terminal did not tell its ground, on that of the environment.
    pub fn theme(&self, ground: Option<Ground>) -> Result<Theme, Failure> {
        let theme = self.shelf.theme(self.name(ground)?, ground.or(self.ground), self.depth);
        Ok(theme?)
    }
}

/// Returns whether there is a theme of a name, among those that come with the program and those of the user's folder.
fn is_known(context: &Context, name: &str) -> bool {
    let usual = ThemeChoice::One(USUAL.into());
    shelf(context, &usual).is_ok_and(|shelf| shelf.meta(name).is_ok())
}

/// Returns all themes: those that come with the program, those of the user's folder, and one that is named by its path.
fn shelf(context: &Context, choice: &ThemeChoice) -> Result<ThemeLibrary, Failure> {
    let folder = context.paths.themes();
    // a folder that is not there, or not readable, has no themes to offer
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

/// Returns how many colours the terminal shows: what the user says, else what the environment says for certain.
fn depth(environment: &Environment, settings: &Settings) -> Depth {
    let variable = |name: &str| environment.get(name).and_then(|v| v.to_str()).unwrap_or_default();
    let (term, program) = (variable("TERM"), variable("TERM_PROGRAM"));
    let says_all = matches!(variable("COLORTERM"), "truecolor" | "24bit")
        || ALL_COLOURS.iter().any(|name| term.contains(name))
        || PROGRAMS.contains(&program)
        || environment.get("WT_SESSION").is_some();
    match settings.color_depth {
        ColourDepth::Sixteen => Depth::Ansi,
        ColourDepth::Indexed => Depth::Indexed,
        ColourDepth::True => Depth::True,
        // it says 24bit or nothing, and shows 256
        ColourDepth::Auto if program == "Apple_Terminal" => Depth::Indexed,
        ColourDepth::Auto if says_all => Depth::True,
        ColourDepth::Auto if term.contains("256color") => Depth::Indexed,
        ColourDepth::Auto => Depth::Ansi,
    }
}

/// Reads the ground off `COLORFGBG`, as in `15;0`: the last number is one of the sixteen colours.
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
