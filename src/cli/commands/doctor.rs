//! `doctor`: prints the settings, and for each provider the reason why it is usable or not.

use crate::cli::args::models::ModelOptions;
use crate::cli::commands::{explain, paths};
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::models::providers::Providers;
use crate::cli::models::survey::{SurveyedPlace, survey};
use crate::cli::models::{agents, tool_servers};
use crate::cli::output;
use crate::config::Layer;
use crate::model::Timeouts;
use clap::Args;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Diagnose settings, providers, agents and tool servers
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Only print each setting and where its value comes from
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    options: ModelOptions,
}

impl DoctorArgs {
    /// Prints the report on settings, providers, agents and tool servers.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        if self.explain {
            return explain::run(context, self.json);
        }
        let providers = Providers::new(context, &self.options)?;
        let found = survey(&providers)?;
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
                    "program": agent.program(&context.environment).map(|path| path.display().to_string()),
                })).collect::<Value>(),
                "tool_servers": tool_servers::KNOWN.iter().map(|server| server.json(&context.environment)).collect::<Value>(),
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
        out.push_str("\nagents\n");
        for agent in agents::KNOWN {
            let found = agent.program(&context.environment);
            let found = found.map_or("not installed".into(), |path| {
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
