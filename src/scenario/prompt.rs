//! Resolves `frame` and `[prompt]`, and checks that a scenario without a frame has no keys that only a frame would use.

use super::check::{Walk, join};
use super::keys::{CONSENSUS, PLAN};
use super::policy::policy;
use super::tree::Node;
use crate::model::{Debate, PromptTemplates, Text};

/// Value of `frame` for prompts of the scenario's own words alone.
const NONE: &str = "none";

/// Returns the amount of debating advice: that of `frame`, else of `debate`.
pub(super) fn debate(root: &Node) -> Debate {
    let word = |key| root.get(key).and_then(Node::text);
    match word("frame").or(word("debate")) {
        Some("plain" | NONE) => Debate::Plain,
        _ => Debate::Guided,
    }
}

/// Returns true if prompts have no frame.
pub(super) fn is_bare(root: &Node) -> bool {
    root.get("frame").and_then(Node::text) == Some(NONE)
}

/// Resolves `[prompt]`.
pub(super) fn prompt(walk: &mut Walk<'_>, root: &Node) -> PromptTemplates {
    if let (Some(frame), Some(_)) = (root.get("frame"), root.get("debate")) {
        let message = "says the same as `debate`";
        walk.fault(&frame.span, "frame", message, "keep one of them");
    }
    let bare = is_bare(root);
    if bare {
        unframed(walk, root);
    }
    let Some(node) = root.get("prompt") else { return PromptTemplates::default() };
    if !bare {
        let message = "is for prompts without a frame";
        walk.fault(&node.span, "prompt", message, r#"add frame = "none", or remove it"#);
    }
    let text = |key: &str| node.get(key).and_then(Node::text).map(Text::from);
    PromptTemplates { system: text("system"), first: text("first"), next: text("next") }
}

/// Reports keys whose text would be in no prompt.
fn unframed(walk: &mut Walk<'_>, root: &Node) {
    let policy = policy(root);
    if [CONSENSUS, PLAN].contains(&&*policy.name) {
        let span = root.get("frame").map_or(&None, |n| &n.span);
        let message = format!("{} has prompts of its own", policy.name);
        walk.fault(span, "frame", message, "use another policy, or leave out frame");
    }
    let phases = root.get("phase").map(Node::items).unwrap_or_default();
    let phases = phases.iter().enumerate().map(|(i, node)| (format!("phase[{}]", i + 1), node));
    let seats = root.get("participant").map(Node::items).unwrap_or_default();
    let seats = seats.iter().enumerate().map(|(i, node)| (format!("participant[{}]", i + 1), node));
    let tables = [(String::new(), root)].into_iter().chain(phases).chain(seats);
    for (path, node) in tables.collect::<Vec<_>>() {
        for key in ["words", "think", "layout", "lore"] {
            if let Some(value) = node.get(key) {
                let message = "is in no prompt with frame = \"none\"";
                let fix = "ask for it in the task, and remove it";
                walk.fault(&value.span, &join(&path, key), message, fix);
            }
        }
    }
}
