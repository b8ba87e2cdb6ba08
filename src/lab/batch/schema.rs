//! JSON Schema of a result line.

use serde_json::{Value, json};

/// Returns the JSON Schema of a result line.
pub fn schema() -> Value {
    let count = json!({"type": "integer", "minimum": 0});
    let text = json!({"type": "string"});
    let share = json!({"type": "number", "minimum": 0, "maximum": 1});
    let maybe = |kind: &str| json!({"type": [kind, "null"]});
    let turned = json!({
        "type": "array", "items": {
            "type": "object", "required": ["seat", "round", "after"],
            "properties": {
                "seat": text, "round": count,
                "after": {"type": "array", "items": text, "description": "the participant whose answer it adopted, of those it was shown"},
            },
        },
    });
    let answered = json!({
        "type": "object", "required": ["answer", "by", "of", "abstained", "ways"],
        "properties": {
            "answer": maybe("string"),
            "by": {"enum": crate::model::Aggregation::ALL.map(|(name, _)| name)},
            "of": count, "abstained": count,
            "ways": {"type": "array", "description": "the result of each way of counting, from the same replies"},
        },
    });
    let sure = json!({
        "type": "array", "description": "last answers with a stated confidence",
        "items": {
            "type": "object", "required": ["seat", "confidence", "correct"],
            "properties": {"seat": text, "confidence": share, "correct": {"type": "boolean"}},
        },
    });
    let held = json!({
        "type": "object", "description": "answers that were kept or lost from one round to the next",
        "properties": {
            "minority": {"type": "integer", "minimum": 0, "description": "differed from the majority"},
            "adopted": {"type": "integer", "minimum": 0, "description": "of these, became the majority's"},
            "right": count,
            "broken": {"type": "integer", "minimum": 0, "description": "of the right ones, became wrong"},
            "found": {"type": "boolean", "description": "some participant gave the right answer"},
        },
    });
    let judgements = json!({
        "type": "object", "description": "judgements of the verdict",
        "properties": {
            "read": count,
            "unread": {"type": "integer", "minimum": 0, "description": "without a readable winner"},
            "won": {"type": "object", "additionalProperties": count, "description": "by side"},
            "first_side": {"type": "integer", "minimum": 0, "description": "won by the side shown first"},
            "both_ways": {"type": "integer", "minimum": 0, "description": "readable in both orders"},
            "labels_only": {"type": "integer", "minimum": 0, "description": "of these, with labels swapped and speeches in the same order"},
            "swap_flips": {"type": "integer", "minimum": 0, "description": "of these, changed with the order"},
            "pairs": {"type": "integer", "minimum": 0, "description": "pairs of judges in the same verdict"},
            "agreed": count,
        },
    });
    let models = json!({
        "type": "object", "description": "calls by model, retries included",
        "additionalProperties": {"type": "object", "properties": {"calls": count, "unanswered": count}},
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A result line of a colloquium batch",
        "description": "One conversation; the last line of an item and protocol counts.",
        "type": "object",
        "required": [
            "version", "item", "line", "protocol", "fingerprint", "session", "outcome", "calls", "retries", "input",
            "output", "ms", "flips",
        ],
        "properties": {
            "version": {"const": super::VERSION},
            "item": {"type": "string", "description": "the item's id or digest prefix"},
            "line": count,
            "protocol": text,
            "fingerprint": {"type": "string", "description": "digest of prompts, models and judges"},
            "judge": {"type": "string", "description": "digest of the judge alone"},
            "session": {"type": "string", "description": "the session's file, next to the results"},
            "outcome": {"enum": ["ended", "failed"]},
            "reason": text,
            "error": text,
            "key": {"description": "what is right"},
            "answered": answered,
            "correct": {"type": "boolean", "description": "missing if there is no key or no answer"},
            "calls": {"type": "object", "additionalProperties": count, "description": "by purpose; retries of calls without a reply are left out"},
            "retries": count,
            "cut": {"type": "integer", "minimum": 0, "description": "replies that ended at max_tokens"},
            "truncated": {"type": "integer", "minimum": 0, "description": "calls whose prompt left out a part of the conversation"},
            "planned": {"type": "array", "items": count, "description": "minimum and maximum calls by the formula"},
            "input": {"type": "integer", "minimum": 0, "description": "input tokens"},
            "output": {"type": "integer", "minimum": 0, "description": "output tokens"},
            "usd": {"type": "number", "description": "missing if a model has no known price"},
            "ms": count,
            "rounds": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "answers": {"type": "object", "additionalProperties": maybe("string")},
                        "majority": maybe("string"), "correct": {"type": "boolean"}, "agreement": share,
                        "effective": {"type": "number", "description": "effective number of answers"},
                        "novelty": share,
                    },
                },
            },
            "first_correct": {"type": "integer", "minimum": 1},
            "flips": count,
            "rescued": turned,
            "bullied": turned,
            "sure": sure,
            "held": held,
            "judgements": judgements,
            "models": models,
        },
        "additionalProperties": false,
    })
}
