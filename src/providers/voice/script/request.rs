//! Input of a script: one JSON object, built from the prompt and the facts of its call.

use crate::model::{Block, Prompt};
use crate::voice::CallRequest;
use serde_json::{Map, Value, json};

/// Name of the operator in `history`.
const OPERATOR: &str = "operator";
/// Name of a summary of earlier messages in `history`.
const SUMMARY: &str = "summary";

/// Returns the request written to standard input.
pub(in crate::voice) fn request(ask: &CallRequest) -> Value {
    let seat = &ask.seat;
    let history: Vec<Value> = ask.prompt.blocks.iter().map(|b| said(ask, b)).collect();
    // the facts have the role of this round
    let role = ask.facts.get("me").map_or_else(|| json!(seat.role), |me| me["role"].clone());
    let own = json!({
        "participant": {
            "id": seat.id, "name": seat.name, "aliases": seat.aliases, "role": role,
        },
        "purpose": ask.purpose,
        "number": ask.number,
        "attempt": ask.attempt,
        "prompt": rendered(&ask.prompt, &history),
        "system": ask.prompt.system,
        "brief": ask.prompt.brief,
        "sections": ask.prompt.sections,
        "known": ask.prompt.known.as_ref().map(|known| &known.text),
        "notes": ask.prompt.notes,
        "task": ask.prompt.task,
        "rejected": ask.prompt.rejected,
        "history": history,
        // scripts do not take parameters
        "parameters": null,
    });
    let mut all = Map::new();
    all.extend(own.as_object().cloned().unwrap_or_default());
    // facts come second, so that none can override the engine's own keys
    for (key, fact) in ask.facts.as_object().into_iter().flatten() {
        all.entry(key.as_str()).or_insert_with(|| fact.clone());
    }
    for key in ["topic", "context", "limits"] {
        all.entry(key).or_insert(Value::Null);
    }
    Value::Object(all)
}

/// Returns one message of the history, with its speaker.
fn said(ask: &CallRequest, block: &Block) -> Value {
    match block {
        Block::Own { text, cut } => {
            let mut own = json!({"who": ask.seat.id, "name": ask.seat.name, "text": text});
            if *cut {
                own["cut"] = true.into();
            }
            own
        }
        Block::Other { who, name, number, phase, text, cut, whisper } => {
            let who = ask.labels.get(who).unwrap_or(&who.0);
            let mut other = json!({"who": who, "name": name, "text": text, "cut": cut});
            if *whisper {
                other["whisper"] = true.into();
            }
            if let Some(number) = number {
                other["number"] = (*number).into();
            }
            if let Some(phase) = phase {
                other["phase"] = (*phase.name).into();
            }
            other
        }
        Block::Summary { text } => json!({"who": SUMMARY, "name": SUMMARY, "text": text}),
        Block::Operator { text, whisper, material, .. } => {
            let mut said =
                json!({"who": OPERATOR, "name": OPERATOR, "text": text, "whisper": whisper});
            if let Some(material) = material {
                said["material"] = (**material).into();
            }
            said
        }
    }
}

/// Returns the whole prompt as plain text, for scripts that forward it unchanged.
fn rendered(prompt: &Prompt, history: &[Value]) -> String {
    let mut parts: Vec<String> = vec![prompt.system.to_string()];
    parts.extend(prompt.sections.iter().map(|section| section.to_string()));
    parts.extend(prompt.brief.iter().map(|brief| brief.to_string()));
    parts.extend(prompt.known.iter().map(|known| known.text.to_string()));
    parts.extend(history.iter().map(|said| {
        let part = |key: &str| said[key].as_str().unwrap_or_default();
        format!("{}: {}", part("name"), part("text"))
    }));
    parts.extend(prompt.notes.iter().map(|note| format!("Note: {note}")));
    parts.extend(prompt.task.iter().map(|task| task.to_string()));
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}
