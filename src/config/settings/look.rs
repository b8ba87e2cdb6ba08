//! Settings of the screen's look; `cli` resolves them for a terminal.

use clap::ValueEnum;
use serde::Deserialize;

/// Theme of the screen.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "a theme is a name, or { light = \"NAME\", dark = \"NAME\" }")]
pub enum ThemeChoice {
    /// One theme for every background.
    One(String),
    /// One theme for each background.
    Two {
        /// Theme for a light background.
        light: String,
        /// Theme for a dark background.
        dark: String,
    },
}

/// Character set of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Signs {
    /// Unicode lines and symbols.
    #[default]
    Unicode,
    /// ASCII only.
    Ascii,
}

/// Mouse capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Mouse {
    /// Capture it if the terminal supports it.
    #[default]
    Auto,
    /// Capture it.
    On,
    /// Leave it to the terminal.
    Off,
}

/// Terminal bell while the user looks elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Notify {
    /// If the terminal reports that it has lost the focus.
    #[default]
    Auto,
    /// Never.
    Off,
}

/// Style of the key bindings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Habits {
    /// Keys as in most programs.
    #[default]
    Plain,
    /// Additional keys of vim.
    Vim,
}

/// Setting without an effect, which chose the keyboard focus of a new conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StartFocus {
    /// The input box: letters write.
    #[default]
    Line,
    /// The transcript, where letters were keys.
    Read,
}

/// Speed of the words of models on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScreenPace {
    /// As they arrive.
    #[default]
    Live,
    /// At most 250 words a minute, so that a person can follow.
    Reading,
}

/// Animation of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Motion {
    /// Timers tick.
    #[default]
    Full,
    /// Nothing moves by itself.
    None,
}

/// Number of terminal colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum ColourDepth {
    /// Detected from the environment.
    #[default]
    #[serde(rename = "auto")]
    Auto,
    /// The 16 colours of the terminal.
    #[serde(rename = "16")]
    Sixteen,
    /// The fixed 256 colours.
    #[serde(rename = "256")]
    Indexed,
    /// 24-bit colour.
    #[serde(rename = "truecolor")]
    True,
}
