//! `demo`: a bundled scenario on its rehearsed cast, without a key and without a network.

use crate::cli::commands::run::{self, Options};
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::home::screen as start;
use crate::scenario::bundled_names;
use clap::Args;

/// Play a bundled scenario on its rehearsed cast: no key, no network
#[derive(Debug, Args)]
pub struct Demo {
    /// Which one [default: the first of `scenarios list`]
    #[arg(value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    options: Options,
}

impl Demo {
    /// Plays it.
    pub fn run(mut self, context: &Context) -> Result<Exit, Failure> {
        self.options.check_terminal("colloquium demo", context)?;
        self.options.rehearsed = true;
        let first = bundled_names().next().unwrap_or_default();
        let name = self.name.as_deref().unwrap_or(first);
        start::after(run::play(name, &self.options, context)?, context)
    }
}
