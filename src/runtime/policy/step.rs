//! The conversation in a step of a plan: an executor works and its planner answers questions, until the step is over.
//!
//! A question wakes the planner. After an update or a partial result the executor continues without the planner, a few
//! times in a row. The step ends with the result, an error, the last exchange, its time limit, or when the same message
//! gets the same answer twice.

use super::plan::POLICY as PLANNING;
use super::{Decision, NextMove, Policy, View};
use crate::model::*;
use crate::scenario::{PolicyRow, TakesPart};
use crate::state::policies::plan;
use crate::state::{CALL_FAILED, Memo, PlannedStep, Reply, StepMessage, Task, Thread};
use serde_json::{Value, json};

const ROW: PolicyRow = PolicyRow {
    name: plan::STEP_NAME,
    meaning: "An executor works on a step of a plan, and its planner answers.",
    options: &[],
    takes_part: TakesPart::NoTurns(""),
    traits: plan::TRAITS,
};

/// Policy of a step's thread; see the module.
pub(super) const POLICY: Policy =
    Policy { prompt: PLANNING.prompt, result, ..Policy::new(ROW, next) };

/// Default number of updates in a row.
const UPDATES: u64 = 3;
/// Answer of a judge that accepts a step.
const YES: &str = "yes";

fn next(v: &View<'_>) -> Decision {
    let root = v.state.plan_thread(v.thread.id);
    let (Some(root), Some((_, step))) = (root, v.state.step_of(v.thread.id)) else {
        return v.end(StopReason::Failure);
    };
    let talk = Talk { v, root, step };
    match step.state {
        StepState::Completed => v.end(StopReason::Completed),
        StepState::Failed => v.end(StopReason::Failure),
        StepState::Cancelled => v.end(StopReason::Operator),
        StepState::Waiting | StepState::Running | StepState::Blocked => talk.next(),
    }
}

fn result(v: &View<'_>) -> Value {
    let Some((_, step)) = v.state.step_of(v.thread.id) else { return Value::Null };
    json!({"state": step.state, "result": v.state.step_result(step), "why": step.why})
}

/// A step, its thread and the thread of its plan.
struct Talk<'v, 's> {
    v: &'v View<'s>,
    root: &'s Thread,
    step: &'s PlannedStep,
}

impl Talk<'_, '_> {
    fn next(&self) -> Decision {
        if self.step.stopping {
            return self.over(StepState::Cancelled, None, "the operator cancelled it".into());
        }
        if let Some(seconds) = self.time_is_up() {
            return self.failed(format!(
                "its limit of {seconds} s was reached; raise policy.step_seconds"
            ));
        }
        let Some(executor) = &self.step.executor else {
            return self.failed("there is no executor for it".into());
        };
        let Some(asked) = &self.v.thread.asked else {
            return self.execute(executor, "", false);
        };
        let Some(reply) = asked.ended.last() else {
            // the seat was due to get the floor and cannot take it
            return self.cannot(asked.spec.seats.first().unwrap_or(executor));
        };
        let by = asked.memo.step;
        let last = self.step.current().next_back();
        // true if there is a message since, by that turn or by the operator as the planner
        let fresh = last.is_some_and(|m| m.seq.0 > reply.turn.0);
        match (by, last) {
            (Some(Task::Judge), _) => self.judged(executor, reply),
            (_, _) if !fresh && !self.reopened(reply) => self.nothing_said(reply),
            (Some(Task::Do | Task::Execute), _) if !fresh => self.execute(executor, "", false),
            (Some(Task::Clarify), _) if !fresh => self.clarify(
                "is waiting for an answer to the question above. Reply in a few sentences.",
            ),
            (_, Some(m)) => self.after(executor, m, reply),
            (_, None) => self.execute(executor, "", false),
        }
    }

    /// Returns whether the conversation was resumed since a turn, so that a failure is retried.
    fn reopened(&self, reply: &Reply) -> bool {
        self.v.state.since.reopened.is_some_and(|at| at.0 > reply.turn.0)
    }

    /// Returns the time limit of the step in seconds, if it is reached.
    fn time_is_up(&self) -> Option<u64> {
        let seconds = self.v.thread.spec.limits.seconds?;
        let ran = self.v.state.running.at(self.v.state.ms).saturating_sub(self.step.began);
        (ran >= seconds.saturating_mul(1000)).then_some(seconds)
    }

