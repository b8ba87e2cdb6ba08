//! Resolves the visibility of a phase.

use super::TurnOrder;
use super::check::Walk;
use super::keys::{RawPhase, VARIED};
use super::tree::{At, Or};
use super::who::{NamedSeat, who_of};
use crate::model::{Sees, Shows, Text};

/// Resolves the participants in a list `sees`.
pub(super) fn seen(walk: &mut Walk<'_>, at: &At<'_>, members: &[NamedSeat]) -> Vec<Text> {
    match at.get("sees") {
        Some(sees) if sees.node.text().is_none() => who_of(walk, &sees, members),
        Some(_) | None => vec![],
    }
}

/// Resolves the keys of a phase for visibility and style.
pub(super) fn shows(
    walk: &mut Walk<'_>,
    at: &At<'_>,
    raw: RawPhase,
    members: &[NamedSeat],
) -> Shows {
    let sees = sees(&raw.sees);
    if let (Some(until), None) = (at.get("until"), at.get("rounds")) {
        walk.fault(&until, "needs `rounds` as an upper bound", "as in rounds = 5");
    }
    let picks =
        matches!(sees, Some(Sees::LastRound | Sees::OthersLast | Sees::Answers | Sees::Opening));
    if let (Some(diverse), false) = (at.get("diverse"), picks) {
        let fix = r#"add sees = "others_last", last_round, opening or answers"#;
        walk.fault(&diverse, "picks among the words of one round", fix);
    }
    let order = walk.traits(at.place("order").text()).order;
    if let (Some(keeps), false) = (at.get("keeps"), order == TurnOrder::AtOnce) {
        let fix = r#"add order = "simultaneous""#;
        walk.fault(&keeps, "asks the others at the same time", fix);
    }
    Shows {
        sees,
        seen: seen(walk, at, members),
        keeps: at.get("keeps").is_some(),
        anonymous: raw.anonymous,
        thinks: raw.think.as_deref() == Some("private"),
        words: words(walk, at),
        until: raw.until,
        task: raw.task,
        diverse: raw.diverse,
    }
}

/// Resolves the target length in words, if present.
pub(super) fn words(walk: &mut Walk<'_>, at: &At<'_>) -> Option<(u32, u32)> {
    let words = at.get("words")?;
    if words.text() == VARIED {
        return None;
    }
    let range: Option<(u32, u32)> = words.node.read();
    if range.is_none_or(|(least, most)| least > most) {
        let message = "takes two numbers, the smaller one first";
        walk.fault(&words, message, "as in words = [70, 150]");
        return None;
    }
    range
}

/// Resolves the names of the two poles, if present.
pub(super) fn poles(walk: &mut Walk<'_>, root: &At<'_>) -> Option<[Text; 2]> {
    let stance = root.get("stance")?;
    let poles: Option<[Text; 2]> = stance.node.read();
    if poles.as_ref().is_none_or(|[one, other]| one.to_lowercase() == other.to_lowercase()) {
        let fix = r#"as in stance = ["ban them", "leave them"]"#;
        walk.fault(&stance, "takes the names of two different poles", fix);
        return None;
    }
    poles
}

/// Returns the visible messages of a participant or phase, if given.
pub(super) fn sees(raw: &Option<Or<Sees, Vec<Text>>>) -> Option<Sees> {
    raw.as_ref().map(|sees| match sees {
        Or::Short(word) => *word,
        Or::Long(_) => Sees::Listed,
    })
}
