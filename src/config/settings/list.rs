//! The bundled facts about models, overridden by the user's settings.
//!
//! The list is data with a date and becomes outdated. It decides prices, windows, the meaning of words such as `claude`,
//! and the parameters that a model is known to refuse; the user can override every value.

use super::user_file::{ModelFacts, Settings};
use crate::model::Price;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, OnceLock};

const TEXT: &str = include_str!("../assets/models.toml");
/// Provider whose models have the names of other makers' models.
const ROUTER: &str = "openrouter:";

static BUNDLED: LazyLock<ModelList> = LazyLock::new(|| ModelList::parse(TEXT).unwrap_or_default());

/// Facts that the user fetched after this program was made: their text, and its rows once one is needed.
static UPDATE: OnceLock<(String, OnceLock<ModelList>)> = OnceLock::new();

/// Words of the settings, for lines that are typed while a conversation runs.
static OWN_WORDS: OnceLock<BTreeSet<String>> = OnceLock::new();

/// Facts about models, by `provider:name`, and the meaning of words.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ModelList {
    /// Families of models, by the word for them.
    pub families: BTreeMap<String, Family>,
    /// Providers of makers, by the name of the maker in the names of [`ROUTER`].
    routed: BTreeMap<String, String>,
    /// Default models of providers without a family of their own.
    pub defaults: BTreeMap<String, String>,
    /// Parts of the names of models that make vectors, rankings, speech or pictures, in lower case.
    silent: Vec<String>,
    models: BTreeMap<String, ListedModel>,
}

/// A maker's models, named by one word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// Display name.
    pub name: String,
    /// Name of the company that makes the models.
    pub maker: String,
    /// Release date of its default model.
    pub released: String,
    /// Its default model, as `provider:name`, at the maker's own service; `None` if that is not a known provider.
    pub model: Option<String>,
    /// Program that speaks with the person's login.
    pub program: Option<String>,
    /// Its default model at a service that many people have a key for.
    pub openrouter: Option<String>,
}

/// A row of the list; it has more keys than are used.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct ListedModel {
    window: Option<u32>,
    price: Option<Price>,
    temperature: Option<bool>,
    effort: Option<Vec<String>>,
}

impl ModelList {
    /// Returns the list that the program has.
    pub fn bundled() -> &'static ModelList {
        &BUNDLED
    }

    /// Prefers the rows of a text, as `model_rows` makes it, to the bundled ones; only the first call in a process has an
    /// effect.
    pub fn use_update(text: String) {
        UPDATE.get_or_init(|| (text, OnceLock::new()));
    }

    /// Returns the facts about a model: fetched ones, else bundled ones.
    fn newest(model: &str) -> ModelFacts {
        // most local models are not listed, and parsing a list takes longer than searching it
        let is_in = |text: &str| model.starts_with(ROUTER) || text.contains(model);
        let bundled = if is_in(TEXT) { BUNDLED.facts(model) } else { ModelFacts::default() };
        let update = UPDATE.get().filter(|(text, _)| is_in(text));
        let Some((text, list)) = update else { return bundled };
        let list = list.get_or_init(|| {
            let models = ModelList::parse(text).unwrap_or_default();
            ModelList { routed: BUNDLED.routed.clone(), ..models }
        });
        list.facts(model).or(bundled)
    }

    /// Returns the name that a family or a word of the settings gives a participant; `None` for any other text.
    pub fn name_of_word(word: &str) -> Option<String> {
        let family = BUNDLED.families.get(word).map(|family| family.name.clone());
        let is_own = OWN_WORDS.get().is_some_and(|words| words.contains(word));
        family.or_else(|| is_own.then(|| word.to_owned()))
    }

    /// Returns whether a model replies with text, judged by its name.
    pub fn can_talk(&self, model: &str) -> bool {
        let model = model.to_lowercase();
        !self.silent.iter().any(|part| model.contains(part))
    }

    /// Parses a list.
    ///
    /// # Errors
    /// If the text is not TOML, or a value does not fit its key.
    pub fn parse(text: &str) -> Result<ModelList, toml::de::Error> {
        toml::from_str(text)
    }

    /// Returns the row of a model. A router's model without a row has the row of the maker's model.
    fn row(&self, model: &str) -> Option<&ListedModel> {
        self.models.get(model).or_else(|| {
            let (maker, name) = model.strip_prefix(ROUTER)?.split_once('/')?;
            let provider = self.routed.get(maker)?;
            // the router writes versions with a dot, some makers with a hyphen
            let own = [name.to_owned(), name.replace('.', "-")];
            own.iter().find_map(|name| self.models.get(&format!("{provider}:{name}")))
        })
    }

    /// Returns the facts about a model.
    fn facts(&self, model: &str) -> ModelFacts {
        let row = self.row(model).cloned().unwrap_or_default();
        ModelFacts {
            window: row.window,
            price: row.price,
            tools: None,
            temperature: row.temperature,
            effort: row.effort,
        }
    }
}

