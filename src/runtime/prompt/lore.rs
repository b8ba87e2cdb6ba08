//! Texts of the scenario that are shown after one of their keys was used.

use crate::model::{Block, Lore, Text};
use crate::state::{State, Turn};
use crate::text;

/// Returns the texts whose keys occur in the last messages visible to a turn, in the order of the scenario.
pub(super) fn used(state: &State, turn: &Turn, blocks: &[Block]) -> Vec<Text> {
    let shown = |lore: &&Lore| {
        let mine = lore.who.is_empty() || lore.who.iter().any(|who| **who == *turn.seat.0);
        let recent = blocks.iter().rev().take(lore.last as usize);
        mine && recent
            .into_iter()
            .any(|block| lore.keys.iter().any(|key| text::contains_name(block.text(), key)))
    };
    state.scenario.lore.iter().filter(shown).map(|lore| lore.text.clone()).collect()
}
