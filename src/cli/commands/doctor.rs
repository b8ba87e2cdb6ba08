//! `doctor`: prints the settings, and for each provider the reason why it is usable or not. `doctor --explain` lists
//! every setting with its value and source.

use crate::cli::args::{Colour, ModelOptions};
use crate::cli::commands::paths;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::memory::adaptations::{self, Adaptation};
use crate::cli::models::providers::Providers;
use crate::cli::models::survey::{SurveyedPlace, survey};
use crate::cli::models::{agents, programs, tool_servers};
use crate::cli::output;
use crate::import;
use crate::model::Timeouts;
use crate::settings::{CONFIG_VARIABLE, Layer, Origin, SETTINGS};
use crate::voice::program::PROGRAMS;
use clap::Args;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;

/// Diagnose settings, providers, agents and tool servers
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Only print each setting and where its value comes from
    #[arg(long)]
    explain: bool,
    /// Forget what was learnt about servers: the changes to requests that they asked for
    #[arg(long, conflicts_with = "explain")]
    forget: bool,
    #[command(flatten)]
    options: ModelOptions,
}

impl DoctorArgs {
    /// Prints the report on settings, providers, agents and tool servers.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        if self.explain {
            return explain(context, self.json);
        }
        if self.forget {
            let failed = |e: io::Error| Failure::new(Exit::Failed, format!("not forgotten: {e}"));
            adaptations::forget(&context.paths.state).map_err(failed)?;
            return output::text("forgotten: requests to all servers are as usual again\n");
        }
        let providers = Providers::new(context, &self.options)?;
        let learnt = adaptations::read(&context.paths.state);
        let found = survey(&providers, context)?;
        let settings = &providers.settings;
        let layer = match settings.layer {
            Layer::Flag => "--config",
            Layer::Variable => "COLLOQUIUM_CONFIG",
            Layer::Folder => "user config",
        };
        let there = if settings.found { "read" } else { "not found, using defaults" };
        let default = settings.default_model.as_deref().unwrap_or("not set");
        let model = self.options.model.as_deref().unwrap_or(default);
        let limits = Timeouts::default();
        if self.json {
            let report = json!({
                "settings": {"path": settings.path.display().to_string(), "layer": layer, "found": settings.found},
                "folders": paths::folders(context).into_iter().collect::<BTreeMap<_, _>>(),
                "default_model": settings.default_model,
                "timeouts_ms": limits,
                "agents": agents::KNOWN.iter().map(|agent| json!({
                    "name": agent.name,
                    "command": agent.command,
                    "program": context.environment.program(agent.program()).map(|path| path.display().to_string()),
                })).collect::<Value>(),
                "tool_servers": tool_servers::KNOWN.iter().map(|server| server.json(&context.environment)).collect::<Value>(),
                "adaptations": learnt,
                "imports": import::known().collect::<Vec<_>>(),
                "providers": found.iter().map(SurveyedPlace::json).collect::<Value>(),
            });
            return output::text(&format!("{report:#}\n"));
        }
        let mut out = format!(
            "settings       {} ({layer}; {there})\nmodel          {model}\ntimeouts       connect {} s, first token \
                 {} s, idle {} s, total {} s\n",
            settings.path.display(),
            limits.connect / 1000,
            limits.first / 1000,
            limits.silence / 1000,
            limits.total / 1000,
        );
        if let Some((project, trusted)) = context.project()? {
            let standing = if trusted { "trusted" } else { "not trusted, ignored" };
            out.push_str(&format!("project        {} ({standing})\n", project.path.display()));
        }
        for (name, path) in paths::folders(context) {
            out.push_str(&format!("{name:<14} {path}\n"));
        }
        let formats: Vec<&str> = import::known().collect();
        out.push_str(&format!("imports        {}\n", formats.join(", ")));
        for place in &found {
            let verdict = match &place.has {
                Ok(names) if names.len() == 1 => "usable, 1 model".into(),
                Ok(names) => format!("usable, {} models", names.len()),
                Err(why) => format!("not usable: {why}"),
            };
            let SurveyedPlace { name, base_url, from, key, .. } = place;
            out.push_str(&format!("\n{name}  {base_url}  ({from})\n  key: {key}\n  {verdict}\n"));
            for (model, window) in &place.windows {
                out.push_str(&format!("  {model}: window {window} tokens\n"));
            }
        }
        if !learnt.is_empty() {
            out.push_str("\nlearnt from refusals (--forget removes them)\n");
        }
        for Adaptation { provider, model, did, address, .. } in &learnt {
            out.push_str(&format!("  {provider}:{model}  {did}  ({address})\n"));
        }
        out.push_str("\nprograms that speak with your login, without tools\n");
        PROGRAMS.iter().for_each(|known| out.push_str(&programs::report(known, context)));
        out.push_str("\nagents\n");
        for agent in agents::KNOWN {
            let found = context.environment.program(agent.program());
            let found = found.map_or(format!("not installed: {}", agent.install), |path| {
                format!("{}; --model {}, or {}", path.display(), agent.model(), agent.key())
            });
            out.push_str(&format!("  {:<11} {found}\n", agent.name));
        }
        let homes = if settings.agents.user_home {
            "your own".to_owned()
        } else {
            context.paths.agent_home("PROGRAM").display().to_string()
        };
        out.push_str(&format!("  home folder: {homes}\n"));
        out.push_str("\ntool servers\n");
        let servers = tool_servers::KNOWN.iter();
        servers.for_each(|server| out.push_str(&server.line(&context.environment)));
        for (address, name) in &settings.tools.keys {
            let has = context.environment.get(name).is_some();
            let standing = if has { "set" } else { "not set" };
            out.push_str(&format!("  {address}  key: the variable {name} ({standing})\n"));
        }
        output::text(&out)
    }
}

