//! Wire formats of models: one list for settings, options and calls.

use super::ModelSpec;
use serde::Deserialize;

crate::words! {
    /// Format of requests and replies.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Wire {
        /// OpenAI's chat completions, spoken by most servers.
        #[default]
        OpenAi = "openai",
        /// Anthropic's messages.
        Anthropic = "anthropic",
        /// Google's `generateContent`.
        Gemini = "gemini",
        /// Ollama's own chat.
        Ollama = "ollama",
        /// OpenAI's responses.
        Responses = "responses",
    }
    /// Returns the name in settings and options.
    fn name()
}

impl Wire {
    /// Names as a JSON Schema.
    pub const SCHEMA: &str =
        r#"{"enum": ["openai", "anthropic", "gemini", "ollama", "responses"]}"#;

    /// Returns the wire format with a name.
    pub fn by_name(name: &str) -> Option<Wire> {
        Wire::ALL.into_iter().find(|wire| wire.name() == name)
    }

    /// Returns the keys of the model settings that this format does not support.
    pub fn lacks(self, spec: &ModelSpec, local: bool) -> Vec<&'static str> {
        let set = [
            ("seed", spec.seed.is_some()),
            ("frequency_penalty", spec.frequency_penalty.is_some()),
            ("presence_penalty", spec.presence_penalty.is_some()),
            ("repeat_penalty", spec.repeat_penalty.is_some()),
            ("stop", !spec.stop.is_empty()),
        ];
        let lacks = |key: &str| match self {
            Wire::Ollama => false,
            // vendors reject unknown keys; llama.cpp and similar servers know this one
            Wire::OpenAi => key == "repeat_penalty" && !local,
            Wire::Gemini => key == "repeat_penalty",
            Wire::Anthropic => key != "stop",
            Wire::Responses => true,
        };
        set.into_iter().filter(|(key, set)| *set && lacks(key)).map(|(key, _)| key).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Wire;

    #[test]
    fn settings_and_options_spell_a_wire_alike() {
        for wire in Wire::ALL {
            let read: Wire = serde_json::from_value(wire.name().into()).expect("a known name");
            assert!(Wire::SCHEMA.contains(&format!("\"{}\"", wire.name())));
            assert_eq!((read, Wire::by_name(wire.name())), (wire, Some(wire)));
        }
    }
}
