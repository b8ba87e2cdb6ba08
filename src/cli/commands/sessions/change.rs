//! Changes to a saved session: rename, restore, redact, repair.

use crate::catalogue;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::output::watched;
use crate::cli::runtime::block_on;
use crate::cli::trust::allowed::asked;
use crate::clock::Clock;
use crate::model::event::OPERATOR;
use crate::model::payload::Renamed;
use crate::model::{Event, Kind, Participant, ThreadId};
use crate::session::{self, Mode, ReadProgress, Record, Records, Redaction, Renaming, Want};
use crate::state::State;
use crate::text::plural;
use clap::Args;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Replacement for redacted text.
const REDACTED: &str = "[redacted]";
/// Minimum characters of a text to redact. Shorter texts also occur in unrelated places.
const REDACTED_CHARS_MIN: usize = 4;

/// The text or utterance to redact.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub struct RedactTarget {
    /// A turn number, with all its versions
    #[arg(long, value_name = "N")]
    utterance: Vec<u32>,
    /// A text, everywhere in the session
    #[arg(long, value_name = "TEXT")]
    text: Vec<String>,
    /// A participant's new name, in every place: `--rename ada="Person A"`
    #[arg(long, value_name = "ID=NAME", value_parser = new_name)]
    rename: Option<NewName>,
}

/// New name of a participant.
#[derive(Clone, Debug)]
struct NewName {
    old: String,
    id: String,
    name: String,
}

/// Parses the id of a participant and its new name.
fn new_name(text: &str) -> Result<NewName, String> {
    let (old, name) = text.split_once('=').ok_or("write ID=NAME, such as ada=\"Person A\"")?;
    let name = name.trim();
    let letters = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let id: String = name.chars().map(letters).collect();
    let id = id.trim_matches('_').to_owned();
    if id.is_empty() || name.contains(char::is_control) {
        return Err("the new name needs a letter from a to z or a digit".into());
    }
    Ok(NewName { old: old.trim().into(), id, name: name.into() })
}

/// Returns the words to replace for a new name: the participant's name, its other names and its id.
fn renaming(path: &Path, new: &NewName) -> Result<Renaming, Failure> {
    let mut state = State::default();
    session::fold(path, &ReadProgress::default(), &mut |event| state.apply(event))?;
    let ids: Vec<&str> = state.seats.iter().map(|s| &*s.spec.id).collect();
    let Some(seat) = state.seats.iter().find(|s| *s.spec.id == *new.old) else {
        let message = format!("no participant {:?} in {}", new.old, path.display());
        return Err(Failure::usage(message, format!("there are {}", ids.join(", "))));
    };
    let renamed = Participant { name: new.name.as_str().into(), ..Participant::clone(&seat.spec) };
    if let Some(fault) = renamed.name_fault(state.seats.iter().map(|s| &*s.spec)) {
        let message = format!("the name {:?} {fault}", new.name);
        return Err(Failure::usage(message, "choose another name"));
    }
    if ids.contains(&new.id.as_str()) {
        let message = format!("there is already a participant {:?}", new.id);
        return Err(Failure::usage(message, "choose another name"));
    }
    let mut renaming = Renaming::default();
    let mut names = vec![&*seat.spec.name];
    names.extend(seat.spec.aliases.iter().map(|alias| &**alias));
    names.sort_by_key(|name| Reverse(name.len()));
    names.into_iter().for_each(|name| renaming.add(name, &new.name));
    renaming.add(&seat.spec.id, &new.id);
    Ok(renaming)
}

/// Renames a session by appending an event of the operator.
pub fn rename(path: &Path, title: &str, context: &Context) -> Result<Exit, Failure> {
    if title.trim().is_empty() {
        return Err(Failure::usage(
            "the title is empty",
            "colloquium sessions rename SESSION --title \"A TITLE\"",
        ));
    }
    let resumed = session::resume(path, Mode::Normal)?;
    let Some(last) = resumed.log.last().cloned() else {
        return Err(Failure::new(
            Exit::Session,
            format!("{} is empty; there is nothing to rename", path.display()),
        ));
    };
    let wall = Clock::real(last.ms).wall();
    let mut seq = last.seq;
    let kinds = resumed.repaired.map(Kind::from).into_iter();
    for kind in kinds.chain([Renamed { title: title.trim().into() }.into()]) {
        seq = seq.next();
        let by = OPERATOR.into();
        let event =
            Event { seq, at: wall, by, kind, cause: None, thread: ThreadId::ROOT, ..last.clone() };
        resumed.writer.push(Arc::new(Record::new(event)?));
    }
    let refused =
        |e: String| Failure::new(Exit::Session, format!("cannot write {}: {e}", path.display()));
    block_on(async { resumed.writer.finish().await.map_err(|fault| refused(fault.to_string())) })?;
    context.say(&format!("{} renamed to: {}", resumed.log.files.id(), title.trim()));
    Ok(Exit::Done)
}

