//! Resolves policy, limits, phases, stop rules and the rehearsed cast.
//!
//! Every name of a participant or role becomes ids here, so that no later module looks up names.

use super::answer::filled;
use super::check::{Walk, join};
use super::contest::judging;
use super::contract::{contract, one_form};
use super::keys::{BATCHES, CONSENSUS, DEPENDS, DEPENDS_SECONDS, PHASES, PLAN, UTTERANCES};
use super::policy::{DEFAULT_POLICY, policy, spec};
use super::seat::rehearsed;
use super::shows::shows;
use super::tree::{Node, count, texts, usd};
use super::who::{ALL_BUT, who_of};
use super::{Phase, PolicySpec};
use crate::model::near::nearest;
use crate::model::{Limits, Lore, Participant, SeatId, Text, VoiceSpec};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Options of policies with an order that let a mentioned participant speak next.
const NAMED: [&str; 2] = ["mentions", "names"];

/// Resolves `[limits]`; turns are always limited, unless phases or dependencies define the length.
pub(super) fn limits(root: &Node) -> Limits {
    let mut limits = Limits::default();
    if let Some(node) = root.get("limits") {
        limits.utterances = count(node, "utterances");
        limits.rounds = count(node, "rounds");
        limits.seconds = node.get("seconds").and_then(Node::whole);
        limits.batches = count(node, "batches");
        limits.per_seat = count(node, "per_seat");
        limits.tokens = node.get("tokens").and_then(Node::whole);
        limits.usd = usd(node, "usd");
    }
    match &*policy(root).name {
        // its rounds, or its phases, define its length
        PHASES | CONSENSUS | PLAN => {}
        DEPENDS => {
            limits.batches = limits.batches.or(Some(BATCHES));
            limits.seconds = limits.seconds.or(Some(DEPENDS_SECONDS));
        }
        _ => limits.utterances = limits.utterances.or(Some(UTTERANCES)),
    }
    limits
}

