//! `schema`: prints JSON Schemas, generated from the tables that the parsers use.

use crate::cli::error::{Exit, Failure};
use crate::cli::output;
use crate::model::schema;
use crate::own_file::OwnFile;
use crate::settings::{self, Paths, make_private};
use crate::ui::theme;
use crate::{batch, policy, scenario, testing, voice};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

/// Print a JSON Schema
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// Format to describe
    #[arg(value_enum)]
    of: Of,
}

/// Format with a schema.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Of {
    /// A scenario's file
    Scenario,
    /// A test's file
    Test,
    /// A steering line
    Steer,
    /// A line that a participant's script writes
    Script,
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
        output::data(self.of.text().as_bytes())
    }
}

impl Of {
    fn text(self) -> String {
        let described = match self {
            Of::Scenario => scenario::schema(&policy::rows()),
            Of::Test => test(),
            Of::Steer => schema::steering_line(),
            Of::Script => voice::script::schema(),
            Of::Event => schema::event(),
            Of::Results => batch::schema(),
            Of::Theme => theme::schema(),
            Of::Config => settings::schema(),
        };
        format!("{described:#}\n")
    }
}

/// Returns the first line of a TOML file that names its schema for editors, and saves that schema in the data folder;
/// empty if it cannot be saved.
pub fn editor_line(paths: &Paths, of: Of) -> String {
    let folder = paths.data.join("schemas");
    let name = of.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let path = folder.join(format!("{name}.json"));
    let saved = make_private(&folder).is_ok()
        && OwnFile::replace(&path, of.text().as_bytes(), |first| first.starts_with(b"{")).is_ok();
    // a line break in the folder's name would end the comment
    if !saved || path.to_string_lossy().contains(char::is_control) {
        return String::new();
    }
    format!("#:schema {}\n", path.display())
}

/// Returns the schema of a test file, with its commands in the form of steering lines.
fn test() -> Value {
    let mut schema = testing::schema(&policy::rows());
    let mut line = schema::steering_line();
    schema["properties"]["steer"]["items"] = json!({ "oneOf": line["oneOf"].take() });
    schema["$defs"] = line["$defs"].take();
    schema
}
