//! Styles by role: a theme is a TOML file with a style for each role, checked when parsed.
//!
//! Colour is never the only distinction, so a theme without colours (`mono`) is complete. `cli` chooses the theme for a
//! terminal from flags, settings and environment.

mod choice;
mod colour;
mod file;
pub mod glyphs;
mod schema;
mod shelf;
#[cfg(test)]
mod tests;

pub use crate::ui::theme::choice::Themes;
pub use colour::Depth;
pub use file::{Appearance, Ground, Meta, ThemeSource};
pub use schema::schema;
pub use shelf::ThemeLibrary;

use ratatui::style::{Color, Modifier, Style};

/// Defines the roles: their names in a theme file, and the role whose style they inherit by default.
macro_rules! roles {
    ($($(#[$doc:meta])* $role:ident $name:literal $(=> $fallback:ident)?;)*) => {
        /// Roles of everything on the screen, each with a style in the theme.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ThemeRole {
            $($(#[$doc])* $role,)*
        }

        const ROLES: &[(ThemeRole, &str, Option<ThemeRole>)] = &[
            $((ThemeRole::$role, $name, roles!(@fallback $($fallback)?)),)*
        ];
    };
    (@fallback $role:ident) => { Some(ThemeRole::$role) };
    (@fallback) => { None };
}

roles! {
    /// Plain text.
    Text "text";
    /// The background of the screen.
    Background "background";
    Overlay "overlay" => Background;
    /// The background of a message.
    MessageGround "message.ground";
    /// The background of code in a message.
    CodeGround "code.ground" => MessageGround;
    /// Secondary text.
    Muted "text.muted" => Text;
    /// Lines between parts; never the only information.
    Rule "rule" => Muted;
    /// The title of the conversation.
    Title "title" => Text;
    /// The badge of the transcript and of overlays.
    BadgeTable "badge.table" => Title;
    /// The badge WRITE.
    BadgePen "badge.pen" => Title;
    BadgeWhisper "badge.whisper" => BadgePen;
    HintKey "hint.key" => Text;
    HintText "hint.text" => Muted;
    /// The result of an action.
    Notice "notice" => Text;
    Warn "warn" => Title;
    /// The participant who is speaking.
    FloorSpeaking "floor.speaking" => Title;
    /// The participant who is next.
    FloorNext "floor.next" => Text;
    /// A waiting participant.
    FloorWaiting "floor.waiting" => Muted;
    /// The status "paused".
    FloorPaused "floor.paused" => Title;
    /// The status "stopped".
    FloorStopped "floor.stopped" => Title;
    /// The status "finished".
    FloorDone "floor.done" => Title;
    /// The status "failed".
    FloorError "floor.error" => Warn;
    /// The name of the first seat.
    Speaker1 "speaker.1" => Text;
    /// The name of the second seat.
    Speaker2 "speaker.2" => Text;
    /// The name of the third seat.
    Speaker3 "speaker.3" => Text;
    /// The name of the fourth seat.
    Speaker4 "speaker.4" => Text;
    /// The name of the fifth seat.
    Speaker5 "speaker.5" => Text;
    /// The name of the sixth seat.
    Speaker6 "speaker.6" => Text;
    /// The name of the seventh seat.
    Speaker7 "speaker.7" => Text;
    /// The name of the eighth seat.
    Speaker8 "speaker.8" => Text;
    /// A message of the operator.
    SpeakerOperator "speaker.operator" => Title;
    /// A note of the program in the transcript.
    MessageNote "message.note" => Muted;
    /// Reasoning, if shown.
    MessageReasoning "message.reasoning" => Muted;
    /// Mark of a cut message.
    MessageStopped "message.stopped" => Warn;
    SearchMatch "search.match" => Title;
    SearchCurrent "search.current" => SearchMatch;
    /// Played time of a recording.
    TimePlayed "time.played" => Text;
    /// Remaining time of a recording.
    TimeRest "time.rest" => Rule;
    /// The playhead of a recording.
    TimeHead "time.head" => Title;
    /// A mark on the timeline.
    Mark "mark" => Notice;
    /// The selected row of a list.
    Selection "selection" => Title;
    /// A heading in Markdown.
    MdHeading "md.heading" => Title;
    /// Code in Markdown.
    MdCode "md.code" => Text;
    CodeKeyword "code.keyword" => Speaker2;
    CodeString "code.string" => Speaker3;
    /// A number or another constant in code.
    CodeNumber "code.number" => Speaker4;
    CodeComment "code.comment" => Muted;
    /// The name of a function in code.
    CodeFunction "code.function" => Speaker1;
    /// The name of a type in code.
    CodeType "code.type" => Speaker5;
    /// A link in Markdown.
    MdLink "md.link" => Text;
    /// A quotation in Markdown.
    MdQuote "md.quote" => Muted;
}

/// Roles of participants, in order of arrival.
pub(in crate::ui) const SPEAKERS: [ThemeRole; 8] = [
    ThemeRole::Speaker1,
    ThemeRole::Speaker2,
    ThemeRole::Speaker3,
    ThemeRole::Speaker4,
    ThemeRole::Speaker5,
    ThemeRole::Speaker6,
    ThemeRole::Speaker7,
    ThemeRole::Speaker8,
];

/// Returns a style in bold; many terminals show a bold one of the 16 colours as its bright variant.
fn in_bold(style: Style) -> Style {
    let bright = |colour| match colour {
        Color::Red => Color::LightRed,
        Color::Green => Color::LightGreen,
        Color::Yellow => Color::LightYellow,
        Color::Blue => Color::LightBlue,
        Color::Magenta => Color::LightMagenta,
        Color::Cyan => Color::LightCyan,
        Color::Black => Color::DarkGray,
        Color::Gray => Color::White,
        other => other,
    };
    Style { fg: style.fg.map(bright), ..style }
}

/// Fault of a theme.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ThemeError {
    /// The file is not TOML, or a key is invalid.
    #[error("{at}: {why}")]
    Invalid {
        /// File, line and column.
        at: String,
        /// The fault, and accepted values.
        why: String,
    },
    /// There is no theme with this name.
    #[error("unknown theme `{name}`{}", nearest.as_ref().map_or(String::new(), |n| format!("; the nearest is `{n}`")))]
    Unknown {
        /// The requested name.
        name: String,
        /// The nearest known name, if one is near.
        nearest: Option<String>,
    },
}

/// The style of every role.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    styles: Vec<Style>,
}

impl Default for Theme {
    fn default() -> Theme {
        let shelf = ThemeLibrary::default();
        shelf.theme("terminal", None, Depth::Ansi).unwrap_or(Theme { styles: vec![] })
    }
}

impl Theme {
    pub fn style(&self, role: ThemeRole) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }

    /// Returns the style of a participant's bars and lanes: like its name, but never underlined.
    pub fn speaker_bar(&self, place: usize) -> Style {
        self.speaker(place).remove_modifier(Modifier::UNDERLINED)
    }

    /// Returns the style of a participant by its order of arrival. After the last colour the colours repeat in italics;
    /// with fewer than eight colours, then underlined. The number before a name distinguishes the rest.
    pub fn speaker(&self, place: usize) -> Style {
        let mut looks: Vec<Style> = Vec::with_capacity(SPEAKERS.len());
        for style in SPEAKERS.map(|role| self.style(role)) {
            if !looks.iter().any(|other| in_bold(*other) == in_bold(style)) {
                looks.push(style);
            }
        }
        let round = place / looks.len();
        let few = looks.len() < SPEAKERS.len();
        let mut style = looks[place % looks.len()];
        if round % 2 == 1 {
            style = style.add_modifier(Modifier::ITALIC);
        }
        if few && round / 2 % 2 == 1 {
            style = style.add_modifier(Modifier::UNDERLINED);
        }
        style
    }

    /// Returns whether code has a background of its own, which distinguishes it from text.
    pub fn has_code_ground(&self) -> bool {
        let ground = |role| self.style(role).bg.filter(|colour| *colour != Color::Reset);
        ground(ThemeRole::CodeGround) != ground(ThemeRole::MessageGround)
    }
}
