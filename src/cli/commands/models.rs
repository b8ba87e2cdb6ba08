//! `models`: lists the reachable models by the names to use for them.

use crate::cli::args::ModelOptions;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::models::providers::Providers;
use crate::cli::models::survey::{SurveyedPlace, survey};
use crate::cli::output;
use clap::Args;
use serde_json::Value;

/// List available models
#[derive(Debug, Args)]
pub struct ModelsArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: ModelOptions,
}

impl ModelsArgs {
    /// Prints the available models.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        let found = survey(&Providers::new(context, &self.options)?)?;
        if self.json {
            return output::text(&format!(
                "{:#}\n",
                found.iter().map(SurveyedPlace::json).collect::<Value>()
            ));
        }
        let mut out = String::new();
        for place in found.iter().filter(|place| place.matters) {
            match &place.has {
                Ok(names) => {
                    out.push_str(&format!("{}  {}\n", place.name, place.base_url));
                    names.iter().for_each(|n| out.push_str(&format!("  {}{n}\n", place.usage)));
                }
                Err(why) => out.push_str(&format!("{}  {}: {why}\n", place.name, place.base_url)),
            }
        }
        output::text(&out)?;
        if !found.iter().any(|place| place.has.as_ref().is_ok_and(|names| !names.is_empty())) {
            context.say("no model available; `colloquium doctor` explains why");
        }
        Ok(Exit::Done)
    }
}
