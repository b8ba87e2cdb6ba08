//! The options that every command takes.

use crate::config::{Motion, Mouse, Signs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The options that every command takes.
#[derive(Debug, Args)]
pub struct Global {
    /// The folder that keeps the sessions [default: ~/.local/share/colloquium, or COLLOQUIUM_DATA_DIR]
    #[arg(long, global = true, value_name = "FOLDER")]
    pub data_dir: Option<PathBuf>,
    /// The file of settings [default: config.toml in the folder of settings, or COLLOQUIUM_CONFIG]
    #[arg(short, long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Set a key of the settings, as in --config-set default_model=ollama:llama3
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    pub config_set: Vec<String>,
    /// The theme of the screen, by name or as a file [see: colloquium themes]
    #[arg(long, global = true, value_name = "NAME", env = "COLLOQUIUM_THEME")]
    pub theme: Option<String>,
    /// Whether to show colours
    #[arg(long, global = true, value_enum)]
    pub color: Option<Colour>,
    /// The signs of the screen
    #[arg(long, global = true, value_enum, env = "COLLOQUIUM_GLYPHS")]
    pub glyphs: Option<Signs>,
    /// Play as text that only ever grows, instead of on the screen [env: COLLOQUIUM_ACCESSIBLE, ACCESSIBLE]
    #[arg(long, global = true)]
    pub accessible: bool,
    /// Whether anything moves on the screen by itself, such as seconds
    #[arg(long, global = true, value_enum, env = "COLLOQUIUM_MOTION")]
    pub motion: Option<Motion>,
    /// Whose the mouse is: the screen's, or the terminal's for selecting text
    #[arg(long, global = true, value_enum)]
    pub mouse: Option<Mouse>,
    /// Say nothing on standard error but errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Also say each call, whom it asked, how long it took and what it used; where there is a screen, in a log file
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Keep all that is said in a file as well, with the time of each line
    #[arg(long, global = true, value_name = "FILE", env = "COLLOQUIUM_LOG")]
    pub log_file: Option<PathBuf>,
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
