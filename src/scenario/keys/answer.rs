//! Keys of `[answer]` and of replies with an answer.

use super::value::{ONE_OR_MORE_NAMES, ValueKind, key, keys};
use crate::model::{Aggregation, AnswerKind, AnswerTie, Text, TrajectoryScores};

/// Kinds of answers in `answer.form`.
pub(super) const FORM: ValueKind = ValueKind::OneOf(&["number", "letter", "text", "json"]);

keys! {
    /// The keys of `[answer]`.
    pub(super) static ANSWER as RawAnswer;
    form: AnswerKind = key(FORM, r#""number""#,
        "The kind of answer (default: text). It is read from the last lines of a reply, after \"ANSWER:\". A \
         reply without a readable answer is an abstention.");
    confidence: bool = key(ValueKind::Flag, "true", "Whether each is asked how sure it is, from 0 to 100.");
    object: bool = key(ValueKind::Flag, "true",
        "Whether each answers with a JSON object of `why` and `answer`, which local servers enforce: for models \
         too small to follow the instruction.");
    pattern: Option<Text> = key(ValueKind::Line, r"'\\boxed\{(.*?)\}'",
        "A regular expression with one group: the answer is the group of its last match in a reply. The task \
         asks for it; prompts do not.");
    of = key(ONE_OR_MORE_NAMES, r#"["panel"]"#,
        "Whose answers count: participants or roles (default: everyone who speaks).");
    count: Option<Text> = key(ValueKind::OneOf(&["last", "every"]), r#""every""#,
        "Which answers of each participant count: last (default) or every.");
    by: Aggregation = key(
        ValueKind::OneOf(&["majority", "confidence", "borda", "mean", "median", "judge", "best", "last", "trajectory"]),
        r#""majority""#,
        "How answers are combined: most votes (majority, the default), the largest sum of confidence, points \
         from rankings (borda; self-ranks excluded), the best mean score, the median, the verdict (judge), the \
         answer of the participant with the best mean score (best; scores are keyed by participant id), the one \
         given last, or the highest score over all rounds (trajectory).");
    tie: AnswerTie = key(ValueKind::OneOf(&["none", "first", "random"]), r#""first""#,
        "What a tie becomes: no answer (none, the default), the answer given first, or a random one.");
    trajectory: Option<TrajectoryScores> = key(
        ValueKind::List(&ValueKind::Number { least: 0.0, most: 1_000.0 }), "[20, 25, 30, 20]",
        "With by = \"trajectory\": scores for a first answer, taken from one that is left, for one that is \
         adopted, and for one that is kept; each is divided by the number of its round.");
    bands = key(ValueKind::List(&ValueKind::List(&ValueKind::Number { least: 0.0, most: 1.0 })),
        "[[0.9, 0.8], [0.0, 0.1]]",
        "How much a confidence counts: pairs of minimum confidence (0 to 1) and weight, highest first.");
}
