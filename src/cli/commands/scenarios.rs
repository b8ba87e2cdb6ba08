//! `scenarios`: lists and shows scenarios, and creates new ones.

use crate::cli::commands::schema::{Of, editor_line};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::output;
use crate::cli::source::{self, ENDING, TEMPLATE};
use crate::own_file::OwnFile;
use crate::scenario::{Source, about, bundled, bundled_names, load, protocol_names};
use crate::settings::make_private;
use crate::{policy, scenario, testing, text};
use clap::Subcommand;
use serde::Serialize;
use serde_json::json;
use std::io::{ErrorKind, Write};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

/// Template of a test file for a new scenario.
const TEST: &str = include_str!("new_test.toml");
/// Placeholder for the scenario's file name in [`TEST`].
const SCENARIO: &str = "SCENARIO";

/// List, show and create scenarios
#[derive(Debug, Subcommand)]
pub enum ScenariosArgs {
    /// List the scenarios that can be run by name
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a scenario
    Show {
        /// Name or path
        name: String,
    },
    /// Write a commented scenario to start from
    New {
        /// A name (saved in your scenarios folder), or a path
        name: String,
    },
}

impl Default for ScenariosArgs {
    fn default() -> ScenariosArgs {
        ScenariosArgs::List { json: false }
    }
}

impl ScenariosArgs {
    /// Lists, shows or creates scenarios.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        match self {
            ScenariosArgs::List { json } => list(context, json),
            ScenariosArgs::Show { name } => {
                let found = source::find(&context.paths, &name)?;
                output::text(&found.source.text)
            }
            ScenariosArgs::New { name } => new(context, &name),
        }
    }
}

/// Scenario that can be run by name.
#[derive(Serialize)]
struct Listed {
    name: String,
    /// `None` if the file has faults.
    title: Option<String>,
    /// First comment of a bundled scenario.
    about: Option<String>,
    /// The file of an own scenario.
    path: Option<String>,
}

impl Listed {
    fn bundled(name: &str) -> Listed {
        let text = bundled(name).unwrap_or_default().to_owned();
        let about = Some(about(&text));
        let title = title(&Source { name: name.into(), text, settings: vec![] });
        Listed { name: name.into(), title, about, path: None }
    }

    fn own(name: String, context: &Context) -> Listed {
        let path = context.paths.scenarios().join(format!("{name}{ENDING}"));
        let title = scenario::read(&path).ok().and_then(|source| title(&source));
        let path = text::line(&path.display().to_string()).into_owned();
        Listed { name: text::line(&name).into_owned(), title, about: None, path: Some(path) }
    }

    fn line(&self) -> String {
        let invalid = "invalid; run `colloquium check` on it";
        let title = self.title.as_deref().unwrap_or(invalid);
        match &self.about {
            Some(about) => format!("{}  {title}\n    {about}\n", self.name),
            None => format!("{}  {title} (your own)\n", self.name),
        }
    }
}

fn title(source: &Source) -> Option<String> {
    let loaded = load(source, &policy::rows()).ok()?;
    Some(text::line(&loaded.scenario.title).into_owned())
}

fn list(context: &Context, json: bool) -> Result<Exit, Failure> {
    let bundled = bundled_names().chain(protocol_names()).map(Listed::bundled);
    let own = source::own_names(&context.paths).into_iter();
    let all: Vec<Listed> = bundled.chain(own.map(|name| Listed::own(name, context))).collect();
    let text =
        if json { format!("{:#}\n", json!(all)) } else { all.iter().map(Listed::line).collect() };
    output::data(text.as_bytes())
}

fn new(context: &Context, name: &str) -> Result<Exit, Failure> {
    if name.trim().is_empty() {
        return Err(Failure::usage(
            "a scenario needs a name",
            "as in colloquium scenarios new mine",
        ));
    }
    if bundled(name).is_some() {
        return Err(Failure::usage(
            format!("`{name}` is a bundled scenario and would be used instead of yours"),
            format!("choose another name, or a path, as in ./{name}{ENDING}"),
        ));
    }
    let path = if name.contains(MAIN_SEPARATOR) || name.ends_with(ENDING) {
        PathBuf::from(name)
    } else {
        make_private(&context.paths.scenarios())?;
        context.paths.scenarios().join(format!("{name}{ENDING}"))
    };
    let write = || {
        let mut file = OwnFile::create_new(&path)?;
        file.write_all(editor_line(&context.paths, Of::Scenario).as_bytes())?;
        file.write_all(TEMPLATE.as_bytes())
    };
    match write() {
        Ok(()) => {
            output::data(format!("{}\n", text::line(&path.display().to_string())).as_bytes())?;
            context.say(&format!("run it: colloquium run {name} --rehearsed --headless"));
            new_test(context, &path);
            Ok(Exit::Done)
        }
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {
            Err(Failure::usage(format!("{} already exists", path.display()), "choose another name"))
        }
        Err(e) => Err(Failure::usage(
            format!("cannot write {}: {e}", path.display()),
            "choose another path",
        )),
    }
}

/// Writes a test beside a new scenario. An existing file is kept; a failure is only reported.
fn new_test(context: &Context, scenario: &Path) {
    let name = scenario.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = name.strip_suffix(ENDING).unwrap_or(&name);
    let path = scenario.with_file_name(format!("{stem}{}", testing::ENDING));
    let text = editor_line(&context.paths, Of::Test)
        + &TEST.replace(&format!("\"{SCENARIO}\""), &format!("{name:?}"));
    let written = OwnFile::create_new(&path);
    let shown = path.display();
    match written.and_then(|mut file| file.write_all(text.as_bytes())) {
        Ok(()) => context.say(&format!("test it with: colloquium test {shown}")),
        Err(e) => context.say(&format!("cannot write the test {shown}: {e}")),
    }
}
