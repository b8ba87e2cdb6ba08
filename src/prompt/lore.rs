//! Texts of the scenario that are shown after one of their keys was used.

use crate::model::{Block, Lore, Text};
use crate::state::{State, Turn};

/// Returns the texts whose keys occur in the last messages visible to a turn, in the order of the scenario.
pub(super) fn used(state: &State, turn: &Turn, blocks: &[Block]) -> Vec<Text> {
    let shown = |lore: &&Lore| {
        let mine = lore.who.is_empty() || lore.who.iter().any(|who| **who == *turn.seat.0);
        let recent = blocks.iter().rev().take(lore.last as usize);
        mine && recent.into_iter().any(|block| lore.keys.iter().any(|key| uses(block.text(), key)))
    };
    state.scenario.lore.iter().filter(shown).map(|lore| lore.text.clone()).collect()
}

/// Returns true if a text contains a key as whole words.
fn uses(words: &str, key: &str) -> bool {
    let words = words.to_lowercase();
    let key = key.trim().to_lowercase();
    let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    !key.is_empty()
        && words.match_indices(&key).any(|(at, found)| {
            let before = &words[..at];
            let after = &words[at + found.len()..];
            apart(before.chars().next_back()) && apart(after.chars().next())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_counts_as_whole_words() {
        for (words, key, expected) in [
            ("The Palace burnt.", "palace", true),
            ("The palaces burnt.", "palace", false),
            ("An old pipe organ, they say", "pipe organ", true),
            ("Nothing", "", false),
            ("Über alles", "über", true),
        ] {
            assert_eq!(uses(words, key), expected, "{words} {key}");
        }
    }
}