/// Resolves the phases, and checks that they match the policy.
pub(super) fn phases(
    walk: &mut Walk<'_>,
    root: &Node,
    seats: &[Participant],
    values: &Map<String, Value>,
) -> Vec<Phase> {
    let spec = policy(root);
    let Some(node) = root.get("phase") else {
        if &*spec.name == PHASES {
            let span = root.get("policy").map_or(&None, |n| &n.span);
            let fix = "as in [[phase]] with name = \"opening\"";
            walk.fault(span, "policy", "phases needs at least one [[phase]]", fix);
        }
        return vec![];
    };
    if &*spec.name != PHASES && walk.rows.iter().any(|r| r.name == &*spec.name) {
        let message = format!("needs policy = \"phases\", and the policy is {}", spec.name);
        let span = node.items().first().map_or(&node.span, |first| &first.span);
        walk.fault(span, "phase", message, r#"set policy = "phases", or remove the phases"#);
    }
    if let (PHASES, Some(rounds)) = (&*spec.name, root.get("policy").and_then(|p| p.get("rounds")))
    {
        let message = "counts within a phase, and the policy is phases";
        walk.fault(&rounds.span, "policy.rounds", message, "give each [[phase]] its rounds");
    }
    let mut phases = vec![];
    for (i, item) in node.items().iter().enumerate() {
        let path = format!("phase[{}]", i + 1);
        let mut policy = order(item);
        let rounds = count(item, "rounds").map(Into::into);
        let own = policy.options.get("rounds").cloned();
        policy.options.insert("rounds".into(), rounds.or(own).unwrap_or_else(|| 1.into()));
        if let Some(moderator) = item.get("moderator") {
            policy.options.insert("moderator".into(), moderator.to_json());
        }
        let row = walk.rows.iter().find(|r| r.name == &*policy.name);
        for key in NAMED {
            let takes = row.is_some_and(|r| r.options.iter().any(|o| o.key == key));
            if let (true, Some(value)) = (takes, spec.options.get(key)) {
                policy.options.entry(key.to_owned()).or_insert_with(|| value.clone());
            }
        }
        let who = match item.get("who") {
            Some(who) => who_of(walk, who, seats, &join(&path, "who")),
            None => seats.iter().filter(|s| s.speaks).map(|s| s.id.0.clone()).collect(),
        };
        let all = |who: &Node| texts(who).iter().any(|w| &**w == "all" || w.starts_with(ALL_BUT));
        let open = item.get("who").is_none_or(all);
        let name = item.get("name").and_then(Node::text).unwrap_or_default();
        let shows = shows(walk, item, seats, &path);
        let judge = item.get("judge");
        let judge = judge.map(|j| judging(walk, j, "seat", seats, &join(&path, "judge")));
        let when = item.get("when").and_then(Node::text).map(Text::from);
        let reply = item.get("reply").map(|reply| {
            one_form(walk, reply, &join(&path, "reply"));
            let mut contract = contract(reply);
            if let Some(quotes) = reply.get("quotes") {
                contract.quotes = filled(walk, quotes, values, &join(&path, "reply.quotes"));
            }
            contract
        });
        phases.push(Phase { name: name.into(), who, open, policy, shows, judge, when, reply });
    }
    phases
}

/// Resolves the order of a phase into a policy.
fn order(phase: &Node) -> PolicySpec {
    let order = phase.get("order");
    if let Some(table) = order.filter(|o| o.text().is_none()) {
        return spec(table);
    }
    let (name, options) = match order.and_then(Node::text) {
        None | Some("sequential") => (DEFAULT_POLICY, Map::new()),
        Some("shuffled") => {
            (DEFAULT_POLICY, Map::from_iter([("order".to_owned(), "shuffled".into())]))
        }
        Some(policy) => (policy, Map::new()),
    };
    PolicySpec { name: name.into(), options }
}

/// Resolves the texts that are shown after one of their keys was used.
pub(super) fn lore(walk: &mut Walk<'_>, root: &Node, seats: &[Participant]) -> Vec<Lore> {
    let nodes = root.get("lore").map(Node::items).unwrap_or_default();
    let mut all = vec![];
    for (i, node) in nodes.iter().enumerate() {
        let who = node.get("who");
        let path = format!("lore[{}].who", i + 1);
        all.push(Lore {
            keys: node.get("keys").map(texts).unwrap_or_default(),
            text: node.get("text").and_then(Node::text).unwrap_or_default().into(),
            who: who.map(|who| who_of(walk, who, seats, &path)).unwrap_or_default(),
            last: count(node, "last").unwrap_or(Lore::LAST),
        });
    }
    all
}

/// Resolves `[rehearsed]`, and warns of participants without lines.
pub(super) fn cast(
    walk: &mut Walk<'_>,
    root: &Node,
    seats: &[Participant],
) -> BTreeMap<SeatId, VoiceSpec> {
    let Some(node) = root.get("rehearsed") else { return BTreeMap::new() };
    let pace = node.get("pace").and_then(Node::whole).unwrap_or(VoiceSpec::PACE_MS);
    let mut cast = BTreeMap::new();
    for entry in node.entries().iter().filter(|e| e.key != "pace") {
        let id = entry.key.as_str();
        if !seats.iter().any(|s| s.id == id) {
            let fix = match nearest(id, seats.iter().map(|s| &*s.id)) {
                Some(near) => format!("the nearest is `{near}`"),
                None => "add a [[participant]] with this id, or remove the lines".into(),
            };
            let path = join("rehearsed", id);
            walk.fault(&entry.key_span, &path, "no such participant", fix);
        }
        cast.insert(id.into(), rehearsed(&entry.node, pace));
    }
    let unrehearsed = |s: &&Participant| match s.voice {
        VoiceSpec::Model(_) | VoiceSpec::Script(_) | VoiceSpec::Http(_) | VoiceSpec::Agent(_) => {
            !cast.contains_key(&s.id)
        }
        VoiceSpec::Team(_) | VoiceSpec::Human { .. } | VoiceSpec::Lines { .. } => false,
    };
    for seat in seats.iter().filter(unrehearsed) {
        let message = format!("has no lines for `{}`", seat.id);
        let fix = "with --rehearsed, this participant would still use its own voice; add lines for it here";
        walk.warn(&node.span, "rehearsed", message, fix);
    }
    cast
}
