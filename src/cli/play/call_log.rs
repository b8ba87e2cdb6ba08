//! The output of `-v` and of a log file: each call with its model, outcome and usage.

use crate::export::spent;
use crate::model::payload::TurnEnded;
use crate::model::{Event, Kind, Outcome, SeatId, TurnId, Usage};
use crate::state::{Spent, State};
use std::collections::BTreeMap;

/// Reports calls for `-v`; remembers the name of each turn.
pub struct CallLog(BTreeMap<TurnId, String>);

impl CallLog {
    /// Starts from the running turns of a state.
    pub fn from_state(state: &State) -> CallLog {
        let turns = state.turns.values();
        CallLog(turns.map(|turn| (turn.id, label(turn.number, &turn.seat))).collect())
    }

    /// Returns the line for an event; `None` if the event does not concern a call.
    pub fn message(&mut self, event: &Event) -> Option<String> {
        if let Kind::FloorGranted(g) = &event.kind {
            self.0.insert(TurnId(event.seq.0), label(g.number, &g.participant));
        } else if let Kind::CallStarted(c) = &event.kind {
            let prompt = c.parameters.prompt_tokens;
            let prompt = prompt.map(|n| format!(", ~{n} tokens of prompt")).unwrap_or_default();
            return Some(format!(
                "call {} in {}: {}{prompt}",
                event.seq,
                self.turn(c.turn),
                c.model
            ));
        } else if let Kind::CallRetried(r) = &event.kind {
            let about = |usage: &Usage| if usage.estimated { "~" } else { "" };
            let used = r.usage.as_ref().map(|u| format!(", {}{} tokens", about(u), u.tokens()));
            let turn = self.turn(r.turn);
            let used = used.unwrap_or_default();
            let why = &r.error.text;
            return Some(format!(
                "call {} in {turn} failed{used}, retrying in {} ms: {why}",
                r.call, r.wait_ms
            ));
        } else if let Kind::TurnEnded(end) = &event.kind {
            let turn = self.turn(end.turn);
            let end = ended(end);
            return Some(format!("{turn}: {end}"));
        }
        None
    }

    fn turn(&self, turn: TurnId) -> String {
        self.0.get(&turn).cloned().unwrap_or_default()
    }
}

/// Returns the name of a turn, with its number in the transcript. Votes, bids and judgements have none.
fn label(number: Option<u32>, seat: &SeatId) -> String {
    match number {
        Some(number) => format!("turn {number} of {seat}"),
        None => format!("a turn of {seat} without a number"),
    }
}

fn ended(end: &TurnEnded) -> String {
    let outcome = match end.outcome {
        Outcome::Said => "said",
        Outcome::Cut => "cut",
        Outcome::Failed => "failed",
        Outcome::Passed => "passed",
    };
    let mut used = Spent::default();
    if let Some(usage) = &end.usage {
        used.add(usage, end.cost);
    }
    let used = spent(&used).map(|used| format!(", {used}")).unwrap_or_default();
    let why = end.error.as_ref().map(|error| format!(": {}", error.text)).unwrap_or_default();
    let skipped = match end.skipped {
        0 => String::new(),
        n => format!(", {n} unreadable stream events skipped"),
    };
    format!("{outcome} in {} ms{used}{skipped}{why}", end.took_ms)
}
