//! Theme files: TOML, checked when parsed; faults are reported with file, line and column.
//!
//! A theme may inherit another one: its palette then recolours the inherited roles, and its own roles override them.

use crate::model::near::nearest;
use crate::ui::theme::{Depth, ROLES, ThemeError};
use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;
use toml::{Spanned, Value};

/// Text of a theme, and its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThemeSource {
    pub name: String,
    /// Name of the file in messages.
    pub path: String,
    /// Content of the file.
    pub text: Cow<'static, str>,
}

/// Brightness of a terminal's background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// Light text on a dark background.
    Dark,
    /// Dark text on a light background.
    Light,
}

/// Background that a theme is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Appearance {
    /// For a dark background.
    Dark,
    /// For a light background.
    Light,
    /// The terminal's own background, dark or light.
    Any,
}

/// Metadata of a theme.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meta {
    /// Name in the settings.
    pub name: String,
    /// Background that it is made for.
    pub appearance: Appearance,
    /// Licence of the palette.
    #[serde(default)]
    pub license: String,
    /// Origin of the palette.
    #[serde(default)]
    pub source: String,
    /// Name of the inherited theme; `None` without one.
    pub(super) inherits: Option<Spanned<String>>,
}

type Palette = BTreeMap<String, Spanned<String>>;

/// A parsed theme file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct File {
    pub(super) meta: Meta,
    #[serde(default)]
    palette: Palette,
    /// Palette for a terminal with a dark background.
    #[serde(default)]
    on_dark: Palette,
    #[serde(default)]
    on_light: Palette,
    /// Palette for 16 colours; the next two override it for a known background.
    #[serde(default)]
    on_sixteen: Palette,
    #[serde(default)]
    on_sixteen_dark: Palette,
    #[serde(default)]
    on_sixteen_light: Palette,
    #[serde(default)]
    roles: BTreeMap<String, Spanned<Value>>,
}

/// Returns a fault with its position in the file.
pub(super) fn fault(source: &ThemeSource, start: usize, why: impl Into<String>) -> ThemeError {
    let before = source.text.get(..start).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    ThemeError::Invalid { at: format!("{}:{line}:{column}", source.path), why: why.into() }
}

impl File {
    pub(super) fn read(source: &ThemeSource) -> Result<File, ThemeError> {
        let file: File = toml::from_str(&source.text)
            .map_err(|e| fault(source, e.span().map_or(0, |s| s.start), e.message()))?;
        for (role, value) in &file.roles {
            if !ROLES.iter().any(|(_, name, _)| name == role) {
                let names = ROLES.iter().map(|(_, name, _)| *name);
                let near = nearest(role, names).map(|near| format!("; the nearest is `{near}`"));
                let why = format!("unknown role `{role}`{}", near.unwrap_or_default());
                return Err(fault(source, value.span().start, why));
            }
        }
        Ok(file)
    }
}

/// Named colours of a theme, as the terminal can show them.
struct Colours {
    named: BTreeMap<String, Style>,
    depth: Depth,
}

impl Colours {
    /// Merges the palettes of the layers, the theme's own last.
    fn merge(
        layers: &[ThemeLayer],
        ground: Option<Ground>,
        depth: Depth,
    ) -> Result<Colours, ThemeError> {
        let mut colours = Colours { named: BTreeMap::new(), depth };
        for (source, file) in layers {
            // 16 colours cannot include fixed ones
            let few = depth == Depth::Ansi;
            let known = match ground {
                Some(Ground::Dark) if few => Some(&file.on_sixteen_dark),
                Some(Ground::Light) if few => Some(&file.on_sixteen_light),
                Some(Ground::Dark) => Some(&file.on_dark),
                Some(Ground::Light) => Some(&file.on_light),
                None => None,
            };
            let palettes = [Some(&file.palette), few.then_some(&file.on_sixteen), known];
            for (name, spelled) in palettes.into_iter().flatten().flatten() {
                let colour = colours.literal(spelled.get_ref());
                let colour = colour.map_err(|why| fault(source, spelled.span().start, why))?;
                colours.named.insert(name.clone(), colour);
            }
        }
        Ok(colours)
    }

    /// Parses the style of a text in a colour, or in the name of one.
    fn colour(&self, value: &Value) -> Result<Style, String> {
        let spelled =
            value.as_str().ok_or("a colour is a string, as in \"#7fb8e6\" or \"cyan\"")?;
        self.named.get(spelled).map_or_else(|| self.literal(spelled), |colour| Ok(*colour))
    }

    fn literal(&self, spelled: &str) -> Result<Style, String> {
        // the terminal knows how to dim its own colour
        if spelled == "dim" {
            return Ok(Style::new().fg(Color::Reset).add_modifier(Modifier::DIM));
        }
        let name = if spelled == "default" { "reset" } else { spelled };
        let colour = hexadecimal(spelled).or_else(|| Color::from_str(name).ok()).ok_or_else(|| {
            format!(
                "not a colour: `{spelled}`; use \"#rrggbb\", \"0\" to \"255\", a name such as \"cyan\", \
                 \"default\" or \"dim\", or one of [palette]"
            )
        })?;
        Ok(Style::new().fg(self.depth.shown(colour)))
    }
}

/// Parses `#rrggbb` without a look-up of colour names; most colours have this form.
fn hexadecimal(spelled: &str) -> Option<Color> {
    let digits = spelled.strip_prefix('#')?;
    let are_digits = digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    are_digits.then(|| u32::from_str_radix(digits, 16).ok().map(Color::from_u32))?
}

/// A file and its origin; a theme is a layer over the inherited ones.
pub(super) type ThemeLayer = (ThemeSource, Arc<File>);

/// Returns the styles of all roles, in their order; later layers override earlier ones.
pub(super) fn styles(
    layers: &[ThemeLayer],
    ground: Option<Ground>,
    depth: Depth,
) -> Result<Vec<Style>, ThemeError> {
    let colours = Colours::merge(layers, ground, depth)?;
    let mut styles = vec![Style::new(); ROLES.len()];
    for (i, (_, key, fallback)) in ROLES.iter().enumerate() {
        let said = layers.iter().rev().find_map(|(from, file)| Some((from, file.roles.get(*key)?)));
        styles[i] = match (said, fallback) {
            (Some((from, value)), _) => look(value.get_ref(), &colours)
                .map_err(|why| fault(from, value.span().start, format!("role `{key}`: {why}")))?,
            (None, Some(role)) => styles[*role as usize],
            (None, None) => Style::new(),
        };
    }
    Ok(styles)
}

/// Parses a style: a colour, or a table of colours and modifiers.
fn look(value: &Value, colours: &Colours) -> Result<Style, String> {
    let Value::Table(table) = value else { return colours.colour(value) };
    let mut style = Style::new();
    for (key, value) in table {
        let modifier = match key.as_str() {
            "fg" => {
                style = style.patch(colours.colour(value)?);
                continue;
            }
            "bg" => {
                style.bg = colours.colour(value)?.fg;
                continue;
            }
            "bold" => Modifier::BOLD,
            "dim" => Modifier::DIM,
            "italic" => Modifier::ITALIC,
            "underline" => Modifier::UNDERLINED,
            "reverse" => Modifier::REVERSED,
            other => {
                return Err(format!(
                    "unknown key `{other}`; one of: fg, bg, bold, dim, italic, underline, reverse"
                ));
            }
        };
        if value.as_bool().ok_or_else(|| format!("`{key}` must be true or false"))? {
            style = style.add_modifier(modifier);
        }
    }
    Ok(style)
}
