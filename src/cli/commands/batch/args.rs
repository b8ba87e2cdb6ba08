//! Options of `batch`.

use super::after::BatchCommand;
use super::grid::{GridCell, Varied, varied};
use crate::batch::FieldMap;
use crate::cli::args::{ModelOptions, Play, ServerOptions, ToolOptions, usd};
use crate::model::Usd;
use clap::Args;
use std::num::NonZeroUsize;
use std::path::PathBuf;

const HELP: &str = "\
Each line of FILE is one item: a JSON object, or a row of a table with a header. Its fields are {{ item.NAME }} in the \
scenario; `answer` is the correct answer and is never shown to participants; `id` identifies the item.

  colloquium batch society-of-minds --items sums --model ollama:llama3 --baselines
  colloquium batch report society-of-minds-sums

`colloquium help experiments` explains all of it. Exit codes: 0 done; 1 conversations failed or replies were cut; 3 damaged items; 5 the budget \
is used up; 130 interrupted. A stopped batch prints the command that resumes it.";

/// Run a scenario over many questions, and report on the results
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_long_help = HELP)]
pub struct BatchArgs {
    #[command(subcommand)]
    pub after: Option<BatchCommand>,
    /// Scenario name or file
    #[arg(value_name = "SCENARIO", required = true)]
    pub scenario: Option<String>,
    /// Items: JSON lines, a JSON array, CSV with a header, or `sums`, 100 bundled sums
    #[arg(long, value_name = "FILE", required = true)]
    pub items: Option<PathBuf>,
    /// Name for a field of the items, as in --map answer=answerKey or --map question=data.text
    #[arg(long, value_name = "NAME=FIELD", value_parser = field_map)]
    pub map: Vec<FieldMap>,
    /// Folder for results and sessions [default: SCENARIO-ITEMS]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Conversations at once [default: 1 with a local model, 4 with others, the number of cores with rehearsed lines]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Stop before all conversations together cost more than USD dollars [default: 5; with a model without a known price
    /// 200,000 tokens per conversation; no limit with local models or --max-tokens]
    #[arg(long, value_name = "USD", value_parser = usd, help_heading = "Limits")]
    pub max_usd: Option<Usd>,
    /// Stop before all conversations together use more than N tokens
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    pub max_tokens: Option<u64>,
    /// Also run baselines [default: all]: plain-vote, single, and self-consistency and reflection with as many calls
    #[arg(long, value_name = "NAMES", num_args = 0..=1, require_equals = true, default_missing_value = "", value_delimiter = ',')]
    pub baselines: Option<Vec<String>>,
    /// Run only part I of N, so that N machines share the work
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Models that debate each other: every pair on every item, on both sides, judged in both orders
    #[arg(long, value_name = "MODELS", value_delimiter = ',', conflicts_with = "baselines")]
    pub sides: Vec<String>,
    /// Run each item N times; intervals and tests then count items, not conversations
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeats: u32,
    /// Re-run failed conversations (wrong answers are never retried)
    #[arg(long)]
    pub retry: bool,
    /// Go on if a server refuses a setting of the scenario; without it, the batch stops after the first such call
    #[arg(long)]
    pub adapt: bool,
    /// Skip damaged lines of the items file
    #[arg(long)]
    pub skip_damaged: bool,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Dry run: print the number of calls; nothing is called or saved
    #[arg(long)]
    pub dry_run: bool,
    /// Trust the file for this run: allow the commands it names
    #[arg(long)]
    pub trust: bool,
    /// Use the scenario's rehearsed lines; no model is called
    #[arg(long)]
    pub rehearsed: bool,
    /// Override a scenario key, as in --set answer.form=letter
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Run each of several values of a key, as in --vary phase.2.rounds=1,2 or --vary model=claude,gpt,claude+gpt
    #[arg(long, value_name = "KEY=VALUES", value_parser = varied)]
    pub vary: Vec<Varied>,
    #[command(flatten)]
    pub tools: ToolOptions,
    /// Models for participants without one, as for `run`; each further --model is another set of arms
    #[arg(long, value_name = "MODEL,...", help_heading = "Models")]
    pub model: Vec<String>,
    #[command(flatten)]
    pub server: ServerOptions,
}

fn field_map(text: &str) -> Result<FieldMap, &'static str> {
    FieldMap::parse(text).ok_or("expected NAME=FIELD, as in answer=answerKey")
}

impl BatchArgs {
    /// Returns the play options of each conversation in a cell of the grid.
    pub(super) fn play(&self, cell: &GridCell) -> Play {
        let model = cell.model.clone().or(self.model.first().cloned());
        Play {
            headless: true,
            trust: self.trust,
            tools: self.tools.clone(),
            rehearsed: self.rehearsed,
            max_usd: self.max_usd,
            models: ModelOptions { model, server: self.server.clone(), is_client: false },
            ..Play::default()
        }
    }
}
