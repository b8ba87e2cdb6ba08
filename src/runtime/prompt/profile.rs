//! Facts, stage and ranking of the person in an adviser's prompt, placed before the person's last message.

use crate::escape::{attribute, quoted};
use crate::model::{Block, KnownBlock};
use crate::state::{State, Turn};
use serde_json::Value;

/// Returns the block with the profile of the person, if the seat of the turn maintains it, and its position.
pub(super) fn known(state: &State, turn: &Turn, blocks: &[Block]) -> Option<KnownBlock> {
    if !turn.speaks() || !state.contract_of(turn).keep {
        return None;
    }
    let profile = state.profile_shown(turn);
    let fields = &state.scenario.profile.fields;
    let known = if fields.is_empty() {
        profile.len()
    } else {
        fields.iter().filter(|field| profile.contains_key(&***field)).count()
    };
    let facts = serde_json::to_string_pretty(&Value::Object(profile)).unwrap_or_default();
    let stage = &state.known.stage;
    let of = match (&stage.stage, stage.of) {
        (Some(name), 0) => format!(" stage=\"{}\"", attribute(name)),
        (Some(name), of) => {
            format!(" stage=\"{}\" known=\"{known} of {of}\"", attribute(name))
        }
        (None, _) => String::new(),
    };
    let mut text = format!("<profile{of}>\n{}\n</profile>", quoted(&facts));
    if let Some(made) = state.known.ranking() {
        let items = made.items.iter().zip(1..);
        let items: Vec<String> =
            items.map(|(item, n)| format!("{n}. {}: {}", item.name, item.score)).collect();
        text.push_str(&format!("\n\n<ranking>\n{}\n</ranking>", quoted(&items.join("\n"))));
    }
    Some(KnownBlock { text: text.into(), behind: behind(state, blocks) })
}

/// Returns the number of blocks after the profile: the person's last message, and everything later.
fn behind(state: &State, blocks: &[Block]) -> usize {
    let person = |block: &Block| match block {
        Block::Operator { .. } => true,
        Block::Other { who, .. } => state.is_person_seat(who),
        Block::Own { .. } | Block::Summary { .. } => false,
    };
    let place = blocks.iter().rposition(person);
    place.map_or(0, |place| blocks.len() - place)
}
