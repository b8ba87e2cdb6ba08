//! The policy of a scenario: its name and options.

use super::PolicySpec;
use super::check::Walk;
use super::tree::{At, Node};
use serde_json::Map;

/// Default policy.
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

/// Returns the names of the policies that choose speakers: the conversation's own, or those of its phases. Empty if one
/// is unknown.
pub(super) fn in_play(walk: &Walk<'_>, root: &At<'_>) -> Vec<String> {
    let own = policy(root.node).name;
    let phases = root.list("phase").filter(|_| walk.traits(&own).phases);
    let order = |phase: At<'_>| match phase.get("order").map(|order| spec(order.node).name) {
        // two orders of the same policy
        Some(order) if !matches!(&*order, "sequential" | "shuffled") => order,
        _ => DEFAULT_POLICY.into(),
    };
    let mut names: Vec<String> = phases.map(order).map(|name| name.to_string()).collect();
    if names.is_empty() {
        names.push(own.to_string());
    }
    names.sort();
    names.dedup();
    let known = |name: &String| walk.rows.iter().any(|row| row.name == name);
    if names.iter().all(known) { names } else { vec![] }
}

/// Returns the policy of the conversation and the orders of its phases, as they are written.
pub(super) fn orders<'n>(root: &At<'n>) -> impl Iterator<Item = At<'n>> {
    let phases = root.list("phase").filter_map(|phase| phase.get("order"));
    root.get("policy").into_iter().chain(phases)
}
