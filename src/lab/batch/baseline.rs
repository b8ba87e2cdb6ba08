//! Baselines that are derived from the first round of the examined scenario: its persona, frame, request and answer form
//! without the talk.

use crate::model::{Aggregation, Limits, Participant, Sees, Text};
use crate::scenario::{Loaded, Phase, ResultRule, Scenario, TurnOrder};
use crate::state::policies;

/// Request of a reflection, after the first answer.
const REFLECT: &str = "Look for mistakes in your solution, and correct them. Explain your reasoning, and end with your \
                       final answer in the same form.";

/// Form of a derived baseline, with its seats.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Each seat answers once.
    Once(Vec<Text>),
    /// The seats answer in turn without seeing anything, as often as requested, and every answer counts.
    Samples(Vec<Text>),
    /// One seat answers, reads its own words and tries again, as often as requested.
    Reflection(Text),
}

/// Returns the seats of the first round; `None` unless they answer it without seeing each other.
pub fn first_round(scenario: &Scenario) -> Option<&[Text]> {
    let first = scenario.phases.first()?;
    let blind = policies::traits(&first.policy.name).order == TurnOrder::AtOnce;
    (blind || first.who.len() == 1).then_some(first.who.as_slice())
}

impl Shape {
    /// Reduces a scenario to the baseline with this number of calls; [`Shape::Once`] ignores the number.
    pub fn reduce(&self, loaded: &mut Loaded, calls: u64) {
        let scenario = &mut loaded.scenario;
        if scenario.phases.is_empty() {
            return;
        }
        let first = scenario.phases.swap_remove(0);
        let (seats, every) = match self {
            Shape::Once(seats) => (seats.clone(), false),
            Shape::Samples(seats) => (seats.clone(), true),
            Shape::Reflection(seat) => (vec![seat.clone()], false),
        };
        scenario.phases = match self {
            Shape::Once(_) => vec![round(&first, &seats, 1)],
            Shape::Samples(_) => {
                let n = seats.len().max(1) as u64;
                let rest = seats.get(..(calls % n) as usize).unwrap_or_default();
                let mut rest = round(&first, rest, 1);
                rest.name = format!("{}, last samples", first.name).into();
                let all = [round(&first, &seats, calls / n), rest];
                let rounds = |phase: &Phase| phase.policy.options.get("rounds").cloned();
                let is_held =
                    |phase: &Phase| !phase.who.is_empty() && rounds(phase) != Some(0.into());
                all.into_iter().filter(is_held).collect()
            }
            Shape::Reflection(_) => {
                scenario.prompt.next = None;
                let mut again = round(&first, &seats, calls.saturating_sub(1));
                again.name = format!("{}, again", first.name).into();
                again.shows.sees = Some(Sees::Own);
                again.shows.task = Some(REFLECT.into());
                let is_held = |at: &usize| calls > 1 || *at == 0;
                let all = [round(&first, &seats, 1), again].into_iter().enumerate();
                all.filter(|(at, _)| is_held(at)).map(|(_, phase)| phase).collect()
            }
        };
        scenario.verdict = None;
        scenario.poll = None;
        scenario.stops.clear();
        scenario.result = ResultRule::None;
        // the phases bound a baseline
        let Limits { seconds, tokens, usd, .. } = scenario.limits;
        scenario.limits = Limits { seconds, tokens, usd, ..Limits::default() };
        if let Some(answer) = &mut scenario.answer {
            answer.of.clone_from(&seats);
            answer.every = every;
            answer.trajectory = None;
            let counts = matches!(
                answer.by,
                Aggregation::Majority | Aggregation::Confidence | Aggregation::Median
            );
            if !counts {
                answer.by = Aggregation::Majority;
            }
        }
        let speaks = |seat: &Participant| seats.contains(&seat.id.0);
        loaded.participants.retain(speaks);
    }
}

/// Returns the first round, repeated, without its judge, its conditions and the messages of others.
fn round(first: &Phase, seats: &[Text], rounds: u64) -> Phase {
    let mut phase = first.clone();
    phase.who = seats.to_vec();
    phase.open = false;
    phase.judge = None;
    phase.when = None;
    phase.shows.until = None;
    phase.shows.keeps = false;
    phase.shows.diverse = None;
    phase.shows.sees = Some(Sees::Question);
    phase.policy.options.insert("rounds".into(), rounds.into());
    phase
}
