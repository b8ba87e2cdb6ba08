//! The JSON in a reply: in fences, in prose, or alone.

use serde_json::{Deserializer, Map, Value};

/// Bytes of a reply that are looked through for JSON.
const JSON_MAX: usize = 1 << 20;
/// Places at which JSON may begin that are tried.
const TRIES: usize = 64;

/// Returns free words as data where they are one JSON object, in a fence or not, and nothing else.
pub(super) fn object(said: &str) -> Value {
    let said = said.trim();
    let bare = match said.starts_with("```") && said.ends_with("```") {
        true => unfenced(said).unwrap_or(said),
        false => said,
    };
    let object = serde_json::from_str::<Map<String, Value>>(bare);
    object.map_or(Value::Null, Value::Object)
}

/// Returns the JSON objects of a reply, those that came as data first.
pub(super) fn objects(said: &str, data: &Value) -> Vec<Value> {
    let given = data.is_object().then(|| data.clone());
    given.into_iter().chain(found(said).into_iter().filter(Value::is_object)).collect()
}

/// Returns every object and list within some words, outermost ones only.
pub(super) fn found(said: &str) -> Vec<Value> {
    let mut values = vec![];
    let mut rest = &said[..said.floor_char_boundary(JSON_MAX)];
    for _ in 0..TRIES {
        let Some(at) = rest.find(['{', '[']) else { break };
        rest = &rest[at..];
        let mut stream = Deserializer::from_str(rest).into_iter::<Value>();
        match stream.next() {
            Some(Ok(value)) => {
                rest = &rest[stream.byte_offset()..];
                values.push(value);
            }
            Some(Err(_)) | None => rest = &rest[1..],
        }
    }
    values
}

/// Returns the content of the first fence.
pub(super) fn unfenced(said: &str) -> Option<&str> {
    let (_, rest) = said.split_once("```")?;
    let (_, rest) = rest.split_once('\n')?;
    rest.split_once("```").map(|(inside, _)| inside)
}
