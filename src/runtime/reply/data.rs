//! JSON in a reply: in fences, in prose, or alone.

use serde_json::{Deserializer, Map, Value};

/// Maximum number of bytes of a reply that are searched for JSON.
const JSON_MAX: usize = 1 << 20;
/// Maximum number of positions at which JSON is tried.
const TRIES: usize = 64;

/// Returns a reply as data if it is a single JSON object, in a fence or not, and nothing else; else null.
pub(super) fn object(said: &str) -> Value {
    let said = said.trim();
    let bare = if said.starts_with("```") && said.ends_with("```") {
        unfenced(said).unwrap_or(said)
    } else {
        said
    };
    let object = serde_json::from_str::<Map<String, Value>>(bare);
    object.map_or(Value::Null, Value::Object)
}

/// Returns the JSON objects of a reply, starting with the object that came as data.
pub(super) fn objects(said: &str, data: &Value) -> Vec<Value> {
    let given = data.is_object().then(|| data.clone());
    given.into_iter().chain(found(said).into_iter().filter(Value::is_object)).collect()
}

/// Returns the outermost objects and lists within a text.
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
