//! What every command needs: the folders, the environment, and whether to talk.

use super::error::Failure;
use super::talk;
use crate::config::{Environment, Paths, Settings, Signs};
use crate::session::SessionFiles;
use crate::text;
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
    /// The theme of the screen, by name or as a file [see: colloquium themes]
    #[arg(long, global = true, value_name = "NAME", env = "COLLOQUIUM_THEME")]
    theme: Option<String>,
    /// Whether to show colours
    #[arg(long, global = true, value_enum)]
    color: Option<Colour>,
    /// The signs of the screen
    #[arg(long, global = true, value_enum, env = "COLLOQUIUM_GLYPHS")]
    glyphs: Option<Signs>,
    /// Say nothing on standard error but errors
    #[arg(short, long, global = true)]
    quiet: bool,
}

/// Whether to show colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// Unless NO_COLOR asks for none.
    Auto,
    /// Whatever NO_COLOR says.
    Always,
    /// None.
    Never,
}

/// Where the program is and how it talks.
pub struct Context {
    /// The environment as it was at the start.
    pub environment: Environment,
    /// The folders.
    pub paths: Paths,
    /// The theme that was asked for.
    pub theme: Option<String>,
    /// Whether colours were asked for.
    pub colour: Option<Colour>,
    /// The signs that were asked for.
    pub signs: Option<Signs>,
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
            colour: global.color,
            signs: global.glyphs,
            own_data: global.data_dir.is_some(),
            config: global.config,
            quiet: global.quiet,
        })
    }

    /// Reads the user's settings.
    pub fn settings(&self) -> Result<Settings, Failure> {
        Ok(Settings::read(&self.environment, &self.paths.config, self.config.as_deref())?)
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
