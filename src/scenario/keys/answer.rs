//! The keys of `[answer]` and of replies that hold one.

use super::value::{Key, NAMES, ONE_OR_MORE_NAMES, ValueKind, key};

/// Kinds of answers.
const FORM: ValueKind =
    ValueKind::OneOf { words: &["number", "letter", "text", "json"], later: &[] };

/// The answer that a conversation is to find.
pub(super) const ANSWER: &[Key] = &[
    key(
        "form",
        FORM,
        r#""number""#,
        "What an answer is; text, unless it says so. It stands in the last lines of a reply, behind \"ANSWER:\". A reply \
         without one that can be read is an abstention.",
    ),
    key(
        "confidence",
        ValueKind::Flag,
        "true",
        "Whether each is asked how sure it is, from 0 to 100.",
    ),
    key(
        "of",
        ONE_OR_MORE_NAMES,
        r#"["panel"]"#,
        "Whose answers count: seats or roles; everybody who speaks, unless it says so.",
    ),
    key(
        "count",
        ValueKind::OneOf { words: &["last", "every"], later: &[] },
        r#""every""#,
        "Whether the last answer of each counts, or every one; last, unless it says so.",
    ),
    key(
        "by",
        ValueKind::OneOf {
            words: &["majority", "confidence", "borda", "mean", "median", "judge", "last"],
            later: &[],
        },
        r#""majority""#,
        "How one answer is made of them: most votes, the largest sum of confidence, points in rankings without those for \
         oneself, the best mean score, the median, the verdict, or the one given last; majority, unless it says so.",
    ),
    key(
        "tie",
        ValueKind::OneOf { words: &["none", "first", "random"], later: &[] },
        r#""first""#,
        "What a tie comes to: no answer, the one given first, or dice; none, unless it says so.",
    ),
    key(
        "bands",
        ValueKind::List(&ValueKind::List(&ValueKind::Number { least: 0.0, most: 1.0 })),
        "[[0.9, 0.8], [0.0, 0.1]]",
        "What a confidence counts as, from the highest band down: from this on, as that much.",
    ),
];

/// The reply holds an answer.
pub(super) const ANSWER_OF: Key = key(
    "answer",
    FORM,
    r#""number""#,
    "The reply is words that end with an answer of this kind, behind \"ANSWER:\".",
);
/// The reply holds a ranking.
pub(super) const RANK: Key = key(
    "rank",
    ValueKind::AnyOf(&[ValueKind::True, ValueKind::Count { least: 1, most: 100 }]),
    "true",
    "The reply is words that end with a ranking of the others whose words were shown: of all, or of the best so many.",
);
/// The reply holds scores.
pub(super) const SCORE: Key = key(
    "score",
    NAMES,
    r#"["A", "B"]"#,
    "The reply is words that end with a score from 0 to 10 for each of these, as in \"SCORE A: 7\".",
);
/// Quotations are checked.
pub(super) const QUOTES: Key = key(
    "quotes",
    ValueKind::Text,
    r#""{{ item.text }}""#,
    "The text that quotations in the reply are held against; each is marked as standing in it or not.",
);
