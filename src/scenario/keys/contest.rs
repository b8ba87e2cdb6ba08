//! The keys of `reply`, `context`, `[[stop]]` and `[verdict]`.

use super::value::{
    Key, NAMES, ONE_OR_MORE_NAMES, SEES, UTTERANCE_RANGE, ValueKind, key, later, needed,
};
use crate::model::facts::OF_CONVERSATION;

/// What a seat's replies must be.
pub(super) const REPLY: ValueKind = ValueKind::AnyOf(&[
    ValueKind::OneOf { words: &["free"], later: &[] },
    ValueKind::Table(CONTRACT),
]);

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
        ValueKind::Schema,
        r#"{ type = "object", required = ["claim"] }"#,
        "The JSON Schema that the reply fits.",
    ),
    key(
        "again",
        ValueKind::Count { least: 0, most: 5 },
        "1",
        "Further calls that show what was wrong with the reply; 1, unless it says so.",
    ),
    later("keep"),
];

/// What becomes of a talk that is too long.
pub(super) const CONTEXT: ValueKind = ValueKind::AnyOf(&[
    ValueKind::OneOf { words: &["head_tail", "window", "summary"], later: &[] },
    ValueKind::Table(SUMMARY),
]);

const SUMMARY: &[Key] = &[needed(
    "summary_by",
    ValueKind::Line,
    r#""clerk""#,
    "The seat that sums up what was said before.",
)];

/// What ends it before its limits do.
pub(super) const STOP: &[Key] = &[
    key(
        "when",
        ValueKind::Condition(OF_CONVERSATION),
        r#""turn_count > 6""#,
        "It ends when this holds.",
    ),
    key(
        "word",
        ValueKind::Line,
        r#""AGREED""#,
        "It ends when a line of an utterance begins with this.",
    ),
    key(
        "by",
        ONE_OR_MORE_NAMES,
        r#"["ada"]"#,
        "Whose line: seats or roles; anybody's, unless it says so.",
    ),
    key("judge", ValueKind::Line, r#""jo""#, "It ends when this seat says yes to the question."),
    key("question", ValueKind::Line, r#""Is all said?""#, "What the judge is asked."),
    key(
        "every",
        ValueKind::AnyOf(&[ValueKind::True, UTTERANCE_RANGE]),
        "4",
        "Of a judge: utterances between two askings; 1, unless it says so. With then = \"ask\": true asks each time that \
         the rule becomes true, not once.",
    ),
    key(
        "agreement",
        ValueKind::Number { least: 0.01, most: 1.0 },
        "0.8",
        "It ends when this share of those who speak gives the same answer; silence agrees with nobody.",
    ),
    key(
        "loop",
        ValueKind::True,
        "true",
        "It ends when the talk goes in circles for two rounds; after the first one it warns.",
    ),
    key(
        "then",
        ValueKind::OneOf { words: &["end", "ask"], later: &[] },
        r#""ask""#,
        "Whether it ends at once, or pauses and asks you; end, unless it says so.",
    ),
];

/// What every judging has.
const QUESTION: Key = key(
    "question",
    ValueKind::Line,
    r#""Who made the better case?""#,
    "What is judged; who made the better case, unless it says so.",
);
const SIDES: Key = key(
    "sides",
    NAMES,
    r#"["pro", "con"]"#,
    "Seats or roles that are compared; everybody who speaks, unless it says so.",
);
const VOTES: Key = key(
    "votes",
    ValueKind::Count { least: 1, most: 9 },
    "1",
    "How often each judge is asked; 1, unless it says so.",
);
const SWAP_TEST: Key = key(
    "swap_test",
    ValueKind::Flag,
    "true",
    "Whether each is asked again with the sides in reverse order; a judgement that turns with it is a tie.",
);
const TIE: Key = key(
    "tie",
    ValueKind::OneOf { words: &["draw", "first", "random", "judge", "human"], later: &[] },
    r#""judge""#,
    "What follows where two sides have as many: nobody wins, the side named first, dice, the first judge's casting \
     vote, or you choose.",
);
const JUDGE_SEES: Key =
    key("sees", SEES, r#""opening""#, "Whose words the judges see; all, unless it says so.");
const MAY_STOP: Key = key(
    "may_stop",
    ValueKind::Flag,
    "true",
    "Whether the judges are asked after each round too, and a side that has won then ends it.",
);

const AT: Key = key(
    "at",
    ValueKind::OneOf { words: &["always", "completed"], later: &[] },
    r#""completed""#,
    "Whether it is given at every end, also at a limit and when you end it, as far as money allows, or only when the \
     conversation is completed; always, unless it says so.",
);

/// What both kinds of verdict take; they differ in how the judges are called.
const fn court(judges: &'static str) -> [Key; 8] {
    let judges = needed(
        judges,
        ONE_OR_MORE_NAMES,
        r#""jo""#,
        "Who judges: a seat, or several as a panel; they do not speak unless they are told to.",
    );
    [judges, QUESTION, SIDES, VOTES, SWAP_TEST, TIE, JUDGE_SEES, MAY_STOP]
}

/// The verdict at the end.
pub(super) const VERDICT: &[Key] = {
    let [judges, question, sides, votes, swap_test, tie, sees, may_stop] = court("judge");
    &[judges, question, sides, votes, swap_test, tie, sees, may_stop, AT]
};

/// The verdict on a phase.
pub(super) const JUDGE: &[Key] = &court("seat");
