//! Resolves `frame` and `[prompt]`, and checks that a scenario without a frame has no keys that only a frame would use.

use super::check::Walk;
use super::keys::RawScenario;
use super::policy::policy;
use super::tree::At;
use crate::model::Debate;

/// Value of `frame` for prompts of the scenario's own words alone.
const NONE: &str = "none";

/// Returns the amount of debating advice: that of `frame`, else of `debate`.
pub(super) fn debate(raw: &RawScenario) -> Debate {
    match raw.frame.as_deref() {
        Some("plain" | NONE) => Debate::Plain,
        Some("work") => Debate::Work,
        Some(_) => Debate::Guided,
        None => raw.debate,
    }
}

/// Returns true if prompts have no frame.
pub(super) fn is_bare(raw: &RawScenario) -> bool {
    raw.frame.as_deref() == Some(NONE)
}

/// Reports a second spelling of `frame`, templates without a use, and keys whose text would be in no prompt.
pub(super) fn check(walk: &mut Walk<'_>, root: &At<'_>, raw: &RawScenario) {
    if let (Some(frame), Some(_)) = (root.get("frame"), root.get("debate")) {
        walk.fault(&frame, "says the same as `debate`", "keep one of them");
    }
    if !is_bare(raw) {
        if let Some(prompt) = root.get("prompt") {
            let fix = r#"add frame = "none", or remove it"#;
            walk.fault(&prompt, "is for prompts without a frame", fix);
        }
        return;
    }
    let policy = policy(root.node);
    if walk.traits(&policy.name).own_prompts {
        let message = format!("{} has prompts of its own", policy.name);
        walk.fault(&root.place("frame"), message, "use another policy, or leave out frame");
    }
    let tables = [root.clone()].into_iter().chain(root.list("phase"));
    for table in tables.chain(root.list("participant")) {
        for key in ["words", "think", "layout", "lore"] {
            if let Some(value) = table.get(key) {
                let message = "is in no prompt with frame = \"none\"";
                walk.fault(&value, message, "ask for it in the task, and remove it");
            }
        }
    }
}
