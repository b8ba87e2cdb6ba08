//! The JSON Schema of a theme file, made from the table of roles.

use crate::ui::theme::ROLES;
use serde_json::{Map, Value, json};

/// Returns the JSON Schema of a theme.
pub fn schema() -> Value {
    let colour = json!({
        "type": "string",
        "description": "\"#rrggbb\", \"0\" to \"255\", a name such as \"cyan\", \"default\" or \"dim\", or one of [palette]",
    });
    let flag = json!({"type": "boolean"});
    let look = json!({"anyOf": [colour, {
        "type": "object",
        "properties": {
            "fg": colour, "bg": colour, "bold": flag, "dim": flag, "italic": flag, "underline": flag, "reverse": flag,
        },
        "additionalProperties": false,
    }]});
    let roles = ROLES.iter().map(|(_, name, _)| ((*name).to_owned(), look.clone()));
    let palette = json!({"type": "object", "additionalProperties": colour});
    let text = json!({"type": "string"});
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A colloquium theme",
        "type": "object",
        "properties": {
            "meta": {
                "type": "object",
                "properties": {
                    "name": text, "appearance": {"enum": ["dark", "light", "any"]}, "license": text,
                    "source": text, "inherits": text,
                },
                "required": ["name", "appearance"],
                "additionalProperties": false,
            },
            "palette": palette,
            "on-dark": palette,
            "on-light": palette,
            "on-sixteen": palette,
            "on-sixteen-dark": palette,
            "on-sixteen-light": palette,
            "roles": {
                "type": "object",
                "properties": roles.collect::<Map<_, _>>(),
                "additionalProperties": false,
            },
        },
        "required": ["meta"],
        "additionalProperties": false,
    })
}
