//! The commands that a conversation may run, depending on the operator's trust in its file.
//!
//! A file that is neither bundled nor in the user's own folder runs nothing until the operator agrees to its content or
//! gives `--trust`. This is enforced before the start, and again at the voice for a seat that joins later.

use crate::cli::agreements::store::Content;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::models::agents;
use crate::cli::source::FoundScenario;
use crate::cli::trust::untrusted::{Consent, Untrusted};
use crate::model::{Participant, Text, ToolSource, VoiceSpec, http};
use std::path::Path;

/// Commands that may be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// All of them: the operator gave `--trust`.
    All,
    /// The commands that a trusted file names.
    These(Vec<Vec<Text>>),
}

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
        Ok(Allowed::These(commands).or_all(consent))
    }

    /// Returns the commands that the seats of a session may run in a folder, or rejects the session. The content of a
    /// session file never counts as consent, regardless of its author.
    pub fn by_session<'a>(
        seats: impl IntoIterator<Item = &'a Participant>,
        folder: &Path,
        consent: Consent,
        context: &Context,
    ) -> Result<Allowed, Failure> {
        let seats: Vec<&Participant> = seats.into_iter().collect();
        let commands = commands(seats.iter().copied());
        if !commands.is_empty() {
            let given = given(seats, context)?;
            let content = Content::read(&["commands"], &commands, folder)?;
            untrusted("this session", content, &commands, given).admit(consent, &context.paths)?;
        }
        Ok(Allowed::These(commands).or_all(consent))
    }

    fn or_all(self, consent: Consent) -> Allowed {
        if consent == Consent::CommandGiven { Allowed::All } else { self }
    }

    pub fn permits(&self, command: &[Text]) -> bool {
        match self {
            Allowed::All => true,
            Allowed::These(commands) => commands.iter().any(|c| c == command),
        }
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
        let installed = agents::installed(&agent.command, &context.environment);
        let names: Vec<&str> =
            installed.into_iter().flat_map(|program| settings.variables(program)).collect();
        let names =
            if names.is_empty() { "no variables with keys".into() } else { names.join(", ") };
        let home = if settings.user_home { "your home folder" } else { "a home folder of its own" };
        lines.push(format!("give {} {names}, and {home}", agents::program_of(&agent.command)));
    }
    Ok(lines)
}

fn spoken(p: &Participant) -> Option<Vec<Text>> {
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
    let run = commands.iter().map(|c| match c.split_first() {
        Some((first, rest)) if **first == *http::AGREED => {
            format!("send the conversation to {}", rest.join(" "))
        }
        _ => format!("run {}", c.join(" ")),
    });
    let would = run.chain(given).collect();
    Untrusted { name: name.into(), content, would }
}
