//! `/join Dora, a night porter`: a participant by name and description, with the model of another seat.

use super::pairs::{TypedFault, pairs, parted};
use crate::scenario;
use crate::state::State;
use toml::{Table, Value};

/// Parses a participant: `KEY=VALUE, …`, an id and `KEY=VALUE, …`, or `NAME, DESCRIPTION, KEY=VALUE, …`. A participant
/// without a voice gets the model of the first seat that has one.
pub(super) fn participant(words: &str, state: &State) -> Result<Table, TypedFault> {
    let mut seat = match introduced(words)? {
        Some(seat) => seat,
        None => pairs(words, true)?,
    };
    if !scenario::VOICES.iter().any(|voice| seat.contains_key(*voice)) {
        let model = state.seats.iter().find_map(|seat| seat.spec.voice.as_model());
        if let Some(model) = model {
            seat.insert("model".to_owned(), (*model.name).into());
        }
    }
    Ok(seat)
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
    use super::participant;
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
            ("Илья", json!({"id": "guest", "name": "Илья"})),
            ("Dora", json!({"id": "dora", "name": "Dora"})),
            ("dee, lines = [\"Hm.\"]", json!({"id": "dee", "lines": ["Hm."]})),
            ("dee persona = A voice", json!({"id": "dee", "persona": "A voice"})),
        ] {
            let read = participant(words, &State::default()).unwrap();
            assert_eq!(serde_json::to_value(read).unwrap(), seat, "{words}");
        }
        let why = participant("Dora, a porter, weight = 2, by night", &State::default());
        assert!(why.unwrap_err().to_string().contains("KEY=VALUE"));
    }
}
