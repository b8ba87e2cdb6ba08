//! Headers that repeat arguments of a tool call, so that proxies can route it without its body. A property in the schema
//! of the arguments names its header with `x-mcp-header` (since 2026-07-28, over HTTP only).

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

/// Key of a property that names its header.
const ANNOTATION: &str = "x-mcp-header";
/// Prefix of the headers.
const PREFIX: &str = "mcp-param-";
/// Parts around a value that no header can hold as it is.
const ENCODED: (&str, &str) = ("=?base64?", "?=");
/// Punctuation of header names.
const PUNCTUATION: &str = "!#$%&'*+-.^_`|~";
/// Types of properties that have a header.
const TYPES: [&str; 3] = ["string", "integer", "boolean"];
/// Keywords with schemas by name.
const MAPS: [&str; 6] =
    ["properties", "$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties"];
/// Keywords without schemas.
const DATA: [&str; 5] = ["default", "const", "enum", "examples", "dependentRequired"];

/// A property whose value is repeated in a header.
struct Repeated {
    /// Names from the root to the property.
    path: Vec<String>,
    /// Name of the header without its prefix.
    header: String,
}

/// Checks the annotations of a schema.
///
/// # Errors
/// If one is not at a property that is reached through `properties` alone, is not of a simple type, or names an invalid
/// or repeated header.
pub(super) fn check(schema: &Value) -> Result<(), String> {
    repeated(schema).map(drop)
}

/// Returns the headers of a call with these arguments; none if an annotation is invalid.
pub(super) fn param_headers(schema: &Value, arguments: &Value) -> Vec<(String, String)> {
    let header = |repeated: Repeated| {
        let value = repeated.path.iter().try_fold(arguments, |value, name| value.get(name))?;
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
        };
        Some((format!("{PREFIX}{}", repeated.header), encode(text)))
    };
    repeated(schema).unwrap_or_default().into_iter().filter_map(header).collect()
}

fn encode(text: String) -> String {
    let (before, after) = ENCODED;
    let is_plain = text.chars().all(|c| c == ' ' || c.is_ascii_graphic())
        && text.trim_matches(' ').len() == text.len()
        && !(text.starts_with(before) && text.ends_with(after));
    if is_plain { text } else { format!("{before}{}{after}", BASE64_STANDARD.encode(text)) }
}

fn repeated(schema: &Value) -> Result<Vec<Repeated>, String> {
    let mut found = vec![];
    walk(schema, Some(&mut vec![]), &mut found)?;
    Ok(found)
}

/// Collects the annotations below a schema. `path` is `None` below other keywords than `properties`.
fn walk(
    schema: &Value,
    mut path: Option<&mut Vec<String>>,
    found: &mut Vec<Repeated>,
) -> Result<(), String> {
    match schema {
        Value::Array(all) => all.iter().try_for_each(|schema| walk(schema, None, found)),
        Value::Object(map) => map.iter().try_for_each(|(key, value)| match key.as_str() {
            ANNOTATION => {
                let path = path.as_deref().filter(|path| !path.is_empty());
                let path = path.ok_or("x-mcp-header is not at a property of the arguments")?;
                let repeated = annotation(value, schema, path, found)?;
                found.push(repeated);
                Ok(())
            }
            key if MAPS.contains(&key) => {
                let schemas = value.as_object().into_iter().flatten();
                for (name, schema) in schemas {
                    match &mut path {
                        Some(path) if key == "properties" => {
                            path.push(name.clone());
                            let walked = walk(schema, Some(path), found);
                            path.pop();
                            walked?;
                        }
                        Some(_) | None => walk(schema, None, found)?,
                    }
                }
                Ok(())
            }
            key if DATA.contains(&key) => Ok(()),
            _ => walk(value, None, found),
        }),
        _ => Ok(()),
    }
}

fn annotation(
    value: &Value,
    schema: &Value,
    path: &[String],
    found: &[Repeated],
) -> Result<Repeated, String> {
    let at = path.join(".");
    let header = value.as_str().unwrap_or_default();
    let is_token = |c: char| c.is_ascii_alphanumeric() || PUNCTUATION.contains(c);
    if header.is_empty() || !header.chars().all(is_token) {
        return Err(format!("x-mcp-header of {at} is not the name of a header"));
    }
    if found.iter().any(|other| other.header.eq_ignore_ascii_case(header)) {
        return Err(format!("x-mcp-header of {at} repeats {header}"));
    }
    if !schema["type"].as_str().is_some_and(|kind| TYPES.contains(&kind)) {
        return Err(format!("x-mcp-header of {at} needs the type string, integer or boolean"));
    }
    Ok(Repeated { path: path.to_vec(), header: header.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema(properties: Value) -> Value {
        json!({"type": "object", "properties": properties})
    }

    #[test]
    fn values_that_no_header_can_hold_are_encoded() {
        let schema = schema(json!({
            "town": {"type": "string", "x-mcp-header": "Town"},
            "days": {"type": "integer", "x-mcp-header": "Days"},
            "place": {"type": "object", "properties": {"wet": {"type": "boolean", "x-mcp-header": "Wet"}}},
            "x-mcp-header": {"type": "string"},
            "kind": {"type": "string", "default": {"x-mcp-header": 7}},
        }));
        let headers = |arguments| {
            let all = param_headers(&schema, &arguments).into_iter();
            all.map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>()
        };
        let all = json!({"town": "Rome", "days": 3, "place": {"wet": true}, "kind": "x"});
        assert_eq!(
            headers(all),
            ["mcp-param-Town: Rome", "mcp-param-Days: 3", "mcp-param-Wet: true"]
        );
        assert!(headers(json!({"town": null, "place": {}})).is_empty());
        for (town, value) in [
            ("Köln", "=?base64?S8O2bG4=?="),
            (" x", "=?base64?IHg=?="),
            ("a\r\nb: c", "=?base64?YQ0KYjogYw==?="),
            ("=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="),
            ("a b", "a b"),
        ] {
            assert_eq!(headers(json!({"town": town})), [format!("mcp-param-Town: {value}")]);
        }
    }

    #[test]
    fn rejects_annotations_that_the_protocol_forbids() {
        let named = |header: Value| json!({"type": "string", "x-mcp-header": header});
        for wrong in [
            json!({"type": "object", "x-mcp-header": "Root"}),
            schema(json!({"a": named(json!(""))})),
            schema(json!({"a": named(json!("a b"))})),
            schema(json!({"a": named(json!("a\r\nb"))})),
            schema(json!({"a": named(json!(7))})),
            schema(json!({"a": named(json!("Same")), "b": named(json!("same"))})),
            schema(json!({"a": {"type": "number", "x-mcp-header": "A"}})),
            schema(json!({"a": {"x-mcp-header": "A"}})),
            schema(json!({"a": {"type": "array", "items": named(json!("A"))}})),
            schema(json!({"a": {"oneOf": [named(json!("A"))]}})),
            json!({"$defs": {"properties": {"a": named(json!("A"))}}}),
        ] {
            assert!(check(&wrong).is_err(), "{wrong}");
            assert!(param_headers(&wrong, &json!({"a": "x"})).is_empty(), "{wrong}");
        }
    }
}
