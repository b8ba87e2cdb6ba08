//! The models that a participant can be given while the conversation runs, as a list with their prices.

use crate::model::{Command, SeatId};
use crate::text;
use crate::ui::view::list::{EntryAction, List, ListEntry};
use crate::ui::view::transcript::Transcript;
use serde_json::json;

/// A model that can be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachableModel {
    /// `provider:name`.
    pub name: String,
    /// What it costs, in words.
    pub price: String,
}

/// Returns the list for a seat; one that is not listed can be typed.
pub fn list(transcript: &Transcript, who: &SeatId, models: &[ReachableModel]) -> List {
    let change = |model: &ReachableModel| {
        let set = json!({ "model": model.name }).as_object().cloned().unwrap_or_default();
        let command = Command::Change { who: who.clone(), set };
        ListEntry::new(text::name(&model.name), &*model.price, EntryAction::Send(command))
    };
    let typed = EntryAction::Begin(format!("/change @{who} model = "));
    let typed = ListEntry::new("another", "type PROVIDER:NAME", typed);
    let entries = models.iter().map(change).chain([typed]).collect();
    List::of(format!("Model of {}", transcript.name(who)), entries)
}
