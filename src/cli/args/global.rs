//! Options of all commands.

use crate::config::{Motion, Mouse, Signs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The options that every command takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Data folder for sessions [default: ~/.local/share/colloquium, or COLLOQUIUM_DATA_DIR]
    #[arg(long, global = true, value_name = "FOLDER")]
    pub data_dir: Option<PathBuf>,
    /// Settings file [default: ~/.config/colloquium/config.toml, or COLLOQUIUM_CONFIG]
    #[arg(short, long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Override a setting, as in --config-set default_model=ollama:llama3
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    pub config_set: Vec<String>,
    /// Theme: a name or a file [see: colloquium themes]
    #[arg(long, global = true, value_name = "NAME", env = "COLLOQUIUM_THEME")]
    pub theme: Option<String>,
    /// Colour output
    #[arg(long, global = true, value_enum)]
    pub color: Option<Colour>,
    /// Character set
    #[arg(long, global = true, value_enum, env = "COLLOQUIUM_GLYPHS")]
    pub glyphs: Option<Signs>,
    /// Plain append-only text instead of the full screen [env: COLLOQUIUM_ACCESSIBLE, ACCESSIBLE]
    #[arg(long, global = true)]
    pub accessible: bool,
    /// Animation: full (timers tick) or none
    #[arg(long, global = true, value_enum, env = "COLLOQUIUM_MOTION")]
    pub motion: Option<Motion>,
    /// Capture the mouse (off leaves selection to the terminal)
    #[arg(long, global = true, value_enum)]
    pub mouse: Option<Mouse>,
    /// Print only errors on stderr
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Log every model call (on stderr, or to a log file while the screen runs)
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Also write messages to a log file, with timestamps
    #[arg(long, global = true, value_name = "FILE", env = "COLLOQUIUM_LOG")]
    pub log_file: Option<PathBuf>,
}

/// Colour output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// Unless NO_COLOR is set.
    Auto,
    /// Even if NO_COLOR is set.
    Always,
    /// No colour.
    Never,
}
