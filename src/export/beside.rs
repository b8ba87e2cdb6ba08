//! Two conversations side by side from the place where they diverge: their narration of the same utterance, in one row.
//!
//! It only pairs the narrator's items; the caller draws or writes the two columns.

use super::{Narrated, Narrator, Spelling};
use crate::analysis::divergence;
use crate::model::{Event, Seq};
use crate::state::State;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The differences between two conversations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// The last utterance that both share.
    pub shared: Option<u32>,
    /// In order: an utterance and what happened after it, on either side.
    pub rows: Vec<ComparedTurn>,
}

/// One utterance, on both sides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComparedTurn {
    /// The utterance's number; 0 for what happened before the first.
    pub number: u32,
    /// The narration of the first conversation.
    pub a: Vec<Narrated>,
    /// The narration of the second conversation.
    pub b: Vec<Narrated>,
}

impl Beside {
    /// Returns two conversations side by side; what was hidden in the end is left out. Of a shared utterance that one of
    /// them changed later, the other one shows its own words.
    pub fn of<'a, 'b>(
        a: impl Iterator<Item = &'a Event> + Clone,
        b: impl Iterator<Item = &'b Event> + Clone,
    ) -> Beside {
        let from = divergence(a.clone(), b.clone());
        let before = State::fold(a.clone().take_while(|e| e.seq < from));
        let shared = before.entries.iter().filter_map(|e| e.number).max();
        let mut rows: BTreeMap<u32, ComparedTurn> = BTreeMap::new();
        let (apart, words_of_a) = tells(a, from, shared);
        for (number, told) in apart {
            rows.entry(number).or_default().a.push(told);
        }
        let (apart, words_of_b) = tells(b, from, shared);
        for (number, told) in apart {
            rows.entry(number).or_default().b.push(told);
        }
        for (number, row) in &mut rows {
            row.number = *number;
            let own = |told: &Narrated| number_of(told) == Some(*number);
            let changed = [&row.a, &row.b].map(|side| side.iter().any(own));
            match changed {
                [false, true] => row.a.splice(0..0, words_of_a.get(number).cloned()).for_each(drop),
                [true, false] => row.b.splice(0..0, words_of_b.get(number).cloned()).for_each(drop),
                [true, true] | [false, false] => {}
            }
        }
        Beside { shared, rows: rows.into_values().collect() }
    }

    /// Returns from where on they stand side by side, in a sentence.
    pub fn parted(&self) -> String {
        match self.shared {
            Some(number) => format!("they diverge after turn {number}"),
            None => "the sessions have no turns in common".into(),
        }
    }

    /// Spells it from first to last: of each utterance the first one's words, then the second one's, or once what both say.
    pub fn told(&self, spell: Spelling) -> String {
        let side = |side: &str, told: &Narrated| match told {
            Narrated::Words { place, who, body } => {
                let (place, who, body) = (format!("{side} {place}"), who.clone(), body.clone());
                spell(&Narrated::Words { place, who, body })
            }
            Narrated::Note(note) => spell(&Narrated::Note(format!("{side}: {note}"))),
            Narrated::Opening { .. } => spell(told),
        };
        let row = |row: &ComparedTurn| -> String {
            if row.a == row.b {
                return row.a.iter().map(|told| side("A B", told)).collect();
            }
            let a = row.a.iter().map(|told| side("A", told));
            a.chain(row.b.iter().map(|told| side("B", told))).collect()
        };
        self.rows.iter().map(row).collect()
    }

    /// Returns the comparison as JSON.
    pub fn json(&self) -> Value {
        let told = |told: &Narrated| match told {
            Narrated::Words { place, who, body } => {
                json!({"place": place, "who": who, "text": body})
            }
            Narrated::Note(note) => json!({ "note": note }),
            Narrated::Opening { title, .. } => json!({ "title": title }),
        };
        let side = |all: &[Narrated]| all.iter().map(told).collect::<Vec<Value>>();
        let row =
            |r: &ComparedTurn| json!({"utterance": r.number, "a": side(&r.a), "b": side(&r.b)});
        let rows: Vec<Value> = self.rows.iter().map(row).collect();
        json!({"shared_utterances": self.shared.unwrap_or(0), "rows": rows})
    }
}

/// Returns the narration of a conversation from a place on, each part with its utterance, and the words of the utterances
/// before.
fn tells<'a>(
    events: impl Iterator<Item = &'a Event> + Clone,
    from: Seq,
    shared: Option<u32>,
) -> (Vec<(u32, Narrated)>, BTreeMap<u32, Narrated>) {
    let (mut all, mut before) = (Vec::new(), BTreeMap::new());
    let whole = State::fold(events.clone());
    let [mut early, mut late] = [(); 2].map(|()| Narrator::leaving_out(&whole));
    let (mut state, mut at) = (State::default(), shared.unwrap_or(0));
    for event in events.clone() {
        state.apply(event);
        if event.seq < from {
            for told in early.narrate(&state, event) {
                if let Some(number) = number_of(&told) {
                    before.insert(number, told);
                }
            }
            continue;
        }
        for told in late.narrate(&state, event) {
            at = number_of(&told).unwrap_or(at);
            all.push((at, told));
        }
    }
    (all, before)
}

/// Returns the number of the utterance whose words these are.
fn number_of(told: &Narrated) -> Option<u32> {
    match told {
        Narrated::Words { place, .. } => place.parse().ok(),
        Narrated::Note(_) | Narrated::Opening { .. } => None,
    }
}
