//! Texts inside JSON values.

use serde_json::Value;

/// Returns all strings of a value in order, without its keys.
pub fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(map) => map.values().flat_map(strings).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => vec![],
    }
}

/// Returns a value with each key and each string replaced.
///
/// # Errors
/// The first error of a string.
pub fn map_strings<E>(
    value: &Value,
    key: &dyn Fn(&str) -> String,
    string: &dyn Fn(&str) -> Result<String, E>,
) -> Result<Value, E> {
    let map = |value| map_strings(value, key, string);
    Ok(match value {
        Value::String(text) => string(text)?.into(),
        Value::Array(items) => items.iter().map(map).collect::<Result<_, E>>()?,
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| Ok((key(name), map(value)?)));
            fields.collect::<Result<_, E>>()?
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    })
}
