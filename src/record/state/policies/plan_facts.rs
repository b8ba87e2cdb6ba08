//! A plan and its steps as conditions, templates and rehearsed lines see them.

use crate::model::StepState;
use crate::state::{Conversation, Task, Thread, Turn};
use serde_json::{Value, json};

impl Conversation {
    /// Returns the plan as conditions and templates see it.
    pub(in crate::state) fn plan_facts(&self) -> Value {
        let Some(plan) = self.plan() else {
            return json!({"number": 0, "state": "", "steps": []});
        };
        let states = plan.states();
        let steps = plan.steps.iter().map(|s| {
            let kinds: Vec<&str> = s.messages.iter().map(|m| m.kind.as_str()).collect();
            json!({
                "number": s.spec.number,
                "description": s.spec.description,
                "goal": s.spec.goal,
                "after": s.spec.after,
                "executor": s.executor,
                "state": states.state(s),
                "attempt": s.attempt,
                "exchanges": s.exchange(),
                "messages": kinds,
                "why": s.why,
                "result": self.step_result(s),
            })
        });
        let state = plan.ended.as_ref().map_or(StepState::Running, |ended| ended.is);
        json!({"number": plan.number, "state": state, "steps": steps.collect::<Value>()})
    }

    /// Returns the task of a turn within a plan, as rehearsed lines see it; its number is 0 outside a step.
    pub(in crate::state) fn step_facts(&self, turn: &Turn) -> Value {
        let asks = self.plan_thread(turn.thread).and_then(|_| self.batch_of(turn));
        let task = asks.and_then(|b| b.memo.step);
        let asks = task.map_or("", Task::as_str);
        let Some((plan, step)) = self.step_of(turn.thread) else {
            return json!({"number": 0, "asks": asks});
        };
        let of = self.plan_thread(turn.thread).map_or(0, Thread::exchanges);
        let results = step.spec.after.iter().filter_map(|n| plan.step(*n));
        let results = results
            .map(|s| json!({"number": s.spec.number, "result": self.step_result(s), "why": s.why}));
        let written = u32::from(task == Some(Task::Execute));
        json!({
            "number": step.spec.number,
            "asks": asks,
            "description": step.spec.description,
            "goal": step.spec.goal,
            "exchange": step.exchange() + written,
            "of": of,
            "attempt": step.attempt,
            "results": results.collect::<Value>(),
        })
    }
}
