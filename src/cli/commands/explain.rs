//! `doctor --explain`: lists every setting with its value and source.

use crate::cli::args::global::Colour;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::config::{CONFIG_VARIABLE, Layer, Origin, SETTINGS};
use serde_json::{Value, json};

/// Prints every setting with its value and source, without calling a server.
pub fn run(context: &Context, json: bool) -> Result<Exit, Failure> {
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
        ("theme", context.theme.clone(), option("--theme", "COLLOQUIUM_THEME")),
        (
            "glyphs",
            context.signs.map(|signs| format!("{signs:?}").to_lowercase()),
            option("--glyphs", "COLLOQUIUM_GLYPHS"),
        ),
        (
            "color",
            context.colour.map(|colour| format!("{colour:?}").to_lowercase()),
            "--color".to_owned(),
        ),
    ];
    for (key, value, from) in own {
        if let Some(value) = value {
            set.retain(|origin| origin.key != key);
            set.push(row(key, value, &from));
        }
    }
    if context.colour.unwrap_or(Colour::Auto) == Colour::Auto {
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
