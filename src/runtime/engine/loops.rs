//! Detects conversations that go in circles: speakers who repeat themselves or each other, or only exchange thanks.
//!
//! One repetition is not a loop: a whole round of repetitions gives a warning, another one ends the conversation. Only
//! texts are compared, so an intended repetition counts too.

use super::asking::Says;
use super::drafts::warn_once;
use crate::model::payload::{Warning, WarningAbout};
use crate::model::{Draft, StopReason, Text};
use crate::state::State;
use crate::text::{Trigrams, are_alike_by_word, is_courtesy};
use std::sync::Arc;

/// Similarity, from 0 to 1, from which on two turns count as equal.
const ALIKE: f64 = 0.8;
/// Similarity from which on two turns are also compared word by word.
const RELATED: f64 = 0.2;
/// Number of a speaker's own last turns that a turn is compared with.
const OWN: usize = 3;
/// Number of last rounds that are compared: two rounds of a circle, and the ones before.
const ROUNDS: usize = 6;

/// One turn of a conversation, as the loop check reads it.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// Id of the speaker.
    pub who: &'a str,
    /// Text of the turn.
    pub words: &'a Text,
    /// Number of earlier turns that the speaker had seen.
    pub heard: usize,
    /// True if the turn repeated itself and was cut there.
    pub repeats: bool,
}

/// Returns the number of turns at the end of a conversation that form a circle: each repeats one of its speaker's last
/// three or the other speaker's last, or answers thanks with thanks. `trigrams` computes the trigrams of a text; it is
/// called for the same texts again and may cache them.
pub fn circling(said: &[Said<'_>], trigrams: impl Fn(&Text) -> Arc<Trigrams>) -> usize {
    let trigrams = |at: usize| trigrams(said[at].words);
    let same = |at: usize, other: usize| {
        let likeness = trigrams(at).likeness(&trigrams(other));
        likeness >= ALIKE
            || likeness >= RELATED && are_alike_by_word(said[at].words, said[other].words, ALIKE)
    };
    let circles = |at: &usize| {
        let here = said[*at];
        let heard = said[*at].heard.min(*at);
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

/// Returns the first turn of the circle, its number of turns, and the number of turns of a round; `None` if the circle
/// is shorter than a round.
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
    // cached: it is called more often than there are new turns
    let circle = state.rolls.circle((state.entries.len(), seats, state.since.seq), || {
        circling(&said(), |text| state.rolls.trigrams(text))
    });
    let begins = numbered.get(numbered.len() - circle)?.number.unwrap_or(0);
    (circle >= seats).then_some((begins, circle, seats))
}

/// Returns the result of the rule against loops: nothing, a warning after a whole round, the end after another.
pub(super) fn says(state: &State) -> Says {
    let Some((begins, circle, seats)) = since(state) else { return Says::Nothing };
    let text =
        format!("They repeat themselves since turn {begins}; it ends if the next round does too.");
    let about = Some(WarningAbout::Loop(begins));
    match warn_once(state, Warning { text: text.into(), about }) {
        Some(warning) => Says::First(warning.into()),
        None if circle >= 2 * seats => {
            Says::Stop(StopReason::Loop, format!("since turn {begins}").into())
        }
        None => Says::Nothing,
    }
}

/// Returns the warning of a looping conversation without a rule that ends it: once, after a whole round.
pub(super) fn warning(state: &State) -> Option<Draft> {
    // one round later the same circle would seem to begin elsewhere
    let (begins, ..) = since(state).filter(|(_, circle, seats)| *circle < 2 * seats)?;
    let text = format!("They repeat themselves since turn {begins}. /note steers them.");
    warn_once(state, Warning { text: text.into(), about: Some(WarningAbout::Loop(begins)) })
}
