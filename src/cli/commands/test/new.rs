//! `test --new`: writes a test from a recorded run.

use crate::cli::args::SessionName;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::{output, session_file, source};
use crate::scenario::Source;
use crate::testing::{ENDING, Words, events_of, from_session, load};
use crate::{policy, text};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes a test from a session, or from a run with the scenario's rehearsed cast.
pub fn write_new(
    scenario: &str,
    session: Option<&str>,
    context: &Context,
) -> Result<Exit, Failure> {
    let is_path = scenario.ends_with(source::ENDING);
    let stem = scenario.strip_suffix(source::ENDING).unwrap_or(scenario);
    let path = PathBuf::from(format!("{stem}{ENDING}"));
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
    let folder = folder.map_or_else(|| PathBuf::from("."), Path::to_owned);
    let named = match Path::new(scenario).file_name() {
        Some(name) if is_path => name.to_string_lossy().into_owned(),
        Some(_) | None => scenario.to_owned(),
    };
    let (events, words) = match session {
        Some(session) => {
            let path =
                session_file::find(&SessionName::from_option(Some(&session.to_owned())), context)?;
            let log = crate::session::load(&path)?;
            let events = log.events().cloned().collect();
            (events, Words::OfSession)
        }
        None => {
            if is_path && !Path::new(scenario).exists() {
                let message = format!("no file `{scenario}`");
                return Err(Failure::usage(message, "name a scenario file or a bundled scenario"));
            }
            let text = format!("scenario = {named:?}\n[[expect]]\nthat = \"ended\"\n");
            let source = Source { name: path.display().to_string(), text, settings: vec![] };
            let loaded = load(&source, &folder, &policy::rows());
            let loaded = loaded.map_err(|e| {
                Failure::new(Exit::Invalid, e.to_string())
                    .hint("a scenario without rehearsed lines needs a session: --session SESSION")
            })?;
            let test = loaded.tests.first().ok_or_else(|| Failure::new(Exit::Failed, "no test"))?;
            let events = events_of(test).map_err(|why| Failure::new(Exit::Failed, why))?;
            (events, Words::OfCast)
        }
    };
    let written = File::create_new(&path)
        .and_then(|mut file| file.write_all(from_session(&named, &events, words).as_bytes()));
    match written {
        Ok(()) => {
            output::data(format!("{}\n", text::line(&path.display().to_string())).as_bytes())?;
            context.say(&format!("run it: colloquium test {}", path.display()));
            Ok(Exit::Done)
        }
        Err(e) => Err(Failure::usage(
            format!("cannot write {}: {e}", path.display()),
            "move the existing file, or choose another scenario",
        )),
    }
}
