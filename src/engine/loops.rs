//! Whether a conversation goes in circles: the same words again, each other's words, or thanks and nothing else.
//!
//! One repetition is not a loop: a whole round of it gives a warning, another one ends the conversation. It compares
//! words alone and cannot know that a repetition is intended.

use super::asking::Says;
use super::drafts::warn_once;
use crate::model::payload::{Warning, WarningAbout};
use crate::model::{Draft, StopReason, Text};
use crate::state::State;
use crate::text::{Trigrams, are_alike_by_word, is_courtesy};
use std::sync::Arc;

/// The likeness, from 0 to 1, of two turns from which on one repeats the other.
const ALIKE: f64 = 0.8;
/// How alike two contributions are that are worth comparing word by word.
const RELATED: f64 = 0.2;
/// How many of a speaker's own last turns a turn is compared with.
const OWN: usize = 3;
/// How many of the last rounds are compared: two of a circle, and the ones before.
const ROUNDS: usize = 6;

/// One turn of a conversation, as the loop check reads it.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// The speaker's id.
    pub who: &'a str,
    /// The text of the turn.
    pub words: &'a Text,
    /// How many of the turns before it the speaker had seen.
    pub heard: usize,
    /// Whether it repeated itself and was cut there.
    pub repeats: bool,
}

/// Returns how many turns at the end of a conversation make a circle: each repeats one of its speaker's last three or
/// the other speaker's last, or answers thanks with thanks. `trigrams` returns those of a text; it is asked
/// for the same ones turn after turn, and may keep them.
pub fn circling(said: &[Said<'_>], trigrams: impl Fn(&Text) -> Arc<Trigrams>) -> usize {
    let trigrams = |at: usize| trigrams(said[at].words);
    let same = |at: usize, other: usize| {
        let likeness = trigrams(at).likeness(&trigrams(other));
        likeness >= ALIKE
            || likeness >= RELATED && are_alike_by_word(said[at].words, said[other].words, ALIKE)
    };
    let circles = |at: &usize| {
        let (here, heard) = (said[*at], said[*at].heard.min(*at));
        let alike = |other: usize| same(*at, other);
        let own = (0..*at).rev().filter(|n| said[*n].who == here.who).take(OWN);
        let mut met = vec![here.who];
        let others = (0..heard).rev().filter(|n| {
            let last = !met.contains(&said[*n].who);
            met.push(said[*n].who);
            last
        });
        let thanked = || heard.checked_sub(1).is_some_and(|n| is_courtesy(said[n].words));
        here.repeats || own.chain(others).any(alike) || is_courtesy(here.words) && thanked()
    };
    (0..said.len()).rev().take_while(circles).count()
}

/// Returns the turn since which a conversation goes in circles, with how many there are in them and how many a round has.
fn since(state: &State) -> Option<(u32, usize, usize)> {
    let seats = state.seats.iter().filter(|s| !s.gone && s.spec.speaks).count().max(2);
    let counts = |e: &&crate::state::Entry| {
        e.number.is_some() && e.hidden.is_none() && e.seq >= state.since.seq
    };
    let mut numbered: Vec<_> =
        state.entries.iter().rev().filter(counts).take(seats * ROUNDS).collect();
    numbered.reverse();
    let said = || -> Vec<Said> {
        let heard = |horizon| numbered.iter().filter(|o| o.seq <= horizon).count();
        let said = numbered.iter().map(|e| Said {
            who: e.seat().map_or("", |s| s),
            words: e.text(),
            heard: heard(e.version().horizon),
            repeats: e.version().repeats,
        });
        said.collect()
    };
    // it is asked for more often than somebody speaks
    let circle = state.rolls.circle((state.entries.len(), seats, state.since.seq), || {
        circling(&said(), |text| state.rolls.trigrams(text))
    });
    let begins = numbered.get(numbered.len() - circle)?.number.unwrap_or(0);
    (circle >= seats).then_some((begins, circle, seats))
}

/// Returns what the rule against loops says now: nothing, a warning after a whole round, the end after another.
pub(super) fn says(state: &State) -> Says {
    let Some((begins, circle, seats)) = since(state) else { return Says::Nothing };
    let text = format!(
        "the conversation repeats itself since turn {begins}; it ends if the next round does too"
    );
    let about = Some(WarningAbout::Loop(begins));
    match warn_once(state, Warning { text: text.into(), about }) {
        Some(warning) => Says::First(warning.into()),
        None if circle >= 2 * seats => {
            Says::Stop(StopReason::Loop, format!("since turn {begins}").into())
        }
        None => Says::Nothing,
    }
}

/// Returns the warning of a conversation that goes in circles where no rule ends it: once, after a whole round.
pub(super) fn warning(state: &State) -> Option<Draft> {
    // a round later the same circle would seem to begin elsewhere
    let (begins, ..) = since(state).filter(|(_, circle, seats)| *circle < 2 * seats)?;
    let text =
        format!("going in circles since turn {begins}; `/note` gives everybody new guidance");
    warn_once(state, Warning { text: text.into(), about: Some(WarningAbout::Loop(begins)) })
}
