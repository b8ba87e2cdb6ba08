//! Replies with a profile: if some fields of a reply are wrong, only those are asked for again.

use super::json::{JsonPlace, objects};
use super::read::{ReadReply, Unclear};
use super::schema::fitting;
use crate::model::contract::PROFILE;
use crate::model::{Text, UnknownField};
use crate::scenario::{ProfileSpec, validator};
use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value};

/// Instruction for the retry of a reply that is only partly wrong.
const REST: &str =
    "everything else is kept, so answer with one JSON object that holds the corrected fields alone";

/// Parses a reply that fits a schema; `before` is the previous, partly wrong reply in the same turn.
///
/// # Errors
/// If the reply does not fit, with a text for the retry.
pub(super) fn kept(
    schema: &Value,
    spec: &ProfileSpec,
    before: Option<&str>,
    said: &str,
    data: &Value,
) -> Result<ReadReply, Unclear> {
    let validator = validator(schema).map_err(String::from)?;
    let strange = |value: &Value| unknown(schema, spec, value);
    let first =
        before.and_then(|said| objects(said, &Value::Null, JsonPlace::Anywhere).into_iter().next());
    let fresh = objects(said, data, JsonPlace::Anywhere).into_iter().next();
    if let (Some(mut whole), Some(fresh)) = (first, &fresh) {
        for (path, fields) in bad_places(&validator, &whole) {
            take_out(&mut whole, &path, &fields);
        }
        for field in strange(&whole) {
            let place = if has_profile(schema) { whole.get_mut(PROFILE) } else { Some(&mut whole) };
            place.and_then(Value::as_object_mut).map(|facts| facts.remove(&field));
        }
        put_over(&mut whole, fresh);
        if validator.is_valid(&whole) && strange(&whole).is_empty() {
            let text = serde_json::to_string_pretty(&whole).unwrap_or_default();
            return Ok(ReadReply { text: Some(text), structured: whole, ..ReadReply::default() });
        }
    }
    let formed = fitting(schema, said, data).map_err(|why| {
        let text = if fresh.is_some() { format!("{why}; {REST}") } else { why.why };
        Unclear { why: text, ..why }
    })?;
    match strange(&formed.structured).first() {
        None => Ok(formed),
        Some(field) => {
            let all = spec.fields.iter().map(|f| &**f).collect::<Vec<_>>().join(", ");
            Err(format!("the profile has no field {field:?}, only {all}; {REST}").into())
        }
    }
}

/// Returns a reply with its text taken from one of its fields, if that field is set.
pub(super) fn said_in(formed: ReadReply, says: Option<&Text>) -> ReadReply {
    let words = says.and_then(|field| formed.structured.get(&**field)?.as_str());
    match words.map(str::trim).filter(|words| !words.is_empty()) {
        Some(words) => ReadReply { text: Some(words.to_owned()), ..formed },
        None => formed,
    }
}

fn has_profile(schema: &Value) -> bool {
    schema["properties"].get(PROFILE).is_some()
}

/// Returns the fields of a profile that the scenario does not list, if unknown fields are refused.
fn unknown(schema: &Value, spec: &ProfileSpec, value: &Value) -> Vec<String> {
    if spec.unknown != UnknownField::Refuse || spec.fields.is_empty() || !has_profile(schema) {
        return vec![];
    }
    let fields = value[PROFILE].as_object().into_iter().flat_map(Map::keys);
    fields.filter(|field| !spec.fields.iter().any(|f| **f == ***field)).cloned().collect()
}

/// Returns the faults of a value as (path, unexpected fields).
fn bad_places(validator: &jsonschema::Validator, value: &Value) -> Vec<(String, Vec<String>)> {
    let faults = validator.iter_errors(value);
    let place = |fault: jsonschema::ValidationError<'_>| {
        let fields = match fault.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected } => unexpected.clone(),
            // missing fields are asked for; the others stay
            ValidationErrorKind::Required { .. } => return None,
            _ => vec![],
        };
        Some((fault.instance_path().as_str().to_owned(), fields))
    };
    faults.filter_map(place).collect()
}