/// Restores a session from the trash.
pub fn restore(id: &str, context: &Context) -> Result<Exit, Failure> {
    let log = catalogue::restore(id, &context.paths.trash(), &context.paths.sessions())?;
    context.say(&format!("restored: {}", log.display()));
    Ok(Exit::Done)
}

/// Redacts texts or turns in a session file, permanently. A new name of a participant is only reported without `yes`,
/// unless a person at the terminal agrees.
pub fn redact(
    path: &Path,
    out: &RedactTarget,
    yes: bool,
    context: &Context,
) -> Result<Exit, Failure> {
    if let Some(short) = out.text.iter().find(|t| t.chars().count() < REDACTED_CHARS_MIN) {
        return Err(Failure::usage(
            format!("\"{short}\" is too short to redact"),
            format!("use at least {REDACTED_CHARS_MIN} characters, or --utterance N"),
        ));
    }
    let nothing = |why: String| {
        let message = format!("nothing was redacted in {}: {why}", path.display());
        Failure::usage(message, "`colloquium export SESSION --format txt` prints the transcript")
    };
    let numbers: BTreeSet<u32> = out.utterance.iter().copied().collect();
    let mut granted = BTreeSet::new();
    session::read(path, Want::Turns, &ReadProgress::default(), &mut |found| {
        let Kind::FloorGranted(grant) = &found.event.kind else { return };
        granted.extend(grant.number.filter(|number| numbers.contains(number)));
    })?;
    if let Some(number) = out.utterance.iter().find(|number| !granted.contains(number)) {
        return Err(nothing(format!("it has no turn {number}")));
    }
    let names = match &out.rename {
        Some(new) => renaming(path, new)?,
        None => Renaming::default(),
    };
    let wanted = |records: &Records| {
        let mut all = Redaction { mark: REDACTED.into(), ..Redaction::default() };
        if !numbers.is_empty() {
            all.add_utterances(records.iter(), &numbers);
        }
        all.texts.extend(out.text.iter().cloned());
        all.names = names.clone();
        all
    };
    if let (Some(new), false) = (&out.rename, yes) {
        let changed = session::preview(path, wanted)?;
        let NewName { old, id, name } = new;
        context.say(&format!(
            "{} would change: {old} becomes {id} ({name})",
            plural(changed, "event")
        ));
        if !Context::at_terminal() {
            context.say("nothing was changed; add --yes to rename");
            return Ok(Exit::Done);
        }
        if !asked("rename permanently? [y/N] ") {
            context.say("nothing was changed");
            return Ok(Exit::Done);
        }
    }
    let what: Vec<String> = out.utterance.iter().map(|n| format!("utterance {n}")).collect();
    let texts = (!out.text.is_empty()).then(|| "a text".to_owned());
    let named = out.rename.as_ref().map(|new| format!("the former name of {}", new.id));
    let what = what.into_iter().chain(texts).chain(named).collect::<Vec<_>>().join(", ");
    let note = format!("redacted in this file: {what}");
    let done = watched("redacting the session", |progress| {
        session::redact(path, wanted, &note, progress)
    })?;
    if done.events == 0 {
        return Err(nothing("the text was not found".into()));
    }
    context.say(&format!("redacted in {}: {what}", plural(done.events, "event")));
    for removed in &done.removed {
        context.say(&format!("removed: {}", removed.display()));
    }
    if done.left > 0 {
        context.say(&format!(
            "the text remains in {}, in a participant's name or a command",
            plural(done.left, "event")
        ));
    }
    context.say("earlier branches, exports and copies still contain it");
    Ok(Exit::Done)
}

/// Repairs a damaged session.
pub fn repair(path: &Path, context: &Context) -> Result<Exit, Failure> {
    let done = watched("repairing the session", |progress| session::repair(path, progress))?;
    for fault in &done.faults {
        context.say(&format!("found: {fault}"));
    }
    match done.kept {
        None => context.say("no damage found"),
        Some(kept) => context.say(&format!(
            "repaired: {}, {} recovered from a rescue file, {} substituted for lost events; the damaged file was \
                 kept as {}",
            plural(done.events, "event"),
            done.rescued,
            done.stand_ins,
            kept.display()
        )),
    }
    Ok(Exit::Done)
}
