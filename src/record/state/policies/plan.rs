//! State of a plan: its steps, their states, and the messages in them.
//!
//! It is folded from `plan.made`, the threads of the steps, the turns in them, `step.ended` and the operator's
//! commands. The next question to a seat is decided by `policy`.

use crate::model::payload::{BatchOpened, ThreadOpened, TurnEnded};
use crate::model::plan::results_in;
use crate::model::*;
use crate::scenario::{PolicySpec, PolicyTraits, UsualLength};
use crate::state::planned::{Plan, PlannedStep, StepMessage};
use crate::state::policy_state::PolicyState;
use crate::state::{Conversation, Entry, Memo, Task, Thread, Turn, Who};

/// Name of the policy in scenarios and logs.
pub const NAME: &str = "plan";
/// Name of the policy inside a step in logs; scenarios cannot name it.
pub const STEP_NAME: &str = "step";
/// Traits of `plan` and of its steps.
pub const TRAITS: PolicyTraits = PolicyTraits {
    length: UsualLength::Own,
    debates: false,
    own_prompts: true,
    ..PolicyTraits::DEBATE
};

/// Returns the template of executors of a policy that plans.
pub fn executor(policy: &PolicySpec) -> Option<&str> {
    if &*policy.name == NAME { policy.options.get("executor")?.as_str() } else { None }
}

/// Default number of exchanges in a step.
const EXCHANGES: u32 = 10;
/// Default number of steps of a plan.
const STEPS: u32 = 12;
/// Maximum number of steps of a plan, also in logs.
pub const STEPS_MAX: u32 = 200;
/// Default number of messages of an executor to other executors in a step.
const TO_SIBLINGS: u32 = 3;

/// Returns whether an event opens the thread of a step.
pub fn is_step(opened: &ThreadOpened) -> bool {
    &*opened.policy == STEP_NAME
}

impl Thread {
    /// Returns a whole number from the policy's options, or the default.
    fn option(&self, key: &str, usual: u32) -> u32 {
        self.spec.options[key].as_u64().map_or(usual, |n| u32::try_from(n).unwrap_or(u32::MAX))
    }

    /// Returns the maximum number of exchanges in a step of its plan.
    pub fn exchanges(&self) -> u32 {
        self.option("exchanges", EXCHANGES)
    }

    /// Returns the maximum number of steps of its plan.
    pub fn most_steps(&self) -> u32 {
        self.option("steps", STEPS).min(STEPS_MAX)
    }
}

impl Conversation {
    /// Returns the newest plan of the conversation.
    pub fn plan(&self) -> Option<&Plan> {
        self.threads.values().rev().find_map(|t| t.state.plan())
    }

