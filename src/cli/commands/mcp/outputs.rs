//! Schemas of the tools' results.

use serde_json::{Map, Value, json};

/// Returns the schema of an object with these properties.
fn object(required: Value) -> Value {
    let names: Value = required.as_object().into_iter().flat_map(Map::keys).cloned().collect();
    json!({"type": "object", "properties": required, "required": names})
}

/// Returns the schema of an object with one more property, which may be missing.
fn with(mut object: Value, key: &str, optional: Value) -> Value {
    object["properties"][key] = optional;
    object
}

fn list(items: Value, description: &str) -> Value {
    json!({"type": "array", "items": items, "description": description})
}

fn typed(kind: &str, description: &str) -> Value {
    json!({"type": kind, "description": description})
}

fn nullable(kind: &str, description: &str) -> Value {
    // some clients know no lists of types
    json!({"anyOf": [{"type": kind}, {"type": "null"}], "description": description})
}

fn text(description: &str) -> Value {
    typed("string", description)
}

fn session_id() -> Value {
    text("id of the session")
}

fn whole(description: &str) -> Value {
    json!({"type": "integer", "minimum": 0, "description": description})
}

pub fn scenarios() -> Value {
    let kind = json!({"enum": ["panel", "scenario", "protocol", "own"]});
    let row =
        object(json!({"name": text("for `scenario` of `convene` and `start`"), "kind": kind}));
    let row = with(row, "about", nullable("string", "summary"));
    object(json!({"scenarios": list(row, "scenarios and panels")}))
}

/// The result of a conversation, which is partial until its end.
pub fn conversation() -> Value {
    let seat = object(json!({
        "id": text("id"),
        "name": text("name that the others see"),
        "voice": text("model or other source of its words"),
        "turns": whole("turns so far"),
        "speaking": typed("boolean", "true while it speaks"),
        "failed": nullable("string", "reason of its failure"),
    }));
    object(json!({
        "session": session_id(),
        "state": {"enum": ["running", "stopped", "ended"]},
        "complete": typed("boolean", "true if the conversation has ended"),
        "reason": nullable("string", "reason of the end"),
        "losses": list(json!({"type": "string"}), "participants, steps or results that are missing"),
        "cause": nullable("string", "details of the reason"),
        "title": text("title"),
        "answer": nullable("string", "verdict, or the last contribution"),
        "dissent": nullable("string", "opinion of those who disagree"),
        "verdict": nullable("string", "how the verdict came about"),
        "turns": whole("turns of all participants"),
        "failed_turns": whole("turns that failed"),
        "rehearsed": typed("boolean", "true if no model was called"),
        "tokens": nullable("integer", "tokens used, if known"),
        "usd": nullable("number", "dollars, if known"),
        "seats": list(seat, "participants"),
        "transcript_end": text("the end of the transcript"),
    }))
}

pub fn started() -> Value {
    let seat = object(json!({
        "id": text("id"),
        "name": text("name"),
        "caller": typed("boolean", "you speak for it, with `say`"),
    }));
    let cast = list(seat, "participants");
    object(json!({"session": session_id(), "state": {"const": "running"}, "cast": cast}))
}

pub fn tail() -> Value {
    object(json!({
        "session": session_id(),
        "lines": list(json!({"type": "string"}), "messages after the cursor"),
        "next": whole("cursor for the next call"),
        "ended": typed("boolean", "true if the conversation has ended"),
    }))
}

/// The result of a command.
pub fn taken() -> Value {
    let taken = typed("boolean", "true if the command was accepted");
    let taken = object(json!({"session": session_id(), "taken": taken}));
    with(taken, "is", text("receipt of a conversation that another program runs"))
}

pub fn status() -> Value {
    let title = || text("title");
    let running =
        json!({"session": session_id(), "title": title(), "turns": whole("turns so far")});
    let other = json!({"session": session_id(), "title": title(), "state": text("state")});
    object(json!({
        "running": list(object(running), "conversations of this server"),
        "others": list(object(other), "conversations that other programs run"),
        "usd_left": typed("number", "dollars left in the budget"),
    }))
}

/// A page of a transcript.
pub fn page() -> Value {
    object(json!({
        "session": session_id(),
        "text": text("the page"),
        "characters": whole("length of the transcript"),
        "next": nullable("integer", "first character of the next page"),
    }))
}

pub fn hits() -> Value {
    let hit = object(json!({
        "session": session_id(),
        "who": nullable("string", "speaker"),
        "turn": nullable("integer", "number of the turn"),
        "excerpt": text("the words, with those around them"),
    }));
    object(json!({
        "hits": list(hit, "places"),
        "found": whole("number of places"),
        "more": typed("boolean", "true if there are more"),
    }))
}

pub fn figures() -> Value {
    let table = object(json!({
        "title": text("title"),
        "counts": text("what is counted"),
        "rows": list(json!({"type": "object"}), "rows"),
    }));
    let figures = json!({"type": "object", "additionalProperties": table});
    object(json!({"session": session_id(), "figures": figures}))
}
