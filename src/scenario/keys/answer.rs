//! Keys of `[answer]` and of replies with an answer.

use super::value::{Key, NAMES, ONE_OR_MORE_NAMES, ValueKind, key};

/// Kinds of answers in `answer.form`.
const FORM: ValueKind = ValueKind::OneOf(&["number", "letter", "text", "json"]);

/// The keys of `[answer]`.
pub(super) static ANSWER: &[Key] = &[
    key(
        "form",
        FORM,
        r#""number""#,
        "The kind of answer (default: text). It is read from the last lines of a reply, after \"ANSWER:\". A reply \
         without a readable answer is an abstention.",
    ),
    key(
        "confidence",
        ValueKind::Flag,
        "true",
        "Whether each is asked how sure it is, from 0 to 100.",
    ),
    key(
        "object",
        ValueKind::Flag,
        "true",
        "Whether each answers with a JSON object of `why` and `answer`, which local servers enforce: for models too \
         small to follow the instruction.",
    ),
    key(
        "pattern",
        ValueKind::Line,
        r"'\\boxed\{(.*?)\}'",
        "A regular expression with one group: the answer is the group of its last match in a reply. The task asks for it; \
         prompts do not.",
    ),
    key(
        "of",
        ONE_OR_MORE_NAMES,
        r#"["panel"]"#,
        "Whose answers count: participants or roles (default: everyone who speaks).",
    ),
    key(
        "count",
        ValueKind::OneOf(&["last", "every"]),
        r#""every""#,
        "Which answers of each participant count: last (default) or every.",
    ),
    key(
        "by",
        ValueKind::OneOf(&[
            "majority",
            "confidence",
            "borda",
            "mean",
            "median",
            "judge",
            "best",
            "last",
            "trajectory",
        ]),
        r#""majority""#,
        "How answers are combined: most votes (majority, the default), the largest sum of confidence, points from rankings \
         (borda; self-ranks excluded), the best mean score, the median, the verdict (judge), the answer of the \
         participant with the best mean score (best; scores are keyed by participant id), the one given last, or \
         the highest score over all rounds (trajectory).",
    ),
    key(
        "tie",
        ValueKind::OneOf(&["none", "first", "random"]),
        r#""first""#,
        "What a tie becomes: no answer (none, the default), the answer given first, or a random one.",
    ),
    key(
        "trajectory",
        ValueKind::List(&ValueKind::Number { least: 0.0, most: 1_000.0 }),
        "[20, 25, 30, 20]",
        "With by = \"trajectory\": scores for a first answer, taken from one that is left, for one that is adopted, and for \
         one that is kept; each is divided by the number of its round.",
    ),
    key(
        "bands",
        ValueKind::List(&ValueKind::List(&ValueKind::Number { least: 0.0, most: 1.0 })),
        "[[0.9, 0.8], [0.0, 0.1]]",
        "How much a confidence counts: pairs of minimum confidence (0 to 1) and weight, highest first.",
    ),
];

/// `answer`: the reply ends with an answer.
pub(super) const ANSWER_OF: Key = key(
    "answer",
    FORM,
    r#""number""#,
    "The reply is text that ends with an answer of this kind, after \"ANSWER:\".",
);
/// `rank`: the reply ends with a ranking.
pub(super) const RANK: Key = key(
    "rank",
    ValueKind::AnyOf(&[ValueKind::True, ValueKind::Count { least: 1, most: 100 }]),
    "true",
    "The reply is text that ends with a ranking of the others whose turns were shown: all of them, or the best N.",
);
/// `score`: the reply ends with scores.
pub(super) const SCORE: Key = key(
    "score",
    NAMES,
    r#"["A", "B"]"#,
    "The reply is text that ends with a score from 0 to 10 for each of these, as in \"SCORE A: 7\".",
);
/// `quotes`: the program checks quotations against a text.
pub(super) const QUOTES: Key = key(
    "quotes",
    ValueKind::Text,
    r#""{{ item.text }}""#,
    "The text that quotations in the reply are checked against; each is marked as found in it or not.",
);
