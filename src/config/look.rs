//! What the user sets of how the screen looks; which theme that means on which terminal is `cli`'s to decide.

use clap::ValueEnum;
use serde::Deserialize;

/// The theme of the screen.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "a theme is a name, or { light = \"NAME\", dark = \"NAME\" }")]
pub enum ThemeChoice {
    /// This one.
    One(String),
    /// One for each ground.
    Two {
        /// On a light ground.
        light: String,
        /// On a dark ground.
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

/// Whether the program captures the mouse.
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

/// Whether the terminal rings for somebody who looks elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Notify {
    /// Where it says that it has lost the focus.
    #[default]
    Auto,
    /// Never.
    Off,
}

/// Which habits the keys of the screen follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Habits {
    /// Those of most programs.
    #[default]
    Plain,
    /// Those of vim besides.
    Vim,
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

/// How many colours the terminal shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum ColourDepth {
    /// What the environment says for certain.
    #[default]
    #[serde(rename = "auto")]
    Auto,
    /// Its own sixteen.
    #[serde(rename = "16")]
    Sixteen,
    /// The fixed 256.
    #[serde(rename = "256")]
    Indexed,
    /// All of them.
    #[serde(rename = "truecolor")]
    True,
}
