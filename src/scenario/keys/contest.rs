//! The keys of `reply` and `[verdict]`.

use super::{Key, Kind, NAMES, ONE_OR_MORE_NAMES, key, later, needed};

/// What a seat's replies must be.
pub(super) const REPLY: Kind =
    Kind::AnyOf(&[Kind::OneOf { words: &["free"], later: &[] }, Kind::Table(CONTRACT)]);

const CONTRACT: &[Key] = &[
    key(
        "markers",
        NAMES,
        r#"["[PASS]", "[AGREE]"]"#,
        "Signs that mean something at the end of a line.",
    ),
    key("choice", NAMES, r#"["yes", "no"]"#, "Answers, one of which the reply gives."),
    key(
        "schema",
        Kind::Schema,
        r#"{ type = "object", required = ["claim"] }"#,
        "The JSON Schema that the reply fits.",
    ),
    key(
        "again",
        Kind::Count { least: 0, most: 5 },
        "1",
        "Further calls that show what was wrong with the reply; 1, unless it says so.",
    ),
    later("keep"),
];

/// The verdict at the end.
pub(super) const VERDICT: &[Key] = &[
    needed(
        "judge",
        ONE_OR_MORE_NAMES,
        r#""jo""#,
        "Who judges: a seat, or several as a panel; they do not speak unless they are told to.",
    ),
    key(
        "question",
        Kind::Line,
        r#""Who made the better case?""#,
        "What is judged; who made the better case, unless it says so.",
    ),
    key(
        "sides",
        NAMES,
        r#"["pro", "con"]"#,
        "Seats or roles that are compared; everybody who speaks, unless it says so.",
    ),
    key(
        "votes",
        Kind::Count { least: 1, most: 9 },
        "1",
        "How often each judge is asked; 1, unless it says so.",
    ),
    key(
        "swap_test",
        Kind::Flag,
        "true",
        "Whether each is asked again with the sides in reverse order; a judgement that turns with it is a tie.",
    ),
    key(
        "tie",
        Kind::OneOf { words: &["draw", "first", "random"], later: &["human", "judge"] },
        r#""draw""#,
        "What follows where two sides have as many: nobody wins, the side named first, or dice.",
    ),
    later("sees"),
    later("may_stop"),
];
