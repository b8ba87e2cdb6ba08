//! JSON in a reply that fits a schema. If only some of its fields are wrong, only those are asked for again, and the
//! correction is merged at its place.

use super::json::{JsonPlace, found, objects};
use super::lines::unwrapped;
use super::read::{ReadBy, ReadReply, Unclear, WantedReply};
use crate::model::{Form, Text, UnknownField};
use crate::scenario::{ProfileSpec, validator};
use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::{Map, Value, json};

/// Maximum number of faults in one question.
const FAULTS_MAX: usize = 3;
/// Keys of a schema with the parts that it refers to.
const PARTS: [&str; 2] = ["$defs", "definitions"];

/// A schema, and the profile whose facts are kept from the reply.
struct SchemaReader<'a> {
    schema: &'a Value,
    validator: Validator,
    kept: Option<(&'a ProfileSpec, Option<&'a str>)>,
}

/// Reads the JSON of a reply that fits a schema.
///
/// # Errors
/// If none fits, with the faults of the last one.
pub(super) fn fitting(
    schema: &Value,
    wanted: &WantedReply<'_>,
    said: &str,
    data: &Value,
) -> Result<ReadReply, Unclear> {
    let validator = validator(schema).map_err(String::from)?;
    let reader = SchemaReader { schema, validator, kept: wanted.kept };
    let whole = serde_json::from_str::<Value>(unwrapped(said).trim()).ok();
    let given = (!data.is_null()).then(|| data.clone());
    let found = found(said, JsonPlace::Anywhere);
    let all: Vec<Value> = given.into_iter().chain(whole).chain(found.values).collect();
    let by = if found.loose { ReadBy::LooseJson } else { ReadBy::Plain };
    let read = |fits: Value| {
        let text = serde_json::to_string_pretty(&fits).unwrap_or_default();
        Ok(ReadReply { text: Some(text), by, ..ReadReply::data(fits) })
    };
    let mut strays = vec![];
    if let Some(before) = wanted.rejected.and_then(first_object)
        && let Some(news) = all.iter().find(|value| value.is_object())
    {
        let merged = reader.merged(before, news, &mut strays);
        if reader.is_valid(&merged) {
            return read(merged);
        }
    }
    let wrong = match all.iter().find(|value| reader.is_valid(value)) {
        Some(fits) => return read(fits.clone()),
        None if found.cut => return Err("its JSON was cut, so it contains no complete JSON".into()),
        None => all.first().ok_or("it contains no complete JSON")?,
    };
    Err(reader.faults(wrong, &strays))
}

/// Returns a reply with its text taken from one of its fields, if that field is set.
pub(super) fn said_in(formed: ReadReply, says: Option<&Text>) -> ReadReply {
    let words = says.and_then(|field| formed.structured.get(&**field)?.as_str());
    match words.map(str::trim).filter(|words| !words.is_empty()) {
        Some(words) => ReadReply { text: Some(words.to_owned()), ..formed },
        None => formed,
    }
}

/// Returns the form of a second try after a rejected reply: the wrong fields alone.
pub fn corrected_form(form: Form, rejected: Option<&str>) -> Form {
    let narrower = match (&form, rejected.and_then(first_object)) {
        (Form::Schema(schema), Some(before)) => validator(schema).ok().and_then(|validator| {
            SchemaReader { schema, validator, kept: None }.correction(&before)
        }),
        _ => None,
    };
    narrower.map_or(form, Form::Schema)
}

fn first_object(said: &str) -> Option<Value> {
    objects(said, &Value::Null, JsonPlace::Anywhere).into_iter().next()
}

