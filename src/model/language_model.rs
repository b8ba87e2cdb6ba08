//! Language models, with the parameters of their calls.

use super::ids::Text;
use super::money::Price;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The prefix of a model name whose words are read from a session.
const RECORDING: &str = "recording:";

impl ModelSpec {
    /// Returns the model that speaks the words of a participant from a session file.
    pub fn recorded(file: &str) -> ModelSpec {
        ModelSpec { name: format!("{RECORDING}{file}").into(), ..ModelSpec::default() }
    }

    /// Returns the file of the session that it speaks from; none where it is a real model.
    pub fn recording(&self) -> Option<&str> {
        self.name.strip_prefix(RECORDING)
    }
}

/// A language model and the parameters of its calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelSpec {
    /// `provider:name`; empty until one is chosen.
    pub name: Text,
    /// The models that speak instead, in order, where the failure rule says `replace`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<Fallback>,
    /// The sampling temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Nucleus sampling (`top_p`), from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// The random seed, if the server honours one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How much less likely a token becomes with each use, from -2 to 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency_penalty: Option<f64>,
    /// How much less likely a token becomes after its first use, from -2 to 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub presence_penalty: Option<f64>,
    /// The repetition penalty of local servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat_penalty: Option<f64>,
    /// Maximum tokens of one reply; none leaves it to the program and the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Words at which the reply stops.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<Text>,
    /// Reasoning effort: `low`, `medium` or `high`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Text>,
}

/// A model that speaks where those before it failed, with what is known of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fallback {
    /// `provider:name`.
    pub name: Text,
    /// Its price, as a seat has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// True if it runs on this machine, as a seat has it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub local: bool,
    /// Its context window in tokens; none is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// True if its tools are listed in its prompt, as for a seat.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub text_tools: bool,
}

impl ModelSpec {
    /// Returns the tokens of reasoning that are asked for besides the reply.
    pub fn reasoning_tokens(&self) -> u32 {
        match self.effort.as_deref() {
            None => 0,
            Some("low") => 1_024,
            Some("high") => 16_384,
            Some(_) => 4_096,
        }
    }
}
