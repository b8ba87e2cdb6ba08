//! Profile of the advised person: known facts, recent changes, the stage, and the ranking.

use crate::export::{fact, field};
use crate::model::{FactChanged, Ms, RankedItem};
use crate::state::State;
use crate::text;
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::view::page::{Page, Section};
use crate::ui::view::transcript::Transcript;
use serde_json::Value;

/// State of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FactIs {
    /// Known since an earlier reply.
    Known,
    /// Added by the last reply.
    New,
    /// Changed by the last reply.
    Changed,
    /// Deleted by the last reply.
    Deleted,
    /// Not known yet.
    Unknown,
}

impl FactIs {
    /// Returns the symbol before the fact, so that its state does not depend on colour alone.
    fn sign(self) -> &'static str {
        match self {
            FactIs::Known | FactIs::Unknown => " ",
            FactIs::New => "+",
            FactIs::Changed => "~",
            FactIs::Deleted => "-",
        }
    }
}

/// A field of the profile, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fact {
    /// Name of the field.
    name: String,
    /// Value of the field; empty if unknown.
    value: String,
    /// State of the field.
    is: FactIs,
}

/// Returns `true` if a conversation keeps a profile.
fn keeps(state: &State) -> bool {
    let keeps = |seat: &crate::state::Seat| seat.spec.reply.keep;
    state.seats.iter().any(keeps) || !state.known.profile.is_empty()
}

/// Returns the fields, those listed in the scenario first; empty if no profile is kept.
fn facts(state: &State) -> Vec<Fact> {
    if !keeps(state) {
        return vec![];
    }
    let known = &state.known.profile;
    let changed = fresh(state);
    let listed = state.scenario.profile.fields.iter().map(|f| f.to_string());
    let mut names: Vec<String> = listed.collect();
    let gone = changed.iter().filter(|c| c.to.is_null() && !c.field.contains('.'));
    for name in known.keys().cloned().chain(gone.map(|c| c.field.to_string())) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let of = |name: &String| {
        let inside = format!("{name}.");
        let change = changed.iter().find(|c| *c.field == **name || c.field.starts_with(&inside));
        let is = match (known.get(name), change) {
            (None, Some(_)) => FactIs::Deleted,
            (None, None) => FactIs::Unknown,
            (Some(_), None) => FactIs::Known,
            (Some(_), Some(c)) if c.from.is_null() && *c.field == **name => FactIs::New,
            (Some(_), Some(_)) => FactIs::Changed,
        };
        let value = known.get(name).map_or(String::new(), fact);
        Fact { name: field(name), value, is }
    };
    names.iter().map(of).collect()
}

/// Returns the changes of the last reply; empty after a later reply of the same participant without changes.
fn fresh(state: &State) -> Vec<FactChanged> {
    let Some(updated) = &state.known.updated else { return vec![] };
    let later = |e: &crate::state::Entry| e.seat() == updated.participant.as_ref();
    let last = state.entries.iter().rev().find(|e| later(e)).and_then(|e| e.version().turn);
    if updated.turn.is_none() || last <= updated.turn { updated.changed.clone() } else { vec![] }
}

/// Returns the stage and the number of known fields, as short texts.
fn stage(state: &State) -> Vec<String> {
    let stage = &state.known.stage;
    let name = stage.stage.as_ref().map(|stage| text::label(stage).into_owned());
    let fields = &state.scenario.profile.fields;
    let known = fields.iter().filter(|f| state.known.profile.contains_key(&***f)).count();
    let known = (!fields.is_empty()).then(|| format!("{known} of {} known", fields.len()));
    name.into_iter().chain(known).collect()
}

/// Returns the page: facts with their previous values, the stage, and the ranking with the points of each item.
pub fn page(transcript: &Transcript, _: Ms, glyphs: &Glyphs) -> Option<Page> {
    let state = transcript.state();
    let facts = facts(state);
    if facts.is_empty() {
        return None;
    }
    let changed = fresh(state);
    let longest = facts.iter().map(|f| f.name.chars().count()).max().unwrap_or(0);
    let row = |f: &Fact| {
        let value = match f.is {
            FactIs::Unknown => "not known yet",
            FactIs::Deleted => "deleted",
            _ => &f.value,
        };
        format!("{} {:<longest$}  {value}\n", f.is.sign(), f.name)
    };
    let mut parts = vec![Section { body: facts.iter().map(row).collect(), ..Section::default() }];
    if !changed.is_empty() {
        let told = |c: &FactChanged| match &c.from {
            Value::Null => format!("  {}: {}\n", field(&c.field), fact(&c.to)),
            from => format!("  {}: {}, was {}\n", field(&c.field), fact(&c.to), fact(from)),
        };
        let by = state.known.updated.as_ref().and_then(|u| u.participant.as_ref());
        let by = by.map(|seat| transcript.seat_place(seat));
        let body = changed.iter().map(told).collect();
        parts.push(Section { head: "Changed just now".into(), body, by, ..Section::default() });
    }
    if let Some(made) = state.known.ranking() {
        let item = |(n, item): (usize, &RankedItem)| {
            let points: Vec<String> =
                item.parts.iter().map(|(of, n)| format!("{of} {n}")).collect();
            let name = text::label(&item.name);
            format!(
                "{}. {name}  {}\n     {}\n",
                n + 1,
                item.score,
                points.join(&format!(" {} ", glyphs.dot))
            )
        };
        let mut body: String = made.items.iter().enumerate().map(item).collect();
        if made.items.is_empty() {
            body = "nothing fits\n".into();
        }
        let out = made.left_out.iter().map(|(filter, n)| format!("{n} by {filter}"));
        let out: Vec<String> = out.collect();
        if !out.is_empty() {
            body.push_str(&format!("\nleft out: {}\n", out.join(", ")));
        }
        parts.push(Section { head: "Ranking".into(), body, ..Section::default() });
    }
    let claimed = state.known.stage.claimed.as_ref();
    let claimed = claimed.map(|c| ("claimed", format!("{}, in the reply", text::label(c))));
    let facts = [("stage", stage(state).join(", "))].into_iter().chain(claimed).collect();
    Some(Page { title: "Profile".into(), facts, parts, again: Some(page), ..Page::default() })
}
