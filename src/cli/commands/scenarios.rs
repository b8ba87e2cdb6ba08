//! `scenarios`: lists and shows scenarios, and creates new ones.

use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::cli::source::{self, ENDING, TEMPLATE};
use crate::config::make_private;
use crate::own_file::OwnFile;
use crate::scenario::{Source, about, bundled, bundled_names, load, protocol_names};
use crate::{policy, scenario, testing, text};
use clap::Subcommand;
use std::io::{ErrorKind, Write};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

/// Template of a test file for a new scenario.
const TEST: &str = include_str!("new_test.toml");
/// Placeholder for the scenario's file name in [`TEST`].
const SCENARIO: &str = "SCENARIO";

/// List, show and create scenarios
#[derive(Debug, Default, Subcommand)]
pub enum ScenariosArgs {
    /// List the scenarios that can be run by name
    #[default]
    List,
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

impl ScenariosArgs {
    /// Lists, shows or creates scenarios.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        match self {
            ScenariosArgs::List => list(context),
            ScenariosArgs::Show { name } => {
                let found = source::find(&context.paths, &name)?;
                output::data(text::block(&found.source.text).as_bytes())?;
                Ok(Exit::Done)
            }
            ScenariosArgs::New { name } => new(context, &name),
        }
    }
}

fn list(context: &Context) -> Result<Exit, Failure> {
    let title = |source: &Source| match load(source, &policy::rows()) {
        Ok(loaded) => text::line(&loaded.scenario.title).into_owned(),
        Err(_) => "invalid; run `colloquium check` on it".into(),
    };
    let mut lines = String::new();
    for name in bundled_names().chain(protocol_names()) {
        let text = bundled(name).unwrap_or_default().to_owned();
        let about = about(&text);
        let title = title(&Source { name: name.into(), text, settings: vec![] });
        lines.push_str(&format!("{name}  {title}\n    {about}\n"));
    }
    for name in source::own_names(&context.paths) {
        let path = context.paths.scenarios().join(format!("{name}{ENDING}"));
        let title = scenario::read(&path).map_or_else(|e| e.to_string(), |source| title(&source));
        let line = format!("{name}  {title} (your own)");
        lines.push_str(&format!("{}\n", text::line(&line)));
    }
    output::data(lines.as_bytes())?;
    Ok(Exit::Done)
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
    let text = TEST.replace(&format!("\"{SCENARIO}\""), &format!("{name:?}"));
    let written = OwnFile::create_new(&path);
    let shown = path.display();
    match written.and_then(|mut file| file.write_all(text.as_bytes())) {
        Ok(()) => context.say(&format!("test it with: colloquium test {shown}")),
        Err(e) => context.say(&format!("cannot write the test {shown}: {e}")),
    }
}
