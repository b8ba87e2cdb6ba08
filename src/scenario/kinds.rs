//! The kind of value that a condition compares, as far as its text shows it: so that `utterances > 3` is an error
//! before anybody speaks, and not only when it is evaluated.

use crate::expr::{Condition, ExprError};

/// The names whose values are lists.
const LISTS: &[&str] = &[
    "fields",
    "history",
    "notes",
    "options",
    "ranking",
    "requests",
    "seats",
    "speaking",
    "utterances",
];
/// The names whose values are mappings.
const MAPPINGS: &[&str] = &[
    "answers", "context", "ended", "item", "last", "limits", "me", "operator", "plan", "profile",
    "step", "verdict", "vote",
];
/// The names whose values are numbers.
const NUMBERS: &[&str] = &["agreement", "dice", "number", "round", "turn_count"];
/// The names whose values are texts.
const TEXTS: &[&str] = &[
    "at_limit",
    "correction",
    "purpose",
    "question",
    "said",
    "stage",
    "title",
    "topic",
    "waiting",
];
/// The names whose values are true or false.
const FLAGS: &[&str] = &["False", "True", "false", "paused", "pausing", "true"];

/// Returns what is wrong with a condition that orders values of two kinds.
pub(super) fn unlike(source: &str, condition: &Condition) -> Option<ExprError> {
    condition.comparisons().iter().find_map(|c| {
        let [left, right] =
            [&c.left, &c.right].map(|side| source.get(side.clone()).unwrap_or_default().trim());
        let (one, other) = (kind(left)?, kind(right)?);
        let lists = [one, other].iter().any(|kind| matches!(*kind, "a list" | "a mapping"));
        let hint = if lists { "; count(...) gives the number of its items" } else { "" };
        let message =
            format!("`{left}` is {one} and `{right}` is {other}: they cannot be compared{hint}");
        (one != other).then(|| ExprError::new(message, c.left.start))
    })
}

/// Returns the kind of a side of a comparison; none where its text does not show it.
fn kind(side: &str) -> Option<&'static str> {
    let quoted = |quote: char| {
        let inside = side.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        inside.is_some_and(|inside| !inside.contains(quote))
    };
    match side {
        side if LISTS.contains(&side) => Some("a list"),
        side if MAPPINGS.contains(&side) => Some("a mapping"),
        side if NUMBERS.contains(&side) || side.parse::<f64>().is_ok() => Some("a number"),
        side if TEXTS.contains(&side) || quoted('\'') || quoted('"') => Some("a text"),
        side if FLAGS.contains(&side) => Some("true or false"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::facts::{OF_CALL, OF_CONVERSATION};

    #[test]
    fn every_fact_has_its_kind() {
        for fact in OF_CALL.iter().chain(OF_CONVERSATION) {
            assert!(kind(fact).is_some(), "{fact}");
        }
    }

    #[test]
    fn only_what_is_certain_is_a_fault() {
        let told =
            |source: &str| unlike(source, &Condition::compile(source).unwrap()).map(|f| f.message);
        let fault = told("turn_count > 2 and utterances > 3").unwrap();
        assert!(fault.starts_with("`utterances` is a list and `3` is a number"), "{fault}");
        assert!(told("topic >= 3.5").is_some() && told("'3' < round").is_some());
        for fine in [
            "count(utterances) > 3",
            "context.n > 3",
            "agreement >= 0.8",
            "topic < 'm'",
            "round < turn_count",
        ] {
            assert_eq!(told(fine), None, "{fine}");
        }
    }
}
