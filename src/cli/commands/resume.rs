//! `resume`: continues a session from its last event.

use crate::cli::args::{Play, SessionName};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::inputs::{has_line, steer_lines};
use crate::cli::models::local;
use crate::cli::models::providers::Providers;
use crate::cli::models::resolve::{CHANGE_ALL, ModelSource};
use crate::cli::play::assemble::{self, OpenedSession};
use crate::cli::play::cast::Cast;
use crate::cli::play::changes::{self, Changes};
use crate::cli::play::next::{self, Next, Setup};
use crate::cli::play::opening::{Follows, follows};
use crate::cli::play::toolbox::{decisions, meet_again, toolbox};
use crate::cli::play::{outcome, terminal};
use crate::cli::session_file::{self, fold, report_missing_texts, seats};
use crate::cli::trust::allowed::{Allowed, Consent, admit_project};
use crate::host::{self, Opening, Parts};
use crate::model::{Command, Limits};
use crate::session::{self, LogFault, Mode, ResumedSession, Session};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Resume a session
#[derive(Debug, Args)]
pub struct ResumeArgs {
    #[command(flatten)]
    which: SessionName,
    #[command(flatten)]
    play: Play,
}

impl ResumeArgs {
    /// Returns the command that plays the session.
    pub fn next(mut self, context: &Context) -> Result<Next, Failure> {
        let path = session_file::find_own(&self.which, context)?;
        terminal::check(&mut self.play, context)?;
        Ok(Next::Resume(Box::new(next::Resume { path, play: self.play, ..Default::default() })))
    }
}

/// Returns the next step for a finished conversation to which the resume adds nothing; `None` for any other. Nothing is
/// written and no model is called: a screen shows it for reading, and without a screen the way to continue it is reported.
pub fn finished(resume: &next::Resume, opened: &OpenedSession, context: &Context) -> Option<Next> {
    let play = &resume.play;
    let changes = play.limits() != Limits::default()
        || play.rehearsed
        || play.models.model.is_some()
        || !play.set.is_empty();
    let steers = play.steer.is_some() && !play.reads_commands();
    let says = !resume.commands.is_empty() || steers || changes;
    // the reason why it cannot be continued comes first
    let broken = opened.survey.faults.iter().any(LogFault::forbids_writing);
    if !opened.past.is_finished() || says || play.background || broken {
        return None;
    }
    if play.reads_commands() && has_line("steering lines") {
        return None;
    }
    match follows(play, context) {
        Follows::Screen => Some(Next::read(resume.clone())),
        // the text that is typed continues it
        Follows::Text => None,
        Follows::Output => {
            let name = context.name_of(&opened.survey.files);
            let command = outcome::resume_command(&name, play, context);
            let command = outcome::way_on(&opened.past, &command);
            context.say(&format!("finished; say what is next: {command}"));
            Some(Next::Over(Exit::Done))
        }
    }
}

/// Resumes a session that has been opened.
pub fn start(
    resume: &next::Resume,
    opened: OpenedSession,
    context: &Context,
) -> Result<Setup, Failure> {
    // before a tool server starts or consent is asked for
    session::may_change()?;
    let mut play = resume.play.clone();
    let lines = steer_lines(&play)?;
    let folder = PathBuf::from(".");
    let Looked { allowed, models, changes, warning } =
        look(resume, &opened, &mut play, &folder, context)?;
    let tools = toolbox(&changes.seats, allowed.clone(), folder.clone(), &play, context)?;
    let decided = decisions(&play, &changes.seats, context)?;
    let OpenedSession { survey, mut past, mut before, mut told } = opened;
    let ResumedSession { log, again, repaired, writer } =
        session::resume_read(survey, Mode::Normal)?;
    let began = assemble::began(&log);
    if again {
        past = fold(&log);
        told = None;
        before = if play.headless { vec![] } else { log.records };
    }
    let files = log.survey.files;
    let virtual_time =
        play.may_be_virtual() && assemble::is_timeless(&changes.seats, play.steered_live());
    let cast = Cast::new(allowed.clone(), folder, &context.environment, models);
    let clock = assemble::clock(virtual_time, &past, began);
    let session = Session { files, writer };
    let start = Opening::Resume(past, repaired);
    let conversation = host::assemble(Parts {
        before,
        at_reading_pace: context.is_at_reading_pace(&play)?,
        attended: play.attended(),
        steered: play.steered_live(),
        commands: decided
            .into_iter()
            .chain(changes.commands)
            .chain(resume.commands.clone())
            .chain(warning.as_ref().map(|_| Command::Pause {}))
            .collect(),
        lines,
        ..Parts::new(session, start, Arc::new(cast), tools, clock)
    });
    let notice = warning.or(resume.notice.clone());
    Ok(Setup { conversation, told, play, allowed, inquiry: None, notice, budget: None })
}

/// Checked permissions, models and changes of a session to be resumed.
struct Looked {
    allowed: Allowed,
    models: ModelSource,
    changes: Changes,
    /// The models that are missing, in words.
    warning: Option<String>,
}

/// Checks a session before anything is locked or repaired, so that a refusal leaves the file unchanged.
fn look(
    resume: &next::Resume,
    opened: &OpenedSession,
    play: &mut Play,
    folder: &Path,
    context: &Context,
) -> Result<Looked, Failure> {
    let OpenedSession { survey, past, .. } = opened;
    if survey.last.is_none() {
        let path = resume.path.display();
        return Err(Failure::new(
            Exit::Session,
            format!("{path} is empty; there is nothing to resume"),
        ));
    }
    report_missing_texts(survey, context);
    let changes = changes::requested(past, play, context)?;
    let consent = Consent::from_options(play);
    let allowed = Allowed::by_session(seats(past), &changes.seats, folder, consent, context)?;
    if !changes.all_rehearsed() {
        admit_project(Consent::from_options(play), context)?;
    }
    let name = context.name_of(&survey.files);
    if resume.finds_server {
        let typed = resume.typed_server.as_deref();
        local::find_endpoint(&changes.seats, typed, &name, &mut play.models, context)?;
    }
    let models = ModelSource::new(Providers::new(context, &play.models)?, &play.models);
    models.count(&changes.seats, &changes.limits)?;
    let [option, value] = CHANGE_ALL;
    let again = context.command(&["resume", &name, option, value]);
    let warning = models.meet_again(&changes.seats, !play.headless, &again, context)?;
    meet_again(&changes.seats, &allowed, folder, play, context)?;
    Ok(Looked { allowed, models, changes, warning })
}
