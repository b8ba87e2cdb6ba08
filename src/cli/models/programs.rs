//! The programs of the person that speak in print mode: their environment, and the parts of their settings that a call
//! needs.

use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::models::providers::Providers;
use crate::cli::runtime::wait_for;
use crate::model::{ModelSpec, Text};
use crate::settings::Environment;
use crate::spawn::{self, ChildEnvironment, Job, Output};
use crate::voice::program::{self, PREFIX, PrintMode, Program};
use crate::{text, untrusted};
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::timeout;
use toml::Table;

/// Maximum time of a program for a question about itself.
const REPORT_TIME: Duration = Duration::from_secs(10);

/// Returns the voice of a model that speaks by a program.
///
/// # Errors
/// If the program is unknown or not installed.
pub fn voice(spec: &ModelSpec, providers: &Providers) -> Result<PrintMode, Failure> {
    let (program, model) = find(&spec.name, providers)?;
    let environment = &providers.environment;
    let mut names: Vec<String> = program.takes.iter().map(|name| (*name).to_owned()).collect();
    names.extend(providers.settings.agents.variables(program.name).map(str::to_owned));
    let own = own_settings(program, providers);
    names.extend(own.variable);
    let named = names.into_iter().filter_map(|name| {
        let value = environment.get(&name)?.to_owned();
        Some((name.into(), value))
    });
    let environment = ChildEnvironment::allowed(environment.for_children()).with(named);
    Ok(PrintMode::new(program, model.map(Text::from), own.arguments, environment))
}

/// Returns the program of a model, and the name of its model.
///
/// # Errors
/// If the program is unknown or not installed.
pub fn find<'a>(
    model: &'a str,
    providers: &Providers,
) -> Result<(&'static Program, Option<&'a str>), Failure> {
    let (name, model) = program::parts(model).unwrap_or((model, None));
    let Some(known) = program::find(name) else {
        let names: Vec<&str> = program::PROGRAMS.iter().map(|program| program.name).collect();
        return Err(Failure::new(Exit::NoModel, format!("no program `{name}` is known"))
            .hint(format!("the known ones are {}", names.join(", "))));
    };
    if providers.environment.program(name).is_none() {
        return Err(Failure::new(Exit::NoModel, format!("`{name}` is not on the path"))
            .hint(format!("{}, then {}", program::install(name), known.login)));
    }
    Ok((known, model))
}

/// Returns the line of a program in a report: its path and login, or the command that cures what is missing.
pub fn report(program: &Program, context: &Context) -> String {
    let Program { name, label, login, .. } = program;
    let environment = &context.environment;
    let says = match environment.program(name) {
        None => format!("not installed: {}", program::install(name)),
        Some(path) => {
            let ask = |arguments: &[&str]| {
                let asked = async { Ok(asked(name, arguments, environment).await) };
                wait_for(name, context, asked)
            };
            let version = ask(&["--version"]).ok().flatten().map(|(text, _)| text);
            let version = version.unwrap_or_else(|| "unknown version".into());
            let logged_in = match ask(program.status).ok().flatten() {
                _ if program.status.is_empty() => format!("login unknown, `{login}` logs in"),
                Some((_, true)) => "logged in".into(),
                Some((_, false)) | None => format!("not logged in: {login}"),
            };
            let tried = program.tried;
            format!(
                "{}, {version} (tried with {tried}), {logged_in}; --model {PREFIX}{name}",
                path.display()
            )
        }
    };
    format!("  {label:<11} {says}\n")
}

/// Runs a program and returns its first line, and whether it succeeded; `None` if it does not answer.
async fn asked(
    name: &str,
    arguments: &[&str],
    environment: &Environment,
) -> Option<(String, bool)> {
    let command = std::iter::once(&name).chain(arguments).map(|word| (*word).to_owned()).collect();
    let environment = ChildEnvironment::allowed(environment.for_children());
    let job = Job { command, folder: PathBuf::from("."), environment, input: vec![] };
    let mut child = spawn::start(job).ok()?;
    let mut printed = vec![];
    let ended = timeout(REPORT_TIME, async {
        loop {
            match child.next().await.ok()? {
                Output::Bytes(bytes) => printed.extend(bytes),
                Output::Ended(exit) => return Some(exit.status.success()),
            }
        }
    });
    let succeeded = ended.await.ok().flatten()?;
    let printed = text::decode(printed).text;
    let line = printed.lines().next().unwrap_or_default();
    Some((text::line(line).into_owned(), succeeded))
}

/// The part of a program's own settings that it needs, although the rest is ignored.
#[derive(Default)]
struct OwnSettings {
    arguments: Vec<String>,
    /// Variable with the key.
    variable: Option<String>,
}

/// Reads the provider from Codex's settings. Its servers, hooks and instructions stay out.
fn own_settings(program: &Program, providers: &Providers) -> OwnSettings {
    if program.name != "codex" {
        return OwnSettings::default();
    }
    let get = |name: &str| providers.environment.get(name).map(PathBuf::from);
    let folder = get("CODEX_HOME").or_else(|| Some(get("HOME")?.join(".codex")));
    let text = folder.and_then(|folder| untrusted::read_own_text(&folder.join("config.toml")).ok());
    let table = text.and_then(|text| text.parse::<Table>().ok()).unwrap_or_default();
    provider_of(&table)
}

/// Returns the arguments that name the provider and the model of Codex's settings.
fn provider_of(table: &Table) -> OwnSettings {
    let mut own = OwnSettings::default();
    let mut give = |key: &str, value: &toml::Value| {
        own.arguments.extend(["-c".to_owned(), format!("{key}={value}")]);
    };
    if let Some(model) = table.get("model") {
        give("model", model);
    }
    let Some(name) = table.get("model_provider") else { return own };
    give("model_provider", name);
    let name = name.as_str().unwrap_or_default();
    let provider = table.get("model_providers").and_then(|all| all.get(name));
    if let Some(provider) = provider {
        give(&format!("model_providers.{name}"), provider);
        let variable = provider.get("env_key").and_then(toml::Value::as_str);
        own.variable = variable.map(str::to_owned);
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_provider_of_codex_settings_is_passed_on() {
        let text = "model = \"m\"\nmodel_provider = \"p\"\n[mcp_servers.x]\ncommand = \"x\"\n\
             [model_providers.p]\nbase_url = \"http://127.0.0.1:1/v1\"\nenv_key = \"P_KEY\"\n\
             [model_providers.q]\nbase_url = \"http://q\"\n";
        let own = provider_of(&text.parse().unwrap());
        assert_eq!(own.variable.as_deref(), Some("P_KEY"));
        let arguments = own.arguments.join(" ");
        let provider =
            "model_providers.p={ base_url = \"http://127.0.0.1:1/v1\", env_key = \"P_KEY\" }";
        assert_eq!(arguments, format!("-c model=\"m\" -c model_provider=\"p\" -c {provider}"));
        assert!(provider_of(&Table::new()).arguments.is_empty());
    }
}
