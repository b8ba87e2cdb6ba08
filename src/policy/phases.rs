//! A list of phases. Each is a thread of its own that inherits the transcript of its parent.

use super::memo;
use super::{Decision, NextMove, Policy, View};
use crate::expr::{Condition, Facts};
use crate::model::payload::ThreadOpened;
use crate::model::{Limits, SeatId, StopReason, Text};
use crate::scenario::{Phase, PolicyRow, TakesPart};
use serde_json::{Value, json};

/// Policy `phases`; see the module.
pub struct Phases;

const ROW: PolicyRow = PolicyRow {
    name: "phases",
    meaning: "A list of [[phase]], each with its own participants and policy.",
    options: &[],
    needs_operator: false,
    takes_part: TakesPart::Turns("you have a seat wherever several speak"),
};

/// Returns whether a phase runs, by its condition.
///
/// # Errors
/// If the condition is invalid, as a text for the operator.
fn holds(v: &View<'_>, phase: &Phase) -> Result<bool, Text> {
    let Some(when) = &phase.when else { return Ok(true) };
    let holds = |c: Condition| c.holds(&Facts::new(v.state.facts_of_rules(|name| c.uses(name))));
    Condition::compile(when).and_then(holds).map_err(|fault| {
        let place = fault.place(when);
        format!("[[phase]] {}: when = \"{when}\", {place}: {fault}; it is left out", phase.name)
            .into()
    })
}

impl Policy for Phases {
    fn row(&self) -> &'static PolicyRow {
        &ROW
    }

    fn next(&self, v: &View<'_>) -> Decision {
        let done = usize::try_from(v.memo_count(memo::PHASE)).unwrap_or(usize::MAX);
        let phases = &v.state.scenario.phases;
        let left = phases.iter().enumerate().skip(done);
        let mut wrong = None;
        let mut due = left.filter(|(_, phase)| match holds(v, phase) {
            Ok(holds) => holds,
            Err(why) => {
                wrong = wrong.take().or(Some(why));
                false
            }
        });
        let found = due.next();
        drop(due);
        let (at, phase) = match (found, wrong) {
            (_, Some(why)) if !v.state.warnings.iter().any(|w| w.text == why) => {
                return Decision { next: NextMove::Warn(why), memo: v.thread.memo.clone() };
            }
            (Some(found), _) => found,
            (None, _) => return v.end(StopReason::Completed),
        };
        let listed: Vec<SeatId> = phase.who.iter().map(|s| SeatId(s.clone())).collect();
        // a seat that joined during the conversation takes part from the next phase on; a seat that was present at the
        // start and is in no phase never speaks
        let joined = v.state.seats.iter().skip(v.state.founders).map(|s| &s.spec.id);
        let late = joined.filter(|s| v.thread.seats.contains(s) && !listed.contains(s)).cloned();
        let spec = ThreadOpened {
            name: phase.name.clone(),
            policy: phase.policy.name.clone(),
            options: Value::Object(phase.policy.options.clone()),
            seats: listed.iter().cloned().chain(late).collect(),
            inherits: true,
            limits: Limits::default(),
            about: json!({"phase": at + 1, "of": phases.len()}),
            memo: v.memo_with([(memo::PHASE, json!(at + 1))]),
        };
        let memo = spec.memo.clone();
        Decision { next: NextMove::Open(Box::new(spec)), memo }
    }
}
