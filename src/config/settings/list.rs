//! The bundled list of well-known models, overridden by the user's settings.
//!
//! The list is data in the form of user settings, and becomes outdated: only estimates, costs and limits in dollars
//! depend on it, and the user can override every line.

use super::user_file::{ModelFacts, Settings};
use std::sync::LazyLock;

const TEXT: &str = include_str!("../assets/models.toml");

static LIST: LazyLock<Settings> = LazyLock::new(|| toml::from_str(TEXT).unwrap_or_default());

impl Settings {
    /// Returns the facts about a model by `provider:name`: the user's, else those of the list.
    pub fn facts(&self, model: &str) -> ModelFacts {
        // most local models are not listed, and parsing the list takes longer than searching it
        let listed = if TEXT.contains(model) { LIST.models.get(model) } else { None };
        let own = self.models.get(model);
        ModelFacts {
            window: own.and_then(|m| m.window).or(listed.and_then(|m| m.window)),
            price: own.and_then(|m| m.price).or(listed.and_then(|m| m.price)),
            tools: own.and_then(|m| m.tools).or(listed.and_then(|m| m.tools)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Price;

    #[test]
    fn model_list_is_complete_and_user_settings_override_it() {
        let listed: Settings = toml::from_str(TEXT).unwrap();
        assert!(listed.models.len() > 30);
        for (name, entry) in &listed.models {
            assert!(entry.price.is_some_and(|Price(i, o)| 0.0 < i && i <= o), "{name}");
            assert!(entry.window.is_some_and(|w| w > 100_000), "{name}");
        }
        let mut own = Settings::default();
        let price = Some(Price(9.0, 9.0));
        own.models.insert("openai:gpt-5".into(), ModelFacts { price, ..ModelFacts::default() });
        let facts = own.facts("openai:gpt-5");
        assert_eq!((facts.price, facts.window), (price, Some(400_000)));
        assert_eq!(own.facts("openai:gpt-5000"), ModelFacts::default());
    }
}