/// Removes fields from the object at a path, or the value at the path if `fields` is empty.
fn take_out(value: &mut Value, path: &str, fields: &[String]) {
    if !fields.is_empty() {
        let object = value.pointer_mut(path).and_then(Value::as_object_mut);
        object.into_iter().for_each(|o| o.retain(|field, _| !fields.contains(field)));
        return;
    }
    let Some((parent, last)) = path.rsplit_once('/') else { return };
    let last = last.replace("~1", "/").replace("~0", "~");
    if let Some(object) = value.pointer_mut(parent).and_then(Value::as_object_mut) {
        object.remove(&last);
    } else if !parent.is_empty() {
        // a list with an invalid item is requested again as a whole
        take_out(value, parent, &[]);
    }
}

/// Merges the fields of `news` into `whole`, recursively.
fn put_over(whole: &mut Value, news: &Value) {
    match (whole, news) {
        (Value::Object(whole), Value::Object(news)) => {
            for (field, value) in news {
                put_over(whole.entry(field.clone()).or_insert(Value::Null), value);
            }
        }
        (whole, news) => *whole = news.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({
            "type": "object", "required": ["message", "profile"], "additionalProperties": false,
            "properties": {
                "message": {"type": "string"},
                "profile": {"type": "object", "properties": {
                    "home": {"enum": ["flat", "house", null]}, "hours": {"type": "number"}, "tags": {"type": "array", "items": {"type": "string"}},
                }},
            },
        })
    }

    #[test]
    fn only_the_bad_field_is_asked_for_again() {
        let spec = ProfileSpec::default();
        let first = r#"{"message": "So.", "profile": {"home": "tent", "hours": 2, "tags": ["a", 3]}, "mood": 1}"#;
        let why = kept(&schema(), &spec, None, first, &Value::Null).unwrap_err();
        assert!(
            why.to_string().contains("/profile/home") && why.to_string().ends_with(REST),
            "{why}"
        );
        let again =
            kept(&schema(), &spec, Some(first), r#"{"profile": {"home": "flat"}}"#, &Value::Null);
        assert_eq!(
            again.unwrap().structured,
            json!({"message": "So.", "profile": {"home": "flat", "hours": 2}})
        );
        let worse =
            kept(&schema(), &spec, Some(first), r#"{"profile": {"home": "cave"}}"#, &Value::Null);
        assert!(worse.is_err());
        let prose = kept(&schema(), &spec, None, "I would say a flat.", &Value::Null).unwrap_err();
        assert_eq!(prose, "it contains no complete JSON".into());
    }

    #[test]
    fn strange_fields_are_refused_where_that_is_asked_for() {
        let fields = vec!["home".into(), "hours".into(), "tags".into()];
        let spec = ProfileSpec { fields, unknown: UnknownField::Refuse, ..ProfileSpec::default() };
        let said = r#"{"message": "So.", "profile": {"shoes": 46, "hours": 1}}"#;
        let why = kept(&schema(), &spec, None, said, &Value::Null).unwrap_err();
        assert!(why.to_string().contains("no field \"shoes\", only home, hours, tags"), "{why}");
        let again = kept(&schema(), &spec, Some(said), "{}", &Value::Null).unwrap();
        assert_eq!(again.structured["profile"], json!({"hours": 1}));
        for unknown in [UnknownField::Keep, UnknownField::Drop] {
            let spec = ProfileSpec { unknown, ..spec.clone() };
            assert!(kept(&schema(), &spec, None, said, &Value::Null).is_ok());
        }
        assert!(kept(&schema(), &ProfileSpec::default(), None, said, &Value::Null).is_ok());
    }

    #[test]
    fn the_words_stand_in_a_field() {
        let formed = |message: &str| ReadReply {
            text: Some("{}".into()),
            structured: json!({"message": message}),
            ..ReadReply::default()
        };
        let says: Text = "message".into();
        assert_eq!(said_in(formed(" Hello. "), Some(&says)).text.as_deref(), Some("Hello."));
        assert_eq!(said_in(formed(" "), Some(&says)).text.as_deref(), Some("{}"));
        assert_eq!(said_in(formed("Hello."), None).text.as_deref(), Some("{}"));
    }
}
