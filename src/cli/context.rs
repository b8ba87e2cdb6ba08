//! What every command needs: the folders, the environment, and whether to talk.

use super::error::Failure;
use super::talk;
use crate::config::{Environment, Paths, Settings};
use crate::session::SessionFiles;
use crate::text;
use clap::Args;
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
    /// Say nothing on standard error but errors
    #[arg(short, long, global = true)]
    quiet: bool,
}

/// Where the program is and how it talks.
pub struct Context {
    /// The environment as it was at the start.
    pub environment: Environment,
    /// The folders.
    pub paths: Paths,
    own_data: bool,
    config: Option<PathBuf>,
    quiet: bool,
}

impl Context {
    /// Reads the environment and finds the folders.
    pub fn new(global: Global) -> Result<Context, Failure> {
        let environment = Environment::read();
        let paths = Paths::find(&environment, global.data_dir.as_deref())?;
        let own_data = global.data_dir.is_some();
        Ok(Context { environment, paths, own_data, config: global.config, quiet: global.quiet })
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
