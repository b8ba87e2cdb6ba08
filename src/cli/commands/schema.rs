//! `schema`: prints JSON Schemas, generated from the tables that the parsers use.

use crate::batch;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::config;
use crate::model::schema;
use crate::policy;
use crate::scenario;
use crate::testing;
use crate::ui::theme;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

/// Print a JSON Schema
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// Format to describe
    #[arg(value_enum)]
    of: Of,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Of {
    /// A scenario's file
    Scenario,
    /// A test's file
    Test,
    /// A steering line
    Steer,
    /// A line of a session
    Event,
    /// A line of the results of a batch
    Results,
    /// A theme's file
    Theme,
    /// The settings, config.toml
    Config,
}

impl SchemaArgs {
    /// Prints the JSON Schema.
    pub fn run(self) -> Result<Exit, Failure> {
        let described = match self.of {
            Of::Scenario => scenario::schema(&policy::rows()),
            Of::Test => test(),
            Of::Steer => schema::steering_line(),
            Of::Event => schema::event(),
            Of::Results => batch::schema(),
            Of::Theme => theme::schema(),
            Of::Config => config::schema(),
        };
        output::data(format!("{described:#}\n").as_bytes())?;
        Ok(Exit::Done)
    }
}

/// Returns the schema of a test file, with its commands in the form of steering lines.
fn test() -> Value {
    let mut schema = testing::schema(&policy::rows());
    let mut line = schema::steering_line();
    schema["properties"]["steer"]["items"] = json!({ "oneOf": line["oneOf"].take() });
    schema["$defs"] = line["$defs"].take();
    schema
}
