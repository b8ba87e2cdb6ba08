//! Options of the commands that play a conversation.

use crate::cli::args::format::PrintFormat;
use crate::cli::args::models::ModelOptions;
use crate::cli::args::state::StateFile;
use crate::cli::args::tools::ToolOptions;
use crate::model::steering::duration_ms;
use crate::model::{Limits, Usd};
use clap::Args;
use std::convert::Infallible;
use std::str::FromStr;

/// Source of the commands of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SteerSource {
    /// File, read before the start.
    File(String),
    /// Lines on standard input, read during the conversation.
    StandardInput,
    /// Caller that runs the conversation and sends the commands itself.
    #[cfg_attr(not(feature = "mcp"), allow(dead_code, reason = "only clients of `mcp` do"))]
    Caller,
}

impl FromStr for SteerSource {
    type Err = Infallible;

    /// Parses the value of an option.
    fn from_str(value: &str) -> Result<SteerSource, Infallible> {
        Ok(if value == "-" {
            SteerSource::StandardInput
        } else {
            SteerSource::File(value.to_owned())
        })
    }
}

/// Options shared by `run`, `demo`, `resume` and `fork`.
#[derive(Clone, Debug, Default, Args)]
pub struct Play {
    /// Run without the full screen: the conversation on stdout, messages on stderr
    #[arg(long)]
    pub headless: bool,
    /// Run in the background: print the id, and attach later
    #[arg(long, conflicts_with = "headless")]
    pub detach: bool,
    /// Run as the copy that `--detach` starts
    #[arg(long, hide = true)]
    pub background: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = PrintFormat::Text)]
    pub format: PrintFormat,
    /// Read commands as JSON lines from a file, or from standard input with `-`
    #[arg(long, value_name = "FILE")]
    pub steer: Option<SteerSource>,
    /// Play rehearsed lines at a natural pace
    #[arg(long)]
    pub pace: bool,
    /// Stop after N turns
    #[arg(long, visible_alias = "max-turns", value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Limits")]
    pub max_utterances: Option<u32>,
    /// Stop after this running time, such as 90s or 5m; the current speaker has 10 s to finish
    #[arg(long, value_name = "TIME", value_parser = seconds, help_heading = "Limits")]
    pub max_time: Option<u64>,
    /// Stop before the models use more than N tokens
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    pub max_tokens: Option<u64>,
    /// Stop before the models cost more than USD dollars
    #[arg(long, value_name = "USD", value_parser = usd, help_heading = "Limits")]
    pub max_usd: Option<Usd>,
    /// Trust the file for this run: allow the commands it names
    #[arg(long)]
    pub trust: bool,
    /// Exit with 7 if a turn was skipped after failures, a step of a plan failed, or a participant could not run
    #[arg(long)]
    pub strict: bool,
    /// Use the scenario's rehearsed lines; no model is called
    #[arg(long)]
    pub rehearsed: bool,
    /// Override a scenario key, as in --set limits.utterances=9
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Read the known facts about the person (reply.keep = "profile") from FILE, if it exists; update it at the end
    #[arg(long, value_name = "FILE")]
    pub state: Option<StateFile>,
    #[command(flatten)]
    pub tools: ToolOptions,
    #[command(flatten)]
    pub models: ModelOptions,
}

impl Play {
    /// Returns the limits set by the options.
    pub fn limits(&self) -> Limits {
        Limits {
            utterances: self.max_utterances,
            seconds: self.max_time,
            tokens: self.max_tokens,
            usd: self.max_usd,
            ..Limits::default()
        }
    }

    /// Returns true if the conversation may run on virtual time, because nobody follows it in real time.
    pub fn may_be_virtual(&self) -> bool {
        self.headless && !self.pace && !self.background
    }

    /// Returns true if an operator can be asked: at the screen, or as a client of a conversation in the background.
    pub fn attended(&self) -> bool {
        !self.headless || self.background
    }

    /// Returns true if steering lines come from standard input.
    pub fn reads_commands(&self) -> bool {
        self.steer == Some(SteerSource::StandardInput)
    }

    /// Returns true if commands may arrive during the conversation.
    pub fn steered_live(&self) -> bool {
        matches!(self.steer, Some(SteerSource::StandardInput | SteerSource::Caller))
    }
}

/// Parses a positive amount in dollars.
pub fn usd(text: &str) -> Result<Usd, String> {
    let dollars = text.trim_start_matches('$').parse().unwrap_or(f64::NAN);
    let usd = Usd::try_from(dollars).ok().filter(|usd| *usd > Usd::default());
    usd.ok_or_else(|| "an amount in dollars, such as 0.50".into())
}

/// Parses a duration of at least one second, in whole seconds.
pub fn seconds(text: &str) -> Result<u64, String> {
    let seconds = duration_ms(text).map(|ms| ms / 1000).filter(|s| *s > 0);
    seconds.ok_or_else(|| "a duration of at least one second, such as 90s or 5m".into())
}
