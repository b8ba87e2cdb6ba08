//! A plan, its steps and their messages as data, which `plan` folds and screens and exports read.

use crate::model::*;
use std::collections::BTreeMap;

/// Text between the name of a seat whose call failed and the error, in the reason of a failed step.
pub const CALL_FAILED: &str = " failed: ";

/// A plan and its progress.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Number of the plan in the conversation, from 1.
    pub number: u32,
    /// The planner's turn that made it or changed it last.
    pub turn: TurnId,
    /// Its steps, in order.
    pub steps: Vec<PlannedStep>,
    /// Its end; `None` while it is being carried out.
    pub ended: Option<PlanEnded>,
}

/// A step of a plan and its progress.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlannedStep {
    /// Description, goal and dependencies.
    pub spec: StepSpec,
    /// State of the step, without `Blocked`.
    pub state: StepState,
    /// Number of the current attempt, from 1; 0 before the first.
    pub attempt: u32,
    /// The thread of the current attempt.
    pub thread: Option<ThreadId>,
    /// The seat that carries it out: an executor, or the planner itself.
    pub executor: Option<SeatId>,
    /// Reason why it failed or was cancelled.
    pub why: Option<Text>,
    /// The turn with its result.
    pub turn: Option<TurnId>,
    /// Messages of all attempts, in order.
    pub messages: Vec<StepMessage>,
    /// True if the operator has cancelled it and it is still stopping.
    pub stopping: bool,
    /// True if the end of the conversation stopped it; a resume continues it.
    pub halted: bool,
    /// The conversation's running time when the attempt began, in milliseconds.
    pub began: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StepMessage {
    /// Sender.
    pub from: SeatId,
    /// Receiver.
    pub to: SeatId,
    /// Its type.
    pub kind: MessageKind,
    /// The attempt, from 1.
    pub attempt: u32,
    /// The exchange, from 1; 0 for the assignment.
    pub exchange: u32,
    /// Position in the log.
    pub seq: Seq,
    /// Time of the message.
    pub ms: Ms,
    /// The turn that wrote it; `None` if the engine or the operator did.
    pub turn: Option<TurnId>,
    /// True if the engine sent it: the assignment, and the permission to continue.
    pub implicit: bool,
    pub text: Text,
}

impl Plan {
    pub fn step(&self, number: u32) -> Option<&PlannedStep> {
        self.steps.iter().find(|s| s.spec.number == number)
    }

    pub fn states(&self) -> StepStates {
        let mut states = BTreeMap::new();
        let mut dependents: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for step in &self.steps {
            states.entry(step.spec.number).or_insert(step.state);
            if step.state == StepState::Waiting {
                for before in &step.spec.after {
                    dependents.entry(*before).or_default().push(step.spec.number);
                }
            }
        }
        let failed = states.iter().filter(|(_, state)| **state == StepState::Failed);
        let mut lost: Vec<u32> = failed.map(|(number, _)| *number).collect();
        while let Some(number) = lost.pop() {
            for dependent in dependents.remove(&number).unwrap_or_default() {
                let state = states.get_mut(&dependent).filter(|s| **s == StepState::Waiting);
                if let Some(state) = state {
                    *state = StepState::Blocked;
                    lost.push(dependent);
                }
            }
        }
        StepStates(states)
    }

    /// Returns the number for a new step.
    pub fn free_number(&self) -> u32 {
        self.steps.iter().map(|s| s.spec.number).max().unwrap_or(0).saturating_add(1)
    }

    /// Returns the number of steps that failed or are blocked.
    pub fn lost(&self) -> usize {
        let states = self.states();
        states.count(StepState::Failed) + states.count(StepState::Blocked)
    }

    /// Returns the number of completed steps and the numbers of the others: `1 of 3 completed, 1 failed (1), 1 not run (2)`.
    pub fn tally(&self) -> String {
        let states = self.states();
        let all = [
            (&[StepState::Running][..], "running"),
            (&[StepState::Failed], "failed"),
            (&[StepState::Cancelled], "cancelled"),
            (&[StepState::Waiting, StepState::Blocked], "not run"),
        ];
        let group = |(of, word): (&[StepState], &str)| {
            let steps = self.steps.iter().filter(|step| of.contains(&states.state(step)));
            let numbers: Vec<String> = steps.map(|step| step.spec.number.to_string()).collect();
            let count = numbers.len();
            (count > 0).then(|| format!("{count} {word} ({})", numbers.join(", ")))
        };
        let completed = states.count(StepState::Completed);
        let first = format!("{completed} of {} completed", self.steps.len());
        let parts: Vec<String> =
            std::iter::once(first).chain(all.into_iter().filter_map(group)).collect();
        parts.join(", ")
    }

    /// Returns a step by its number, for changes.
    pub(super) fn step_mut(&mut self, number: u32) -> Option<&mut PlannedStep> {
        self.steps.iter_mut().find(|s| s.spec.number == number)
    }
}

/// The states of a plan's steps, by number. A waiting step is blocked if a step that it depends on failed or is blocked.
#[derive(Clone, Debug)]
pub struct StepStates(BTreeMap<u32, StepState>);

impl StepStates {
    pub fn state(&self, step: &PlannedStep) -> StepState {
        self.0.get(&step.spec.number).copied().unwrap_or(step.state)
    }

    /// Returns the numbers of the unfinished steps that a step waits for.
    pub fn waits_for(&self, step: &PlannedStep) -> Vec<u32> {
        let open = |n: &&u32| self.0.get(n).is_some_and(|state| !state.is_over());
        step.spec.after.iter().filter(open).copied().collect()
    }

    /// Returns the number of steps in a state.
    pub fn count(&self, state: StepState) -> usize {
        self.0.values().filter(|s| **s == state).count()
    }
}

impl PlannedStep {
    /// Returns a step that has not begun.
    pub(super) fn new(spec: StepSpec) -> PlannedStep {
        PlannedStep { spec, ..PlannedStep::default() }
    }

    /// Returns the reason of a failure for a prompt: the executor's own text, or the engine's without the error.
    pub fn reason(&self) -> &str {
        let why = self.why.as_deref().unwrap_or("no reason given");
        let failed_call = self.turn.is_none().then(|| why.find(CALL_FAILED)).flatten();
        failed_call.map_or(why, |at| &why[..at + CALL_FAILED.len() - 2])
    }

    /// Returns the messages of the current attempt.
    pub fn current(&self) -> impl DoubleEndedIterator<Item = &StepMessage> {
        self.messages.iter().filter(|m| m.attempt == self.attempt)
    }

    /// Returns the number of exchanges in the current attempt, one for each message of its executor.
    pub fn exchange(&self) -> u32 {
        self.current().map(|m| m.exchange).max().unwrap_or(0)
    }
}
