//! Other spellings of a scenario's keys, made usual before the check: `limits.turns`, and participants with a name alone.

use super::keys::{TURNS, UTTERANCES_KEY, usual};
use super::seat::id_of;
use super::tree::{Node, TableEntry, Value};

/// Makes the keys of a scenario usual.
pub(super) fn make_usual(root: &mut Node) {
    limits(root);
    counted_by(root, "policy");
    let Value::Table(entries) = &mut root.value else { return };
    for entry in entries {
        let Value::List(items) = &mut entry.node.value else { continue };
        match entry.key.as_str() {
            "phase" => items.iter_mut().for_each(|phase| counted_by(phase, "order")),
            "participant" => ids(items),
            _ => {}
        }
    }
}

/// Renames `turns` in the limits of a table, unless they have both spellings.
fn limits(table: &mut Node) {
    let Value::Table(entries) = &mut table.value else { return };
    for entry in entries.iter_mut().filter(|entry| entry.key == "limits") {
        if entry.node.get(UTTERANCES_KEY).is_some() {
            continue;
        }
        let Value::Table(limits) = &mut entry.node.value else { continue };
        for limit in limits {
            limit.key = usual(Some("limits"), &limit.key).to_owned();
        }
    }
}

/// Replaces `turns` in the `by` of a policy.
fn counted_by(table: &mut Node, policy: &str) {
    let Value::Table(entries) = &mut table.value else { return };
    let Some(policy) = entries.iter_mut().find(|entry| entry.key == policy) else { return };
    let Value::Table(options) = &mut policy.node.value else { return };
    let counts = |by: &&mut TableEntry| by.key == "by" && by.node.text() == Some(TURNS);
    for by in options.iter_mut().filter(counts) {
        by.node.value = Value::Text(UTTERANCES_KEY.into());
    }
}

/// Makes the ids of participants without one from their names: `ada-byron` from `Ada Byron`.
fn ids(seats: &mut [Node]) {
    let id = |seat: &Node| seat.get("id").and_then(Node::text).map(str::to_owned);
    let mut taken: Vec<String> = seats.iter().filter_map(id).collect();
    for (at, seat) in seats.iter_mut().enumerate() {
        if seat.get("id").is_some() {
            continue;
        }
        let Some(name) = seat.get("name") else { continue };
        let (span, Some(text)) = (name.span.clone(), name.text()) else { continue };
        let mut id = id_of(text);
        if id.is_empty() || taken.contains(&id) {
            id = format!("{}-{}", if id.is_empty() { "seat" } else { &id }, at + 1);
        }
        taken.push(id.clone());
        let Value::Table(entries) = &mut seat.value else { continue };
        let node = Node { span: span.clone(), value: Value::Text(id) };
        entries.push(TableEntry { key: "id".into(), key_span: span, node });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_in_turns_and_names_without_ids_are_the_usual_keys() {
        let mut root = Node::parse(
            "limits = { turns = 4 }\npolicy.by = \"turns\"\n[[phase]]\norder.by = \"turns\"\n\
             [[participant]]\nname = \"Ada Byron\"\n[[participant]]\nname = \"ada byron\"\n\
             [[participant]]\nname = \"小明\"\n[[participant]]\nid = \"b\"\nname = \"Bo\"\n[[participant]]\n",
        )
        .unwrap();
        make_usual(&mut root);
        let json = root.to_json();
        assert_eq!(json["limits"], serde_json::json!({"utterances": 4}));
        assert_eq!(
            (&json["policy"]["by"], &json["phase"][0]["order"]["by"]),
            (&"utterances".into(), &"utterances".into())
        );
        let ids = json["participant"].as_array().unwrap().iter().map(|seat| seat["id"].as_str());
        let ids: Vec<Option<&str>> = ids.collect();
        assert_eq!(ids, [Some("ada-byron"), Some("ada-byron-2"), Some("seat-3"), Some("b"), None]);
        let both = "limits = { turns = 4, utterances = 5 }";
        let mut both = Node::parse(both).unwrap();
        make_usual(&mut both);
        assert!(both.get("limits").unwrap().get(TURNS).is_some(), "the check reports it");
    }
}