impl SchemaReader<'_> {
    fn is_valid(&self, value: &Value) -> bool {
        self.validator.is_valid(value) && self.unlisted(value).is_empty()
    }

    /// Returns a rejected reply without its wrong fields and with those of its correction. A field that is at a wrong
    /// place goes to the wrong field with its name; those that fit nowhere are added to `strays`.
    fn merged(&self, mut whole: Value, news: &Value, strays: &mut Vec<String>) -> Value {
        let wrong = self.wrong_fields(&whole);
        for (path, _) in self.wrong_places(&whole) {
            take_out(&mut whole, &path);
        }
        let unlisted = self.unlisted(&whole);
        let facts = match self.kept {
            Some((_, Some(field))) => whole.get_mut(field),
            _ => Some(&mut whole),
        };
        facts.and_then(Value::as_object_mut).into_iter().for_each(|facts| {
            facts.retain(|field, _| !unlisted.contains(field));
        });
        let own = self.schema["properties"].as_object();
        for (name, value) in news.as_object().into_iter().flatten() {
            let place = wrong.iter().find(|path| path.len() > 1 && path.last() == Some(name));
            match place {
                _ if own.is_none_or(|own| own.contains_key(name)) => {
                    put_over(&mut whole, &json!({ name: value }));
                }
                Some(path) => {
                    let put = path.iter().rev().fold(value.clone(), |v, key| json!({ key: v }));
                    put_over(&mut whole, &put);
                }
                None => strays.push(name.clone()),
            }
        }
        whole
    }

    /// Returns the fields of a profile that the scenario does not list, if unknown fields are refused.
    fn unlisted(&self, value: &Value) -> Vec<String> {
        let Some((spec, Some(field))) = self.kept else { return vec![] };
        if spec.unknown != UnknownField::Refuse || spec.fields.is_empty() {
            return vec![];
        }
        let fields = value[field].as_object().into_iter().flat_map(Map::keys);
        fields.filter(|field| !spec.fields.iter().any(|f| **f == ***field)).cloned().collect()
    }

    /// Returns the faults of a value, and the question for its wrong fields if some of it is right.
    fn faults(&self, wrong: &Value, strays: &[String]) -> Unclear {
        let mut faults: Vec<String> =
            self.validator.iter_errors(wrong).take(FAULTS_MAX).map(|e| fault(&e)).collect();
        if let (Some(field), Some((spec, _))) = (self.unlisted(wrong).first(), self.kept) {
            let all = spec.fields.iter().map(|f| &**f).collect::<Vec<_>>().join(", ");
            faults.push(format!("the profile has no field {field:?}, only {all}"));
        }
        if !strays.is_empty() {
            faults.push(format!("{} fits nowhere", strays.join(", ")));
        }
        let why = faults.join("; ");
        let ask = self.correction(wrong).map(|schema| {
            format!(
                "This cannot be used: {why}. Everything else is kept, so answer with one JSON object that fits this \
                 schema: {schema}"
            )
        });
        let field = self.wrong_fields(wrong).first().map(|path| format!("/{}", path.join("/")));
        Unclear { why, ask, field }
    }

    /// Returns the schema of the wrong fields alone; `None` unless some of the value is right.
    fn correction(&self, value: &Value) -> Option<Value> {
        let fields = self.wrong_fields(value);
        let right =
            value.as_object()?.keys().any(|key| !fields.iter().any(|f| f[..] == [key.as_str()]));
        if fields.is_empty() || fields.iter().any(Vec::is_empty) || !right {
            return None;
        }
        let paths: Vec<&[String]> = fields.iter().map(|field| &field[..]).collect();
        let mut schema = narrowed(self.schema, &paths);
        for key in PARTS {
            if let (Some(parts), Some(schema)) = (self.schema.get(key), schema.as_object_mut()) {
                schema.insert(key.to_owned(), parts.clone());
            }
        }
        Some(schema)
    }

    /// Returns the fields that are wrong or missing, as paths.
    fn wrong_fields(&self, value: &Value) -> Vec<Vec<String>> {
        let wrong =
            self.wrong_places(value).into_iter().filter(|(_, is_unexpected)| !is_unexpected);
        wrong.map(|(path, _)| path).collect()
    }

    /// Returns the paths of wrong, missing and unexpected fields, and whether they are unexpected.
    fn wrong_places(&self, value: &Value) -> Vec<(Vec<String>, bool)> {
        let places = |fault: ValidationError<'_>| {
            let at = keys_of(fault.instance_path().as_str());
            let below = |key: &str| at.iter().cloned().chain([key.to_owned()]).collect::<Vec<_>>();
            match fault.kind() {
                ValidationErrorKind::AdditionalProperties { unexpected } => {
                    unexpected.iter().map(|field| (below(field), true)).collect()
                }
                ValidationErrorKind::Required { property } => {
                    vec![(below(property.as_str().unwrap_or_default()), false)]
                }
                _ => vec![(at, false)],
            }
        };
        self.validator.iter_errors(value).flat_map(places).collect()
    }
}

/// Returns the keys of a JSON pointer.
fn keys_of(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(|key| key.replace("~1", "/").replace("~0", "~")).collect()
}

