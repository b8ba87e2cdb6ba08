//! JSON Schema of a scenario, made from the table of keys, so that they cannot drift apart.
//!
//! It describes single keys; `check` describes their combinations.

use super::PolicyRow;
use super::check::{orders, policy_keys};
use super::keys::{CAST_LINES, DAY_SECONDS, Key, TOP, ValueKind};
use super::tree::Node;
use serde_json::{Map, Value, json};

/// Returns the JSON Schema of a scenario; `rows` are the known policies.
pub fn schema(rows: &[PolicyRow]) -> Value {
    let mut schema = table(TOP, rows);
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "A colloquium scenario".into();
    schema
}

/// Returns the JSON Schema of a table.
pub fn table(keys: &[Key], rows: &[PolicyRow]) -> Value {
    let properties: Map<String, Value> =
        keys.iter().map(|k| (k.name.to_owned(), property(k, rows))).collect();
    let required: Vec<&str> = keys.iter().filter(|k| k.needed).map(|k| k.name).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn property(key: &Key, rows: &[PolicyRow]) -> Value {
    let mut schema = kind(&key.kind, rows);
    schema["description"] = key.meaning.into();
    if let Ok(example) = Node::parse_value(key.example) {
        schema["examples"] = json!([example.to_json()]);
    }
    schema
}

fn kind(k: &ValueKind, rows: &[PolicyRow]) -> Value {
    match k {
        ValueKind::Text
        | ValueKind::Template
        | ValueKind::Prompt
        | ValueKind::TemplateOf(_)
        | ValueKind::Condition(_) => {
            json!({"type": "string", "pattern": "\\S"})
        }
        ValueKind::Line => json!({"type": "string", "pattern": "^[^\\n]*\\S[^\\n]*$"}),
        ValueKind::Id => json!({"type": "string", "pattern": "^[a-z0-9_-]+$"}),
        ValueKind::Model => json!({"type": "string", "pattern": "^[^:=,\\s]+(:\\S+)?$"}),
        ValueKind::Duration => json!({"anyOf": [
            {"type": "number", "minimum": 1, "maximum": DAY_SECONDS},
            {"type": "string", "pattern": "^[0-9.]+(ms|s|m|min|h)?$"},
        ]}),
        ValueKind::True => json!({"const": true}),
        ValueKind::Flag => json!({"type": "boolean"}),
        ValueKind::Count { least, most } => {
            json!({"type": "integer", "minimum": least, "maximum": most})
        }
        ValueKind::Number { least, most } => {
            json!({"type": "number", "minimum": least, "maximum": most})
        }
        ValueKind::OneOf(words) => json!({"enum": words}),
        ValueKind::List(item) => {
            json!({"type": "array", "items": kind(item, rows), "minItems": 1})
        }
        ValueKind::Empty => json!({"type": "array", "maxItems": 0}),
        ValueKind::Table(keys) => table(keys, rows),
        ValueKind::AnyOf(kinds) => {
            let kinds: Vec<Value> = kinds.iter().map(|k| kind(k, rows)).collect();
            json!({ "anyOf": kinds })
        }
        ValueKind::Cast(keys) => {
            let mut cast = table(keys, rows);
            cast["additionalProperties"] = kind(&CAST_LINES, rows);
            cast
        }
        ValueKind::Named(item) => {
            json!({"type": "object", "additionalProperties": kind(item, rows)})
        }
        ValueKind::Policy => policy(rows.iter().map(|r| r.name).collect(), rows),
        ValueKind::Order => policy(orders(rows), rows),
        ValueKind::Schema => {
            json!({"anyOf": [{"type": "object"}, {"type": "string", "pattern": "\\S"}]})
        }
        ValueKind::Free => json!({}),
    }
}

/// Returns the schema of one of some names, or of the table of a policy among them.
fn policy(names: Vec<&str>, rows: &[PolicyRow]) -> Value {
    let tables = rows.iter().filter(|row| names.contains(&row.name)).map(|row| {
        let mut schema = table(&policy_keys(row), rows);
        schema["properties"]["name"] = json!({"const": row.name, "description": row.meaning});
        schema
    });
    let tables: Vec<Value> = tables.collect();
    let any: Vec<Value> = std::iter::once(json!({ "enum": names })).chain(tables).collect();
    json!({ "anyOf": any })
}

#[cfg(test)]
mod tests {
    use super::super::check::Walk;
    use super::super::keys::PARTICIPANT;
    use super::super::tree::{At, TableEntry, Value as Tree};
    use super::super::{OptionKind, OptionRow, TakesPart};
    use super::*;
    use crate::scenario::PolicyTraits;

    const ROWS: &[PolicyRow] = &[PolicyRow {
        name: "round_robin",
        meaning: "In turn.",
        options: &[
            OptionRow { key: "laps", kind: OptionKind::Count, meaning: "How many." },
            OptionRow { key: "way", kind: OptionKind::OneOf(&["up", "down"]), meaning: "Where." },
        ],
        traits: PolicyTraits::DEBATE,
        takes_part: TakesPart::NoTurns(""),
    }];

    /// Validates the subset of JSON Schema that our schemas use.
    fn valid(schema: &Value, json: &Value) -> bool {
        let Some(rules) = schema.as_object() else { return schema == &json!(true) };
        let properties = |json: &Value| json.as_object().cloned().unwrap_or_default();
        rules.iter().all(|(rule, want)| match rule.as_str() {
            "type" => match want.as_str().unwrap() {
                "string" => json.is_string(),
                "boolean" => json.is_boolean(),
                "integer" => json.is_i64(),
                "number" => json.is_number(),
                "array" => json.is_array(),
                "object" => json.is_object(),
                other => panic!("{other}"),
            },
            "const" => json == want,
            "enum" => want.as_array().unwrap().contains(json),
            "minimum" => json.as_f64().is_none_or(|n| n >= want.as_f64().unwrap()),
            "maximum" => json.as_f64().is_none_or(|n| n <= want.as_f64().unwrap()),
            "minItems" => json.as_array().is_none_or(|a| !a.is_empty()),
            "items" => json.as_array().is_none_or(|a| a.iter().all(|item| valid(want, item))),
            "anyOf" => want.as_array().unwrap().iter().any(|s| valid(s, json)),
            "required" => {
                want.as_array().unwrap().iter().all(|k| !json[k.as_str().unwrap()].is_null())
            }
            "properties" => {
                properties(json).iter().all(|(k, v)| want.get(k).is_none_or(|s| valid(s, v)))
            }
            "additionalProperties" => {
                let known = |k: &String| schema["properties"].get(k).is_some();
                properties(json).iter().all(|(k, v)| known(k) || valid(want, v))
            }
            "pattern" => matches(want.as_str().unwrap(), json.as_str().unwrap_or_default()),
            "description" | "examples" | "title" | "$schema" => true,
            other => panic!("the test does not know the rule {other}"),
        })
    }

    /// Matches the patterns of our schemas.
    fn matches(pattern: &str, text: &str) -> bool {
        match pattern {
            "\\S" => !text.trim().is_empty(),
            "^[^\\n]*\\S[^\\n]*$" => !text.trim().is_empty() && !text.contains('\n'),
            "^[a-z0-9_-]+$" => {
                let allowed = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
                !text.is_empty() && text.bytes().all(allowed)
            }
            "^[^:=,\\s]+(:\\S+)?$" => {
                let (word, rest) = text.split_once(':').unwrap_or((text, "x"));
                let has = |c: char| word.contains(c) || text.contains(char::is_whitespace);
                !word.is_empty() && !rest.is_empty() && !has('=') && !has(',')
            }
            "^[0-9.]+(ms|s|m|min|h)?$" => text.starts_with(|c: char| c.is_ascii_digit()),
            other => panic!("the test does not know the pattern {other}"),
        }
    }

    fn accepted(node: &Node, keys: &[Key]) -> bool {
        let mut walk = Walk::new("", ROWS);
        walk.table(&At::root(node), keys);
        walk.faults.is_empty()
    }

    /// Values of every form, valid for some key and invalid for the others.
    fn values() -> Vec<Value> {
        let mut values: Vec<Value> = vec![
            json!(0),
            json!(1),
            json!(7),
            json!(-1),
            json!(1.5),
            json!(1e12),
            json!(true),
            json!(false),
            json!(null),
            json!(""),
            json!(" "),
            json!("x"),
            json!("Two words"),
            json!("two\nlines"),
            json!("a:b"),
            json!("30s"),
            json!("skip"),
            json!("pass"),
            json!("round_robin"),
            json!("shuffled"),
            json!([]),
            json!(["x"]),
            json!([7]),
            json!([""]),
            json!({}),
            json!({"zzz": 1}),
            json!({"text": "x"}),
            json!([{"text": "x"}]),
            json!([{"text": 7}]),
            json!({"seconds": 5}),
            json!({"seconds": 5, "then": "wait"}),
            json!([{"id": "a"}]),
            json!([{"id": "A b"}]),
            json!({"name": "round_robin", "laps": 2, "way": "up"}),
            json!({"name": "round_robin", "laps": 0}),
            json!({"name": "other"}),
            json!({"ada": ["x"], "pace": 3}),
            json!({"ada": "x"}),
            json!({"utterances": 3}),
            json!({"utterances": 0}),
            json!({"retry": 0}),
        ];
        let examples =
            TOP.iter().chain(PARTICIPANT).filter_map(|k| Node::parse_value(k.example).ok());
        values.extend(examples.map(|node| node.to_json()));
        values
    }

    #[test]
    fn the_schema_and_the_walker_accept_the_same() {
        let mut tried = 0;
        let mut right = 0;
        for keys in [TOP, PARTICIPANT] {
            for key in keys {
                for value in values() {
                    let entry = TableEntry {
                        key: key.name.into(),
                        key_span: None,
                        node: Node::from(&value),
                    };
                    let node = Node { span: None, value: Tree::Table(vec![entry]) };
                    let alone = [Key { needed: false, ..*key }];
                    let walker = accepted(&node, &alone);
                    let schema = valid(&table(&alone, ROWS), &json!({ key.name: value }));
                    assert_eq!(walker, schema, "{} = {value}", key.name);
                    tried += 1;
                    right += usize::from(walker);
                }
            }
        }
        println!("{tried} values, {right} of them right");
        assert!(right > tried / 20, "{right} of {tried}: the values try too little");
    }

    #[test]
    fn every_key_has_an_example_that_is_right() {
        fn look(keys: &[Key]) {
            for key in keys {
                let example = Node::parse_value(key.example).expect(key.name);
                let entry = TableEntry { key: key.name.into(), key_span: None, node: example };
                let node = Node { span: None, value: Tree::Table(vec![entry]) };
                assert!(accepted(&node, &[*key]), "{} = {}", key.name, key.example);
                assert!(key.meaning.ends_with('.'), "{}", key.name);
                inside(&key.kind);
            }
        }
        fn inside(kind: &ValueKind) {
            match kind {
                ValueKind::Table(keys) | ValueKind::Cast(keys) => look(keys),
                ValueKind::List(kind) | ValueKind::Named(kind) => inside(kind),
                ValueKind::AnyOf(kinds) => kinds.iter().for_each(inside),
                _ => {}
            }
        }
        look(TOP);
    }

    #[test]
    fn the_schema_lists_needs_and_policies() {
        let schema = schema(ROWS);
        assert_eq!(schema["required"], json!(["title", "participant"]));
        let seat = &schema["properties"]["participant"]["items"];
        assert_eq!(seat["required"], json!(["id"]));
        let policy = &schema["properties"]["policy"]["anyOf"];
        assert_eq!(policy[0], json!({"enum": ["round_robin"]}));
        assert_eq!(policy[1]["properties"]["way"]["enum"], json!(["up", "down"]));
    }
}
