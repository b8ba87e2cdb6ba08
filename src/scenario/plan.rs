//! Checks the policy `plan`: it needs a planner and a template of executors.

use super::check::{Walk, join};
use super::keys::PLAN;
use super::tree::{Node, quote};
use crate::model::{Participant, VoiceSpec};

/// Option with the template of executors.
const EXECUTOR: &str = "executor";
/// Option with the planner.
const PLANNER: &str = "planner";

/// Checks the policy of the whole conversation and those of phases.
pub(super) fn check(walk: &mut Walk<'_>, root: &Node, seats: &[Participant]) {
    let phases = root.get("phase").map(Node::items).unwrap_or_default().iter().enumerate();
    let orders =
        phases.filter_map(|(i, p)| Some((format!("phase[{}].order", i + 1), p.get("order")?)));
    let whole = root.get("policy").map(|p| ("policy".to_owned(), p));
    for (path, node) in whole.into_iter().chain(orders).collect::<Vec<_>>() {
        let name = node.text().or_else(|| node.get("name").and_then(Node::text));
        if name == Some(PLAN) {
            one(walk, node, seats, &path);
        }
    }
}

fn one(walk: &mut Walk<'_>, node: &Node, seats: &[Participant], path: &str) {
    let key = join(path, EXECUTOR);
    let Some((executor, id)) = node.get(EXECUTOR).and_then(|e| Some((e, e.text()?))) else {
        let fix = r#"name the participant that executors are made from, as in { name = "plan", executor = "worker" }"#;
        walk.fault(&node.span, &key, "is missing; the policy plan needs it", fix);
        return;
    };
    let seat = |id: &str| seats.iter().find(|s| s.id == id);
    if seat(id).is_some_and(|s| matches!(s.voice, VoiceSpec::Human { .. })) {
        let message =
            format!("{} is a person, and one person cannot be several executors", quote(id));
        let fix = "name a participant with a model, a script, an agent or lines";
        walk.fault(&executor.span, &key, message, fix);
    }
    let planner = node.get(PLANNER).and_then(Node::text);
    let planner = match planner {
        Some(planner) => Some(planner),
        None => seats.iter().find(|s| s.speaks && s.id != *id).map(|s| &*s.id.0),
    };
    if planner == Some(id) {
        let message = format!("{} is the planner too", quote(id));
        walk.fault(&executor.span, &key, message, "name two participants");
    }
    if planner.is_none() && seat(id).is_some() {
        let fix = "add a [[participant]] as the planner";
        walk.fault(&node.span, &join(path, PLANNER), "there is no planner", fix);
    }
    let numbered = |s: &&Participant| {
        let rest = s.id.strip_prefix(id).and_then(|rest| rest.strip_prefix('-'));
        rest.is_some_and(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()))
    };
    if let Some(taken) = seats.iter().find(numbered) {
        let message =
            format!("executors made from {} would be called {}", quote(id), quote(&taken.id));
        walk.fault(&executor.span, &key, message, "choose another id for that participant");
    }
    let idle = |s: &&Participant| path == "policy" && s.speaks && Some(&*s.id.0) != planner;
    for seat in seats.iter().filter(idle).filter(|s| s.id != *id) {
        let message =
            format!("{} never takes a turn: only the planner and executors do", quote(&seat.id));
        walk.warn(&node.span, path, message, "remove it, or name it as `judge`");
    }
}
