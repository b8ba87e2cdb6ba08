//! Options of `run` and `demo`.

use crate::cli::args::keep::Keep;
use crate::cli::args::play::Play;
use clap::Args;
use std::convert::Infallible;
use std::str::FromStr;

/// Topic, or its source. `-` has a meaning only on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Text of the topic.
    Text(String),
    /// Standard input.
    StandardInput,
}

impl FromStr for Topic {
    type Err = Infallible;

    /// Parses the value of an option.
    fn from_str(value: &str) -> Result<Topic, Infallible> {
        Ok(if value == "-" { Topic::StandardInput } else { Topic::Text(value.to_owned()) })
    }
}

/// Options of `run` and `demo`.
#[derive(Clone, Debug, Default, Args)]
pub struct RunOptions {
    /// Topic; `-` reads it from standard input
    #[arg(long, value_name = "TEXT")]
    pub topic: Option<Topic>,
    /// Let the model propose people who have something to lose by the topic, for participants with `any_topic`
    #[arg(long, requires = "topic", conflicts_with_all = ["rehearsed", "history"])]
    pub cast: bool,
    /// Add a seat for yourself
    #[arg(long)]
    pub take_part: bool,
    /// Random seed
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub keep: Keep,
    /// Earlier conversation: a JSON list of role, name and content; a last user message becomes the topic
    #[arg(long, value_name = "FILE")]
    pub history: Option<String>,
    /// Speaker of the assistant messages without a name in --history: a participant or a name [default: assistant]
    #[arg(long, value_name = "NAME", requires = "history")]
    pub history_as: Option<String>,
    /// Dry run: speaking order, first prompts, cost estimate; nothing is called or saved
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub play: Play,
    /// True if files that do not fit are cut.
    #[arg(skip)]
    pub cut_material: bool,
}
