//! `demo`: plays a bundled scenario with its rehearsed cast; needs neither an API key nor a network.

use crate::cli::args::RunOptions;
use crate::cli::commands::run;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::play::next::Next;
use crate::scenario::bundled_names;
use clap::Args;

/// Play a bundled scenario with its rehearsed lines (offline)
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Scenario name [default: the first of `scenarios list`]
    #[arg(value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    options: RunOptions,
}

impl DemoArgs {
    /// Returns the command that plays the demo.
    pub fn next(mut self, context: &Context) -> Result<Next, Failure> {
        self.options.play.rehearsed = true;
        let first = || bundled_names().next().unwrap_or_default().to_owned();
        run::next(self.name.unwrap_or_else(first), self.options, context)
    }
}
