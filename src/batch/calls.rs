//! The fewest and the most calls that a protocol makes, by its own formula: shown before a run and compared after it.

use crate::scenario::{Phase, Scenario, VerdictSpec};

/// The fewest and the most calls of one conversation, retries and summaries apart; none where no formula says.
pub type Calls = Option<(u64, u64)>;

/// Returns the calls of a scenario whose phases speak in turn or at once.
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
    if !["round_robin", "simultaneous"].contains(&&*phase.policy.name) {
        return None;
    }
    let rounds = phase.policy.options.get("rounds")?.as_u64()?;
    let seats = phase.who.len() as u64;
    let judged = verdict(phase.judge.as_ref());
    let may_stop = phase.judge.as_ref().is_some_and(|judge| judge.may_stop);
    let first = if phase.shows.until.is_some() || may_stop { 1 } else { rounds };
    let interim = if may_stop { judged.1 * (rounds - 1) } else { 0 };
    let least = if phase.when.is_some() { 0 } else { seats * first + judged.0 };
    Some((least, seats * rounds + judged.1 + interim))
}

fn verdict(spec: Option<&VerdictSpec>) -> (u64, u64) {
    let Some(spec) = spec else { return (0, 0) };
    let both = if spec.swap_test { 2 } else { 1 };
    let calls = spec.judges.len() as u64 * u64::from(spec.votes) * both;
    (calls, calls)
}
