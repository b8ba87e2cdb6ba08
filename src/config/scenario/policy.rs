//! The policy of a scenario: its name and options.

use super::PolicySpec;
use super::tree::{At, Node};
use crate::model::Text;
use serde_json::Map;

pub(super) const DEFAULT_POLICY: &str = "round_robin";

/// Resolves the policy and its options.
pub(super) fn policy(root: &Node) -> PolicySpec {
    match root.get("policy") {
        Some(node) => spec(node),
        None => PolicySpec { name: DEFAULT_POLICY.into(), options: Map::new() },
    }
}

/// Resolves a policy from its name, or from a table with its name and options.
pub(super) fn spec(node: &Node) -> PolicySpec {
    let name = node.text().or_else(|| node.get("name")?.text()).unwrap_or_default();
    let options = node.entries().iter().filter(|e| e.key != "name");
    let options = options.map(|e| (e.key.clone(), e.node.to_json())).collect();
    PolicySpec { name: name.into(), options }
}

/// Returns the names of the policies of the conversation and of its phases.
pub(super) fn in_play(root: &At<'_>) -> Vec<String> {
    let phases =
        root.list("phase").map(|phase| phase.get("order").map(|order| spec(order.node).name));
    let name = |policy: Option<Text>| match policy.as_deref() {
        // two orders of the same policy
        None | Some("sequential" | "shuffled") => DEFAULT_POLICY.to_owned(),
        Some(name) => name.to_owned(),
    };
    let mut names = vec![policy(root.node).name.to_string()];
    names.extend(phases.map(name));
    names.dedup();
    names
}

/// Returns the policy of the conversation and the orders of its phases, as they are written.
pub(super) fn orders<'n>(root: &At<'n>) -> impl Iterator<Item = At<'n>> {
    let phases = root.list("phase").filter_map(|phase| phase.get("order"));
    root.get("policy").into_iter().chain(phases)
}
