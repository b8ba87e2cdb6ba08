//! `themes`: lists the bundled themes and the user's own, each with a colour sample.

use crate::cli::appearance::AppearanceSettings;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::output;
use crate::text;
use crate::ui::theme::{Appearance, Depth, Theme, ThemeError, ThemeRole};
use clap::Args;
use crossterm::QueueableCommand;
use crossterm::style::{Attribute, ContentStyle, SetAttribute, SetStyle};
use ratatui::prelude::IntoCrossterm;
use serde_json::{Value, json};
use std::io::{IsTerminal, stdout};

/// Width of the name column, in cells.
const NAME_WIDTH: usize = 19;

/// List the themes, with a sample of each
#[derive(Debug, Args)]
pub struct ThemesArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl ThemesArgs {
    /// Prints the themes.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        let settings = AppearanceSettings::from_context(context)?;
        let rows =
            settings.shelf.names().into_iter().map(|name| ThemeRow::from_name(name, &settings));
        let rows = rows.collect::<Result<Vec<_>, ThemeError>>()?;
        if self.json {
            let all: Value = rows.iter().map(ThemeRow::json).collect();
            return output::data(text::block(&format!("{all:#}\n")).as_bytes());
        }
        let coloured = stdout().is_terminal() && !context.environment.no_color();
        let mut out = Vec::new();
        for row in &rows {
            row.print(coloured, &mut out);
        }
        output::data(&out)?;
        context.say(&format!("put your own themes into {}", context.paths.themes().display()));
        Ok(Exit::Done)
    }
}

/// Row of the theme list.
struct ThemeRow {
    name: String,
    appearance: &'static str,
    license: String,
    source: String,
    own: bool,
    used: bool,
    theme: Theme,
}

impl ThemeRow {
    fn from_name(name: &str, settings: &AppearanceSettings) -> Result<ThemeRow, ThemeError> {
        let meta = settings.shelf.meta(name)?;
        let appearance = match meta.appearance {
            Appearance::Dark => "dark",
            Appearance::Light => "light",
            Appearance::Any => "any",
        };
        // sixteen colours cannot represent a theme with fixed colours
        let depth = settings.depth.max(Depth::Indexed);
        Ok(ThemeRow {
            name: name.to_owned(),
            appearance,
            license: meta.license,
            source: meta.source,
            own: settings.shelf.is_own(name),
            used: settings.name(None)? == name,
            theme: settings.shelf.theme(name, None, depth)?,
        })
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name,
            "appearance": self.appearance,
            "license": self.license,
            "source": self.source,
            "own": self.own,
            "used": self.used,
        })
    }

    fn print(&self, coloured: bool, out: &mut Vec<u8>) {
        let name = text::line(&self.name);
        let sign = if self.used { '*' } else { ' ' };
        let of = if self.own { "own" } else { "" };
        let head = format!("{sign} {name:NAME_WIDTH$}  {:5} {of:3}", self.appearance);
        out.extend_from_slice(head.trim_end_matches(if coloured { '\0' } else { ' ' }).as_bytes());
        if coloured {
            self.sample(out);
        }
        out.push(b'\n');
    }

    /// Appends a line in the theme's colours, as the screen would show it.
    fn sample(&self, out: &mut Vec<u8>) {
        let ground =
            self.theme.style(ThemeRole::Background).patch(self.theme.style(ThemeRole::Text));
        let speakers = ["1 Ada", "2 Bo", "3 Cy"].into_iter().enumerate();
        let mut parts = vec![("  ", ground)];
        parts.extend(speakers.flat_map(|(i, n)| [(n, self.theme.speaker(i)), ("  ", ground)]));
        for (word, role) in [
            ("speaking", ThemeRole::FloorSpeaking),
            ("paused", ThemeRole::FloorPaused),
            ("quiet", ThemeRole::Muted),
        ] {
            parts.extend([(word, self.theme.style(role)), ("  ", ground)]);
        }
        for (word, style) in parts {
            let style: ContentStyle = ground.patch(style).into_crossterm();
            // writing to a `Vec` cannot fail
            let _ = out.queue(SetStyle(style)).map(|out| out.extend_from_slice(word.as_bytes()));
            let _ = out.queue(SetAttribute(Attribute::Reset));
        }
    }
}
