//! List of the models that can be assigned to a participant while the conversation runs, with their prices.

use crate::model::{Command, SeatId};
use crate::text;
use crate::ui::view::list::{EntryAction, List, ListEntry};
use crate::ui::view::transcript::Transcript;
use serde_json::json;

/// A model that is available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachableModel {
    /// `provider:name`.
    pub name: String,
    /// Price as text.
    pub price: String,
}

/// Returns the list of models for a seat; its last entry lets the user type another model.
pub fn list(transcript: &Transcript, who: &SeatId, models: &[ReachableModel]) -> List {
    let change = |model: &ReachableModel| {
        let set = json!({ "model": model.name }).as_object().cloned().unwrap_or_default();
        let command = Command::Change { who: who.clone(), set };
        ListEntry::new(text::name(&model.name), &*model.price, EntryAction::Send(command))
    };
    let typed = EntryAction::Begin(format!("/change @{who} model = "));
    let typed = ListEntry::new("another", "type PROVIDER:NAME", typed);
    let entries = models.iter().map(change).chain([typed]).collect();
    List::with_entries(format!("Model of {}", transcript.name(who)), entries)
}
