//! Arguments of `acp`.

use crate::cli::args::{ModelOptions, ToolOptions, usd};
use crate::model::Usd;
use clap::Args;

/// Serve the Agent Client Protocol: hold conversations in an editor
#[derive(Clone, Debug, Args)]
pub struct AcpArgs {
    /// Scenario name or file; the first prompt is its topic
    #[arg(value_name = "SCENARIO", default_value = "council")]
    pub scenario: String,
    /// Add a seat for yourself
    #[arg(long)]
    pub take_part: bool,
    /// Trust the file: allow the commands it names
    #[arg(long)]
    pub trust: bool,
    /// Use the scenario's rehearsed lines; no model is called
    #[arg(long)]
    pub rehearsed: bool,
    /// Stop each conversation after N turns; a later prompt adds a round
    #[arg(long, visible_alias = "max-turns", value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Limits")]
    pub max_utterances: Option<u32>,
    /// Dollars that all conversations of this client may cost together [default: 1]
    #[arg(long, value_name = "USD", value_parser = usd, help_heading = "Limits")]
    pub max_usd: Option<Usd>,
    /// Override a scenario key, as in --set limits.utterances=9
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    #[command(flatten)]
    pub tools: ToolOptions,
    #[command(flatten)]
    pub models: ModelOptions,
}