    /// Decides what follows a message.
    fn after(&self, executor: &SeatId, message: &StepMessage, reply: &Reply) -> Decision {
        match message.kind {
            MessageKind::TaskComplete => self.done(reply.turn),
            MessageKind::Error => {
                let why = message.kind.without_label(&message.text).to_owned();
                self.over(StepState::Failed, Some(reply.turn), why)
            }
            MessageKind::Question => self.clarify(
                "is waiting for an answer to the question above. Reply in a few sentences.",
            ),
            MessageKind::ProgressUpdate
            | MessageKind::PartialResult
            | MessageKind::SiblingMessage => self.go_on(executor),
            MessageKind::Clarification | MessageKind::TaskAssignment => {
                self.answered(executor, message)
            }
        }
    }

    /// Continues after an update: with the executor, or with the planner after too many updates in a row.
    fn go_on(&self, executor: &SeatId) -> Decision {
        let updates = || self.step.current().filter(|m| m.from == *executor || !m.implicit);
        let is_update = |m: &&StepMessage| {
            m.from == *executor
                && !matches!(m.kind, MessageKind::Question | MessageKind::TaskComplete)
        };
        let row = updates().rev().take_while(is_update);
        let row: Vec<&StepMessage> = row.collect();
        if let [last, before, ..] = row[..]
            && alike(last, before)
        {
            return self.stuck();
        }
        let most = self.root.spec.options["updates"].as_u64().unwrap_or(UPDATES);
        if row.len() as u64 > most {
            let times = row.len();
            return self.clarify(&format!(
                "has sent {times} updates in a row. Say what is still missing, or begin with TASK COMPLETE: if the goal is met."
            ));
        }
        self.execute(executor, "Your message was received. Continue.", true)
    }

    /// Continues after an answer by the planner, or by the operator as the planner.
    fn answered(&self, executor: &SeatId, answer: &StepMessage) -> Decision {
        let asked = |m: &&StepMessage| m.from == *executor && m.seq < answer.seq;
        let mut questions = self.step.current().filter(asked).rev();
        let earlier = |before: Seq| {
            let answers = self.step.current().filter(|m| m.from != *executor && !m.implicit);
            answers.rev().find(|m| m.seq < before)
        };
        if let (Some(last), Some(before)) = (questions.next(), questions.next())
            && alike(last, before)
            && earlier(last.seq).is_some_and(|earlier| alike(earlier, answer))
        {
            return self.stuck();
        }
        self.execute(executor, "The answer is above. Continue.", false)
    }

    fn stuck(&self) -> Decision {
        self.failed("no progress: the same message got the same answer twice".into())
    }

    /// Asks the executor for its next message, or the planner for the result of a step without an executor.
    fn execute(&self, executor: &SeatId, told: &str, implicit: bool) -> Decision {
        if !self.step.spec.executor {
            let question = format!(
                "Carry out step {} yourself: {}\nGoal: {}\nReply with the complete result.",
                self.step.spec.number, self.step.spec.description, self.step.spec.goal
            );
            return self.ask(executor, Task::Do, " does it", question.into(), false);
        }
        let exchange = self.step.exchange() + 1;
        let most = self.root.exchanges();
        if exchange > most {
            return self.failed(format!("all {most} exchanges are used; raise policy.exchanges"));
        }
        let last = if exchange == most {
            " This is your last message: finish with TASK COMPLETE or ERROR."
        } else {
            ""
        };
        let told = if told.is_empty() { String::new() } else { format!(" {told}") };
        let question = format!("Exchange {exchange} of {most}.{last}{told}");
        let why = format!(", message {exchange} of at most {most}");
        self.ask(executor, Task::Execute, &why, question.into(), implicit)
    }

    /// Asks the planner.
    fn clarify(&self, why: &str) -> Decision {
        let Some(planner) = self.v.state.planner(self.root) else {
            return self.failed("there is no planner to ask".into());
        };
        let executor = self.step.executor.as_ref().and_then(|id| self.v.state.seat(id));
        let name = executor.map_or("the executor", |s| &*s.spec.name);
        let question = format!(
            "Step {}, exchange {} of {}: {name} {why}",
            self.step.spec.number,
            self.step.exchange(),
            self.root.exchanges()
        );
        self.ask(&planner, Task::Clarify, " answers", question.into(), false)
    }

