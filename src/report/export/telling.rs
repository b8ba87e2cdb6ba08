//! Narration of a whole conversation in its final form: edited turns show their last text, in order of their numbers.

use super::narrate::{self, Narrator};
use super::narrated::{Narrated, Spelling};
use super::{Hearer, contest};
use crate::analysis::Standing;
use crate::logged::Logged;
use crate::model::{Event, Kind, Purpose, ResultGiven, TurnId};
use crate::state::State;
use crate::text;
use std::collections::BTreeSet;

/// Renders a whole conversation in a format; hidden turns are left out everywhere.
pub fn whole(events: impl IntoIterator<Item: Logged> + Clone, spell: Spelling) -> String {
    let whole = State::fold(events.clone());
    let mut telling = Telling::without_hidden(&whole);
    let mut out = String::new();
    events.into_iter().for_each(|event| out.push_str(&telling.next(event.event(), spell)));
    out.push_str(&telling.rest());
    out
}

/// A conversation being told from its first event on.
#[derive(Default)]
pub struct Telling {
    state: State,
    narrator: Narrator,
    /// Turns of a simultaneous round that wait for one with a lower number.
    early: Vec<(u32, String)>,
    /// Content of a clean narration; `None` includes everything.
    clean: Option<CleanContent>,
    /// The last result, narrated first and not in its place.
    result: Option<ResultGiven>,
}

/// Content of a narration without the steering log.
struct CleanContent {
    /// Verdict and end, narrated first.
    outcome: Vec<Narrated>,
    /// Turns whose text counts in the end.
    turns: BTreeSet<TurnId>,
}

impl CleanContent {
    fn new(whole: &State) -> CleanContent {
        let verdict =
            whole.verdict.iter().flat_map(|(verdict, _)| contest::verdict(whole, verdict));
        let ended = whole.ended.iter().map(|ended| {
            Narrated::Note(text::label(&narrate::end(whole, ended, Hearer::Operator)).into_owned())
        });
        let turns = whole.entries.iter().filter(|entry| entry.hidden.is_none());
        CleanContent {
            outcome: verdict.chain(ended).collect(),
            turns: turns.filter_map(|entry| entry.version().turn).collect(),
        }
    }

    /// Returns the part of an event's narration that belongs to a clean narration.
    fn keep(&mut self, event: &Event, told: Vec<Narrated>) -> Vec<Narrated> {
        match &event.kind {
            Kind::Opened(_) => told.into_iter().chain(self.outcome.drain(..)).collect(),
            Kind::ThreadOpened(_) | Kind::HumanSaid(_) => told,
            Kind::TurnEnded(end) if self.turns.contains(&end.turn) => {
                told.into_iter().filter(|item| matches!(item, Narrated::Words { .. })).collect()
            }
            _ => vec![],
        }
    }
}

impl Telling {
    /// Begins to tell a conversation as it reads in the end: under its last title, without hidden turns.
    pub fn without_hidden(whole: &State) -> Telling {
        Telling::new(whole, Narrator::leaving_out(whole))
    }

    /// Does the same with hidden turns.
    pub fn with_hidden(whole: &State) -> Telling {
        Telling::new(whole, Narrator::default())
    }

    fn new(whole: &State, mut narrator: Narrator) -> Telling {
        narrator.standing = Standing::new(whole);
        narrator.title = Some(whole.shown_title());
        narrator.notes_limits = !whole.ended.as_ref().is_some_and(|e| e.reason.is_length());
        let edited = whole.entries.iter().filter_map(|entry| {
            let (_, text) = entry.edited.as_ref()?;
            Some((entry.number?, (entry.version().turn?, text.clone())))
        });
        narrator.edits = edited.collect();
        let result = whole.result.as_ref().map(|(result, _)| result.clone());
        Telling { narrator, result, ..Telling::default() }
    }

    /// Narrates turns as spoken, and edits in their own place.
    #[must_use]
    pub fn as_spoken(mut self) -> Telling {
        self.narrator.edits.clear();
        self
    }

    /// Leaves out the steering log, and narrates the outcome first; `whole` is the final state.
    #[must_use]
    pub fn clean(self, whole: &State) -> Telling {
        Telling { clean: Some(CleanContent::new(whole)), ..self }
    }

    /// Returns what the next event tells.
    pub fn narrate(&mut self, event: &Event) -> Vec<Narrated> {
        self.state.apply(event);
        let mut told = self.narrator.narrate(&self.state, event);
        match (&event.kind, &self.result) {
            (Kind::Opened(_), Some(result)) => {
                told.extend(contest::result(self.narrator.standing.as_ref(), result))
            }
            (Kind::ResultGiven(given), Some(result)) if given == result => told.clear(),
            _ => {}
        }
        match &mut self.clean {
            Some(clean) => clean.keep(event, told),
            None => told,
        }
    }

    /// Returns what the next event tells, in a format, in the order of [`in_order`](Telling::in_order).
    pub fn next(&mut self, event: &Event, spell: Spelling) -> String {
        let told = self.narrate(event).iter().map(spell).collect();
        self.in_order(event, told)
    }

    /// Returns the text of an event that was just told. A turn that ends before one with a lower number is kept until
    /// that one ends, or something else is told.
    pub fn in_order(&mut self, event: &Event, text: String) -> String {
        let number = match &event.kind {
            Kind::TurnEnded(end) if end.purpose == Purpose::Speak => end.number,
            _ => None,
        };
        let Some(number) = number else {
            return if text.is_empty() { text } else { self.rest() + &text };
        };
        self.early.push((number, text));
        let mut running = self.state.turns.values().filter_map(|turn| turn.number);
        if running.any(|other| other < number) { String::new() } else { self.rest() }
    }

    /// Returns the turns that wait for another one.
    pub fn rest(&mut self) -> String {
        self.early.sort_by_key(|(number, _)| *number);
        self.early.drain(..).map(|(_, told)| told).collect()
    }

    /// Returns the state behind the last event that was told.
    pub fn state(&self) -> &State {
        &self.state
    }
}
