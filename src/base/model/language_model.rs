//! Language models, with the parameters of their calls.

use super::ids::Text;
use super::money::Price;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Prefix of the name of a model that speaks from a session.
const RECORDING: &str = "recording:";
/// Prefix of the name of a model that speaks by a program of the person, as in `program:claude`.
pub const PROGRAM: &str = "program:";

/// Returns true if a server has the model of this name: it is neither replayed from a session nor spoken by a program.
pub fn is_served(model: &str) -> bool {
    !(model.starts_with(RECORDING) || model.starts_with(PROGRAM))
}

impl ModelSpec {
    /// Returns the model that speaks a participant's turns from a session file.
    pub fn recorded(file: &str) -> ModelSpec {
        ModelSpec { name: format!("{RECORDING}{file}").into(), ..ModelSpec::default() }
    }

    /// Returns the session file that it speaks from; `None` for a real model.
    pub fn recording(&self) -> Option<&str> {
        self.name.strip_prefix(RECORDING)
    }

    /// Returns true if a server has the model: it is neither replayed from a session nor spoken by a program.
    pub fn is_served(&self) -> bool {
        is_served(&self.name)
    }

    /// Returns true if a program of the person speaks, in print mode.
    pub fn is_program(&self) -> bool {
        self.name.starts_with(PROGRAM)
    }

    /// Returns the names that a server has, of the model and its fallbacks.
    pub fn served(&self) -> impl Iterator<Item = &Text> {
        self.names().filter(|name| is_served(name))
    }

    /// Returns its name without the provider, for places with little room.
    pub fn short_name(&self) -> &str {
        self.name.split_once(':').map_or(&*self.name, |(_, name)| name)
    }

    /// Returns the names of the model and its fallbacks, in order of preference.
    pub fn names(&self) -> impl Iterator<Item = &Text> {
        std::iter::once(&self.name).chain(self.fallbacks.iter().map(|fallback| &fallback.name))
    }
}

/// A language model and the parameters of its calls.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelSpec {
    /// `provider:name`; empty until one is chosen.
    pub name: Text,
    /// Fallback models, in order, used if the failure rule is `replace`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<Fallback>,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Nucleus sampling (`top_p`), from 0 to 1.
    pub top_p: Option<f64>,
    /// Random seed, if the server supports one.
    pub seed: Option<u64>,
    /// Frequency penalty of tokens, from -2 to 2.
    pub frequency_penalty: Option<f64>,
    /// Presence penalty of tokens, from -2 to 2.
    pub presence_penalty: Option<f64>,
    /// Repetition penalty of local servers.
    pub repeat_penalty: Option<f64>,
    /// Maximum tokens of one reply; `None` for the defaults of program and server.
    pub max_tokens: Option<u32>,
    /// Stop sequences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<Text>,
    /// Reasoning effort: `low`, `medium` or `high`.
    pub effort: Option<Text>,
}

/// A fallback model, with its properties.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fallback {
    /// `provider:name`.
    pub name: Text,
    /// Its price, as in [`Participant`](super::Participant).
    pub price: Option<Price>,
    /// True if it runs on this machine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub local: bool,
    /// Context window in tokens; `None` if unknown.
    pub window: Option<u32>,
    /// True if its tools are listed in its prompt.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub text_tools: bool,
}

impl ModelSpec {
    /// Returns the tokens allowed for reasoning besides the reply.
    pub fn reasoning_tokens(&self) -> u32 {
        match self.effort.as_deref() {
            None => 0,
            Some("low") => 1_024,
            Some("high") => 16_384,
            Some(_) => 4_096,
        }
    }
}