impl Settings {
    /// Makes the words of these settings known to typed lines; only the first call in a process has an effect.
    pub fn publish_words(&self) {
        OWN_WORDS.get_or_init(|| self.words.keys().cloned().collect());
    }

    /// Returns the facts about a model by `provider:name`: the user's, else fetched ones, else bundled ones.
    pub fn facts(&self, model: &str) -> ModelFacts {
        self.facts_in(model, ModelList::newest)
    }

    fn facts_in(&self, model: &str, listed: impl FnOnce(&str) -> ModelFacts) -> ModelFacts {
        let own = self.models.get(model).cloned().unwrap_or_default();
        own.or(listed(model))
    }
}

impl ModelFacts {
    /// Returns these facts, and others where these are unknown.
    fn or(self, others: ModelFacts) -> ModelFacts {
        ModelFacts {
            window: self.window.or(others.window),
            price: self.price.or(others.price),
            tools: self.tools.or(others.tools),
            temperature: self.temperature.or(others.temperature),
            effort: self.effort.or(others.effort),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIXTURE: &str = r#"
        [routed]
        acme = "acme"
        [models]
        "acme:talk-2-1" = { price = [1.0, 2.0], window = 1000, output = 10, temperature = false, effort = ["low"] }
        "openrouter:acme/talk-1" = { price = [3.0, 4.0], window = 10 }
    "#;

    #[test]
    fn bundled_list_is_complete() {
        let listed = ModelList::parse(TEXT).unwrap();
        assert!(listed.models.len() > 50);
        for (name, row) in &listed.models {
            assert!(row.price.is_none_or(|Price(i, o)| 0.0 <= i && i <= o), "{name}");
            assert!(row.window.is_some_and(|w| w >= 4_000), "{name}");
            assert!(row.temperature.is_some(), "{name}");
        }
        let lines: Vec<&str> =
            TEXT.lines().skip_while(|line| *line != "[models]").skip(1).collect();
        assert!(lines.is_sorted_by_key(|line| line.split(" = ").next()), "one sorted line a model");
        assert_eq!(lines.len(), listed.models.len());
        for (word, family) in &listed.families {
            let models = family.model.iter().chain(&family.openrouter);
            for model in models {
                assert!(listed.row(model).is_some(), "{word} = {model}");
            }
        }
    }

    #[test]
    fn settings_override_facts_and_routers_have_those_of_the_maker() {
        let list = ModelList::parse(FIXTURE).unwrap();
        let mut own = Settings::default();
        let price = Some(Price(9.0, 9.0));
        own.models.insert("acme:talk-2-1".into(), ModelFacts { price, ..ModelFacts::default() });
        let facts = |name: &str| own.facts_in(name, |name| list.facts(name));
        let set = facts("acme:talk-2-1");
        assert_eq!((set.price, set.window, set.temperature), (price, Some(1000), Some(false)));
        assert_eq!(set.effort, Some(vec!["low".to_owned()]));
        assert_eq!(facts("openrouter:acme/talk-2.1").price, Some(Price(1.0, 2.0)));
        assert_eq!(facts("openrouter:acme/talk-1").window, Some(10));
        for unknown in ["acme:talk-9", "openrouter:acme/talk-9", "openrouter:other/talk-2-1"] {
            assert_eq!(facts(unknown), ModelFacts::default(), "{unknown}");
        }
    }
}
