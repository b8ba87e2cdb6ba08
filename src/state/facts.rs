//! The state as conditions see it: names and values, nothing of how they are kept.

use super::{Entry, Run, State, Turn, Who};
use crate::model::*;
use serde_json::{Value, json};

impl State {
    /// Returns the facts that conditions of stops and steering lines see.
    pub fn facts(&self) -> Value {
        let waiting = self.turns.values().find(|t| self.waits_for_human(t));
        let history: Vec<Value> = self.entries.iter().map(entry).collect();
        json!({
            "turn_count": self.utterances,
            "utterances": self.entries.iter().filter(|e| e.number.is_some()).map(entry).collect::<Vec<_>>(),
            "history": history,
            "context": self.context,
            "profile": {},
            "seats": self.seat_facts(),
            "round": self.leaves().map(|t| t.round).max().unwrap_or(0),
            "paused": self.run == Run::Paused,
            "pausing": self.run == Run::Pausing,
            "waiting": waiting.map(|t| t.seat.clone()),
            "speaking": self.calls().filter(|t| t.speaks()).map(|t| t.seat.clone()).collect::<Vec<_>>(),
            "at_limit": self.limit.as_ref().map(|l| l.what.key()),
            "ended": self.ended.as_ref().map(|e| json!({"reason": e.reason, "settled": e.settled})),
            "title": self.title,
            "topic": self.scenario.topic,
        })
    }

    fn seat_facts(&self) -> Vec<Value> {
        let present = self.seats.iter().filter(|s| !s.gone);
        present
            .map(|s| {
                json!({"id": s.spec.id, "name": s.spec.name, "role": s.spec.role, "muted": s.muted,
                       "utterances": s.utterances})
            })
            .collect()
    }

    /// Returns the facts that a voice is told with a call: no history, which is the prompt's.
    pub fn turn_facts(&self, turn: &Turn) -> Value {
        let heard = self.unanswered(turn);
        let said: Vec<&str> = heard.iter().map(|e| &**e.text()).collect();
        let own = Who::Seat(turn.seat.clone());
        let peers = |e: &&Entry| e.who != own && e.who != Who::Operator;
        let last = self.visible(turn).rev().find(peers);
        let me = self.seat(&turn.seat).map(|s| &s.spec);
        let name = |id: &SeatId| self.seat(id).map_or(id.0.clone(), |s| s.spec.name.clone());
        let notes = self.notes_of(turn);
        json!({
            "topic": self.scenario.topic.as_ref().or(self.title.as_ref()),
            "number": turn.number,
            "round": self.threads.get(&turn.thread).map(|t| t.round),
            "me": me.map(|p| json!({"id": p.id, "name": p.name, "role": p.role})),
            "seats": self.seat_facts(),
            "operator": {
                "said": said.join(" "),
                "whisper": heard.iter().any(|e| e.is_whisper()),
            },
            "last": last.map(|e| json!({
                "who": e.seat(), "name": e.seat().map(name), "text": e.text(),
            })).unwrap_or_else(|| json!({"who": "", "name": "", "text": ""})),
            "context": self.context,
            "notes": notes,
            "limits": self.limits,
            "turn_count": self.utterances,
        })
    }

    /// Returns the texts of the notes that a turn's next call carries.
    pub fn notes_of(&self, turn: &Turn) -> Vec<Text> {
        let heard = self.heard_to(turn);
        let alive = |n: &&super::Note| {
            turn.notes.contains(&n.id) && n.lifted.is_none_or(|lifted| lifted >= heard)
        };
        self.notes.iter().filter(alive).map(|n| n.text.clone()).collect()
    }
}

fn entry(e: &Entry) -> Value {
    json!({
        "number": e.number,
        "participant": e.seat().map_or("operator", |s| &**s),
        "text": e.text(),
        "outcome": if e.version().cut.is_some() { "cut" } else { "said" },
        "hidden": e.hidden.is_some(),
    })
}
