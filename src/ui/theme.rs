//! Colours by role: a theme is a TOML file, checked when it is read, that says how each role looks.
//!
//! Nothing is told by colour alone, so a theme without any colour (`mono`) is as complete as the others. It does not
//! decide which theme is right for a terminal: `cli` does, from flags and environment.

mod colour;

pub use colour::Depth;

use ratatui::style::{Color, Modifier, Style};
use std::str::FromStr;
use toml::{Table, Value};

/// One table for the roles: their names in a theme file, and the role whose look they take if it names none.
macro_rules! roles {
    ($($(#[$doc:meta])* $role:ident $name:literal $(=> $fallback:ident)?;)*) => {
        /// What something on the screen is, for the theme.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Role {
            $($(#[$doc])* $role,)*
        }

        const ROLES: &[(Role, &str, Option<Role>)] = &[
            $((Role::$role, $name, roles!(@fallback $($fallback)?)),)*
        ];
    };
    (@fallback $role:ident) => { Some(Role::$role) };
    (@fallback) => { None };
}

roles! {
    /// Words.
    Text "text";
    /// The ground of everything.
    Background "background";
    /// The ground of what lies on top.
    Overlay "overlay" => Background;
    /// What matters less, and is still read.
    Muted "text.muted" => Text;
    /// Lines between parts; never information alone.
    Rule "rule" => Muted;
    /// The title.
    Title "title" => Text;
    /// Where the keyboard is: watching.
    BadgeTable "badge.table" => Title;
    /// Where the keyboard is: writing.
    BadgePen "badge.pen" => Title;
    /// The key of a hint.
    HintKey "hint.key" => Text;
    /// What the key does.
    HintText "hint.text" => Muted;
    /// What became of what was asked.
    Notice "notice" => Text;
    /// What a person should know.
    Warn "warn" => Title;
    /// Who speaks.
    FloorSpeaking "floor.speaking" => Title;
    /// Who is next.
    FloorNext "floor.next" => Text;
    /// Who waits.
    FloorWaiting "floor.waiting" => Muted;
    /// The floor does not move.
    FloorPaused "floor.paused" => Title;
    /// A limit holds.
    FloorStopped "floor.stopped" => Title;
    /// It is over.
    FloorDone "floor.done" => Title;
    /// It failed.
    FloorError "floor.error" => Warn;
    /// The first seat.
    Speaker1 "speaker.1" => Text;
    /// The second seat.
    Speaker2 "speaker.2" => Text;
    /// The third seat.
    Speaker3 "speaker.3" => Text;
    /// The fourth seat.
    Speaker4 "speaker.4" => Text;
    /// The fifth seat.
    Speaker5 "speaker.5" => Text;
    /// The sixth seat.
    Speaker6 "speaker.6" => Text;
    /// The seventh seat.
    Speaker7 "speaker.7" => Text;
    /// The eighth seat.
    Speaker8 "speaker.8" => Text;
    /// The operator's words.
    SpeakerOperator "speaker.operator" => Title;
    /// What the program notes in the transcript.
    MessageNote "message.note" => Muted;
    /// Reasoning, where it is shown.
    MessageReasoning "message.reasoning" => Muted;
    /// Words that were cut.
    MessageStopped "message.stopped" => Warn;
    /// What a search found.
    SearchMatch "search.match" => Title;
    /// Where the search stands.
    SearchCurrent "search.current" => SearchMatch;
    /// What is chosen in a list.
    Selection "selection" => Title;
    /// A heading.
    MdHeading "md.heading" => Title;
    /// Code.
    MdCode "md.code" => Text;
    /// A link.
    MdLink "md.link" => Text;
    /// A quotation.
    MdQuote "md.quote" => Muted;
}

/// The roles of seats, in order of arrival.
const SPEAKERS: [Role; 8] = [
    Role::Speaker1,
    Role::Speaker2,
    Role::Speaker3,
    Role::Speaker4,
    Role::Speaker5,
    Role::Speaker6,
    Role::Speaker7,
    Role::Speaker8,
];

/// The themes that come with the program: name and file.
pub const BUNDLED: &[(&str, &str)] = &[
    ("terminal", include_str!("../../themes/terminal.toml")),
    ("colloquium-dark", include_str!("../../themes/colloquium-dark.toml")),
    ("colloquium-light", include_str!("../../themes/colloquium-light.toml")),
    ("high-contrast", include_str!("../../themes/high-contrast.toml")),
    ("mono", include_str!("../../themes/mono.toml")),
];

/// Why a theme cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ThemeError {
    /// The file is no TOML, or a key is wrong.
    #[error("theme `{name}`: {why}")]
    Invalid {
        /// Its name.
        name: String,
        /// What is wrong, with the key.
        why: String,
    },
    /// No theme of that name comes with the program.
    #[error("there is no theme `{0}`; there are {names}", names = names())]
    Unknown(String),
}

fn names() -> String {
    BUNDLED.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// How every role looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    styles: Vec<Style>,
}

impl Default for Theme {
    fn default() -> Theme {
        Theme::bundled("terminal", Depth::Ansi).unwrap_or(Theme { styles: vec![] })
    }
}

impl Theme {
    /// Returns a theme that comes with the program, in the colours that a terminal can show.
    ///
    /// # Errors
    /// When there is none of that name.
    pub fn bundled(name: &str, depth: Depth) -> Result<Theme, ThemeError> {
        let found = BUNDLED.iter().find(|(n, _)| *n == name);
        let (name, file) = found.ok_or_else(|| ThemeError::Unknown(name.to_owned()))?;
        Theme::parse(name, file, depth)
    }

    /// Reads a theme file.
    ///
    /// # Errors
    /// What is wrong with it, naming the key.
    pub fn parse(name: &str, file: &str, depth: Depth) -> Result<Theme, ThemeError> {
        let invalid = |why: String| ThemeError::Invalid { name: name.to_owned(), why };
        let file: Table = file.parse().map_err(|e: toml::de::Error| invalid(e.to_string()))?;
        let empty = Table::new();
        let table = |key: &str| file.get(key).and_then(Value::as_table).unwrap_or(&empty);
        let (palette, roles) = (table("palette"), table("roles"));
        if let Some(key) = roles.keys().find(|k| !ROLES.iter().any(|(_, n, _)| n == k)) {
            return Err(invalid(format!("there is no role `{key}`")));
        }
        let mut styles = vec![Style::new(); ROLES.len()];
        for (i, (_, key, fallback)) in ROLES.iter().enumerate() {
            styles[i] = match (roles.get(*key), fallback) {
                (Some(value), _) => look(value, palette, depth)
                    .map_err(|why| invalid(format!("role `{key}`: {why}")))?,
                (None, Some(role)) => styles[*role as usize],
                (None, None) => Style::new(),
            };
        }
        Ok(Theme { styles })
    }

    /// Returns how a role looks.
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }

    /// Returns how the seat at a place in the order of arrival looks; from the ninth on the colours repeat, underlined.
    pub fn speaker(&self, place: usize) -> Style {
        let style = self.style(SPEAKERS[place % SPEAKERS.len()]);
        if place < SPEAKERS.len() { style } else { style.add_modifier(Modifier::UNDERLINED) }
    }
}

/// Reads how a role looks: a colour, or a table of colours and modifiers.
fn look(value: &Value, palette: &Table, depth: Depth) -> Result<Style, String> {
    let colour = |v: &Value| {
        let name = v.as_str().ok_or("a colour is text")?;
        let name = palette.get(name).and_then(Value::as_str).unwrap_or(name);
        let name = if name == "default" { "reset" } else { name };
        let colour = Color::from_str(name).map_err(|_| format!("`{name}` is no colour"))?;
        Ok::<Color, String>(depth.shown(colour))
    };
    let Value::Table(table) = value else { return Ok(Style::new().fg(colour(value)?)) };
    let mut style = Style::new();
    for (key, value) in table {
        let modifier = match key.as_str() {
            "fg" => {
                style = style.fg(colour(value)?);
                continue;
            }
            "bg" => {
                style = style.bg(colour(value)?);
                continue;
            }
            "bold" => Modifier::BOLD,
            "dim" => Modifier::DIM,
            "italic" => Modifier::ITALIC,
            "underline" => Modifier::UNDERLINED,
            "reverse" => Modifier::REVERSED,
            other => return Err(format!("`{other}` is no part of a look")),
        };
        if value.as_bool().ok_or_else(|| format!("`{key}` is true or false"))? {
            style = style.add_modifier(modifier);
        }
    }
    Ok(style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bundled_theme_is_whole() {
        for (name, file) in BUNDLED {
            Theme::parse(name, file, Depth::True).unwrap_or_else(|e| panic!("{e}"));
        }
    }

    /// Relative luminance, as the accessibility guidelines define it.
    fn luminance(colour: Color) -> f64 {
        let Color::Rgb(r, g, b) = colour else { panic!("{colour:?} is no fixed colour") };
        let [r, g, b] = [r, g, b].map(|c| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    #[test]
    fn every_word_can_be_read_on_its_ground() {
        for (name, least) in
            [("colloquium-dark", 4.5), ("colloquium-light", 4.5), ("high-contrast", 7.0)]
        {
            let theme = Theme::bundled(name, Depth::True).unwrap();
            for ground in [Role::Background, Role::Overlay] {
                for (role, key, _) in &ROLES[3..] {
                    let style = theme.style(*role);
                    let ground = style.bg.or(theme.style(ground).bg).unwrap();
                    let (a, b) = (luminance(style.fg.unwrap()), luminance(ground));
                    let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                    let least = if *role == Role::Rule { 3.0 } else { least };
                    assert!(contrast >= least, "{name}: {key} has {contrast:.1}:1 on {ground}");
                }
            }
        }
    }

    #[test]
    fn mono_has_no_colour() {
        let theme = Theme::bundled("mono", Depth::True).unwrap();
        assert!(theme.styles.iter().all(|s| s.fg.is_none() && s.bg.is_none()));
    }

    #[test]
    fn a_fault_names_the_key() {
        for (file, words) in [
            ("[roles]\ntitel = \"red\"", "no role `titel`"),
            ("[roles]\ntitle = \"rouge\"", "role `title`: `rouge` is no colour"),
            ("[roles]\ntitle = { blink = true }", "`blink` is no part"),
            ("[roles", "theme `x`"),
        ] {
            let fault = Theme::parse("x", file, Depth::True).unwrap_err().to_string();
            assert!(fault.contains(words), "{fault}");
        }
    }

    #[test]
    fn a_role_stands_after_the_one_it_falls_back_to() {
        for (i, (role, _, fallback)) in ROLES.iter().enumerate() {
            assert_eq!(*role as usize, i);
            assert!(fallback.is_none_or(|f| (f as usize) < i), "{role:?}");
        }
    }
}
