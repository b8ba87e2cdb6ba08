//! The commands that a conversation may run, depending on the operator's trust in its file, and the consent to others.
//!
//! A file that is neither bundled nor in the user's own folder runs nothing until the operator agrees to its content or
//! gives `--trust`. This is enforced before the start, and again at the voice for a seat that joins later.

use crate::cli::agreements::store::Content;
use crate::cli::args::Play;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::models::agents;
use crate::cli::output;
use crate::cli::source::FoundScenario;
use crate::model::{PROGRAM, Participant, Text, ToolSource, VoiceSpec, http};
use crate::settings::Paths;
use crate::text;
use crate::voice::program;
use std::io::{self, Write, stderr, stdin};
use std::path::Path;

/// Commands that may be run: those that a trusted file names. `--trust` allows no others.
#[derive(Clone, Debug)]
pub struct Allowed(Vec<Vec<Text>>);

impl Allowed {
    /// Returns the commands that the seats of a scenario may run, or rejects the scenario. An agreement to its content
    /// also covers resuming its sessions.
    pub fn by_scenario(
        seats: &[Participant],
        found: &FoundScenario,
        chosen: &[Text],
        consent: Consent,
        context: &Context,
    ) -> Result<Allowed, Failure> {
        let allowed = commands(seats);
        chosen.iter().try_for_each(|model| agree_to_program(model, &context.paths))?;
        let commands: Vec<Vec<Text>> =
            allowed.iter().filter(|command| !is_chosen(command, chosen)).cloned().collect();
        if !(found.trusted || commands.is_empty()) {
            let content = Content::read(
                &["scenario", &found.source.text],
                &commands,
                &found.folder,
                &context.paths,
            )?;
            untrusted(&found.source.name, content.clone(), &commands, given(seats, context)?)
                .admit(consent, &context.paths)?;
            let run = Content::read(&["commands"], &commands, &found.folder, &context.paths)?;
            if content.is_agreed(&context.paths) && !run.is_agreed(&context.paths) {
                run.agree(&context.paths, &format!("sessions of {}", found.source.name))?;
            }
        }
        Ok(Allowed(allowed))
    }

    /// Returns the commands that the seats of a session may run in a folder, or rejects the session. The content of a
    /// session file never counts as consent, regardless of its author. `changed` are the seats after the changes that
    /// the options make.
    pub fn by_session<'a>(
        seats: impl IntoIterator<Item = &'a Participant>,
        changed: &[Participant],
        folder: &Path,
        consent: Consent,
        context: &Context,
    ) -> Result<Allowed, Failure> {
        let mut changed = changed.to_vec();
        for seat in &mut changed {
            // a program that is not installed is reported when the seat gets its voice
            let _ = agents::seated(seat, &context.environment);
        }
        let mut seats: Vec<&Participant> = seats.into_iter().collect();
        let mut named = commands(seats.iter().copied());
        // unchanged commands once: an earlier agreement covers their list
        let new = commands(&changed).into_iter().filter(|command| !named.contains(command));
        let new: Vec<_> = new.collect();
        if !new.is_empty() {
            named.extend(new);
            seats.extend(&changed);
        }
        let mut asked = named.clone();
        for command in &named {
            let may_speak = is_program(command) && is_agreed_program(command, &context.paths)?;
            asked.retain(|other| !(may_speak && other == command));
        }
        if !asked.is_empty() {
            let given = given(seats, context)?;
            let content = Content::read(&["commands"], &asked, folder, &context.paths)?;
            untrusted("this session", content, &asked, given).admit(consent, &context.paths)?;
        }
        Ok(Allowed(named))
    }

    pub fn permits(&self, command: &[Text]) -> bool {
        self.0.iter().any(|allowed| allowed == command)
    }
}

