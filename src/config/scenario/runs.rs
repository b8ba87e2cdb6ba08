//! Resolves `[[participant.after]]` and related keys, and checks the graph of dependencies.
//!
//! A cycle is an error unless one of its edges has a condition or a maximum: nothing else would end it. So is a graph
//! without a starting participant.

use super::check::Walk;
use super::keys::{RawAfter, RawSeat};
use super::policy::{orders, policy};
use super::tree::{At, Node, Or, quote};
use crate::model::near::nearest;
use crate::model::{After, Participant, Runs, SeatId};

/// Keys that are valid only with the policy `depends`.
const KEYS: [&str; 4] = ["after", "needs", "starts", "state_key"];

/// Resolves the dependencies of a participant; `"bo"` is short for `{ participant = "bo" }`.
pub(super) fn runs(raw: &RawSeat) -> Runs {
    let after = |after: &Or<SeatId, RawAfter>| match after {
        Or::Short(id) => Some(After { participant: id.clone(), when: None, max: 1 }),
        Or::Long(RawAfter { participant, when, max }) => {
            let max = max.unwrap_or(1);
            Some(After { participant: participant.clone()?, when: when.clone(), max })
        }
    };
    Runs {
        after: raw.after.iter().filter_map(after).collect(),
        needs: raw.needs,
        starts: raw.starts,
        state_key: raw.state_key.clone(),
        may_request: raw.may_request.clone(),
    }
}

/// Returns the id in a dependency.
fn source<'n>(after: &At<'n>) -> Option<At<'n>> {
    if after.node.text().is_some() { Some(after.clone()) } else { after.get("participant") }
}

/// Checks the graph of all participants.
pub(super) fn check(walk: &mut Walk<'_>, root: &At<'_>, seats: &[Participant]) {
    let runs = |policy: &str| walk.traits(policy).dependencies;
    let depends = runs(&policy(root.node).name)
        || orders(root).any(|order| order.node.text().is_some_and(runs));
    for at in root.list("participant") {
        let invalid: &[&str] = if depends { &[] } else { &KEYS };
        for (_, entry) in at.among(invalid) {
            let fix = "set policy = \"depends\", or remove it";
            walk.fault(&entry, "is for policy = \"depends\"", fix);
        }
        let after = at.list("after").filter_map(|after| source(&after));
        for name in at.list("may_request").chain(after) {
            if let Err(fix) = known(seats, name.text()) {
                walk.fault(&name, format!("no participant {}", quote(name.text())), fix);
            }
        }
    }
    if depends {
        cycles(walk, root);
        let begins = |s: &Participant| s.runs.starts.unwrap_or(s.runs.after.is_empty());
        if !seats.is_empty() && !seats.iter().any(begins) {
            let fix = "set starts = true on the participant who begins";
            let message = "no one can begin: every participant waits for another";
            walk.fault(&root.place("policy"), message, fix);
        }
    }
}

fn known(seats: &[Participant], id: &str) -> Result<(), String> {
    if seats.iter().any(|s| s.id == id) {
        return Ok(());
    }
    Err(match nearest(id, seats.iter().map(|s| &*s.id)) {
        Some(near) => format!("the nearest is `{near}`"),
        None => "use the id of a participant".into(),
    })
}

/// Finds cycles without a written `when` or `max` on any edge, and reports each once, at its first participant.
fn cycles(walk: &mut Walk<'_>, root: &At<'_>) {
    let id = |at: &At<'_>| at.word("id").unwrap_or_default().to_owned();
    let bare = |node: &Node| node.get("when").is_none() && node.get("max").is_none();
    let waits_for = |at: &At<'_>| -> Vec<String> {
        let after = at.list("after").filter(|after| bare(after.node));
        after.filter_map(|a| source(&a)?.node.text().map(str::to_owned)).collect()
    };
    let all: Vec<At<'_>> = root.list("participant").collect();
    let mut told: Vec<String> = vec![];
    for at in &all {
        let start = id(at);
        // every path begins at the participant; the first that comes back is a cycle
        let mut paths: Vec<Vec<String>> = vec![vec![start.clone()]];
        let mut seen: Vec<String> = vec![];
        while let Some(path) = paths.pop() {
            let here = all.iter().find(|at| path.last() == Some(&id(at)));
            let next = here.map(waits_for).unwrap_or_default();
            if next.contains(&start) && !path.iter().any(|p| told.contains(p)) {
                let chain = path.join(" waits for ");
                let message = format!("is a dependency cycle: {chain} waits for {start}");
                let fix = "give one of these dependencies a `when` or a `max`";
                walk.fault(&at.place("after"), message, fix);
                told.extend(path);
                break;
            }
            for to in next.into_iter().filter(|to| !path.contains(to)) {
                if !seen.contains(&to) {
                    seen.push(to.clone());
                    paths.push(path.iter().cloned().chain([to]).collect());
                }
            }
        }
    }
}
