//! A plan in a reply: its steps, with tolerance for different key names, and all of its faults.

use super::json::{JsonPlace, found};
use super::number::whole_number;
use super::read::{ReadReply, Unclear};
use crate::model::plan::faults;
use crate::model::{StepSpec, Text};
use serde_json::{Value, json};

/// Message type of a plan.
const PLANNED: &str = "plan";
/// Accepted keys for each part of a step.
const NUMBER: &[&str] = &["number", "step", "id", "n"];
const DESCRIPTION: &[&str] = &["description", "title", "name", "task"];
const GOAL: &[&str] = &["goal", "objective", "outcome"];
const EXECUTOR: &[&str] =
    &["executor", "needs_executor", "executor_needed", "requires_executor", "executor_required"];
const AFTER: &[&str] =
    &["after", "waits_for", "depends_on", "dependencies", "wait_for", "requires"];

/// Parses a plan; `begun` are the steps that stay, `over` the steps that were given up, `most` the maximum number in
/// all.
///
/// # Errors
/// If the plan has faults; the text lists all of them for the participant that retries.
pub(super) fn plan(
    begun: &[u32],
    over: &[u32],
    most: u32,
    said: &str,
    data: &Value,
) -> Result<ReadReply, Unclear> {
    let all: Vec<Value> =
        [data.clone()].into_iter().chain(found(said, JsonPlace::Anywhere).values).collect();
    let whole = all.iter().find(|value| value["steps"].is_array());
    let list = whole.map(|whole| &whole["steps"]).or_else(|| all.iter().find(|v| v.is_array()));
    let Some(list) = list.and_then(Value::as_array) else {
        return Err("it is not a JSON object with a list of steps".into());
    };
    let known: Vec<u32> = begun.iter().chain(over).copied().collect();
    let mut wrong = vec![];
    let mut steps: Vec<StepSpec> = vec![];
    let last = known.iter().max().copied().unwrap_or(0);
    for (value, place) in list.iter().zip(1u32..) {
        match step(value, last.saturating_add(place)) {
            // steps that have begun stay as they are
            Ok(step) if begun.contains(&step.number) => {}
            Ok(step) => steps.push(step),
            Err(why) => wrong.push(why),
        }
    }
    if list.is_empty() && known.is_empty() {
        wrong.push("it has no steps".into());
    }
    wrong.extend(faults(&steps, &known, most));
    if !wrong.is_empty() {
        return Err(wrong.join("; ").into());
    }
    let analysis = whole.and_then(|o| o["analysis"].as_str()).unwrap_or_default().trim();
    let mut lines: Vec<String> = steps.iter().map(line).collect();
    if lines.is_empty() {
        lines.push("Nothing more to do.".into());
    }
    let text = match analysis {
        "" => lines.join("\n"),
        analysis => format!("{analysis}\n\n{}", lines.join("\n")),
    };
    let structured = json!({"analysis": analysis, "steps": steps});
    Ok(ReadReply::typed(PLANNED, text, structured))
}

/// Returns a step as text.
fn line(step: &StepSpec) -> String {
    let after: Vec<String> = step.after.iter().map(u32::to_string).collect();
    let planner = (!step.executor).then(|| "by the planner".to_owned());
    let after = (!after.is_empty()).then(|| format!("after {}", after.join(", ")));
    let notes: Vec<String> = planner.into_iter().chain(after).collect();
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
    format!("{}. {}{notes}\n   Goal: {}", step.number, step.description, step.goal)
}

