//! Finds session files by name, and reports their faults.

use crate::catalogue::{self, SessionSummary, example};
use crate::cli::args::SessionName;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::output::watched;
use crate::model::{Command, Participant};
use crate::own_file::OwnFile;
use crate::session::{self, Finished, Log, LogFault, Survey};
use crate::settings::make_private;
use crate::state::State;
use crate::steer::line::{EntryPoint, Intent, Manner, Typing, has_sign, read_line};
use crate::{analysis, untrusted};
use std::io;
use std::path::{Path, PathBuf};

const STEERING: &str = "`colloquium help steering` shows what a line can say";

/// Finds the file of a session for writing. Bundled examples are rejected.
pub fn find_own(name: &SessionName, context: &Context) -> Result<PathBuf, Failure> {
    match name.session.as_deref().filter(|name| example(name).is_some()) {
        Some(name) => Err(Failure::usage(
            format!("{name} is bundled and cannot be changed"),
            format!("branch it: colloquium fork {name} --at N"),
        )),
        None => find(name, context),
    }
}

/// Finds the file of a session by id, id prefix, path or name of a bundled example.
pub fn find(name: &SessionName, context: &Context) -> Result<PathBuf, Failure> {
    let folder = context.paths.sessions();
    if let Some((name, log)) = name.session.as_ref().and_then(|n| Some((n, example(n)?))) {
        return unpack_example(name, log, context);
    }
    let found = match &name.session {
        Some(name) => catalogue::find(&folder, name),
        None => catalogue::last(&folder),
    };
    Ok(found.map_err(unreadable(&folder))??)
}

/// Unpacks a bundled example into the cache folder. A modified copy is restored.
fn unpack_example(name: &str, log: &str, context: &Context) -> Result<PathBuf, Failure> {
    let folder = context.paths.cache.join("examples");
    let path = folder.join(format!("{name}.jsonl"));
    if untrusted::read(&path).is_ok_and(|there| there == log.as_bytes()) {
        return Ok(path);
    }
    make_private(&folder)?;
    OwnFile::replace(&path, log.as_bytes(), |_| true).map_err(|e| {
        Failure::new(Exit::Session, format!("cannot write {}: {e}", path.display()))
    })?;
    Ok(path)
}

/// Returns all sessions of the folder, and shows the progress.
pub fn list(context: &Context) -> Result<Vec<SessionSummary>, Failure> {
    let folder = context.paths.sessions();
    watched("reading sessions", |progress| catalogue::list(&folder, analysis::headline, progress))
        .map_err(unreadable(&folder))
}

/// Returns the failure for an unreadable folder.
pub fn unreadable(folder: &Path) -> impl Fn(io::Error) -> Failure {
    let folder = folder.display().to_string();
    move |e| Failure::new(Exit::Session, format!("cannot read {folder}: {e}"))
}

/// Reports the missing texts of a session. It can still be resumed.
pub fn report_missing_texts(log: &Survey, context: &Context) {
    let missing = log.faults.iter().filter(|f| matches!(f, LogFault::Blob { .. }));
    missing.for_each(|fault| context.say(&fault.to_string()));
}

/// Reports the faults of a session, after everything readable has been shown.
pub fn report_faults(log: &Survey, context: &Context) -> Result<Exit, Failure> {
    if log.last.is_none() {
        context.say("the file contains no readable events");
    }
    if log.torn.is_some() {
        context.say("the last line is incomplete; resuming sets it aside");
    }
    report_missing_texts(log, context);
    let newer = |f: &&LogFault| matches!(f, LogFault::Newer { .. });
    if let Some(fault) = log.faults.iter().find(newer) {
        context.say(&format!("read-only: {fault}"));
    }
    let path = log.files.log().display();
    if let Some(fault) = log.archive.as_ref().and_then(|archive| archive.fault()) {
        let message = format!("{path} could not be read to its end: {fault}");
        return Err(Failure::new(Exit::Session, message));
    }
    match log.faults.iter().filter(|f| !newer(f)).find(|f| f.forbids_writing()) {
        Some(fault) => Err(Failure::new(
            Exit::Session,
            format!("{path} is damaged; this is the readable part: {fault}"),
        )
        .hint(format!("colloquium sessions repair {path}"))),
        None => Ok(Exit::Done),
    }
}

/// Moves a session to the trash. Returns messages with the new path and the command that restores it.
pub fn delete(path: &Path, context: &Context) -> Result<[String; 2], Failure> {
    let to = catalogue::delete(path, &context.paths.trash())?;
    let id = to.file_name().unwrap_or_default().to_string_lossy();
    let back = context.command(&["sessions", "restore", &id]);
    Ok([format!("moved to the trash: {}", to.display()), format!("undo: {back}")])
}

/// Parses the text of a shell command that is said in the conversation of a file.
///
/// # Errors
/// If the text addresses nobody here, or is a faulty `/command`.
pub fn read_typed(line: &str, path: &Path) -> Result<Command, Failure> {
    // plain words need no state, and a session may be long
    let state = if has_sign(line) { fold(&session::load(path)?) } else { State::default() };
    match read_line(line, &Typing::new(EntryPoint::Shell, Manner::Say), &state) {
        Ok(Intent::Give(command)) => Ok(command),
        Ok(Intent::Local) => Err(Failure::usage(format!("unknown command: {line}"), STEERING)),
        Err(why) => Err(Failure::usage(why.to_string(), STEERING)),
    }
}

/// Returns the state at the end of a log.
pub fn fold(log: &Log) -> State {
    let finished = Finished::from_events(log.events());
    State::fold(log.events().filter(|event| !finished.repeats(event)))
}

/// Returns the present participants.
pub fn seats(state: &State) -> impl Iterator<Item = &Participant> {
    state.seats.iter().filter(|s| !s.gone).map(|s| &*s.spec)
}