/// Returns the part of a schema for some of its fields; a list is asked for as a whole.
fn narrowed(schema: &Value, paths: &[&[String]]) -> Value {
    let mut properties = Map::new();
    for path in paths {
        let [key, ..] = path else { return schema.clone() };
        let Some(field) = schema["properties"].get(key) else { return schema.clone() };
        let below = paths.iter().filter_map(|path| path.split_first()).filter(|(k, _)| *k == key);
        let below: Vec<&[String]> = below.map(|(_, below)| below).collect();
        properties.entry(key.clone()).or_insert_with(|| narrowed(field, &below));
    }
    let required: Vec<&String> = properties.keys().collect();
    json!({"type": "object", "required": required, "properties": properties})
}

/// Describes a schema violation with its place, and with all values of an enumeration.
fn fault(e: &ValidationError<'_>) -> String {
    let path = e.instance_path().as_str();
    let place = if path.is_empty() { String::new() } else { format!("at {path}: ") };
    match e.kind() {
        ValidationErrorKind::Enum { options } => {
            format!("{place}{} is not one of {options}", e.instance())
        }
        _ => format!("{place}{e}"),
    }
}

/// Removes the field at a path; a list with an invalid item is requested again as a whole.
fn take_out(value: &mut Value, path: &[String]) {
    let Some((field, parent)) = path.split_last() else { return };
    let object = parent.iter().try_fold(&mut *value, |value, key| value.get_mut(key));
    match object {
        Some(Value::Object(object)) => {
            object.remove(field);
        }
        _ => take_out(value, parent),
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

    fn kept(spec: &ProfileSpec, before: Option<&str>, said: &str) -> Result<Value, Unclear> {
        let form = Form::Free;
        let kept = Some((spec, Some("profile")));
        let wanted = WantedReply { kept, rejected: before, ..WantedReply::new(&form) };
        fitting(&schema(), &wanted, said, &Value::Null).map(|read| read.structured)
    }

    #[test]
    fn only_the_wrong_fields_are_asked_for_again() {
        let spec = ProfileSpec::default();
        let first = r#"{"message": "So.", "profile": {"home": "tent", "hours": 2, "tags": ["a", 3]}, "mood": 1}"#;
        let why = kept(&spec, None, first).unwrap_err();
        assert_eq!(why.field.as_deref(), Some("/profile/home"));
        let ask = why.ask.unwrap();
        assert!(ask.contains("\"tent\" is not one of [\"flat\",\"house\",null]"), "{ask}");
        let form = corrected_form(Form::Schema(schema()), Some(first));
        let Form::Schema(narrow) = form else { panic!("{form:?}") };
        assert!(ask.ends_with(&narrow.to_string()), "{ask}");
        let profile = json!({"type": "object", "required": ["home", "tags"], "properties": {
            "home": {"enum": ["flat", "house", null]}, "tags": {"type": "array", "items": {"type": "string"}},
        }});
        let whole =
            json!({"type": "object", "required": ["profile"], "properties": {"profile": profile}});
        assert_eq!(narrow, whole);
        let merged = json!({"message": "So.", "profile": {"home": "flat", "hours": 2}});
        for again in [r#"{"profile": {"home": "flat"}}"#, r#"{"home": "flat"}"#] {
            assert_eq!(kept(&spec, Some(first), again), Ok(merged.clone()), "{again}");
        }
        assert!(kept(&spec, Some(first), r#"{"profile": {"home": "cave"}}"#).is_err());
        let stray = kept(&spec, Some("{\"message\": 1}"), "{\"shoes\": 46}").unwrap_err();
        assert!(stray.why.ends_with("shoes fits nowhere"), "{stray}");
        let prose = kept(&spec, None, "I would say a flat.").unwrap_err();
        assert_eq!(prose, "it contains no complete JSON".into());
        assert_eq!(kept(&spec, None, "{}").unwrap_err().ask, None, "nothing is kept");
    }

    #[test]
    fn unlisted_fields_are_refused_if_that_is_asked_for() {
        let fields = vec!["home".into(), "hours".into(), "tags".into()];
        let spec = ProfileSpec { fields, unknown: UnknownField::Refuse, ..ProfileSpec::default() };
        let said = r#"{"message": "So.", "profile": {"shoes": 46, "hours": 1}}"#;
        let why = kept(&spec, None, said).unwrap_err();
        assert!(why.to_string().contains("no field \"shoes\", only home, hours, tags"), "{why}");
        let again = kept(&spec, Some(said), "{}").unwrap();
        assert_eq!(again["profile"], json!({"hours": 1}));
        for unknown in [UnknownField::Keep, UnknownField::Drop] {
            assert!(kept(&ProfileSpec { unknown, ..spec.clone() }, None, said).is_ok());
        }
        assert!(kept(&ProfileSpec::default(), None, said).is_ok());
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
