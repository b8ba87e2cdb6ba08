//! `models`: lists the reachable models by the names to use for them.

use crate::cli::args::ModelOptions;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::models::minds::{Usable, Way};
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
        let providers = Providers::new(context, &self.options)?;
        let found = survey(&providers)?;
        if self.json {
            return output::text(&format!(
                "{:#}\n",
                found.iter().map(SurveyedPlace::json).collect::<Value>()
            ));
        }
        let mut out = words(&Usable::new(&providers, &[]));
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

/// Describes the words for models, with their meaning here and now.
fn words(usable: &Usable) -> String {
    let way = |way: &Way| format!("{} ({})", way.model, way.by);
    let mut out = String::new();
    for (word, model) in &usable.words {
        out.push_str(&format!("{word:<9} {model} (settings)\n"));
    }
    for (word, _, ways) in usable.families() {
        let ways: Vec<String> = ways.iter().map(way).collect();
        out.push_str(&format!("{word:<9} {}\n", ways.join(", else ")));
    }
    if out.is_empty() { out } else { format!("words     here and now\n{out}\n") }
}