    /// Returns the plan that step commands act on, with its thread.
    ///
    /// # Errors
    /// If there is no plan yet, or it is over.
    pub fn steered_plan(&self) -> Result<(&Thread, &Plan), &'static str> {
        let mut threads = self.threads.values().rev();
        match threads.find_map(|t| Some((t, t.state.plan()?))) {
            None => Err("there is no plan yet"),
            Some((_, plan)) if plan.ended.is_some() => Err("the plan is over"),
            Some(found) => Ok(found),
        }
    }

    /// Returns the thread of the plan that a thread belongs to: itself, or its parent.
    pub fn plan_thread(&self, thread: ThreadId) -> Option<&Thread> {
        let here = self.threads.get(&thread)?;
        match here.state {
            PolicyState::Plan(_) => Some(here),
            PolicyState::Step => self.threads.get(&here.parent?),
            _ => None,
        }
    }

    /// Returns the plan and the step of a thread, if the thread is that of the step's current attempt.
    pub fn step_of(&self, thread: ThreadId) -> Option<(&Plan, &PlannedStep)> {
        let plan = self.plan_thread(thread)?.state.plan()?;
        let step = plan.steps.iter().find(|s| s.thread == Some(thread))?;
        Some((plan, step))
    }

    /// Returns a thread, if it is that of a step.
    pub fn step_talk(&self, thread: ThreadId) -> Option<&Thread> {
        self.threads.get(&thread).filter(|t| t.state == PolicyState::Step)
    }

    /// Returns the planner of a thread: the seat in its options, or else the first one.
    pub fn planner(&self, thread: &Thread) -> Option<SeatId> {
        let named = thread.spec.options["planner"].as_str().map(SeatId::from);
        named.or_else(|| thread.seats.first().cloned())
    }

    /// Returns whether a seat is only a template for executors.
    pub fn is_template(&self, id: &str) -> bool {
        let phases = self.scenario.phases.iter().map(|p| &p.policy);
        let mut policies = std::iter::once(&self.scenario.policy).chain(phases);
        policies.any(|policy| executor(policy) == Some(id))
    }

    /// Returns the current text of a step's result; `None` if it has none.
    pub fn step_result(&self, step: &PlannedStep) -> Option<Text> {
        let said = |turn: TurnId| Some(self.shown_entry(turn)?.text().clone());
        let parts = || {
            let parts = step.current().filter(|m| m.kind == MessageKind::PartialResult);
            parts.filter_map(|m| said(m.turn?)).collect::<Vec<_>>().join("\n\n")
        };
        if step.state != StepState::Completed {
            return None;
        }
        let turn = step.turn?;
        let own =
            step.current().any(|m| m.turn == Some(turn) && Some(&m.from) == step.executor.as_ref());
        let whole = said(turn)?;
        let found = results_in(&whole);
        let found = if own && !found.is_empty() { found.to_owned() } else { parts() };
        let found = if found.is_empty() { whole.to_string() } else { found };
        Some(found.into())
    }

    /// Returns the last operator message, in any thread of a plan, that its planner has not seen.
    pub fn unplanned_words(&self, thread: &Thread) -> Option<&Entry> {
        let heard = thread.state.planner_read_to();
        let of_plan = |e: &&Entry| {
            e.seq > heard
                && e.who == Who::Operator
                && e.hidden.is_none()
                && !e.is_whisper()
                && self.plan_thread(e.thread).is_some_and(|t| t.id == thread.id)
        };
        self.entries.iter().rev().take_while(|e| e.seq > heard).find(of_plan)
    }

    /// Returns the form of the reply of a turn within a plan; `None` if any text is valid.
    pub(in crate::state) fn plan_form(&self, turn: &Turn) -> Option<Form> {
        let here = self.threads.get(&turn.thread)?;
        let thread = self.plan_thread(turn.thread)?;
        match (self.batch_of(turn)?.memo.step?, self.step_of(here.id)) {
            (Task::Plan, _) => {
                Some(Form::Plan { begun: vec![], over: vec![], most: thread.most_steps() })
            }
            (Task::PlanAgain, _) => {
                let numbers = |wanted: &dyn Fn(StepState) -> bool| -> Vec<u32> {
                    let steps = thread.state.plan().into_iter().flat_map(|p| &p.steps);
                    steps.filter(|s| wanted(s.state)).map(|s| s.spec.number).collect()
                };
                let given_up = |s| matches!(s, StepState::Failed | StepState::Cancelled);
                Some(Form::Plan {
                    begun: numbers(&|s| matches!(s, StepState::Running | StepState::Completed)),
                    over: numbers(&given_up),
                    most: thread.most_steps(),
                })
            }
            (Task::Execute | Task::Clarify, Some((plan, step))) => {
                let planner = Some(&turn.seat) != step.executor.as_ref();
                let given = step.current().any(|m| m.kind == MessageKind::PartialResult);
                let sent = step.current().filter(|m| m.kind == MessageKind::SiblingMessage).count();
                let may = thread.option("messages", TO_SIBLINGS) as usize > sent && !planner;
                let works = |s: &PlannedStep| may && s.state == StepState::Running;
                let others = plan
                    .steps
                    .iter()
                    .filter(|s| s.spec.executor && s.spec.number != step.spec.number)
                    .filter_map(|s| Some((works(s), s.executor.clone()?)))
                    .filter(|(_, seat)| *seat != turn.seat);
                let (at_work, away): (Vec<_>, Vec<_>) = others.partition(|(works, _)| *works);
                let seats = |all: Vec<(bool, SeatId)>| all.into_iter().map(|(_, seat)| seat);
                let (siblings, away) = (seats(at_work).collect(), seats(away).collect());
                Some(Form::Message { planner, given, siblings, away })
            }
            _ => None,
        }
    }

    /// Returns the messages of other executors to the executor of a step; they stay in its prompts.
    pub fn sibling_messages<'a>(
        &'a self,
        plan: &'a Plan,
        step: &'a PlannedStep,
    ) -> Vec<&'a StepMessage> {
        let to = step.executor.as_ref();
        let here = |m: &&StepMessage| m.kind == MessageKind::SiblingMessage && Some(&m.to) == to;
        plan.steps.iter().flat_map(|s| &s.messages).filter(here).collect()
    }

    /// Returns the time at which the step of a turn reaches its limit.
    pub fn step_deadline(&self, turn: &Turn) -> Option<Ms> {
        let (_, step) = self.step_of(turn.thread)?;
        let limit = self.threads.get(&turn.thread)?.spec.limits.seconds?;
        let up = step.began.saturating_add(limit.saturating_mul(1000));
        Some(self.running.since?.plus(up.saturating_sub(self.running.total)))
    }

    pub(in crate::state) fn note_plan(&mut self, thread: ThreadId, made: &PlanMade) {
        let Some(thread) = self.threads.get_mut(&thread) else { return };
        let waits = thread.spec.options["approve"] == true;
        let PolicyState::Plan(state) = &mut thread.state else { return };
        let mut known = match state.plan.take() {
            Some(plan) if plan.number == made.plan => plan.steps,
            Some(_) | None => vec![],
        };
        let step = |spec: &StepSpec| {
            let at = known.iter().position(|s| s.spec.number == spec.number);
            match at.map(|at| known.swap_remove(at)) {
                Some(step) if step.state == StepState::Waiting => {
                    PlannedStep { spec: spec.clone(), ..step }
                }
                Some(step) => step,
                None => PlannedStep::new(spec.clone()),
            }
        };
        let steps = made.steps.iter().take(STEPS_MAX as usize).map(step).collect();
        state.plan =
            Some(Box::new(Plan { number: made.plan, turn: made.turn, steps, ended: None }));
        if waits {
            self.pause_for("the plan waits for you: go on, or say what to change".into());
        }
    }

    /// Changes the plan that a thread belongs to.
    fn with_plan(&mut self, thread: ThreadId, change: impl FnOnce(&mut Plan)) {
        let Some(of) = self.plan_thread(thread).map(|t| t.id) else { return };
        if let Some(plan) = self.threads.get_mut(&of).and_then(|t| t.state.plan_mut()) {
            change(plan);
        }
    }

    /// Applies the start of a step, whose thread is now open.
    pub(in crate::state) fn begin_step(&mut self, id: ThreadId, ms: Ms) {
        let Some(thread) = self.threads.get(&id) else { return };
        let about = &thread.spec.about;
        let number = about["step"].as_u64().and_then(|n| u32::try_from(n).ok());
        let (Some(number), Some(executor)) = (number, thread.spec.seats.first().cloned()) else {
            return;
        };
        let planner = self.plan_thread(id).and_then(|t| self.planner(t));
        let began = self.running.at(ms);
        let seq = Seq(id.0);
        self.with_plan(id, |plan| {
            let Some(step) = plan.step_mut(number) else { return };
            (step.state, step.thread, step.began) = (StepState::Running, Some(id), began);
            (step.why, step.turn, step.stopping) = (None, None, false);
            step.attempt += 1;
            step.executor = Some(executor.clone());
            if let Some(from) = planner.filter(|planner| *planner != executor) {
                step.messages.push(StepMessage {
                    from,
                    to: executor,
                    kind: MessageKind::TaskAssignment,
                    attempt: step.attempt,
                    exchange: 0,
                    seq,
                    ms,
                    turn: None,
                    implicit: true,
                    text: step.spec.goal.clone(),
                });
            }
        });
    }

    /// Records the engine's permission for an executor to continue without asking the planner.
    pub(in crate::state) fn note_go_on(&mut self, seq: Seq, thread: ThreadId, b: &BatchOpened) {
        let memo = Memo::from_json(&b.memo);
        if memo.go_on != Some(true) || memo.step != Some(Task::Execute) {
            return;
        }
        let Some(to) = b.seats.first().cloned() else { return };
        let text = b.question.clone().unwrap_or_else(|| "".into());
        self.clarify(thread, to, seq, true, text);
    }

    /// Adds an answer to an executor that is not a turn of the planner.
    fn clarify(&mut self, thread: ThreadId, to: SeatId, seq: Seq, implicit: bool, text: Text) {
        let planner = self.plan_thread(thread).and_then(|t| self.planner(t));
        let (Some(from), ms) = (planner, self.ms) else { return };
        self.push_message(thread, |step| StepMessage {
            from,
            to,
            kind: MessageKind::Clarification,
            attempt: step.attempt,
            exchange: step.exchange(),
            seq,
            ms,
            turn: None,
            implicit,
            text,
        });
    }

    fn push_message(
        &mut self,
        thread: ThreadId,
        message: impl FnOnce(&PlannedStep) -> StepMessage,
    ) {
        self.with_plan(thread, |plan| {
            if let Some(step) = plan.steps.iter_mut().find(|s| s.thread == Some(thread)) {
                let message = message(step);
                step.messages.push(message);
            }
        });
    }

    /// Records a turn within a plan: a message in a step, or that the planner has read the operator's messages.
    pub(in crate::state) fn note_message(&mut self, seq: Seq, turn: &Turn, e: &TurnEnded) {
        if !turn.speaks() || !e.has_words() || e.why == Some(CutWhy::Crash) {
            return;
        }
        let task = self.batch_of(turn).and_then(|b| b.memo.step);
        let Some(thread) = self.threads.get_mut(&turn.thread) else { return };
        if let PolicyState::Plan(state) = &mut thread.state {
            if matches!(task, Some(Task::Plan | Task::PlanAgain)) && e.outcome == Outcome::Said {
                state.heard = state.heard.max(turn.heard);
            }
            return;
        }
        if let Some(replaced) = turn.replaces {
            // a repeated message keeps its position and type, but gets a new text
            self.with_plan(turn.thread, |plan| {
                let mut all = plan.steps.iter_mut().flat_map(|s| &mut s.messages);
                if let Some(message) = all.find(|m| m.turn == Some(replaced)) {
                    (message.text, message.turn) = (e.text.clone(), Some(turn.id));
                }
            });
            return;
        }
        let Some((_, step)) = self.step_of(turn.thread) else { return };
        let by_executor = step.executor.as_ref() == Some(&turn.seat);
        let usual = match (by_executor, task) {
            (_, Some(Task::Do)) => MessageKind::TaskComplete,
            (true, _) => MessageKind::PartialResult,
            (false, _) => MessageKind::Clarification,
        };
        let kind = e.message.as_deref().and_then(MessageKind::by_name).unwrap_or(usual);
        let planner = self.plan_thread(turn.thread).and_then(|t| self.planner(t));
        let sibling = e.structured["to"].as_str().map(SeatId::from);
        let to = if by_executor { sibling.or(planner) } else { step.executor.clone() };
        let from = turn.seat.clone();
        let ms = self.ms;
        let to = to.unwrap_or_else(|| from.clone());
        self.push_message(turn.thread, |step| StepMessage {
            from,
            to,
            kind,
            attempt: step.attempt,
            exchange: step.exchange() + u32::from(by_executor),
            seq,
            ms,
            turn: Some(turn.id),
            implicit: false,
            text: e.text.clone(),
        });
    }

    /// Records an answer by the operator as the planner.
    pub(in crate::state) fn note_answer(&mut self, seq: Seq, thread: ThreadId, text: &Text) {
        let to = self.step_of(thread).and_then(|(_, step)| step.executor.clone());
        let Some(to) = to else { return };
        self.clarify(thread, to, seq, false, text.clone());
    }

    /// Applies an operator's change to the plan; it was validated when the command was given.
    pub(in crate::state) fn change_plan(&mut self, command: &Command) {
        let Some(thread) =
            self.threads.values().rev().find(|t| t.state.plan().is_some()).map(|t| t.id)
        else {
            return;
        };
        self.with_plan(thread, |plan| match command {
            Command::CancelStep { step } => {
                if let Some(step) = plan.step_mut(*step).filter(|s| !s.state.is_over()) {
                    step.stopping = true;
                }
            }
            Command::RerunStep { step } => {
                if let Some(step) = plan.step_mut(*step).filter(|s| s.state.is_over()) {
                    (step.state, step.why, step.turn) = (StepState::Waiting, None, None);
                }
            }
            Command::EditStep { step, set } => {
                if let Some(step) = plan.step_mut(*step) {
                    step.spec = step.spec.with(set).unwrap_or_else(|_| step.spec.clone());
                }
            }
            Command::AddStep { set } => {
                let spec = StepSpec::numbered(plan.free_number()).with(set);
                plan.steps.extend(spec.ok().map(PlannedStep::new));
            }
            Command::MoveStep { step, before } => {
                let at = |plan: &Plan, n: u32| plan.steps.iter().position(|s| s.spec.number == n);
                let Some(from) = at(plan, *step) else { return };
                let moved = plan.steps.remove(from);
                let to = before.and_then(|n| at(plan, n)).unwrap_or(plan.steps.len());
                plan.steps.insert(to, moved);
            }
            _ => {}
        });
    }

    pub(in crate::state) fn end_step(&mut self, thread: ThreadId, ended: &StepEnded) {
        self.with_plan(thread, |plan| {
            let Some(step) = plan.step_mut(ended.step) else { return };
            (step.state, step.turn) = (ended.is, ended.turn);
            (step.why, step.stopping, step.halted) = (ended.why.clone(), false, ended.halted);
        });
    }

    pub(in crate::state) fn end_plan(&mut self, thread: ThreadId, ended: &PlanEnded) {
        self.with_plan(thread, |plan| plan.ended = Some(ended.clone()));
    }

    /// Reverts the end of the conversation in its plans: halted steps continue, and their executors are present again.
    pub(in crate::state) fn reopen_plans(&mut self) {
        let mut talks = vec![];
        let mut executors = vec![];
        for plan in self.threads.values_mut().filter_map(|t| t.state.plan_mut()) {
            if plan.ended.as_ref().is_some_and(|ended| ended.is == StepState::Cancelled) {
                plan.ended = None;
            }
            for step in plan.steps.iter_mut().filter(|s| s.halted) {
                (step.state, step.why, step.halted) = (StepState::Running, None, false);
                talks.extend(step.thread);
                executors.extend(step.executor.clone());
            }
        }
        for talk in talks {
            if let Some(thread) = self.threads.get_mut(&talk) {
                thread.closed = None;
            }
        }
        for id in executors {
            self.set_seat(&id, |seat| seat.gone = false);
        }
    }
}