/// Prints every setting with its value and source, without calling a server.
fn explain(context: &Context, json: bool) -> Result<Exit, Failure> {
    let all = origins(context)?;
    if json {
        let row = |o: &Origin| json!({"key": o.key, "value": o.value, "from": o.from});
        let rows: Value = all.iter().map(row).collect();
        return output::data(format!("{rows:#}\n").as_bytes());
    }
    let width = |of: fn(&Origin) -> &str| all.iter().map(|o| of(o).chars().count()).max();
    let key = width(|o| &o.key).unwrap_or(0);
    let value = width(|o| &o.value).unwrap_or(0);
    let row = |o: &Origin| format!("{:key$}  {:value$}  {}\n", o.key, o.value, o.from);
    let rows: String = all.iter().map(row).collect();
    output::text(&rows)
}

fn origins(context: &Context) -> Result<Vec<Origin>, Failure> {
    let settings = context.settings()?;
    let is_set = |name: &str| context.environment.get(name).is_some();
    let row =
        |key: &str, value: String, from: &str| Origin { key: key.into(), value, from: from.into() };
    // clap merges an option with its variable; name the variable too if it is set
    let option = |flag: &str, variable: &str| {
        if is_set(variable) { format!("{variable} or {flag}") } else { flag.to_owned() }
    };
    let config = match settings.layer {
        Layer::Flag => "--config",
        Layer::Variable => CONFIG_VARIABLE,
        Layer::Folder => "default",
    };
    let config = if settings.found { config.into() } else { format!("{config} (not found)") };
    let mut all = vec![
        row("settings file", settings.path.display().to_string(), &config),
        row("data folder", context.paths.data.display().to_string(), context.data_from()),
    ];
    if let Some((project, trusted)) = context.project()? {
        let from = if trusted { "trusted" } else { "not trusted, ignored" };
        all.push(row("project file", project.path.display().to_string(), from));
    }
    let mut set = settings.origins;
    let own = [
        ("theme", context.options.theme.clone(), option("--theme", "COLLOQUIUM_THEME")),
        (
            "glyphs",
            context.options.glyphs.map(|signs| format!("{signs:?}").to_lowercase()),
            option("--glyphs", "COLLOQUIUM_GLYPHS"),
        ),
        (
            "color",
            context.options.color.map(|colour| format!("{colour:?}").to_lowercase()),
            "--color".to_owned(),
        ),
    ];
    for (key, value, from) in own {
        if let Some(value) = value {
            set.retain(|origin| origin.key != key);
            set.push(row(key, value, &from));
        }
    }
    if context.options.color.unwrap_or(Colour::Auto) == Colour::Auto {
        let (value, from) = match (context.environment.no_color(), is_set("CLICOLOR_FORCE")) {
            (_, true) => ("always", "CLICOLOR_FORCE"),
            (true, false) => ("never", "NO_COLOR"),
            (false, false) => ("auto", "default"),
        };
        set.push(row("color", value.into(), from));
    }
    // keys with an uppercase part contain a placeholder and have no default
    let fixed = SETTINGS.iter().filter(|s| !s.key.contains(|c: char| c.is_ascii_uppercase()));
    for setting in fixed {
        let begins = format!("{}.", setting.key);
        if !set.iter().any(|o| o.key == setting.key || o.key.starts_with(&begins)) {
            set.push(row(setting.key, setting.default.into(), "default"));
        }
    }
    set.sort_by(|a, b| a.key.cmp(&b.key));
    all.extend(set);
    Ok(all)
}
