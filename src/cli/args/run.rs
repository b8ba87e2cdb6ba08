//! The options of `run` and `demo`.

use crate::cli::args::keep::Keep;
use crate::cli::args::play::Play;
use clap::Args;

/// What `run` and `demo` take.
#[derive(Clone, Debug, Default, Args)]
pub struct RunOptions {
    #[command(flatten)]
    pub play: Play,
    /// What to talk about; `-` reads it from standard input
    #[arg(long, value_name = "TEXT")]
    pub topic: Option<String>,
    /// The seed of all dice
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub keep: Keep,
    /// What was said before: a JSON list of role, name and content; a user's last words become the topic
    #[arg(long, value_name = "FILE")]
    pub history: Option<String>,
    /// Who an assistant without a name was in --history: a seat, or a name; "assistant", unless it says so
    #[arg(long, value_name = "NAME", requires = "history")]
    pub history_as: Option<String>,
    /// Print who would speak when, the first prompts and an estimate; ask nobody, and keep nothing
    #[arg(long)]
    pub dry_run: bool,
}
