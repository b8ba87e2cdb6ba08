//! Vocabulary of plans: steps, message types, and events.

use super::ids::{SeatId, Text, TurnId};
use super::participant::Participant;
use super::sentence::sentence_error;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

sentence_error! {
    /// Invalid key of a step, with its accepted values.
    pub struct StepFault;
}

/// One step of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StepSpec {
    /// Step number, from 1; it never changes.
    pub number: u32,
    /// Description, on one line.
    pub description: Text,
    /// Goal: true once the step is done.
    pub goal: Text,
    /// True if an executor does the step; otherwise the planner does.
    #[serde(default = "yes")]
    pub executor: bool,
    /// Steps that must be completed first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<u32>,
}

fn yes() -> bool {
    true
}

/// The keys of a step that the operator can set.
const SETTABLE: [&str; 4] = ["description", "goal", "executor", "after"];

/// Schema of the keys of a step that the operator can set.
pub(super) fn settable(generator: &mut SchemaGenerator) -> Schema {
    let step = StepSpec::json_schema(generator).to_value();
    let mut properties = Map::new();
    for key in SETTABLE {
        properties.insert(key.into(), step["properties"][key].clone());
    }
    let one_or_many = json!({"anyOf": [{"type": "integer", "minimum": 1}, properties["after"]]});
    properties["after"] = one_or_many;
    json_schema!({"type": "object", "properties": properties, "additionalProperties": false})
}

impl StepSpec {
    /// Returns an empty step with a number.
    pub fn numbered(number: u32) -> StepSpec {
        StepSpec { number, description: "".into(), goal: "".into(), executor: true, after: vec![] }
    }

    /// Returns the step with some keys set; without a description, its goal becomes the description.
    ///
    /// # Errors
    /// The invalid key, and its accepted values.
    pub fn with(&self, set: &Map<String, Value>) -> Result<StepSpec, StepFault> {
        if let Some(key) = set.keys().find(|key| !SETTABLE.contains(&key.as_str())) {
            return Err(format!("a step has no `{key}`; it takes {}", SETTABLE.join(", ")).into());
        }
        if set.is_empty() {
            return Err(format!("`set` is empty; it takes {}", SETTABLE.join(", ")).into());
        }
        let mut step = serde_json::to_value(self).map_err(|e| e.to_string())?;
        for (key, value) in set {
            step[key.as_str()] = match (key.as_str(), value) {
                // a single number is a list of one
                ("after", Value::Number(_)) => Value::Array(vec![value.clone()]),
                _ => value.clone(),
            };
        }
        let mut step: StepSpec = serde_json::from_value(step).map_err(|e| {
            format!("{e}; description and goal take text, executor true or false, after a list of numbers")
        })?;
        if step.description.trim().is_empty() {
            step.description = step.goal.clone();
        }
        Ok(step)
    }
}

crate::words! {
    /// State of a step or a plan.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum StepState {
        /// Not begun.
        #[default]
        Waiting = "waiting",
        /// In progress.
        Running = "running",
        /// Done.
        Completed = "completed",
        /// Failed, with a reason.
        Failed = "failed",
        /// Cancelled by the operator.
        Cancelled = "cancelled",
        /// Waiting for a step that failed. It follows from the other steps and is never written to a session.
        Blocked = "blocked",
    }
    /// Returns its name in the log and on the screen.
    fn as_str()
}

impl StepState {
    /// Returns whether it has ended.
    pub fn is_over(self) -> bool {
        matches!(self, StepState::Completed | StepState::Failed | StepState::Cancelled)
    }
}

crate::words! {
    /// Type of a message between a planner and an executor.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum MessageKind {
        /// The planner's assignment.
        TaskAssignment = "task_assignment",
        /// An executor's question; it waits for the answer.
        Question = "question",
        /// The planner's answer, or its permission to continue.
        Clarification = "clarification",
        /// An executor's progress report.
        ProgressUpdate = "progress_update",
        /// An executor's partial result.
        PartialResult = "partial_result",
        /// The result; the step is completed.
        TaskComplete = "task_complete",
        /// The step failed.
        Error = "error",
        /// An executor's message to another executor.
        SiblingMessage = "sibling_message",
    }
    /// Returns its name in the log.
    fn as_str()
}

/// Characters allowed around the heading of the results.
const DRESS: &[char] = &['*', '_', '`', '#', '"', '>', ' ', '\t'];
/// Heading of the results of a step.
const RESULTS: &str = "results";

