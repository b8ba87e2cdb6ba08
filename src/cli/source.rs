//! Finds scenarios by path, by name (bundled or the user's own), or on standard input (`-`).

use crate::cli::error::Failure;
use crate::cli::inputs::read_stdin;
use crate::model::near::nearest;
use crate::scenario::{self, Override, Source, bundled, bundled_names, protocol_names};
use crate::settings::Paths;
use crate::testing;
use std::fs;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

/// File extension of scenarios.
pub const ENDING: &str = ".toml";

/// Template for new scenarios: shows the usual keys and is playable as it is.
pub const TEMPLATE: &str = include_str!("commands/new_scenario.toml");

/// Scenario text with its folder and trust.
pub struct FoundScenario {
    /// Text of the file, with its name for error messages.
    pub source: Source,
    /// Working directory of its scripts.
    pub folder: PathBuf,
    /// True if the scenario is bundled or lies in the user's settings folder.
    pub trusted: bool,
}

impl FoundScenario {
    /// Returns a scenario that the program itself provides; its scripts run in the current folder.
    pub fn provided(name: &str, text: &str) -> FoundScenario {
        let source = Source { name: name.to_owned(), text: text.to_owned(), settings: vec![] };
        FoundScenario { source, folder: PathBuf::from("."), trusted: true }
    }

    /// Adds the values of `--set`.
    pub fn set(&mut self, settings: &[String]) -> Result<(), Failure> {
        for setting in settings {
            let parsed = Override::parse(setting);
            self.source.settings.push(parsed.map_err(|why| {
                Failure::usage(format!("--set {setting}: {why}"), "use KEY=VALUE")
            })?);
        }
        Ok(())
    }
}

/// Finds a panel by its name, or a scenario as [`find`] does.
pub fn find_panel(paths: &Paths, name: &str) -> Result<FoundScenario, Failure> {
    match scenario::panel(name) {
        Some(text) => Ok(FoundScenario::provided(name, text)),
        None => find(paths, name),
    }
}

/// Finds a scenario. Paths contain a separator or end in `.toml`. A bundled scenario takes precedence over one of the
/// user's with the same name.
pub fn find(paths: &Paths, name: &str) -> Result<FoundScenario, Failure> {
    let here = PathBuf::from(".");
    if name == "-" {
        let found = FoundScenario::provided("standard input", &read_stdin("a scenario")?);
        return Ok(FoundScenario { trusted: false, ..found });
    }
    if name.contains(MAIN_SEPARATOR) || name.ends_with(ENDING) {
        let path = Path::new(name);
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(&here);
        return Ok(FoundScenario {
            source: scenario::read(path)?,
            folder: folder.to_owned(),
            trusted: lies_in(path, &paths.config),
        });
    }
    if let Some(found) = find_named(paths, name)? {
        return Ok(found);
    }
    let mut names: Vec<String> = own_names(paths);
    names.extend(bundled_names().chain(protocol_names()).map(str::to_owned));
    let near = nearest(name, names.iter().map(String::as_str));
    let near = near.map_or(String::new(), |near| format!("; the nearest is `{near}`"));
    Err(Failure::usage(
        format!("no scenario `{name}`{near}"),
        format!("name a file by its path, as in ./{name}{ENDING}"),
    ))
}

/// Finds a scenario by name; bundled scenarios take precedence. `None` if none exists. Paths are not resolved, and
/// `-` does not read standard input.
pub fn find_named(paths: &Paths, name: &str) -> Result<Option<FoundScenario>, Failure> {
    if let Some(text) = bundled(name) {
        return Ok(Some(FoundScenario::provided(name, text)));
    }
    let own = paths.scenarios().join(format!("{name}{ENDING}"));
    if name.contains(MAIN_SEPARATOR) || !own.is_file() {
        return Ok(None);
    }
    // a symbolic link in the user's folder may point anywhere
    let trusted = lies_in(&own, &paths.config);
    let target = own.canonicalize().unwrap_or(own);
    let source = scenario::read(&target)?;
    Ok(Some(FoundScenario { source, folder: paths.scenarios(), trusted }))
}

/// Returns the sorted names of the user's own scenarios.
pub fn own_names(paths: &Paths) -> Vec<String> {
    // a missing or unreadable folder contains no scenarios
    let entries = fs::read_dir(paths.scenarios()).into_iter().flatten().flatten();
    let name = |e: fs::DirEntry| {
        let name = e.file_name().to_str()?.to_owned();
        // skip tests, which have the same extension
        let own = (!name.ends_with(testing::ENDING)).then_some(name)?;
        own.strip_suffix(ENDING).map(str::to_owned)
    };
    let mut names: Vec<String> = entries.filter_map(name).collect();
    names.sort();
    names
}

/// Returns true if a file is inside a folder after resolving symbolic links.
fn lies_in(file: &Path, folder: &Path) -> bool {
    match (file.canonicalize(), folder.canonicalize()) {
        (Ok(file), Ok(folder)) => file.starts_with(folder),
        (Ok(_) | Err(_), _) => false,
    }
}
