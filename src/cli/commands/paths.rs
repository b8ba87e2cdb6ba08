//! `paths`: prints the folders and files that the program uses.

use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::output;
use crate::text;
use clap::Args;
use serde_json::{Map, Value};
use std::path::Path;

/// Print the folders in use; `doctor` lists them too
#[derive(Debug, Args)]
pub struct PathsArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Returns the folders in use, by name.
pub fn folders(context: &Context) -> Vec<(&'static str, String)> {
    let paths = &context.paths;
    let all = [
        ("config", paths.config.clone()),
        ("scenarios", paths.scenarios()),
        ("data", paths.data.clone()),
        ("sessions", paths.sessions()),
        ("state", paths.state.clone()),
        ("cache", paths.cache.clone()),
        ("sockets", paths.sockets.clone()),
    ];
    let shown = |path: &Path| text::line(&path.display().to_string()).into_owned();
    all.iter().map(|(name, path)| (*name, shown(path))).collect()
}

impl PathsArgs {
    /// Prints the folders and files.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        let shown = folders(context);
        let out = if self.json {
            let map: Map<String, Value> =
                shown.into_iter().map(|(n, p)| (n.to_owned(), p.into())).collect();
            format!("{:#}\n", Value::Object(map))
        } else {
            shown.iter().map(|(name, path)| format!("{name:9}  {path}\n")).collect()
        };
        output::data(out.as_bytes())
    }
}
