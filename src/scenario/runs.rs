//! Resolves `[[participant.after]]` and related keys, and checks the graph of dependencies.
//!
//! A cycle is an error unless one of its edges has a condition or a maximum: nothing else would end it. So is a graph
//! without a starting participant.

use super::check::{Walk, join};
use super::keys::DEPENDS;
use super::policy::policy;
use super::tree::{Node, count, quote};
use crate::model::near::nearest;
use crate::model::{After, Needs, Participant, Runs, SeatId, Text};

/// Keys that are valid only with the policy `depends`.
const KEYS: [&str; 4] = ["after", "needs", "starts", "state_key"];

/// Resolves the dependencies of a participant.
pub(super) fn runs(node: &Node) -> Runs {
    let text = |node: &Node, key: &str| node.get(key).and_then(Node::text).map(Text::from);
    let after = |node: &Node| {
        Some(After {
            participant: source(node)?.text()?.into(),
            when: text(node, "when"),
            max: count(node, "max").unwrap_or(1),
        })
    };
    Runs {
        after: node.get("after").map_or(&[][..], Node::items).iter().filter_map(after).collect(),
        needs: match node.get("needs").and_then(Node::text) {
            Some("any") => Needs::Any,
            _ => Needs::All,
        },
        starts: node.get("starts").and_then(Node::flag),
        state_key: text(node, "state_key"),
        may_request: node
            .get("may_request")
            .map(|list| list.items().iter().filter_map(Node::text).map(SeatId::from).collect()),
    }
}

/// Returns the id in a dependency: `"bo"` is short for `{ participant = "bo" }`.
fn source(after: &Node) -> Option<&Node> {
    if after.text().is_some() { Some(after) } else { after.get("participant") }
}

/// Checks the graph of all participants.
pub(super) fn check(walk: &mut Walk<'_>, root: &Node, seats: &[Participant]) {
    let phases = root.get("phase").map_or(&[][..], Node::items);
    let ordered = |n: &Node| n.get("order").and_then(Node::text) == Some(DEPENDS);
    let depends = &*policy(root).name == DEPENDS || phases.iter().any(ordered);
    let nodes = root.get("participant").map_or(&[][..], Node::items);
    for (i, node) in nodes.iter().enumerate() {
        let path = format!("participant[{}]", i + 1);
        for entry in node.entries().iter().filter(|e| KEYS.contains(&e.key.as_str()) && !depends) {
            let message = "is for policy = \"depends\"";
            let fix = "set policy = \"depends\", or remove it";
            walk.fault(&entry.key_span, &join(&path, &entry.key), message, fix);
        }
        check_references(walk, node, seats, &path);
    }
    if depends {
        cycles(walk, nodes);
        let begins = |s: &Participant| s.runs.starts.unwrap_or(s.runs.after.is_empty());
        if !seats.is_empty() && !seats.iter().any(begins) {
            let fix = "set starts = true on the participant who begins";
            let message = "no one can begin: every participant waits for another";
            walk.fault(&root.get("policy").and_then(|p| p.span.clone()), "policy", message, fix);
        }
    }
}

/// Checks that dependencies and requests name participants.
fn check_references(walk: &mut Walk<'_>, node: &Node, seats: &[Participant], path: &str) {
    for (i, name) in node.get("may_request").map_or(&[][..], Node::items).iter().enumerate() {
        let id = name.text().unwrap_or_default();
        if let Err(fix) = known(seats, id) {
            let path = join(path, &format!("may_request[{}]", i + 1));
            walk.fault(&name.span, &path, format!("no participant {}", quote(id)), fix);
        }
    }
    for (i, after) in node.get("after").map_or(&[][..], Node::items).iter().enumerate() {
        let Some(name) = source(after) else { continue };
        let id = name.text().unwrap_or_default();
        let Err(fix) = known(seats, id) else { continue };
        let key = if after.text().is_some() { "" } else { ".participant" };
        let path = join(path, &format!("after[{}]{key}", i + 1));
        walk.fault(&name.span, &path, format!("no participant {}", quote(id)), fix);
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
fn cycles(walk: &mut Walk<'_>, nodes: &[Node]) {
    let id = |node: &Node| node.get("id").and_then(Node::text).unwrap_or_default().to_owned();
    let bare = |node: &&Node| node.get("when").is_none() && node.get("max").is_none();
    let waits_for = |node: &Node| -> Vec<String> {
        let after = node.get("after").map_or(&[][..], Node::items).iter().filter(bare);
        after.filter_map(|a| source(a)?.text().map(str::to_owned)).collect()
    };
    let mut told: Vec<String> = vec![];
    for (i, node) in nodes.iter().enumerate() {
        let start = id(node);
        // every path begins at the participant; the first that comes back is a cycle
        let mut paths: Vec<Vec<String>> = vec![vec![start.clone()]];
        let mut seen: Vec<String> = vec![];
        while let Some(path) = paths.pop() {
            let here = nodes.iter().find(|n| path.last() == Some(&id(n)));
            let next = here.map(&waits_for).unwrap_or_default();
            if next.contains(&start) && !path.iter().any(|p| told.contains(p)) {
                let chain = path.join(" waits for ");
                let message = format!("is a dependency cycle: {chain} waits for {start}");
                let fix = "give one of these dependencies a `when` or a `max`";
                let span = node.get("after").map_or(&None, |n| &n.span);
                walk.fault(span, &format!("participant[{}].after", i + 1), message, fix);
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