impl MessageKind {
    /// Returns its name on the screen.
    pub fn label(self) -> &'static str {
        match self {
            MessageKind::TaskAssignment => "assignment",
            MessageKind::Question => "question",
            MessageKind::Clarification => "answer",
            MessageKind::ProgressUpdate => "progress",
            MessageKind::PartialResult => "partial result",
            MessageKind::TaskComplete => "done",
            MessageKind::Error => "error",
            MessageKind::SiblingMessage => "message",
        }
    }

    /// Returns the type with a name.
    pub fn by_name(name: &str) -> Option<MessageKind> {
        let name = name.trim().to_lowercase().replace([' ', '-'], "_");
        MessageKind::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Returns the label that begins a message of this type in the log; `None` if it has none.
    pub fn log_label(self) -> Option<&'static str> {
        match self {
            MessageKind::TaskComplete => Some("TASK COMPLETE"),
            MessageKind::Question => Some("QUESTION"),
            MessageKind::ProgressUpdate => Some("PROGRESS"),
            MessageKind::Error => Some("ERROR"),
            MessageKind::TaskAssignment
            | MessageKind::Clarification
            | MessageKind::PartialResult
            | MessageKind::SiblingMessage => None,
        }
    }

    /// Returns the text of a message of this type in the log, without its label.
    pub fn without_label(self, text: &str) -> &str {
        let text = text.trim();
        let rest = self.log_label().and_then(|label| text.strip_prefix(label));
        rest.map_or(text, |rest| rest.strip_prefix(':').unwrap_or(rest).trim())
    }
}

/// Returns the results in the text of a completed step: everything after a line `Results:`, or after its label.
pub fn results_in(words: &str) -> &str {
    summary_and_results(words).1
}

/// Splits the text of a completed step into summary and results; without a line `Results:`, everything after the label
/// is the results.
pub fn summary_and_results(words: &str) -> (&str, &str) {
    let behind = MessageKind::TaskComplete.without_label(words);
    let mut from = 0;
    for line in behind.split_inclusive('\n') {
        let bare = line.trim_start_matches(DRESS);
        let head = bare.get(..RESULTS.len()).filter(|head| head.eq_ignore_ascii_case(RESULTS));
        let rest = head.map(|_| bare[RESULTS.len()..].trim_start_matches(['*', '_', '`', ' ']));
        if let Some(rest) = rest.and_then(|rest| rest.strip_prefix(':')) {
            let at = from + line.len() - rest.len();
            let found = behind[at..].trim_start_matches(['*', '_', '`', ' ', '\t']).trim();
            if !found.is_empty() {
                return (behind[..from].trim(), found);
            }
        }
        from += line.len();
    }
    ("", behind)
}

/// Maximum number of reported missing steps per step.
const MISSING_MAX: usize = 4;

/// Returns all faults of a plan's steps. They may also depend on `known` steps, whose numbers are taken; `most` is the
/// maximum number of steps in all.
pub fn faults(steps: &[StepSpec], known: &[u32], most: u32) -> Vec<String> {
    let mut faults = vec![];
    if steps.len() + known.len() > most as usize {
        let n = steps.len() + known.len();
        faults.push(format!(
            "there are {n} steps in all, but at most {most} are allowed (policy.steps)"
        ));
    }
    for (at, step) in steps.iter().enumerate() {
        let n = step.number;
        let before = steps[..at].iter().filter(|other| other.number == n).count();
        if before == 1 {
            faults.push(format!("several steps have the number {n}"));
        } else if before == 0 && known.contains(&n) {
            faults.push(format!("step {n} already exists; a new step needs a new number"));
        }
        if step.goal.trim().is_empty() {
            faults.push(format!("step {n} has no goal"));
        }
        if step.after.contains(&n) {
            faults.push(format!("step {n} waits for itself"));
        }
        let there = |other: &u32| known.contains(other) || steps.iter().any(|s| s.number == *other);
        let missing: Vec<u32> =
            step.after.iter().copied().filter(|o| *o != n && !there(o)).collect();
        let named: Vec<String> = missing.iter().take(MISSING_MAX).map(u32::to_string).collect();
        let more = missing.len().saturating_sub(MISSING_MAX);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        match &named[..] {
            [] => {}
            [one] => faults.push(format!("step {n} waits for step {one}, which does not exist")),
            all => faults.push(format!(
                "step {n} waits for steps {}{more}, which do not exist",
                all.join(", ")
            )),
        }
    }
    faults.extend(cycle(steps).map(|path| {
        let path: Vec<String> = path.iter().map(u32::to_string).collect();
        format!("steps wait for each other in a cycle: {}", path.join(" waits for "))
    }));
    faults
}

