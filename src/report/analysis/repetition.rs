//! Repetition and novelty of each turn.

use super::subject::speaker;
use super::{Analysis, Cell, Table};
use crate::model::SeatId;
use crate::text::{KnownTrigrams, Trigrams};
use std::collections::{HashMap, VecDeque};

/// Number of the speaker's own previous turns that a turn is compared with.
const OWN_BEFORE: usize = 3;
/// Minimum similarity of a repetition.
pub const ALIKE: f64 = 0.8;

/// Similarity of a turn to previous ones; every share is from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Repetition {
    /// Turn number, from 1.
    pub number: u32,
    /// Maximum similarity to the speaker's last three turns.
    pub own: f64,
    /// Similarity to the previous speaker's last turn.
    pub echo: f64,
    /// Share of its three-word sequences that are new in the conversation.
    pub novelty: f64,
}

impl Repetition {
    /// Returns whether the turn is a repetition.
    pub fn repeats(&self) -> bool {
        self.own >= ALIKE || self.echo >= ALIKE
    }
}

/// Returns the repetition of each turn, compared also with turns before the start of the analysis.
pub fn repetitions(analysis: &Analysis<'_>) -> Vec<Repetition> {
    let whole = Analysis { from: Default::default(), ..*analysis };
    let mut own: HashMap<&SeatId, VecDeque<Trigrams>> = HashMap::new();
    let mut last: Option<(&SeatId, Trigrams)> = None;
    let mut before: Option<(&SeatId, Trigrams)> = None;
    let mut said = KnownTrigrams::default();
    let mut all = Vec::new();
    for (entry, _) in whole.utterances() {
        let (Some(number), Some(seat)) = (entry.number, entry.seat()) else { continue };
        let words = Trigrams::new(entry.text());
        let mine = own.entry(seat).or_default();
        let likeness = |t: &Trigrams| words.likeness(t);
        // the last turn of another speaker: the previous one, or the one before this speaker's own
        let others = last.as_ref().filter(|(who, _)| *who != seat).or(before.as_ref());
        let repetition = Repetition {
            number,
            own: mine.iter().map(likeness).fold(0.0, f64::max),
            echo: others.map_or(0.0, |(_, t)| likeness(t)),
            novelty: said.novelty(&words),
        };
        if entry.seq >= analysis.from {
            all.push(repetition);
        }
        said.add(&words);
        mine.push_back(words.clone());
        if mine.len() > OWN_BEFORE {
            mine.pop_front();
        }
        if last.as_ref().is_some_and(|(who, _)| *who != seat) {
            before = last.take();
        }
        last = Some((seat, words));
    }
    all
}

/// Returns the table: one row per turn.
pub fn table(analysis: &Analysis<'_>) -> Table {
    let mut table = Table::new(
        "repetition",
        "Repetition and novelty",
        "three-word sequences shared with the speaker's own last three turns and with the previous speaker; new: not \
             said before by anyone",
        1,
        "utterance: no. | participant | like_own: self-repeat | like_other: echo | novelty: new",
    );
    let speakers: HashMap<u32, String> = analysis
        .utterances()
        .filter_map(|(e, _)| Some((e.number?, speaker(analysis.state, e))))
        .collect();
    for r in repetitions(analysis) {
        table.rows.push(vec![
            Cell::Count(u64::from(r.number)),
            Cell::Text(speakers.get(&r.number).cloned().unwrap_or_default()),
            Cell::Share(r.own),
            Cell::Share(r.echo),
            Cell::Share(r.novelty),
        ]);
    }
    table
}
