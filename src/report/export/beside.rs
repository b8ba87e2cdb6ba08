//! Two conversations side by side from the point where they diverge: one row per utterance with the narration of both.
//!
//! Only pairs the narrator's items; the caller draws or writes the two columns.

use super::{Narrated, Narrator, Spelling};
use crate::logged::Logged;
use crate::model::Seq;
use crate::state::State;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// Comparison of two conversations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// Number of the last utterance that both share.
    pub shared: Option<u32>,
    /// Rows in order: an utterance and the events after it, on both sides.
    pub rows: Vec<ComparedTurn>,
}

/// One utterance, on both sides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComparedTurn {
    /// Number of the utterance; 0 for the events before the first.
    pub number: u32,
    /// Narration of the first conversation.
    pub a: Vec<Narrated>,
    /// Narration of the second conversation.
    pub b: Vec<Narrated>,
}

impl Beside {
    /// Compares two conversations from `from` on, each given by its last state and its events; finally hidden
    /// utterances are left out. If only one conversation changed a shared utterance later, the other shows its own
    /// version of it.
    pub fn new<A, B>(last_a: &State, a: A, last_b: &State, b: B, from: Seq) -> Beside
    where
        A: IntoIterator<Item: Logged> + Clone,
        B: IntoIterator<Item: Logged> + Clone,
    {
        let shared = last_a.entries.iter().filter(|e| e.seq < from).filter_map(|e| e.number).max();
        let [teller_of_a, teller_of_b] = [last_a, last_b].map(Narrator::leaving_out);
        let mut rows: BTreeMap<u32, ComparedTurn> = BTreeMap::new();
        narrate_from(a.clone(), from, shared, teller_of_a.clone(), &mut |number, told| {
            add(&mut rows.entry(number).or_default().a, told);
        });
        narrate_from(b.clone(), from, shared, teller_of_b.clone(), &mut |number, told| {
            add(&mut rows.entry(number).or_default().b, told);
        });
        let mut changed = [BTreeSet::new(), BTreeSet::new()];
        for (number, row) in &mut rows {
            row.number = *number;
            let own = |told: &Narrated| number_of(told) == Some(*number);
            let [a, b] = [&row.a, &row.b].map(|side| side.iter().any(own));
            if a != b {
                let [in_a, in_b] = &mut changed;
                if a { in_a } else { in_b }.insert(*number);
            }
        }
        let [in_a, in_b] = changed;
        for (number, told) in words(a, from, &in_b, teller_of_a) {
            rows.entry(number).or_default().a.insert(0, told);
        }
        for (number, told) in words(b, from, &in_a, teller_of_b) {
            rows.entry(number).or_default().b.insert(0, told);
        }
        Beside { shared, rows: rows.into_values().collect() }
    }

    /// Returns a sentence with the point of divergence.
    pub fn parted(&self) -> String {
        match self.shared {
            Some(number) => format!("they diverge after turn {number}"),
            None => "the sessions have no turns in common".into(),
        }
    }

    /// Writes the comparison in order: for each utterance the first side, then the second, or one copy if both are
    /// equal.
    pub fn write(&self, spell: Spelling, out: &mut dyn Write) -> io::Result<()> {
        let mut write = |side: &str, all: &[Narrated]| {
            all.iter().try_for_each(|told| out.write_all(spell(&of_side(side, told)).as_bytes()))
        };
        for row in &self.rows {
            if row.a == row.b {
                write("A B", &row.a)?;
            } else {
                write("A", &row.a)?;
                write("B", &row.b)?;
            }
        }
        Ok(())
    }
}

/// Returns a narrated item labelled with its side.
fn of_side<'a>(side: &str, told: &'a Narrated) -> Cow<'a, Narrated> {
    match told {
        Narrated::Words { place, who, body } => {
            let place = format!("{side} {place}");
            let who = who.clone();
            let body = body.clone();
            Cow::Owned(Narrated::Words { place, who, body })
        }
        Narrated::Note(note) => Cow::Owned(Narrated::Note(format!("{side}: {note}"))),
        Narrated::Opening { .. } => Cow::Borrowed(told),
    }
}

impl Serialize for Beside {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut whole = to.serialize_map(None)?;
        whole.serialize_entry("shared_utterances", &self.shared.unwrap_or(0))?;
        whole.serialize_entry("rows", &self.rows)?;
        whole.end()
    }
}

impl Serialize for ComparedTurn {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let told = |told: &Narrated| match told {
            Narrated::Words { place, who, body } => {
                json!({"place": place, "who": who, "text": body})
            }
            Narrated::Note(note) => json!({ "note": note }),
            Narrated::Opening { title, .. } => json!({ "title": title }),
        };
        let side = |all: &[Narrated]| all.iter().map(told).collect::<Vec<Value>>();
        json!({"utterance": self.number, "a": side(&self.a), "b": side(&self.b)}).serialize(to)
    }
}

/// Adds an item to a side. Most sides have one, and there are many sides, so that spare capacity is avoided.
fn add(side: &mut Vec<Narrated>, told: Narrated) {
    if side.is_empty() {
        side.reserve_exact(1);
    }
    side.push(told);
}

/// Narrates a conversation from an event on, each item with the number of its utterance.
fn narrate_from(
    events: impl IntoIterator<Item: Logged>,
    from: Seq,
    shared: Option<u32>,
    mut teller: Narrator,
    each: &mut dyn FnMut(u32, Narrated),
) {
    let mut state = State::default();
    let mut at = shared.unwrap_or(0);
    for event in events {
        let event = event.event();
        state.apply(event);
        if event.seq >= from {
            for told in teller.narrate(&state, event) {
                at = number_of(&told).unwrap_or(at);
                each(at, told);
            }
        }
    }
}

/// Returns the text of the given utterances as it was before an event.
fn words(
    events: impl IntoIterator<Item: Logged>,
    from: Seq,
    of: &BTreeSet<u32>,
    mut teller: Narrator,
) -> BTreeMap<u32, Narrated> {
    let mut state = State::default();
    let mut all = BTreeMap::new();
    if of.is_empty() {
        return all;
    }
    for event in events {
        let event = event.event();
        if event.seq >= from {
            break;
        }
        state.apply(event);
        let told = teller.narrate(&state, event).into_iter();
        let numbered = told.filter_map(|told| Some((number_of(&told)?, told)));
        all.extend(numbered.filter(|(number, _)| of.contains(number)));
    }
    all
}

/// Returns the utterance number of an item; `None` for items other than numbered messages.
fn number_of(told: &Narrated) -> Option<u32> {
    match told {
        Narrated::Words { place, .. } => place.parse().ok(),
        Narrated::Note(_) | Narrated::Opening { .. } => None,
    }
}
