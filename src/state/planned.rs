//! A plan, its steps and their messages as data: what `plan` folds, and what screens and exports read.

use crate::model::*;

/// The part of a reason between the name of a seat whose call failed and the text of the error.
pub const CALL_FAILED: &str = " failed: ";

/// A plan and how far it has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Which plan of the conversation, from 1.
    pub number: u32,
    /// The planner's turn that made it, or changed it last.
    pub turn: TurnId,
    /// Its steps, in order.
    pub steps: Vec<PlannedStep>,
    /// How it ended; none while it is being carried out.
    pub ended: Option<PlanEnded>,
}

/// A step of a plan and how far it has come.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedStep {
    /// What is to be done.
    pub spec: StepSpec,
    /// How far it is.
    pub state: StepState,
    /// Which attempt at it is the current one, from 1; 0 before the first.
    pub attempt: u32,
    /// The thread of the current attempt.
    pub thread: Option<ThreadId>,
    /// Who does it: an executor, or the planner itself.
    pub executor: Option<SeatId>,
    /// Why it failed or was cancelled.
    pub why: Option<Text>,
    /// The turn with its result.
    pub turn: Option<TurnId>,
    /// What was said in it, in order, over all attempts.
    pub messages: Vec<StepMessage>,
    /// Whether the operator has cancelled it and it is still stopping.
    pub stopping: bool,
    /// Whether the end of the conversation stopped it, so that a resume continues it.
    pub halted: bool,
    /// The conversation's running time when the attempt began, in milliseconds.
    pub began: u64,
}

/// A message in a step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepMessage {
    /// Whose.
    pub from: SeatId,
    /// For whom.
    pub to: SeatId,
    /// Its type.
    pub kind: MessageKind,
    /// The attempt, from 1.
    pub attempt: u32,
    /// The exchange, from 1; 0 for the assignment.
    pub exchange: u32,
    /// Its place in the log.
    pub seq: Seq,
    /// When it was sent.
    pub ms: Ms,
    /// The turn that spoke it; none where the engine or the operator did.
    pub turn: Option<TurnId>,
    /// Whether the engine sent it: the assignment, and the permission to go on.
    pub implicit: bool,
    /// The words.
    pub text: Text,
}

impl Plan {
    /// Returns a step by its number.
    pub fn step(&self, number: u32) -> Option<&PlannedStep> {
        self.steps.iter().find(|s| s.spec.number == number)
    }

    /// Returns the numbers of the steps that a step waits for and that are not over yet.
    pub fn waits_for(&self, step: &PlannedStep) -> Vec<u32> {
        let open = |n: &&u32| self.step(**n).is_some_and(|s| !s.state.is_over());
        step.spec.after.iter().filter(open).copied().collect()
    }

    /// Returns the state of a step: a waiting one is blocked if a step that it waits for failed or is itself blocked.
    pub fn state_of(&self, step: &PlannedStep) -> StepState {
        if step.state == StepState::Waiting && self.is_blocked(step, &mut vec![]) {
            StepState::Blocked
        } else {
            step.state
        }
    }

    fn is_blocked(&self, step: &PlannedStep, seen: &mut Vec<u32>) -> bool {
        step.spec.after.iter().filter_map(|n| self.step(*n)).any(|before| {
            let fresh = !seen.contains(&before.spec.number);
            seen.push(before.spec.number);
            match before.state {
                StepState::Failed => true,
                StepState::Waiting => fresh && self.is_blocked(before, seen),
                _ => false,
            }
        })
    }

    /// Returns the number that a new step gets.
    pub fn free_number(&self) -> u32 {
        self.steps.iter().map(|s| s.spec.number).max().unwrap_or(0) + 1
    }

    /// Returns how many steps are in a state.
    pub fn count(&self, state: StepState) -> usize {
        self.steps.iter().filter(|s| self.state_of(s) == state).count()
    }

    /// Returns how many steps failed or are blocked.
    pub fn lost(&self) -> usize {
        self.count(StepState::Failed) + self.count(StepState::Blocked)
    }

    /// Returns a step by its number, for changing it.
    pub(super) fn step_mut(&mut self, number: u32) -> Option<&mut PlannedStep> {
        self.steps.iter_mut().find(|s| s.spec.number == number)
    }
}

impl PlannedStep {
    /// Returns a step that has not begun.
    pub(super) fn new(spec: StepSpec) -> PlannedStep {
        PlannedStep {
            spec,
            state: StepState::Waiting,
            attempt: 0,
            thread: None,
            executor: None,
            why: None,
            turn: None,
            messages: vec![],
            stopping: false,
            halted: false,
            began: 0,
        }
    }

    /// Returns the reason of a failure for a prompt: the executor's own words, or the engine's without the text of an error.
    pub fn reason(&self) -> &str {
        let why = self.why.as_deref().unwrap_or("no reason given");
        let failed_call = self.turn.is_none().then(|| why.find(CALL_FAILED)).flatten();
        failed_call.map_or(why, |at| &why[..at + CALL_FAILED.len() - 2])
    }

    /// Returns the messages of the current attempt.
    pub fn current(&self) -> impl DoubleEndedIterator<Item = &StepMessage> {
        self.messages.iter().filter(|m| m.attempt == self.attempt)
    }

    /// Returns which exchange the current attempt has come to: how often its executor has written to the planner.
    pub fn exchange(&self) -> u32 {
        self.current().map(|m| m.exchange).max().unwrap_or(0)
    }
}
