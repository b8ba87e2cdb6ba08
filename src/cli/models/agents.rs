//! Installed agents: programs that speak the Agent Client Protocol, found by name on the path.

pub use crate::voice::agent::{KNOWN, KnownAgent};

use crate::cli::error::{Exit, Failure};
use crate::model::agent::AGENT_PREFIX;
use crate::model::{AgentSpec, Participant, Text, Timeouts, VoiceSpec};
use crate::settings::{self, AgentSettings};
use std::path::Path;

/// Replaces the voice of a seat whose model is named `agent:PROGRAM` by that agent; returns true if it did.
pub fn seated(
    seat: &mut Participant,
    environment: &settings::Environment,
) -> Result<bool, Failure> {
    let VoiceSpec::Model(spec) = &seat.voice else { return Ok(false) };
    let Some(program) = spec.name.strip_prefix(AGENT_PREFIX) else { return Ok(false) };
    let Some(known) = KnownAgent::find(program) else {
        let programs: Vec<String> = KNOWN.iter().map(KnownAgent::model).collect();
        let message = format!("no agent `{program}` is known");
        let fix = format!(
            "the known ones are {}; any other is a participant with agent = [\"COMMAND\", ...]",
            programs.join(", ")
        );
        return Err(Failure::new(Exit::NoModel, message).hint(fix));
    };
    if environment.program(program).is_none() {
        let message = format!("`{program}` is not installed: no such program on PATH");
        let KnownAgent { install, login, .. } = known;
        let fix = format!("{install}, then {login}; or choose another voice");
        return Err(Failure::new(Exit::NoModel, message).hint(fix));
    }
    let command = known.command.iter().map(|part| (*part).into()).collect();
    seat.voice = VoiceSpec::Agent(AgentSpec { command, folder: None });
    seat.timeouts = Timeouts::AGENT;
    seat.tools = vec![];
    Ok(true)
}

/// Returns the name of a command's program, which identifies the agent.
pub fn program_of(command: &[Text]) -> &str {
    let program = command.first().map(|program| Path::new(&**program));
    program.and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or("agent")
}

/// Describes the variables and the home folder that an agent gets.
pub fn gets(
    command: &[Text],
    settings: &AgentSettings,
    environment: &settings::Environment,
) -> String {
    let program = installed(command, environment);
    let names: Vec<&str> =
        program.into_iter().flat_map(|program| settings.variables(program)).collect();
    let names = if names.is_empty() { "no variables with keys".into() } else { names.join(", ") };
    let home = if settings.user_home { "your home folder" } else { "a home folder of its own" };
    format!("give {} {names}, and {home}", program_of(command))
}

/// Returns the name of a command's program if it is a bare name on the path. A file elsewhere that shares the name of
/// an agent does not get the agent's variables.
pub fn installed<'a>(command: &'a [Text], environment: &settings::Environment) -> Option<&'a str> {
    let program: &str = command.first()?;
    let is_bare = Path::new(program).file_name().is_some_and(|name| name == program);
    let found = environment.program(program)?;
    (is_bare && found.is_absolute()).then_some(program)
}
