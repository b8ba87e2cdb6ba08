//! Colours by role: a theme is a TOML file, checked when it is read, that says how each role looks.
//!
//! Colour is never the only sign, so a theme without any colour (`mono`) is as complete as the others. It does not
//! decide which theme is right for a terminal: `cli` does, from flags, settings and environment.

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

/// One table for the roles: their names in a theme file, and the role whose look they take if it names none.
macro_rules! roles {
    ($($(#[$doc:meta])* $role:ident $name:literal $(=> $fallback:ident)?;)*) => {
        /// What something on the screen is, for the theme.
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
    /// Words.
    Text "text";
    /// The ground of everything.
    Background "background";
    /// The background of overlays.
    Overlay "overlay" => Background;
    /// The ground of a message.
    MessageGround "message.ground";
    /// The ground of code in a message.
    CodeGround "code.ground" => MessageGround;
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
    /// The current match of the search.
    SearchCurrent "search.current" => SearchMatch;
    /// The time of a recording that is played.
    TimePlayed "time.played" => Text;
    /// The time that is still to come.
    TimeRest "time.rest" => Rule;
    /// The playhead of a recording.
    TimeHead "time.head" => Title;
    /// A place worth jumping to.
    Mark "mark" => Notice;
    /// What is chosen in a list.
    Selection "selection" => Title;
    /// A heading.
    MdHeading "md.heading" => Title;
    /// Code.
    MdCode "md.code" => Text;
    /// A word of a programming language.
    CodeKeyword "code.keyword" => Speaker2;
    /// A text in code.
    CodeString "code.string" => Speaker3;
    /// A number or another constant in code.
    CodeNumber "code.number" => Speaker4;
    /// A comment in code.
    CodeComment "code.comment" => Muted;
    /// The name of a function in code.
    CodeFunction "code.function" => Speaker1;
    /// The name of a type in code.
    CodeType "code.type" => Speaker5;
    /// A link.
    MdLink "md.link" => Text;
    /// A quotation.
    MdQuote "md.quote" => Muted;
}

/// The roles of seats, in order of arrival.
const SPEAKERS: [ThemeRole; 8] = [
    ThemeRole::Speaker1,
    ThemeRole::Speaker2,
    ThemeRole::Speaker3,
    ThemeRole::Speaker4,
    ThemeRole::Speaker5,
    ThemeRole::Speaker6,
    ThemeRole::Speaker7,
    ThemeRole::Speaker8,
];

/// Why a theme cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ThemeError {
    /// The file is no TOML, or a key is wrong.
    #[error("{at}: {why}")]
    Invalid {
        /// The file, the line and the column.
        at: String,
        /// What is wrong, and what would do.
        why: String,
    },
    /// There is no theme of that name.
    #[error("unknown theme `{name}`{}", nearest.as_ref().map_or(String::new(), |n| format!("; the nearest is `{n}`")))]
    Unknown {
        /// What was asked for.
        name: String,
        /// What may have been meant.
        nearest: Option<String>,
    },
}

/// How every role looks.
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
    /// Returns how a role looks.
    pub fn style(&self, role: ThemeRole) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }

    /// Returns how the seat at a place in the order of arrival looks; from the ninth on the colours repeat, in italics in
    /// every other round of them. The number before a name tells the rest apart.
    pub fn speaker(&self, place: usize) -> Style {
        let style = self.style(SPEAKERS[place % SPEAKERS.len()]);
        let italic = place / SPEAKERS.len() % 2 == 1;
        if italic { style.add_modifier(Modifier::ITALIC) } else { style }
    }

    /// Returns whether code has a background of its own, which distinguishes it from words.
    pub fn has_code_ground(&self) -> bool {
        let ground = |role| self.style(role).bg.filter(|colour| *colour != Color::Reset);
        ground(ThemeRole::CodeGround) != ground(ThemeRole::MessageGround)
    }
}
