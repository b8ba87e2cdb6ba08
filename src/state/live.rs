//! What a reader keeps: the folded state, and the pieces that are shown but not yet sealed into an event.

use super::Conversation;
use super::State;
use crate::model::payload::Delta;
use crate::model::*;
use std::collections::BTreeMap;

/// A state and the loose pieces after it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Live {
    /// The state as of the last event.
    pub state: State,
    /// Pieces shown since the last event.
    pub loose: Vec<Piece>,
    /// The time of the last loose piece of each turn.
    recent: BTreeMap<TurnId, Ms>,
}

impl From<State> for Live {
    fn from(state: State) -> Live {
        Live { state, ..Live::default() }
    }
}

impl Live {
    /// Applies an event; every event seals what was loose.
    pub fn apply(&mut self, event: &Event) {
        self.state.apply(event);
        self.loose.clear();
        self.recent.clear();
    }

    /// Adds a piece that no event holds yet.
    pub fn hear(&mut self, piece: Piece) {
        self.recent.insert(piece.turn, piece.at);
        self.loose.push(piece);
    }

    fn loose_of(&self, turn: TurnId, channel: Channel) -> impl Iterator<Item = &Piece> {
        self.loose.iter().filter(move |p| p.turn == turn && p.channel == channel)
    }

    /// Returns the words of a running turn so far.
    pub fn said(&self, turn: TurnId) -> String {
        let mut said = self.state.turns.get(&turn).map_or(String::new(), |t| t.said.clone());
        said.extend(self.loose_of(turn, Channel::Say).map(|p| &*p.text));
        said
    }

    /// Returns how many bytes of words and reasoning a running turn has shown so far.
    pub fn bytes(&self, turn: TurnId) -> usize {
        let sealed = self.state.turns.get(&turn).map_or(0, |t| t.said.len() + t.thought.len());
        let loose = self.loose.iter().filter(|p| p.turn == turn);
        sealed + loose.map(|p| p.text.len()).sum::<usize>()
    }

    /// Returns whether a running turn has shown any words.
    pub fn has_said(&self, turn: TurnId) -> bool {
        let sealed = self.state.turns.get(&turn).is_some_and(|t| !t.said.trim().is_empty());
        sealed || self.loose_of(turn, Channel::Say).any(|p| !p.text.trim().is_empty())
    }

    /// Returns the reasoning of a running turn so far.
    pub fn thought(&self, turn: TurnId) -> String {
        let mut thought = self.state.turns.get(&turn).map_or(String::new(), |t| t.thought.clone());
        thought.extend(self.loose_of(turn, Channel::Think).map(|p| &*p.text));
        thought
    }

    /// Returns when the last piece of a running turn came.
    pub fn last_piece(&self, turn: TurnId) -> Option<Ms> {
        let loose = self.recent.get(&turn).copied();
        loose.or_else(|| self.state.turns.get(&turn).and_then(|t| t.last_piece))
    }
}

impl Conversation {
    /// Adds sealed pieces to their turns.
    pub(super) fn hear(&mut self, d: &Delta) {
        let Some(base) = d.pieces.first().and_then(|r| self.turns.get(&r.0)).map(|t| t.since)
        else {
            return;
        };
        for p in piece::unpack(&d.pieces, base) {
            let Some(t) = self.turns.get_mut(&p.turn) else { continue };
            t.first_piece.get_or_insert(p.at.since(t.since));
            t.last_piece = Some(p.at);
            match p.channel {
                Channel::Say => t.said.push_str(&p.text),
                Channel::Think => t.thought.push_str(&p.text),
            }
        }
    }
}
