//! The keys of `[[phase]]`.

use super::contest::JUDGE;
use super::value::{Key, ONE_OR_MORE_NAMES, ROUND_RANGE, SEES, ValueKind, key, needed};
use crate::model::facts::OF_CONVERSATION;

/// Words that a contribution can be asked to have.
const WORDS_RANGE: ValueKind = ValueKind::Count { least: 1, most: 5_000 };

/// One phase.
pub(super) const PHASE: &[Key] = &[
    needed("name", ValueKind::Line, r#""opening""#, "The name as shown."),
    key(
        "who",
        ONE_OR_MORE_NAMES,
        r#"["pro", "con"]"#,
        "Seats, roles, all, or all but NAME; all, unless it says so.",
    ),
    key(
        "order",
        ValueKind::Order,
        r#""sequential""#,
        "sequential, simultaneous, shuffled, or a policy: its name, or a table with its options.",
    ),
    key("rounds", ROUND_RANGE, "2", "Full passes of its speakers; 1, unless it says so."),
    key(
        "moderator",
        ValueKind::Line,
        r#""mo""#,
        "Who chooses the next speaker, where the order is moderated.",
    ),
    key("sees", SEES, r#""others_last""#, "Whose words are seen; all, unless it says so."),
    key(
        "anonymous",
        ValueKind::OneOf { words: &["off", "stable", "per_round", "per_viewer"], later: &[] },
        r#""per_round""#,
        "Labels instead of names: the same ones throughout, dealt each round, or for each viewer.",
    ),
    key(
        "think",
        ValueKind::OneOf { words: &["off", "private"], later: &[] },
        r#""private""#,
        "Whether a part of the reply is seen by the log and the operator only.",
    ),
    key(
        "words",
        ValueKind::List(&WORDS_RANGE),
        "[70, 150]",
        "From how many words to how many a contribution should have.",
    ),
    key(
        "until",
        ValueKind::Condition(OF_CONVERSATION),
        r#""agreement >= 0.8""#,
        "Ends the phase after a round in which this holds; rounds says how many it takes at most.",
    ),
    key(
        "judge",
        ValueKind::Table(JUDGE),
        r#"{ seat = "jo", may_stop = true }"#,
        "Who judges the phase at its end, or stops it as soon as a side has won.",
    ),
];