fn commands<'a>(seats: impl IntoIterator<Item = &'a Participant>) -> Vec<Vec<Text>> {
    let command = |p: &'a Participant| {
        let tools = p.tools.iter().filter_map(|tool| match &tool.source {
            ToolSource::Script(command) => Some(command.clone()),
            ToolSource::Server { server, .. } => Some(server.place.agreed()),
            ToolSource::ReadFile | ToolSource::ListDir | ToolSource::SearchFiles => None,
        });
        let fallbacks = p.voice.as_model().into_iter().flat_map(|spec| &spec.fallbacks);
        let programs = fallbacks.filter(|fallback| fallback.name.starts_with(PROGRAM));
        let programs = programs.map(|fallback| vec![fallback.name.clone()]);
        spoken(p).into_iter().chain(programs).chain(tools)
    };
    seats.into_iter().flat_map(Participant::everyone).flat_map(command).collect()
}

/// Returns the variables and the home folder that agents would get, one per line.
fn given<'a>(
    seats: impl IntoIterator<Item = &'a Participant>,
    context: &Context,
) -> Result<Vec<String>, Failure> {
    let settings = context.settings()?.agents;
    let mut lines = vec![];
    for seat in seats.into_iter().flat_map(Participant::everyone) {
        let VoiceSpec::Agent(agent) = &seat.voice else { continue };
        let line = agents::gets(&agent.command, &settings, &context.environment);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    Ok(lines)
}

/// Returns true if a command is a program in print mode.
fn is_program(command: &[Text]) -> bool {
    command.first().is_some_and(|first| first.starts_with(PROGRAM))
}

/// Returns true if the person named the program of a command.
fn is_chosen(command: &[Text], chosen: &[Text]) -> bool {
    is_program(command) && chosen.iter().any(|model| agreed_part(model) == agreed_part(&command[0]))
}

/// Returns the part of a model's name that an agreement covers: the program, with any model.
fn agreed_part(model: &str) -> &str {
    model.split('/').next().unwrap_or(model)
}

/// Returns the agreement to a program in print mode without tools. It holds in every folder.
fn program_content(model: &str, paths: &Paths) -> Result<Content, Failure> {
    Content::read::<&str>(&["program", agreed_part(model)], &[], Path::new("/"), paths)
}

/// Keeps the consent to a program that the person named, so that their sessions can be resumed.
pub fn agree_to_program(model: &str, paths: &Paths) -> Result<(), Failure> {
    if !model.starts_with(PROGRAM) {
        return Ok(());
    }
    let content = program_content(model, paths)?;
    if content.is_agreed(paths) { Ok(()) } else { content.agree(paths, agreed_part(model)) }
}

fn is_agreed_program(command: &[Text], paths: &Paths) -> Result<bool, Failure> {
    let model = command.first().map_or("", |first| first);
    Ok(program_content(model, paths)?.is_agreed(paths))
}

/// Returns the command of a seat's voice, if it has one.
pub fn spoken(p: &Participant) -> Option<Vec<Text>> {
    match &p.voice {
        VoiceSpec::Script(command) => Some(command.clone()),
        VoiceSpec::Http(service) => Some(service.agreed()),
        VoiceSpec::Agent(agent) => Some(agent.agreed()),
        VoiceSpec::Model(spec) if spec.is_program() => Some(vec![spec.name.clone()]),
        _ => None,
    }
}

fn untrusted(
    name: &str,
    content: Content,
    commands: &[Vec<Text>],
    given: Vec<String>,
) -> Untrusted {
    let would = commands.iter().map(|command| describe(command)).chain(given).collect();
    Untrusted { name: name.into(), content, would }
}

/// Describes the effect of a command.
pub fn describe(command: &[Text]) -> String {
    match command.split_first() {
        Some((first, rest)) if **first == *http::AGREED => {
            format!("send the conversation to {}", rest.join(" "))
        }
        Some((first, _)) if first.starts_with(PROGRAM) => {
            let (program, _) = program::parts(first).unwrap_or((first, None));
            format!("run {} with your login, without tools", program::label(program))
        }
        _ => format!("run {}", command.join(" ")),
    }
}

/// Source of the operator's consent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// Given for this run by `--trust` or `--accept-changed-tools`.
    CommandGiven,
    /// Requested at the terminal.
    Asked,
    /// Unavailable: nobody can be asked.
    Missing,
}

