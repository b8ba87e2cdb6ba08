//! The state that a reader keeps, with pieces that are shown but not yet part of an event.

use super::{Conversation, State};
use crate::model::payload::Delta;
use crate::model::*;
use std::collections::BTreeMap;

/// A state and the loose pieces after it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Live {
    /// State as of the last event.
    pub state: State,
    /// Pieces since the last event.
    pub loose: Vec<Piece>,
    /// Time of the last loose piece of each turn.
    recent: BTreeMap<TurnId, Ms>,
}

impl From<State> for Live {
    fn from(state: State) -> Live {
        Live { state, ..Live::default() }
    }
}

impl Live {
    /// Applies an event; the loose pieces are dropped, since they are part of the log by then.
    pub fn apply(&mut self, event: &Event) {
        self.state.apply(event);
        self.loose.clear();
        self.recent.clear();
    }

    /// Adds a piece that is not yet part of an event.
    pub fn push(&mut self, piece: Piece) {
        self.recent.insert(piece.turn, piece.at);
        self.loose.push(piece);
    }

    fn loose_of(&self, turn: TurnId, channel: Channel) -> impl Iterator<Item = &Piece> {
        self.loose.iter().filter(move |p| p.turn == turn && p.channel == channel)
    }

    /// Returns the text of a running turn so far.
    pub fn said(&self, turn: TurnId) -> String {
        let mut said = self.state.turns.get(&turn).map_or(String::new(), |t| t.said.clone());
        said.extend(self.loose_of(turn, Channel::Say).map(|p| &*p.text));
        said
    }

    /// Returns the number of bytes of text and reasoning of a running turn so far.
    pub fn bytes(&self, turn: TurnId) -> usize {
        let sealed = self.state.turns.get(&turn).map_or(0, |t| t.said.len() + t.thought.len());
        let loose = self.loose.iter().filter(|p| p.turn == turn);
        sealed + loose.map(|p| p.text.len()).sum::<usize>()
    }

    /// Returns whether a running turn has any text yet.
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

    /// Returns the time of the last piece of a running turn.
    pub fn last_piece(&self, turn: TurnId) -> Option<Ms> {
        let loose = self.recent.get(&turn).copied();
        loose.or_else(|| self.state.turns.get(&turn).and_then(|t| t.last_piece))
    }
}

impl Conversation {
    /// Adds the pieces of an event to their turns.
    pub(super) fn push_pieces(&mut self, d: &Delta) {
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
