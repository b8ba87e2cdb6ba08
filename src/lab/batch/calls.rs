//! Minimum and maximum number of calls of a protocol, computed from its scenario. Shown before a run and compared with
//! the actual number after it.

use crate::scenario::{Phase, Scenario, TurnOrder, VerdictSpec};
use crate::state::policies;

/// Minimum and maximum calls of one conversation, without retries and summaries; `None` if no formula exists.
pub type Calls = Option<(u64, u64)>;

/// Returns the number of calls of a scenario. `None` unless all phases are round-robin or simultaneous.
pub fn calls(scenario: &Scenario) -> Calls {
    if scenario.phases.is_empty() || !scenario.stops.is_empty() {
        return None;
    }
    let mut sum = verdict(scenario.verdict.as_ref());
    for phase in &scenario.phases {
        let (least, most) = of_phase(phase)?;
        sum = (sum.0 + least, sum.1 + most);
    }
    Some(sum)
}

fn of_phase(phase: &Phase) -> Calls {
    if policies::traits(&phase.policy.name).order == TurnOrder::Free {
        return None;
    }
    let rounds = phase.policy.options.get("rounds")?.as_u64()?;
    let seats = phase.who.len() as u64;
    let judged = verdict(phase.judge.as_ref());
    let may_stop = phase.judge.as_ref().is_some_and(|judge| judge.may_stop);
    let first = if phase.shows.until.is_some() || may_stop { 1 } else { rounds };
    let interim = if may_stop { judged.1 * (rounds - 1) } else { 0 };
    let least =
        if phase.when.is_some() || phase.shows.keeps { 0 } else { seats * first + judged.0 };
    Some((least, seats * rounds + judged.1 + interim))
}

fn verdict(spec: Option<&VerdictSpec>) -> (u64, u64) {
    let Some(spec) = spec else { return (0, 0) };
    let both = if spec.swap_test { 2 } else { 1 };
    let calls = spec.judges.len() as u64 * u64::from(spec.votes) * both;
    (calls, calls)
}