impl Consent {
    /// Returns the source of consent according to the options.
    pub fn from_options(play: &Play) -> Consent {
        match (play.trust, play.headless) {
            (true, _) => Consent::CommandGiven,
            (false, true) => Consent::Missing,
            (false, false) => Consent::Asked,
        }
    }

    /// Returns the source of consent to tools that a server changed. `--trust` does not cover them, because it was
    /// given without seeing them.
    pub fn of_changed_tools(play: &Play) -> Consent {
        Consent::from_options(&Play { trust: play.tools.accept_changed_tools, ..play.clone() })
    }
}

/// An action that needs consent.
pub struct Untrusted {
    /// Name shown to the user.
    pub name: String,
    /// Everything that an agreement covers.
    pub content: Content,
    /// Effects, one per line.
    pub would: Vec<String>,
}

impl Untrusted {
    /// Rejects it unless the operator has agreed to this content, gave `--trust`, or agrees now. In a headless run,
    /// nobody can be asked.
    pub fn admit(&self, consent: Consent, paths: &Paths) -> Result<(), Failure> {
        if consent == Consent::CommandGiven || self.content.is_agreed(paths) {
            return Ok(());
        }
        let files = self.content.describe_files(paths);
        let lines = self.would.iter().chain(&files);
        let would: Vec<String> = lines.map(|line| format!("\n  {line}")).collect();
        let message = format!("{} is not trusted and would{}", self.name, would.concat());
        if consent == Consent::Missing {
            return Err(Failure::new(Exit::Invalid, message).hint("review it, then add --trust"));
        }
        output::print(&text::block(&message));
        if !asked("Trust this file? [y/N] ") {
            return Err(Failure::new(Exit::Invalid, "not trusted; nothing was started"));
        }
        self.content.agree(paths, &self.name)
    }
}

/// Returns true if the operator consents to the message, by an option or by an answer.
pub fn agreed(consent: Consent, message: &str, question: &str) -> bool {
    match consent {
        Consent::CommandGiven => true,
        Consent::Missing => false,
        Consent::Asked => {
            output::print(&text::block(message));
            asked(question)
        }
    }
}

/// Applies the project's settings, or rejects them without an agreement.
pub fn admit_project(consent: Consent, context: &Context) -> Result<(), Failure> {
    let Some((project, false)) = context.project()? else { return Ok(()) };
    let sets = project.sets()?.into_iter();
    let untrusted = Untrusted {
        name: format!("{} in this folder", project.path.display()),
        content: Content::of_project(&project, &context.paths)?,
        would: sets.map(|o| format!("set {} = {}", o.key, o.value)).collect(),
    };
    untrusted.admit(consent, &context.paths)?;
    context.trust_project();
    Ok(())
}

/// Asks a question on the terminal; only an explicit yes counts.
pub fn asked(question: &str) -> bool {
    matches!(answered(question).trim().to_lowercase().as_str(), "y" | "yes")
}

/// Asks a question on the terminal; Enter counts as yes, the end of the input does not.
pub fn confirmed(question: &str) -> bool {
    let answer = answered(question);
    answer.ends_with('\n') && matches!(answer.trim().to_lowercase().as_str(), "" | "y" | "yes")
}

fn answered(question: &str) -> String {
    let answer = || {
        let mut err = stderr().lock();
        err.write_all(question.as_bytes())?;
        err.flush()?;
        let mut answer = String::new();
        stdin().read_line(&mut answer)?;
        io::Result::Ok(answer)
    };
    answer().unwrap_or_default()
}
