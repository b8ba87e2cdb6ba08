//! `models`: lists the reachable models by the names to use for them.

use crate::cli::args::ModelOptions;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::memory::private_file::write_private;
use crate::cli::models::minds::{Usable, Way};
use crate::cli::models::providers::Providers;
use crate::cli::models::survey::{SurveyedPlace, survey};
use crate::cli::models::update::fetch;
use crate::cli::output;
use crate::settings::{MODEL_LIST_URL, model_rows};
use clap::{Args, Subcommand};
use serde_json::Value;

/// List available models
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ModelsArgs {
    #[command(subcommand)]
    command: Option<ModelsCommand>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: ModelOptions,
}

#[derive(Debug, Subcommand)]
enum ModelsCommand {
    /// Fetch prices, windows and parameters of models, in place of those of this program
    Update {
        /// Address of the list
        #[arg(long, value_name = "ADDRESS", default_value = MODEL_LIST_URL)]
        from: String,
    },
}

/// Fetches the facts about models and keeps them in the cache folder.
fn update(from: &str, context: &Context) -> Result<Exit, Failure> {
    let rows = model_rows(&fetch(from, context)?).map_err(|why| {
        Failure::new(Exit::Failed, format!("{from}: {why}; the facts are as before"))
    })?;
    let path = context.paths.model_update();
    write_private(&path, &rows)
        .map_err(|e| Failure::new(Exit::Failed, format!("cannot write {}: {e}", path.display())))?;
    let count = rows.lines().skip(1).count();
    output::text(&format!(
        "{count} models: their prices, windows and parameters are those of {from} now\n\
         (in {}; delete it to have those of the program)\n",
        path.display()
    ))
}

impl ModelsArgs {
    /// Prints the available models, or updates the facts about them.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        if let Some(ModelsCommand::Update { from }) = self.command {
            return update(&from, context);
        }
        let providers = Providers::new(context, &self.options)?;
        let found = survey(&providers, context)?;
        if self.json {
            return output::text(&format!(
                "{:#}\n",
                found.iter().map(SurveyedPlace::json).collect::<Value>()
            ));
        }
        let mut out = words(&Usable::new(&providers, &[]));
        let is_usable = !out.is_empty();
        for place in found.iter().filter(|place| place.matters) {
            match &place.has {
                Ok(names) if names.is_empty() => {
                    out.push_str(&format!(
                        "{}  {}: it has no models\n",
                        place.name, place.base_url
                    ));
                }
                Ok(names) => {
                    out.push_str(&format!("{}  {}\n", place.name, place.base_url));
                    names.iter().for_each(|n| out.push_str(&format!("  {}{n}\n", place.usage)));
                }
                Err(why) => out.push_str(&format!("{}  {}: {why}\n", place.name, place.base_url)),
            }
        }
        output::text(&out)?;
        if !is_usable
            && !found.iter().any(|place| place.has.as_ref().is_ok_and(|names| !names.is_empty()))
        {
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
