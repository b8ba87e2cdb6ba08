//! `/join Dora, a night porter`: a participant by name and description, with the model of another seat or a named one.

use super::pairs::{TypedFault, pairs, parted};
use crate::scenario;
use crate::settings::ModelList;
use crate::state::State;
use toml::{Table, Value};

/// Parses a participant: `KEY=VALUE, …`, an id and `KEY=VALUE, …`, or `NAME, DESCRIPTION, KEY=VALUE, …`. `PROVIDER:NAME`
/// between commas is its model; a participant without a voice gets the model of the first seat that has one.
pub(super) fn participant(words: &str, state: &State) -> Result<Table, TypedFault> {
    let (model, words) = model(words);
    let mut seat = match introduced(&words)? {
        Some(seat) => seat,
        None => pairs(&words, true)?,
    };
    give(&mut seat, model)?;
    if !scenario::VOICES.iter().any(|voice| seat.contains_key(*voice)) {
        let model = state.seats.iter().find_map(|seat| seat.spec.voice.as_model());
        if let Some(model) = model {
            seat.insert("model".to_owned(), (*model.name).into());
        }
    }
    Ok(seat)
}

/// Parses the changes of a participant: `KEY=VALUE, …`, and its model as `PROVIDER:NAME`.
pub(super) fn changes(words: &str) -> Result<Table, TypedFault> {
    let (model, words) = match model(words) {
        (Some(model), _) if parted(words).len() == 1 => (Some(model), String::new()),
        taken => taken,
    };
    let mut set = if words.is_empty() { Table::new() } else { pairs(&words, false)? };
    give(&mut set, model)?;
    Ok(set)
}

/// Takes the part that is `PROVIDER:NAME` alone, or a last part that is a word for a model, out of a line.
fn model(words: &str) -> (Option<String>, String) {
    let mut parts = parted(words);
    if let Some(at) = parts.iter().position(|part| is_model(part)) {
        return (Some(parts.remove(at)), parts.join(", "));
    }
    let word = parts.last().and_then(|last| Some((last.clone(), ModelList::name_of_word(last)?)));
    let Some((word, name)) = word else { return (None, words.to_owned()) };
    parts.pop();
    // the word alone is a participant that is called like its model
    let rest = if parts.is_empty() { name } else { parts.join(", ") };
    (Some(word), rest)
}

/// Returns whether a part is `PROVIDER:NAME`, not text with a colon or an address.
fn is_model(part: &str) -> bool {
    part.split_once(':').is_some_and(|(provider, name)| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        provider.starts_with(|c: char| c.is_ascii_alphabetic())
            && provider.chars().all(plain)
            && !name.is_empty()
            && !name.starts_with("//")
            && !name.contains(|c: char| c.is_whitespace() || "=\"".contains(c))
    })
}

/// Adds the named model to the keys of a participant.
fn give(seat: &mut Table, model: Option<String>) -> Result<(), TypedFault> {
    let Some(model) = model else { return Ok(()) };
    if seat.contains_key("model") {
        return Err("two models are named: keep one of them".into());
    }
    seat.insert("model".to_owned(), model.into());
    Ok(())
}

/// Parses a name with a description; `None` if the words begin with an id or a key.
fn introduced(words: &str) -> Result<Option<Table>, TypedFault> {
    let parts = parted(words);
    let Some((name, more)) = parts.split_first().filter(|(first, _)| !first.contains('=')) else {
        return Ok(None);
    };
    let is_text = |part: &&String| !is_pair(part);
    let described: Vec<_> = more.iter().take_while(is_text).map(String::as_str).collect();
    let is_id = scenario::id_of(name) == *name;
    if is_id && described.is_empty() {
        return Ok(None);
    }
    let mut seat = pairs(&more[described.len()..].join(", "), false)?;
    let mut give = |key: &str, value: String| {
        seat.entry(key).or_insert(Value::String(value));
    };
    let id = scenario::id_of(name);
    give("id", if id.is_empty() { "guest".to_owned() } else { id });
    give("name", name.clone());
    if !described.is_empty() {
        let described = described.join(", ");
        give("persona", format!("You are {name}, {}.", described.trim_end_matches('.')));
    }
    Ok(Some(seat))
}

/// Returns whether a part is `KEY=VALUE`, not text with a `=`.
fn is_pair(part: &str) -> bool {
    let key = part.split_once('=').map(|(key, _)| key.trim());
    key.is_some_and(|key| {
        !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase() || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::{changes, participant};
    use crate::state::State;
    use serde_json::json;

    #[test]
    fn a_name_and_a_description_are_a_participant() {
        for (words, seat) in [
            (
                "Dora, a night porter",
                json!({"id": "dora", "name": "Dora", "persona": "You are Dora, a night porter."}),
            ),
            (
                "Ann-Mary O'Neil, who sleeps by day, in a tent., model = ollama:small, weight = 2",
                json!({
                    "id": "ann-mary-o-neil", "name": "Ann-Mary O'Neil", "weight": 2, "model": "ollama:small",
                    "persona": "You are Ann-Mary O'Neil, who sleeps by day, in a tent.",
                }),
            ),
            (
                "Dora, a night porter, gemini:flash-2.5:free, weight = 2",
                json!({
                    "id": "dora", "name": "Dora", "persona": "You are Dora, a night porter.",
                    "model": "gemini:flash-2.5:free", "weight": 2,
                }),
            ),
            (
                "Dora, up at 5:30, see https://example.org, note: awake",
                json!({
                    "id": "dora", "name": "Dora",
                    "persona": "You are Dora, up at 5:30, see https://example.org, note: awake.",
                }),
            ),
            (
                "Dora, a night porter, gemini",
                json!({
                    "id": "dora", "name": "Dora", "persona": "You are Dora, a night porter.", "model": "gemini",
                }),
            ),
            ("gemini", json!({"id": "gemini", "name": "Gemini", "model": "gemini"})),
            ("dee, ollama:small", json!({"id": "dee", "model": "ollama:small"})),
            ("Илья", json!({"id": "guest", "name": "Илья"})),
            ("Dora", json!({"id": "dora", "name": "Dora"})),
            ("dee, lines = [\"Hm.\"]", json!({"id": "dee", "lines": ["Hm."]})),
            ("dee persona = A voice", json!({"id": "dee", "persona": "A voice"})),
        ] {
            let read = participant(words, &State::default()).unwrap();
            assert_eq!(serde_json::to_value(read).unwrap(), seat, "{words}");
        }
        let set = changes("weight = 2, gemini:flash").unwrap();
        assert_eq!(
            serde_json::to_value(set).unwrap(),
            json!({"weight": 2, "model": "gemini:flash"})
        );
        for words in ["gemini", "model = gemini", "model = \"gemini\""] {
            let set = serde_json::to_value(changes(words).unwrap()).unwrap();
            assert_eq!(set, json!({"model": "gemini"}), "{words}");
        }
        let twice = participant("Dora, a:b, model = c:d", &State::default());
        assert!(twice.unwrap_err().to_string().contains("two models"));
        let why = participant("Dora, a porter, weight = 2, by night", &State::default());
        assert!(why.unwrap_err().to_string().contains("KEY=VALUE"));
    }
}
