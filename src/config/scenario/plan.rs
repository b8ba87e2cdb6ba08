//! Checks the policy `plan`: it needs a planner and a template of executors.

use super::check::Walk;
use super::policy::orders;
use super::tree::{At, quote};
use crate::model::Participant;

/// Option with the template of executors.
const EXECUTOR: &str = "executor";
/// Option with the planner.
const PLANNER: &str = "planner";

/// Checks the policy of the whole conversation and those of phases.
pub(super) fn check(walk: &mut Walk<'_>, root: &At<'_>, seats: &[Participant]) {
    for at in orders(root) {
        let name = at.node.text().or(at.word("name"));
        let row = walk.rows.iter().find(|row| Some(row.name) == name);
        if row.is_some_and(|row| row.options.iter().any(|option| option.key == EXECUTOR)) {
            check_one(walk, &at, seats);
        }
    }
}

fn check_one(walk: &mut Walk<'_>, at: &At<'_>, seats: &[Participant]) {
    let Some(id) = at.word(EXECUTOR) else {
        let fix = r#"name the participant that executors are made from, as in { name = "plan", executor = "worker" }"#;
        let missing = At { span: at.span, ..at.place(EXECUTOR) };
        walk.fault(&missing, "is missing; the policy plan needs it", fix);
        return;
    };
    let executor = at.place(EXECUTOR);
    let seat = seats.iter().find(|s| s.id == *id);
    if seat.is_some_and(|s| s.voice.is_human()) {
        let message =
            format!("{} is a person, and one person cannot be several executors", quote(id));
        let fix = "name a participant with a model, a script, an agent or lines";
        walk.fault(&executor, message, fix);
    }
    let first = || seats.iter().find(|s| s.speaks && s.id != *id).map(|s| &*s.id.0);
    let planner = at.word(PLANNER).or_else(first);
    if planner == Some(id) {
        let message = format!("{} is the planner too", quote(id));
        walk.fault(&executor, message, "name two participants");
    }
    if planner.is_none() && seat.is_some() {
        let fix = "add a [[participant]] as the planner";
        walk.fault(&at.place(PLANNER), "there is no planner", fix);
    }
    let numbered = |s: &&Participant| {
        let rest = s.id.strip_prefix(id).and_then(|rest| rest.strip_prefix('-'));
        rest.is_some_and(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()))
    };
    if let Some(taken) = seats.iter().find(numbered) {
        let message =
            format!("executors made from {} would be called {}", quote(id), quote(&taken.id));
        walk.fault(&executor, message, "choose another id for that participant");
    }
    let idle = |s: &&Participant| at.path == "policy" && s.speaks && Some(&*s.id.0) != planner;
    for seat in seats.iter().filter(idle).filter(|s| s.id != *id) {
        let message =
            format!("{} never takes a turn: only the planner and executors do", quote(&seat.id));
        walk.warn(at, message, "remove it, or name it as `judge`");
    }
}
