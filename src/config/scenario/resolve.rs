//! Resolves policy, limits, phases, stop rules and the rehearsed cast.
//!
//! Every name of a participant or role becomes ids here, so that no later module looks up names.

use super::check::Walk;
use super::contest::judging;
use super::contract::{contract, one_form};
use super::keys::{BATCHES, CAST, DEPENDS_SECONDS, RawCast, RawLore, RawPhase, UTTERANCES};
use super::policy::{DEFAULT_POLICY, policy, spec};
use super::seat::{Others, Team, Teams, rehearsed};
use super::shows::shows;
use super::tree::{At, Node, texts};
use super::who::{ALL_BUT, NamedSeat, speakers, who_of};
use super::{Phase, PolicySpec, UsualLength};
use crate::model::near::nearest;
use crate::model::{Limits, Lore, Participant, SeatId, VoiceSpec};
use serde_json::Map;
use std::collections::BTreeMap;

/// Options of policies with an order that let a mentioned participant speak next.
const NAMED: [&str; 2] = ["mentions", "names"];

/// Completes the limits; turns are always limited, unless phases or dependencies define the length.
pub(super) fn limits(given: Limits, usual: UsualLength) -> Limits {
    let mut limits = given;
    match usual {
        UsualLength::Own => {}
        UsualLength::Batches => {
            limits.batches = limits.batches.or(Some(BATCHES));
            limits.seconds = limits.seconds.or(Some(DEPENDS_SECONDS));
        }
        UsualLength::Turns => limits.utterances = limits.utterances.or(Some(UTTERANCES)),
    }
    limits
}

/// Resolves the phases, and checks that they match the policy.
pub(super) fn phases(walk: &mut Walk<'_>, root: &At<'_>, others: Others<'_>) -> Vec<Phase> {
    let policy = policy(root.node);
    let is_phased = walk.traits(&policy.name).phases;
    let Some(all) = root.get("phase") else {
        if is_phased {
            let fix = "as in [[phase]] with name = \"opening\"";
            walk.fault(&root.place("policy"), "phases needs at least one [[phase]]", fix);
        }
        return vec![];
    };
    if !is_phased && walk.rows.iter().any(|r| r.name == &*policy.name) {
        let message = format!("needs policy = \"phases\", and the policy is {}", policy.name);
        let first =
            At { span: all.node.items().first().map_or(all.span, |n| &n.span), ..all.clone() };
        walk.fault(&first, message, r#"set policy = "phases", or remove the phases"#);
    }
    if let (true, Some(rounds)) = (is_phased, root.place("policy").get("rounds")) {
        let message = "counts within a phase, and the policy is phases";
        walk.fault(&rounds, message, "give each [[phase]] its rounds");
    }
    all.items().map(|at| phase(walk, &at, &policy, others)).collect()
}

/// Resolves one phase of a conversation with this policy.
fn phase(walk: &mut Walk<'_>, at: &At<'_>, whole: &PolicySpec, others: Others<'_>) -> Phase {
    let raw: RawPhase = at.node.read();
    let mut policy = order(at.node);
    let own = policy.options.get("rounds").cloned();
    let rounds = raw.rounds.map(Into::into).or(own).unwrap_or_else(|| 1.into());
    policy.options.insert("rounds".into(), rounds);
    if let Some(moderator) = at.node.get("moderator") {
        policy.options.insert("moderator".into(), moderator.to_json());
    }
    let row = walk.rows.iter().find(|r| r.name == &*policy.name);
    for key in NAMED {
        let takes = row.is_some_and(|r| r.options.iter().any(|o| o.key == key));
        if let (true, Some(value)) = (takes, whole.options.get(key)) {
            policy.options.entry(key.to_owned()).or_insert_with(|| value.clone());
        }
    }
    let who = match at.get("who") {
        Some(who) => who_of(walk, &who, others.members),
        None => speakers(others.members),
    };
    let all = |who: &Node| texts(who).iter().any(|w| &**w == "all" || w.starts_with(ALL_BUT));
    let judge = at.get("judge").map(|judge| judging(walk, &judge, "seat", others.members));
    let reply = at.get("reply").map(|reply| {
        one_form(walk, &reply);
        contract(walk, &reply, Some(others.item))
    });
    Phase {
        name: raw.name.clone(),
        who,
        open: at.node.get("who").is_none_or(all),
        policy,
        judge,
        when: raw.when.clone(),
        reply,
        shows: shows(walk, at, raw, others.members),
    }
}

/// Resolves the order of a phase into a policy.
fn order(phase: &Node) -> PolicySpec {
    match phase.get("order").map(|order| (order.text(), order)) {
        Some((None, table)) => spec(table),
        Some((Some("shuffled"), _)) => {
            let options = Map::from_iter([("order".to_owned(), "shuffled".into())]);
            PolicySpec { name: DEFAULT_POLICY.into(), options }
        }
        None | Some((Some("sequential"), _)) => {
            PolicySpec { name: DEFAULT_POLICY.into(), options: Map::new() }
        }
        Some((Some(policy), _)) => PolicySpec { name: policy.into(), options: Map::new() },
    }
}

/// Resolves the texts that are shown after one of their keys was used.
pub(super) fn lore(walk: &mut Walk<'_>, root: &At<'_>, members: &[NamedSeat]) -> Vec<Lore> {
    let lore = |at: At<'_>| {
        let RawLore { keys, text, last } = at.node.read();
        let who = at.get("who").map(|who| who_of(walk, &who, members)).unwrap_or_default();
        Lore { keys, text, who, last: last.unwrap_or(Lore::LAST) }
    };
    root.list("lore").map(lore).collect()
}

/// Resolves `[rehearsed]`, completes it by rehearsed teams, and warns of participants without lines.
pub(super) fn cast(
    walk: &mut Walk<'_>,
    root: &At<'_>,
    seats: &[Participant],
    teams: &Teams,
) -> BTreeMap<SeatId, VoiceSpec> {
    let rehearsed_team = |(id, team): (&SeatId, &Team)| {
        Some((id.clone(), VoiceSpec::Team(Box::new(team.rehearsed.clone()?))))
    };
    let mut cast: BTreeMap<SeatId, VoiceSpec> = teams.iter().filter_map(rehearsed_team).collect();
    let Some(at) = root.get("rehearsed") else { return cast };
    let pace = at.node.read::<RawCast>().pace.unwrap_or(VoiceSpec::PACE_MS);
    let is_key = |name: &str| CAST.iter().any(|key| key.name == name);
    for (id, lines) in at.entries().filter(|(name, _)| !is_key(name)) {
        if !seats.iter().any(|s| s.id == id) {
            let fix = match nearest(id, seats.iter().map(|s| &*s.id)) {
                Some(near) => format!("the nearest is `{near}`"),
                None => "add a [[participant]] with this id, or remove the lines".into(),
            };
            walk.fault(&lines, "no such participant", fix);
        }
        cast.insert(id.into(), rehearsed(lines.node.read(), pace));
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
        walk.warn(&at, message, fix);
    }
    cast
}
