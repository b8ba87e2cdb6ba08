//! Resolves the visibility of a phase.

use super::check::{Walk, join};
use super::keys::VARIED;
use super::tree::{Node, count, texts};
use super::who::who_of;
use crate::model::{Anonymous, Participant, Sees, Shows, Text};
use serde_json::Value;

/// Resolves the participants in a list `sees`.
pub(super) fn seen(
    walk: &mut Walk<'_>,
    node: &Node,
    seats: &[Participant],
    path: &str,
) -> Vec<Text> {
    match node.get("sees").filter(|sees| sees.text().is_none()) {
        Some(sees) => who_of(walk, sees, seats, &join(path, "sees")),
        None => vec![],
    }
}

/// Resolves the lists `sees` of participants.
pub(super) fn seen_by_seats(walk: &mut Walk<'_>, root: &Node, seats: &mut [Participant]) {
    let nodes = root.get("participant").map(Node::items).unwrap_or_default();
    for (i, node) in nodes.iter().enumerate() {
        let seen = seen(walk, node, seats, &format!("participant[{}]", i + 1));
        let id = node.get("id").and_then(Node::text);
        if let Some(seat) = seats.iter_mut().find(|s| Some(&*s.id.0) == id) {
            seat.seen = seen;
        }
    }
}

/// Resolves the keys of a phase for visibility and style.
pub(super) fn shows(walk: &mut Walk<'_>, node: &Node, seats: &[Participant], path: &str) -> Shows {
    let word = |key: &str| node.get(key).and_then(Node::text);
    if let (Some(until), None) = (node.get("until"), node.get("rounds")) {
        let message = "needs `rounds` as an upper bound";
        walk.fault(&until.span, &join(path, "until"), message, "as in rounds = 5");
    }
    let picks = matches!(
        sees(node),
        Some(Sees::LastRound | Sees::OthersLast | Sees::Answers | Sees::Opening)
    );
    if let (Some(diverse), false) = (node.get("diverse"), picks) {
        let message = "picks among the words of one round";
        let fix = r#"add sees = "others_last", last_round, opening or answers"#;
        walk.fault(&diverse.span, &join(path, "diverse"), message, fix);
    }
    let simultaneous = node.get("order").and_then(Node::text) == Some("simultaneous");
    if let (Some(keeps), false) = (node.get("keeps"), simultaneous) {
        let message = "asks the others at the same time";
        walk.fault(&keeps.span, &join(path, "keeps"), message, r#"add order = "simultaneous""#);
    }
    Shows {
        sees: sees(node),
        seen: seen(walk, node, seats, path),
        keeps: node.get("keeps").is_some(),
        anonymous: match word("anonymous") {
            Some("stable") => Anonymous::Stable,
            Some("per_round") => Anonymous::PerRound,
            Some("per_viewer") => Anonymous::PerViewer,
            _ => Anonymous::Off,
        },
        thinks: word("think") == Some("private"),
        words: words(walk, node, path),
        until: word("until").map(Into::into),
        task: word("task").map(Into::into),
        diverse: count(node, "diverse"),
    }
}

/// Resolves the target length in words, if present.
pub(super) fn words(walk: &mut Walk<'_>, node: &Node, path: &str) -> Option<(u32, u32)> {
    let words = node.get("words").filter(|words| words.text() != Some(VARIED))?;
    let range: Vec<u32> =
        words.items().iter().filter_map(|n| u32::try_from(n.whole()?).ok()).collect();
    match range[..] {
        [least, most] if least <= most => Some((least, most)),
        _ => {
            let message = "takes two numbers, the smaller one first";
            walk.fault(&words.span, &join(path, "words"), message, "as in words = [70, 150]");
            None
        }
    }
}

/// Resolves the names of the two poles, if present.
pub(super) fn poles(walk: &mut Walk<'_>, root: &Node) -> Option<[Text; 2]> {
    let node = root.get("stance")?;
    let names = texts(node);
    match <[Text; 2]>::try_from(names) {
        Ok([first, second]) if first.to_lowercase() != second.to_lowercase() => {
            Some([first, second])
        }
        Ok(_) | Err(_) => {
            let message = "takes the names of two different poles";
            walk.fault(
                &node.span,
                "stance",
                message,
                r#"as in stance = ["ban them", "leave them"]"#,
            );
            None
        }
    }
}

/// Resolves the visible messages of a participant or phase, if present.
pub(super) fn sees(node: &Node) -> Option<Sees> {
    let sees = node.get("sees")?;
    let Some(word) = sees.text() else { return Some(Sees::Listed) };
    serde_json::from_value(Value::String(word.to_owned())).ok()
}
