//! What a participant is shown: rebuilt for every call from the state just before it, never stored.
//!
//! Peers are seen up to the turn's horizon, the operator up to the call. Housekeeping (failures, receipts, commands)
//! is never part of a prompt. It deliberately knows nothing of models: wire formats are made of this in `voice`.

use crate::expr::{Facts, Template};
use crate::model::{Block, Prompt, Text};
use crate::state::{Entry, State, Turn};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Builds the prompt of a turn's running call, or else of its next one.
pub fn build(state: &State, turn: &Turn) -> Prompt {
    let place = state.heard_to(turn);
    Prompt {
        system: system(state, turn).into(),
        brief: state.threads.get(&turn.thread).and_then(|t| t.spec.brief.clone()),
        blocks: state
            .visible(turn)
            .filter_map(|e| Some(block(state, turn, e, e.text_at(place)?.clone())))
            .collect(),
        notes: state.notes_of(turn),
    }
}

fn block(state: &State, turn: &Turn, entry: &Entry, text: Text) -> Block {
    match entry.seat() {
        None => Block::Operator { text, whisper: entry.is_whisper() },
        Some(who) if *who == turn.seat => Block::Own { text },
        Some(who) => Block::Other {
            who: who.clone(),
            name: state.seat(who).map_or_else(|| who.0.clone(), |s| s.spec.name.clone()),
            text,
            cut: entry.version().cut.is_some(),
        },
    }
}

fn system(state: &State, turn: &Turn) -> String {
    let Some(seat) = state.seat(&turn.seat) else { return String::new() };
    let mut system = format!("You are {}", seat.spec.name);
    if let Some(role) = &seat.spec.role {
        let _ = write!(system, " ({role})");
    }
    system.push_str(".\n");
    if let Some(persona) = &seat.spec.persona {
        let _ = writeln!(system, "{}", rendered(persona, state, turn));
    }
    if let Some(topic) = state.scenario.topic.as_ref().or(state.title.as_ref()) {
        let _ = writeln!(system, "The topic: {topic}");
    }
    let others: Vec<&str> = state
        .seats
        .iter()
        .filter(|s| !s.gone && s.spec.id != turn.seat)
        .map(|s| &*s.spec.name)
        .collect();
    if !others.is_empty() {
        let _ = writeln!(system, "At the table with you: {}.", others.join(", "));
    }
    system
}

/// A persona that is no valid template is still a persona.
fn rendered(persona: &str, state: &State, turn: &Turn) -> String {
    if !persona.contains('{') {
        return persona.to_owned();
    }
    let facts = Facts::new(state.turn_facts(turn));
    let template = Template::compile(persona).and_then(|t| t.render(&facts));
    template.unwrap_or_else(|_| persona.to_owned())
}

/// Returns the SHA-256 of a prompt's canonical JSON, in hex: what a rebuilt prompt is held against.
pub fn digest(prompt: &Prompt) -> Text {
    // plain data can always be written, and hashing it in one piece is twice as fast as in its thousands of tokens
    let json = serde_json::to_vec(prompt).unwrap_or_default();
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(&json) {
        let _ = write!(hex, "{byte:02x}");
    }
    hex.into()
}
