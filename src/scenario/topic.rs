//! Roles and personas of participants for another topic than the scenario's own.

use super::tree::Node;
use crate::model::{SeatId, Text};
use std::collections::BTreeMap;

/// Role and persona of a participant for another topic; `None` keeps the participant's own.
#[derive(Clone, Debug, Default)]
pub struct AnyTopic {
    pub(super) role: Option<Text>,
    pub(super) persona: Option<Text>,
}

/// Resolves the `any_topic` tables of the participants.
pub(super) fn any_topic(root: &Node) -> BTreeMap<SeatId, AnyTopic> {
    let nodes = root.get("participant").map(Node::items).unwrap_or_default().iter();
    let tables = nodes.filter_map(|node| {
        let table = node.get("any_topic")?;
        let text = |key| table.get(key).and_then(Node::text).map(Text::from);
        let id = node.get("id").and_then(Node::text)?;
        Some((id.into(), AnyTopic { role: text("role"), persona: text("persona") }))
    });
    tables.collect()
}
