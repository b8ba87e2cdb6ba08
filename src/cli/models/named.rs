//! Words for models in scenarios that no provider and no list knows.

use crate::cli::error::{Exit, Failure};
use crate::cli::models::minds::{self, Mind, OTHER_VOICES, Usable};
use crate::cli::models::providers::{ENDPOINT, Providers};
use crate::scenario::{Fault, Faults, Gravity, Loaded, NamedModel, Source};

/// Returns the words that mean no model as far as that is known without a request, each with its place.
pub fn unknown(
    loaded: &Loaded,
    source: &Source,
    gravity: Gravity,
    providers: &Providers,
) -> Option<Faults> {
    let usable = Usable::without_servers(providers);
    let fault = |named: &NamedModel| {
        let failure = failure_of(&named.word, &usable, providers)?;
        Some(Fault {
            gravity,
            place: named.place.clone(),
            key: named.key.clone(),
            message: failure.message,
            fix: failure.hint.unwrap_or_default(),
        })
    };
    let list: Vec<Fault> = loaded.models.iter().filter_map(fault).collect();
    (!list.is_empty()).then(|| Faults::new(list, &source.name, &source.text))
}

/// Returns the failure for a word without a model, at the places of the scenario that have one.
pub fn placed(
    failure: Failure,
    loaded: &Loaded,
    source: &Source,
    providers: &Providers,
) -> Failure {
    let caused = |named: &NamedModel| {
        failure
            .word
            .as_ref()
            .is_some_and(|word| *word == named.word || word == provider(&named.word))
    };
    let is_about = loaded.models.iter().any(caused);
    match unknown(loaded, source, Gravity::Error, providers) {
        Some(faults) if is_about => {
            let code = if failure.code == Exit::NoModel { Exit::NoModel } else { Exit::Invalid };
            Failure { code, ..faults.into() }
        }
        Some(_) | None => failure,
    }
}

/// Returns the provider in a word, or a word without one.
fn provider(word: &str) -> &str {
    word.split_once(':').map_or(word, |(provider, _)| provider)
}

fn failure_of(word: &str, usable: &Usable, providers: &Providers) -> Option<Failure> {
    let name = provider(word);
    if name == ENDPOINT || OTHER_VOICES.contains(&name) {
        return None;
    }
    if name != word {
        return if usable.words.contains_key(word) { None } else { providers.find(name).err() };
    }
    let mind = Mind { seat: None, word: word.to_owned() };
    // a key that is missing, or a server that is not asked, may still come
    let is_known = usable.list.families.contains_key(&*word.to_lowercase())
        || usable.providers.iter().any(|(known, _)| known == word)
        || crate::voice::program::find(word).is_some();
    if is_known { None } else { minds::resolve(&[mind], usable).err() }
}
