//! Finds the scenario that a person means: a path, `-`, or the name of a bundled or of an own one.

use crate::cli::error::Failure;
use crate::cli::inputs::read_stdin;
use crate::config::Paths;
use crate::model::near::nearest;
use crate::scenario::{self, Source, bundled, bundled_names, protocol_names};
use crate::testing;
use std::fs;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

/// The ending of a scenario's file name.
pub const ENDING: &str = ".toml";

/// A scenario that shows the usual keys and can be played as it is.
pub const TEMPLATE: &str = include_str!("commands/new_scenario.toml");

/// A scenario's text, and what follows from where it was found.
pub struct FoundScenario {
    /// The text of the file, for faults to point into.
    pub source: Source,
    /// The folder its scripts run in.
    pub folder: PathBuf,
    /// Whether it came with the program or lies in the user's own folder.
    pub trusted: bool,
}

/// Finds a scenario. A path has a separator or ends in `.toml`; among names a bundled one goes first.
pub fn find(paths: &Paths, name: &str) -> Result<FoundScenario, Failure> {
    let here = PathBuf::from(".");
    if name == "-" {
        let source = Source {
            name: "standard input".into(),
            text: read_stdin("a scenario")?,
            settings: vec![],
        };
        return Ok(FoundScenario { source, folder: here, trusted: false });
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

/// Finds a scenario by its name alone, a bundled one first; `None` if no scenario has it. A path, `-` and a name with a
/// separator are names of nothing.
pub fn find_named(paths: &Paths, name: &str) -> Result<Option<FoundScenario>, Failure> {
    if let Some(text) = bundled(name) {
        let source = Source { name: name.into(), text: text.into(), settings: vec![] };
        return Ok(Some(FoundScenario { source, folder: PathBuf::from("."), trusted: true }));
    }
    let own = paths.scenarios().join(format!("{name}{ENDING}"));
    if name.contains(MAIN_SEPARATOR) || !own.is_file() {
        return Ok(None);
    }
    // a link in the own folder may lead anywhere
    let trusted = lies_in(&own, &paths.config);
    let target = own.canonicalize().unwrap_or(own);
    let source = scenario::read(&target)?;
    Ok(Some(FoundScenario { source, folder: paths.scenarios(), trusted }))
}

/// Returns the names of the user's own scenarios, sorted.
pub fn own_names(paths: &Paths) -> Vec<String> {
    // a folder that is not there, or not readable, has no scenarios to offer
    let entries = fs::read_dir(paths.scenarios()).into_iter().flatten().flatten();
    let name = |e: fs::DirEntry| {
        let name = e.file_name().to_str()?.to_owned();
        // a test beside a scenario is none
        let own = (!name.ends_with(testing::ENDING)).then_some(name)?;
        own.strip_suffix(ENDING).map(str::to_owned)
    };
    let mut names: Vec<String> = entries.filter_map(name).collect();
    names.sort();
    names
}

/// Returns whether a file really lies in a folder, links followed.
fn lies_in(file: &Path, folder: &Path) -> bool {
    match (file.canonicalize(), folder.canonicalize()) {
        (Ok(file), Ok(folder)) => file.starts_with(folder),
        (Ok(_) | Err(_), _) => false,
    }
}