    /// Accepts a result, or asks the judge about it.
    fn done(&self, turn: TurnId) -> Decision {
        let judge = self.root.spec.options["judge"].as_str().map(SeatId::from);
        let may = |judge: &SeatId| self.v.state.may(Purpose::Judge, judge);
        let judge = judge.filter(|judge| self.step.spec.executor && may(judge));
        let Some(judge) = judge else {
            return self.over(StepState::Completed, Some(turn), String::new());
        };
        let question = format!(
            "Step {} is reported as complete. Goal: {}\nDoes the result above fully meet the goal? If in doubt, the answer is no.",
            self.step.spec.number, self.step.spec.goal
        );
        let next = NextMove::Ask {
            purpose: Purpose::Judge,
            seats: vec![judge],
            why: format!("is step {} done?", self.step.spec.number).into(),
            question: question.into(),
            options: vec![YES.into(), "no".into()],
        };
        Decision { next, memo: Memo { step: Some(Task::Judge), ..self.v.memo() } }
    }

    /// Applies the judge's decision; an unclear or missing answer is not an approval.
    fn judged(&self, executor: &SeatId, reply: &Reply) -> Decision {
        let said = reply.outcome == Outcome::Said;
        let result = self.step.current().rev().find(|m| m.kind == MessageKind::TaskComplete);
        if said && reply.structured["choice"] == YES {
            let turn = result.and_then(|m| m.turn);
            return self.over(StepState::Completed, turn, String::new());
        }
        let why =
            reply.structured["why"].as_str().map(str::trim).filter(|why| said && !why.is_empty());
        let why = why.unwrap_or("no reason was given");
        self.execute(executor, &format!("The result was not accepted: {why}\nContinue."), false)
    }

    /// Fails the step after a turn without a message.
    fn nothing_said(&self, reply: &Reply) -> Decision {
        let seat = self.v.state.seat(&reply.seat);
        let name = seat.map_or(&reply.seat.0, |s| &s.spec.name);
        let why = match (reply.outcome, seat.and_then(|s| s.failed.as_ref())) {
            (Outcome::Passed, _) => format!("{name} passed"),
            (Outcome::Failed, Some(error)) => format!("{name}{CALL_FAILED}{}", error.text),
            (Outcome::Failed | Outcome::Said, _) => format!("{name} failed"),
            (Outcome::Cut, _) => format!("{name} was stopped before it said anything"),
        };
        self.failed(why)
    }

    /// Handles a seat that cannot take the floor: waits if the operator can change that, else fails the step.
    fn cannot(&self, seat: &SeatId) -> Decision {
        let found = self.v.state.seat(seat);
        if found.is_some_and(|s| s.muted && !s.gone) {
            return self.v.wait();
        }
        let name = found.map_or(&seat.0, |s| &s.spec.name);
        if found.is_none_or(|s| s.gone) {
            self.failed(format!("{name} has left"))
        } else {
            self.failed(format!("{name} has reached its own limit"))
        }
    }

    fn ask(
        &self,
        seat: &SeatId,
        task: Task,
        why: &str,
        question: Text,
        implicit: bool,
    ) -> Decision {
        if !self.v.state.may_speak(seat) {
            return self.cannot(seat);
        }
        let go_on = implicit.then_some(true);
        let name = self.v.name(seat);
        let next = NextMove::Ask {
            purpose: Purpose::Speak,
            seats: vec![seat.clone()],
            why: format!("step {}: {name}{why}", self.step.spec.number).into(),
            question,
            options: vec![],
        };
        Decision { next, memo: Memo { step: Some(task), go_on, ..self.v.memo() } }
    }

    fn failed(&self, why: String) -> Decision {
        self.over(StepState::Failed, None, why)
    }

    fn over(&self, is: StepState, turn: Option<TurnId>, why: String) -> Decision {
        let ended = StepEnded {
            step: self.step.spec.number,
            attempt: self.step.attempt,
            is,
            halted: false,
            turn,
            why: (!why.is_empty()).then(|| why.into()),
        };
        let next = NextMove::Record(Box::new(ended.into()));
        Decision { next, memo: self.v.memo() }
    }
}

/// Returns whether two messages have the same kind and text, ignoring case and white space.
fn alike(a: &StepMessage, b: &StepMessage) -> bool {
    let words =
        |m: &StepMessage| m.text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    a.kind == b.kind && words(a) == words(b)
}
