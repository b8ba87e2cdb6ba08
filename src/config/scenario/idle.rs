//! Warns about keys of a valid scenario that change nothing, because of its other keys.

use super::check::Walk;
use super::keys::VARIED;
use super::tree::At;
use super::{Advice, PolicyTraits, Scenario};
use crate::model::Participant;

/// Keys that only prompts and replies of models read.
const OF_MODELS: [&str; 2] = ["guards", "lore"];

/// Warns about each key without effect.
pub(super) fn check(
    walk: &mut Walk<'_>,
    root: &At<'_>,
    scenario: &Scenario,
    traits: PolicyTraits,
    seats: &[Participant],
) {
    if seats.is_empty() {
        return;
    }
    if scenario.varied && !Advice::is_debate(scenario, traits, seats) {
        let message = format!("{VARIED:?} has no effect outside a guided debate");
        walk.warn(&root.place("words"), message, "set a length, as in words = [40, 90]");
    }
    let reads = |seat: &Participant| {
        [Some(&seat.voice), seat.stand_in.as_ref()]
            .into_iter()
            .flatten()
            .any(|voice| voice.reads_as_a_model())
    };
    if !seats.iter().any(reads) {
        for at in OF_MODELS.iter().filter_map(|key| root.get(key)) {
            walk.warn(&at, "has no effect without a model or an agent", "remove it");
        }
    }
    let is_silent = |at: &At<'_>| seats.iter().any(|s| !s.speaks && at.word("id") == Some(&s.id.0));
    for at in root.list("participant").filter(is_silent).filter_map(|at| at.get("max_utterances")) {
        walk.warn(&at, "has no effect: it takes no turns", "remove it, or set speaks = true");
    }
}
