//! A list of phases. Each is a thread of its own that inherits the transcript of its parent.

use super::{Decision, NextMove, Policy, View};
use crate::expr::{Condition, Facts, unset_keys};
use crate::model::payload::ThreadOpened;
use crate::model::{Limits, SeatId, StopReason, Text};
use crate::scenario::{Phase, PolicyRow, TakesPart};
use crate::state::{Memo, policies};
use serde_json::{Value, json};

const ROW: PolicyRow = PolicyRow {
    name: "phases",
    meaning: "A list of [[phase]], each with its own participants and policy.",
    options: &[],
    takes_part: TakesPart::Turns("you have a seat wherever several speak"),
    traits: policies::PHASES,
};

/// Policy `phases`; see the module.
pub(super) const POLICY: Policy = Policy::new(ROW, next);

/// Returns whether a phase runs, by its condition. If the condition is invalid or reads a key that is not set yet,
/// `warning` gets a text for the operator, once.
fn holds(v: &View<'_>, phase: &Phase, warning: &mut Option<Text>) -> bool {
    let Some(when) = &phase.when else { return true };
    let mut unset = None;
    let holds = |c: Condition| {
        let facts = Facts::new(v.state.facts_of_rules(|name| c.uses(name)));
        unset = unset_keys(when, &facts);
        c.holds(&facts)
    };
    let holds = Condition::compile(when).and_then(holds);
    let place = format!("[[phase]] {}: when = \"{when}\"", phase.name);
    let why = match (&holds, unset) {
        (Err(fault), _) => Some(format!("{place}, {}: {fault}; it is left out", fault.place(when))),
        (Ok(false), Some(unset)) => Some(format!("{place}: {unset}; it is left out")),
        (Ok(_), _) => None,
    };
    let why = why.map(Text::from).filter(|why| !v.state.warnings.iter().any(|w| w.text == *why));
    *warning = warning.take().or(why);
    holds.unwrap_or(false)
}

fn next(v: &View<'_>) -> Decision {
    let done = v.thread.memo.phase.unwrap_or(0);
    let phases = &v.state.scenario.phases;
    let left = phases.iter().enumerate().skip(done);
    let mut wrong = None;
    let mut due = left.filter(|(_, phase)| holds(v, phase, &mut wrong));
    let found = due.next();
    drop(due);
    let (at, phase) = match (found, wrong) {
        (_, Some(why)) => return v.warn(why),
        (Some(found), None) => found,
        (None, None) => return v.end(StopReason::Completed),
    };
    let listed: Vec<SeatId> = phase.who.iter().map(|s| SeatId(s.clone())).collect();
    // a seat that joined during the conversation takes part from the next phase on; a seat that was present at the
    // start and is in no phase never speaks
    let joined = v.state.seats.iter().skip(v.state.founders).map(|s| &s.spec.id);
    let late = joined.filter(|s| v.thread.seats.contains(s) && !listed.contains(s)).cloned();
    let memo = Memo { phase: Some(at + 1), ..v.memo() };
    let spec = ThreadOpened {
        name: phase.name.clone(),
        policy: phase.policy.name.clone(),
        options: Value::Object(phase.policy.options.clone()),
        seats: listed.iter().cloned().chain(late).collect(),
        inherits: true,
        limits: Limits::default(),
        about: json!({"phase": at + 1, "of": phases.len()}),
        memo: memo.to_json(),
    };
    Decision { next: NextMove::Open(Box::new(spec)), memo }
}
