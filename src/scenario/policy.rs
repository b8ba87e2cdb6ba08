//! The policy of a scenario: its name and options.

use super::PolicySpec;
use super::tree::Node;
use serde_json::Map;

/// Default policy.
pub(super) const DEFAULT_POLICY: &str = "round_robin";

/// Resolves the policy and its options.
pub(super) fn policy(root: &Node) -> PolicySpec {
    let Some(node) = root.get("policy") else {
        return PolicySpec { name: DEFAULT_POLICY.into(), options: Map::new() };
    };
    spec(node)
}

/// Resolves a policy from its name, or from a table with its name and options.
pub(super) fn spec(node: &Node) -> PolicySpec {
    let name = node.text().or_else(|| node.get("name").and_then(Node::text)).unwrap_or_default();
    let options = node.entries().iter().filter(|e| e.key != "name");
    let options = options.map(|e| (e.key.clone(), e.node.to_json())).collect();
    PolicySpec { name: name.into(), options }
}
