//! JSON in a reply that fits a schema, or the faults of it.

use super::json::{JsonPlace, found};
use super::lines::unwrapped;
use super::read::{ReadBy, ReadReply, Unclear};
use crate::scenario::validator;
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

/// Reads the JSON of a reply that fits a schema.
///
/// # Errors
/// If none fits, with the faults of the last one.
pub(super) fn fitting(schema: &Value, said: &str, data: &Value) -> Result<ReadReply, Unclear> {
    let validator = validator(schema).map_err(String::from)?;
    let whole = serde_json::from_str::<Value>(unwrapped(said).trim()).ok();
    let given = (!data.is_null()).then(|| data.clone());
    let found = found(said, JsonPlace::Anywhere);
    let all: Vec<Value> = given.into_iter().chain(whole).chain(found.values).collect();
    let wrong = match all.iter().find(|value| validator.is_valid(value)) {
        Some(fits) => {
            let text = serde_json::to_string_pretty(fits).unwrap_or_default();
            let by = if found.loose { ReadBy::LooseJson } else { ReadBy::Plain };
            return Ok(ReadReply { text: Some(text), by, ..ReadReply::data(fits.clone()) });
        }
        None if found.cut => return Err("its JSON was cut, so it contains no complete JSON".into()),
        None => all.first().ok_or("it contains no complete JSON")?,
    };
    let mut faults = vec![];
    let mut field = None;
    for e in validator.iter_errors(wrong).take(3) {
        let path = e.instance_path().as_str();
        let place = if path.is_empty() { String::new() } else { format!("at {path}: ") };
        if faults.is_empty() && !path.is_empty() {
            field = Some(path.to_owned());
        }
        faults.push(place + &fault(&e));
    }
    Err(Unclear { why: faults.join("; "), ask: None, field })
}

/// Describes a schema violation, with all values of an enumeration.
fn fault(e: &ValidationError<'_>) -> String {
    match e.kind() {
        ValidationErrorKind::Enum { options } => {
            format!("{} is not one of {options}", e.instance())
        }
        _ => e.to_string(),
    }
}
