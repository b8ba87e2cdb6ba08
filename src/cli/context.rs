//! What every command needs: the folders, the environment, and whether to talk.

use super::error::Failure;
use super::talk;
use crate::config::{Environment, Paths, Settings};
use crate::session::SessionFiles;
use crate::text;
use crate::ui::keymap::Keymap;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The options that every command takes.
#[derive(Debug, Args)]
pub struct Global {
    /// The folder that keeps the sessions [default: ~/.local/share/colloquium, or COLLOQUIUM_DATA_DIR]
    #[arg(long, global = true, value_name = "FOLDER")]
    data_dir: Option<PathBuf>,
    /// The file of settings [default: config.toml in the folder of settings, or COLLOQUIUM_CONFIG]
    #[arg(short, long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The colours of the screen: terminal, colloquium-dark, colloquium-light, high-contrast or mono
    #[arg(long, global = true, value_name = "NAME", env = "COLLOQUIUM_THEME")]
    theme: Option<String>,
    /// The signs of the screen
    #[arg(long, global = true, value_enum, default_value_t, env = "COLLOQUIUM_GLYPHS")]
    glyphs: Signs,
    /// Say nothing on standard error but errors
    #[arg(short, long, global = true)]
    quiet: bool,
}

/// Which signs the screen draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Signs {
    /// Lines and signs of plain Unicode.
    #[default]
    Unicode,
    /// ASCII only.
    Ascii,
}

/// Where the program is and how it talks.
pub struct Context {
    /// The environment as it was at the start.
    pub environment: Environment,
    /// The folders.
    pub paths: Paths,
    /// The theme that was asked for.
    pub theme: Option<String>,
    /// The signs that were asked for.
    pub glyphs: Signs,
    own_data: bool,
    config: Option<PathBuf>,
    quiet: bool,
}

impl Context {
    /// Reads the environment and finds the folders.
    pub fn new(global: Global) -> Result<Context, Failure> {
        let environment = Environment::read();
        let paths = Paths::find(&environment, global.data_dir.as_deref())?;
        Ok(Context {
            environment,
            paths,
            theme: global.theme,
            glyphs: global.glyphs,
            own_data: global.data_dir.is_some(),
            config: global.config,
            quiet: global.quiet,
        })
    }

    /// Reads the user's settings.
    pub fn settings(&self) -> Result<Settings, Failure> {
        Ok(Settings::read(&self.environment, &self.paths.config, self.config.as_deref())?)
    }

    /// Returns the keys of the screen, with the user's own.
    pub fn keymap(&self) -> Result<Keymap, Failure> {
        Ok(Keymap::with(&self.settings()?.keys)?)
    }

    /// Says something to the person, in one line, unless they asked for quiet.
    pub fn say(&self, line: &str) {
        if !self.quiet {
            talk::print(&text::line(line));
        }
    }

    /// Says something of several lines.
    pub fn report(&self, report: &str) {
        if !self.quiet {
            talk::print(&text::block(report));
        }
    }

    /// Returns the name by which a person can ask for a session again with what they have typed so far.
    pub fn name_of(&self, files: &SessionFiles) -> String {
        let at_home = files.log().parent() == Some(&self.paths.sessions());
        if at_home && !self.own_data { files.id() } else { files.log().display().to_string() }
    }
}
