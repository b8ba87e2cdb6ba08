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
use crate::model::{Participant, Text, ToolSource, VoiceSpec, http};
use crate::settings::Paths;
use crate::text;
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
        consent: Consent,
        context: &Context,
    ) -> Result<Allowed, Failure> {
        let commands = commands(seats);
        if !(found.trusted || commands.is_empty()) {
            let content =
                Content::read(&["scenario", &found.source.text], &commands, &found.folder)?;
            untrusted(&found.source.name, content.clone(), &commands, given(seats, context)?)
                .admit(consent, &context.paths)?;
            let run = Content::read(&["commands"], &commands, &found.folder)?;
            if content.is_agreed(&context.paths) && !run.is_agreed(&context.paths) {
                run.agree(&context.paths, &format!("sessions of {}", found.source.name))?;
            }
        }
        Ok(Allowed(commands))
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
        if !named.is_empty() {
            let given = given(seats, context)?;
            let content = Content::read(&["commands"], &named, folder)?;
            untrusted("this session", content, &named, given).admit(consent, &context.paths)?;
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
        spoken(p).into_iter().chain(tools)
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

/// Returns the command of a seat's voice, if it has one.
pub fn spoken(p: &Participant) -> Option<Vec<Text>> {
    match &p.voice {
        VoiceSpec::Script(command) => Some(command.clone()),
        VoiceSpec::Http(service) => Some(service.agreed()),
        VoiceSpec::Agent(agent) => Some(agent.agreed()),
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
        content: Content::of_project(&project)?,
        would: sets.map(|o| format!("set {} = {}", o.key, o.value)).collect(),
    };
    untrusted.admit(consent, &context.paths)?;
    context.trust_project();
    Ok(())
}

/// Asks a question on the terminal; only an explicit yes counts.
pub fn asked(question: &str) -> bool {
    let answer = || {
        let mut err = stderr().lock();
        err.write_all(question.as_bytes())?;
        err.flush()?;
        let mut answer = String::new();
        stdin().read_line(&mut answer)?;
        io::Result::Ok(answer)
    };
    matches!(answer().unwrap_or_default().trim().to_lowercase().as_str(), "y" | "yes")
}