/// Returns the first dependency cycle as step numbers, with the first one repeated at its end.
fn cycle(steps: &[StepSpec]) -> Option<Vec<u32>> {
    let after = |n: u32| {
        let step = steps.iter().find(|s| s.number == n);
        step.map_or(&[][..], |s| &s.after).iter().copied().filter(move |other| *other != n)
    };
    for start in steps.iter().map(|s| s.number) {
        let mut paths = vec![vec![start]];
        let mut seen = vec![];
        while let Some(path) = paths.pop() {
            let here = path.last().copied().unwrap_or(start);
            for next in after(here) {
                let longer: Vec<u32> = path.iter().copied().chain([next]).collect();
                if next == start {
                    return Some(longer);
                }
                if !seen.contains(&next) {
                    seen.push(next);
                    paths.push(longer);
                }
            }
        }
    }
    None
}

/// `plan.made`: the planner makes a plan, or replaces it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanMade {
    /// Number of the plan in the conversation, from 1; a replacement keeps it.
    pub plan: u32,
    /// The planner's turn.
    pub turn: TurnId,
    /// The reason for the replacement; absent for the first plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Text>,
    /// Every step, in order; begun steps first.
    pub steps: Vec<StepSpec>,
}

/// `step.ended`: a step is over.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StepEnded {
    /// Step number.
    pub step: u32,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// Completed, failed or cancelled.
    pub is: StepState,
    /// True if the end of the conversation stopped it; a resume continues it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub halted: bool,
    /// The turn with its result.
    pub turn: Option<TurnId>,
    /// The reason, unless it is completed.
    pub why: Option<Text>,
}

/// `plan.ended`: every step is over and the answer is given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanEnded {
    /// Number of the plan, from 1.
    pub plan: u32,
    /// Completed; failed: no step was completed, or no answer given; cancelled: the conversation ended first.
    pub is: StepState,
    /// The planner's turn with the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
}

/// `seat.joined`: a participant joins, created by the engine for a step of a plan or added by the operator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeatJoined {
    /// The resolved participant; `made_from` is its template.
    pub participant: Participant,
}

/// `seat.left`: a participant leaves; its messages stay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeatLeft {
    /// The participant.
    pub id: SeatId,
    /// The reason, as text.
    pub why: Text,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_shown_without_its_label() {
        for (kind, text, expected) in [
            (MessageKind::Question, "QUESTION: Which one?", "Which one?"),
            (MessageKind::TaskComplete, "TASK COMPLETE", ""),
            (MessageKind::Error, "Errors: none", "Errors: none"),
            (MessageKind::PartialResult, "QUESTION: is that all?", "QUESTION: is that all?"),
        ] {
            assert_eq!(kind.without_label(text), expected, "{text}");
        }
    }

    #[test]
    fn results_stand_behind_their_line() {
        for (words, results) in [
            ("TASK COMPLETE: done\nResults:\n- a\n- b", "- a\n- b"),
            ("TASK COMPLETE\n**Results:** 7", "7"),
            ("TASK COMPLETE: seven", "seven"),
            ("TASK COMPLETE: no results: yet", "no results: yet"),
            ("seven", "seven"),
            ("TASK COMPLETE: x\nResults:", "x\nResults:"),
        ] {
            assert_eq!(results_in(words), results, "{words}");
        }
    }

    fn step(number: u32, goal: &str, after: &[u32]) -> StepSpec {
        let description = "d".into();
        let goal = goal.into();
        StepSpec { number, description, goal, executor: true, after: after.to_vec() }
    }

    #[test]
    fn every_fault_of_a_plan_is_named_at_once() {
        let steps = [
            step(1, "g", &[3]),
            step(2, " ", &[2, 9]),
            step(8, "g", &[11, 12, 13, 14, 15, 16]),
            step(3, "g", &[4]),
            step(4, "g", &[1]),
            step(4, "g", &[]),
            step(7, "g", &[]),
        ];
        assert_eq!(
            faults(&steps, &[7], 6),
            [
                "there are 8 steps in all, but at most 6 are allowed (policy.steps)",
                "step 2 has no goal",
                "step 2 waits for itself",
                "step 2 waits for step 9, which does not exist",
                "step 8 waits for steps 11, 12, 13, 14 and 2 more, which do not exist",
                "several steps have the number 4",
                "step 7 already exists; a new step needs a new number",
                "steps wait for each other in a cycle: 1 waits for 3 waits for 4 waits for 1",
            ]
        );
        let same = [step(1, "g", &[]), step(1, "g", &[]), step(1, "g", &[])];
        assert_eq!(faults(&same, &[], 6), ["several steps have the number 1"]);
        let fine = [step(1, "g", &[]), step(2, "g", &[1]), step(3, "g", &[1, 2, 8])];
        assert_eq!(faults(&fine, &[8], 12), Vec::<String>::new());
    }
}
