//! Structured replies as fields: a line each, for people.

use serde_json::{Map, Value};

/// Maximum depth of nested fields; deeper ones are JSON.
const DEPTH_MAX: usize = 3;

/// Returns the fields of a reply that is one JSON object, as Markdown; `None` for any other text.
pub fn fields(reply: &str) -> Option<String> {
    let reply = reply.trim();
    if !reply.starts_with('{') || !reply.ends_with('}') {
        return None;
    }
    let object: Map<String, Value> = serde_json::from_str(reply).ok()?;
    let mut lines = vec![];
    add(&mut lines, &object, 0);
    Some(lines.join("\n"))
}

/// Adds a line per field; nested objects and lists follow as list items.
fn add(lines: &mut Vec<String>, object: &Map<String, Value>, depth: usize) {
    for (key, value) in object {
        let lead = if depth == 0 { String::new() } else { format!("{}- ", "  ".repeat(depth - 1)) };
        let key = key.replace('_', " ");
        match value {
            Value::Null => {}
            Value::Object(fields) if depth < DEPTH_MAX => {
                lines.push(format!("{lead}{key}:"));
                add(lines, fields, depth + 1);
            }
            Value::Array(items) if depth < DEPTH_MAX && items.iter().any(Value::is_object) => {
                lines.push(format!("{lead}{key}:"));
                let lead = "  ".repeat(depth);
                lines.extend(items.iter().map(|item| format!("{lead}- {}", plain(item))));
            }
            value => lines.push(format!("{lead}{key}: {}", plain(value))),
        }
    }
}

/// Returns a value on one line.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| {
                format!("{}: {}", key.replace('_', " "), plain(value))
            };
            fields.iter().map(field).collect::<Vec<_>>().join(", ")
        }
        Value::Null | Value::Number(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_a_line_per_field() {
        for (reply, shown) in [
            (r#"{"answer": "yes", "how_sure": 0.5}"#, Some("answer: yes\nhow sure: 0.5")),
            (r#"{"risks": ["fire", "flood"], "none": null}"#, Some("risks: fire, flood")),
            (
                r#"{"profile": {"family": "two children", "garden": true}}"#,
                Some("profile:\n- family: two children\n- garden: yes"),
            ),
            (
                r#"{"steps": [{"goal": "a", "n": 1}, {"goal": "b", "n": 2}]}"#,
                Some("steps:\n- goal: a, n: 1\n- goal: b, n: 2"),
            ),
            ("no object", None),
            ("{ not json }", None),
            ("[1, 2]", None),
        ] {
            assert_eq!(fields(reply).as_deref(), shown, "{reply}");
        }
    }
}