/// Parses one step; a step without a number is numbered by its position.
fn step(value: &Value, place: u32) -> Result<StepSpec, String> {
    if !value.is_object() {
        return Err(format!("step {place} is not an object"));
    }
    let part = |keys: &[&str]| keys.iter().map(|k| &value[*k]).find(|v| !v.is_null());
    let text = |keys| part(keys).and_then(Value::as_str).unwrap_or_default().trim();
    let numbered = match part(NUMBER) {
        None => Some(place),
        Some(value) => whole_number(value),
    };
    let number = numbered
        .ok_or_else(|| format!("the number of step {place} must be a whole number, 1 or more"))?;
    let goal = text(GOAL);
    let description = match text(DESCRIPTION) {
        "" => goal,
        description => description,
    };
    let mut after = vec![];
    let waits = match part(AFTER) {
        Some(Value::Array(all)) => all.clone(),
        Some(one) => vec![one.clone()],
        None => vec![],
    };
    for other in &waits {
        match whole_number(other) {
            Some(n) if !after.contains(&n) => after.push(n),
            Some(_) => {}
            None if other.as_str().is_some_and(|s| ["", "none"].contains(&&*s.to_lowercase())) => {}
            None => return Err(format!("step {number} waits for {other}, which is not a number")),
        }
    }
    let executor = part(EXECUTOR).is_none_or(|v| match v {
        Value::Bool(needed) => *needed,
        Value::String(word) => !["no", "false", "none", ""].contains(&&*word.trim().to_lowercase()),
        _ => true,
    });
    let text = |words: &str| Text::from(words);
    Ok(StepSpec { number, description: text(description), goal: text(goal), executor, after })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(said: &str) -> Result<Value, Unclear> {
        plan(&[], &[], 12, said, &Value::Null).map(|f| f.structured["steps"].clone())
    }

    #[test]
    fn a_plan_is_read_however_its_keys_are_spelled() {
        let said = r#"Here is my plan:
```json
{"analysis": "Two parts.", "steps": [
  {"step": "1", "title": "Look", "objective": "It is found.", "depends_on": []},
  {"description": "Tell", "goal": "It is told.", "needs_executor": "no", "waits_for": "step 1"}]}
```"#;
        let expected = json!([
            {"number": 1, "description": "Look", "goal": "It is found.", "executor": true},
            {"number": 2, "description": "Tell", "goal": "It is told.", "executor": false, "after": [1]},
        ]);
        assert_eq!(read(said), Ok(expected));
        let formed = plan(&[], &[], 12, said, &Value::Null).unwrap();
        assert_eq!(formed.message.as_deref(), Some("plan"));
        assert_eq!(
            formed.text.as_deref(),
            Some(
                "Two parts.\n\n1. Look\n   Goal: It is found.\n2. Tell (by the planner; after 1)\n   Goal: It is told."
            )
        );
    }

    #[test]
    fn all_faults_come_in_one() {
        for (said, why) in [
            ("I would look first.", "not a JSON object with a list of steps"),
            (r#"{"steps": []}"#, "it has no steps"),
            (r#"{"steps": [7]}"#, "step 1 is not an object"),
            (
                r#"{"steps": [{"number": 1, "goal": ""}, {"number": 1, "goal": "x", "after": [5]}]}"#,
                "step 1 has no goal; several steps have the number 1; step 1 waits for step 5, which does not exist",
            ),
            (r#"{"steps": [{"number": 0, "goal": "x"}]}"#, "must be a whole number, 1 or more"),
        ] {
            let found = read(said).unwrap_err();
            assert!(found.to_string().contains(why), "{said}: {found}");
        }
    }

    #[test]
    fn replanning_keeps_started_steps_and_assigns_none_twice() {
        let again = |said: &str| plan(&[1], &[2], 12, said, &Value::Null);
        let kept = again(
            r#"{"steps": [{"number": 1, "goal": "x"}, {"number": 3, "goal": "y", "after": [1, 2]}]}"#,
        );
        assert_eq!(kept.unwrap().structured["steps"][0]["number"], 3);
        assert_eq!(again(r#"{"steps": []}"#).unwrap().structured["steps"], json!([]));
        let twice = again(r#"{"steps": [{"number": 2, "goal": "x"}]}"#).unwrap_err();
        assert!(twice.to_string().contains("step 2 already exists"), "{twice}");
    }

    #[test]
    fn a_step_may_say_that_it_waits_for_nothing() {
        for nothing in ["\"none\"", "\"None\"", "\"\"", "[\"none\"]"] {
            let said = format!("{{\"steps\": [{{\"goal\": \"Look\", \"after\": {nothing}}}]}}");
            assert_eq!(read(&said).unwrap()[0]["goal"], "Look", "{nothing}");
        }
        let said = "{\"steps\": [{\"goal\": \"Look\", \"after\": \"lunch\"}]}";
        assert_eq!(
            read(said).unwrap_err(),
            "step 1 waits for \"lunch\", which is not a number".into()
        );
    }
}
