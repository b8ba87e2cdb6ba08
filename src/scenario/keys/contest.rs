//! Keys of `reply`, `context`, `[[stop]]` and `[verdict]`.

use super::answer::{ANSWER_OF, QUOTES, RANK, SCORE};
use super::value::{
    Key, NAMES, ONE_OR_MORE_NAMES, SEES_WORD, UTTERANCE_RANGE, ValueKind, key, needed,
};
use crate::model::facts::OF_CONVERSATION;

/// The forms of `reply`.
pub(super) const REPLY: ValueKind =
    ValueKind::AnyOf(&[ValueKind::OneOf(&["free"]), ValueKind::Table(CONTRACT)]);

static CONTRACT: &[Key] = &[
    key(
        "markers",
        NAMES,
        r#"["[PASS]", "[AGREE]"]"#,
        "Markers with a meaning at the end of a line; a reply of markers alone is a turn that counts.",
    ),
    key("choice", NAMES, r#"["yes", "no"]"#, "The possible answers."),
    key(
        "schema",
        ValueKind::Schema,
        r#"{ type = "object", required = ["claim"] }"#,
        "JSON Schema of the reply.",
    ),
    key(
        "again",
        ValueKind::Count { least: 0, most: 5 },
        "1",
        "Further attempts after a reply that does not fit (default 1).",
    ),
    ANSWER_OF,
    RANK,
    SCORE,
    QUOTES,
    key(
        "to",
        ONE_OR_MORE_NAMES,
        r#"["bo"]"#,
        "The participants or roles, or all, to whom a reply may whisper: a paragraph that begins `WHISPER NAME:`.",
    ),
    key(
        "keep",
        ValueKind::OneOf(&["profile"]),
        r#""profile""#,
        "Keeps the facts of the reply as the profile, field by field: those in its field `profile` where the schema has \
         one, else all of them. A fact stays until it changes; null deletes it.",
    ),
    key(
        "says",
        ValueKind::Line,
        r#""message""#,
        "The field of the reply that holds the words that everybody reads (default: the whole reply).",
    ),
];

/// `context`: the part of a long conversation that a prompt keeps.
pub(super) const CONTEXT: ValueKind = ValueKind::AnyOf(&[
    ValueKind::OneOf(&["head_tail", "window", "summary"]),
    ValueKind::Table(CONTEXT_TABLE),
]);

static CONTEXT_TABLE: &[Key] = &[
    key(
        "summary_by",
        ValueKind::Line,
        r#""clerk""#,
        "The participant that summarises earlier turns.",
    ),
    key(
        "window",
        ValueKind::Count { least: 1, most: 100_000 },
        "12",
        "How many of the last messages it is shown, and nothing before them.",
    ),
];

/// The keys of a `[[stop]]`.
pub(super) static STOP: &[Key] = &[
    key(
        "when",
        ValueKind::Condition(OF_CONVERSATION),
        r#""turn_count > 6""#,
        "Ends when this condition holds.",
    ),
    key("word", ValueKind::Line, r#""AGREED""#, "Ends when a line of a turn starts with this."),
    key(
        "by",
        ONE_OR_MORE_NAMES,
        r#"["ada"]"#,
        "Whose line: participants or roles (default: anyone).",
    ),
    key(
        "accepted_by",
        ONE_OR_MORE_NAMES,
        r#"["bo"]"#,
        "With word: the line is an offer, which counts once one of these answers it with the word in their next turn.",
    ),
    key(
        "judge",
        ValueKind::Line,
        r#""jo""#,
        "Ends when this participant answers the question with yes.",
    ),
    key("question", ValueKind::Line, r#""Is all said?""#, "The question to the judge."),
    key(
        "every",
        ValueKind::AnyOf(&[ValueKind::True, UTTERANCE_RANGE]),
        "4",
        "With judge: ask it every N turns (default 1). With then = \"ask\": true asks each time that \
         the rule becomes true, not only once.",
    ),
    key(
        "agreement",
        ValueKind::Number { least: 0.01, most: 1.0 },
        "0.8",
        "Ends when this share of the speakers gives the same answer; abstentions count against it.",
    ),
    key(
        "loop",
        ValueKind::True,
        "true",
        "Ends when the conversation repeats itself for two rounds; warns after the first.",
    ),
    key(
        "then",
        ValueKind::OneOf(&["end", "ask"]),
        r#""ask""#,
        "Whether to end at once (default), or to pause and ask you.",
    ),
];

/// The keys of `[poll]`.
pub(super) static POLL: &[Key] = &[
    key(
        "question",
        ValueKind::Line,
        r#""Should the dam come down?""#,
        "The question (default: the topic).",
    ),
    key(
        "options",
        NAMES,
        r#"["for", "against"]"#,
        "The choices (default: for, against, undecided).",
    ),
    key(
        "who",
        ONE_OR_MORE_NAMES,
        r#""jury""#,
        "The participants or roles that vote (default: everyone who speaks).",
    ),
];

/// `question`: what the judges decide.
const QUESTION: Key = key(
    "question",
    ValueKind::Line,
    r#""Who made the better case?""#,
    "The question (default: who made the better case).",
);
const SIDES: Key = key(
    "sides",
    NAMES,
    r#"["pro", "con"]"#,
    "The participants or roles compared (default: everyone who speaks).",
);
const ARGUES: Key = key(
    "argues",
    ValueKind::List(&ValueKind::Template),
    r#"["{{ item.a }}", "{{ item.b }}"]"#,
    "The answer that each of the sides argues for, in the same order; the judge reads it.",
);
const VOTES: Key = key(
    "votes",
    ValueKind::Count { least: 1, most: 9 },
    "1",
    "How often each judge is asked (default 1).",
);
const SWAP_TEST: Key = key(
    "swap_test",
    ValueKind::Flag,
    "true",
    "Whether each judge is asked again with the sides swapped; a judgement that changes counts as a tie.",
);
const TIE: Key = key(
    "tie",
    ValueKind::OneOf(&["draw", "first", "random", "judge", "human"]),
    r#""judge""#,
    "How a tie is broken: not at all, the side named first, at random, by the first judge, or by you.",
);
const JUDGE_SEES: Key =
    key("sees", SEES_WORD, r#""opening""#, "Whose turns the judges see (default: all).");
const MAY_STOP: Key = key(
    "may_stop",
    ValueKind::Flag,
    "true",
    "Whether the judges are also asked after each round; a winner then ends the conversation.",
);

const AT: Key = key(
    "at",
    ValueKind::OneOf(&["always", "completed"]),
    r#""completed""#,
    "Whether to give the verdict at every end (default; also at a limit or when you end it, budget permitting) or \
         only when the conversation is completed.",
);

/// Common keys of both kinds of verdict; they differ in the key with the judges.
const fn court(judges: &'static str) -> [Key; 9] {
    let judges = needed(
        judges,
        ONE_OR_MORE_NAMES,
        r#""jo""#,
        "The judge, or several as a panel; they take no turns unless speaks = true.",
    );
    [judges, QUESTION, SIDES, ARGUES, VOTES, SWAP_TEST, TIE, JUDGE_SEES, MAY_STOP]
}

/// The keys of `[verdict]`, at the end of the conversation.
pub(super) static VERDICT: &[Key] = {
    let [judges, question, sides, argues, votes, swap_test, tie, sees, may_stop] = court("judge");
    &[judges, question, sides, argues, votes, swap_test, tie, sees, may_stop, AT]
};

/// The keys of a phase's `judge`.
pub(super) static JUDGE: &[Key] = &court("seat");

/// `goal`: the private goal of a participant.
pub(super) const GOAL: Key = key(
    "goal",
    ValueKind::Table(&[
        needed(
            "text",
            ValueKind::Text,
            r#""sell for 310 or more""#,
            "The goal, in its own prompt only.",
        ),
        key("least", PRICE, "310", "The lowest price that it accepts."),
        key("most", PRICE, "340", "The highest price that it accepts."),
    ]),
    r#"{ text = "sell for 310 or more", least = 310 }"#,
    "A private goal: nobody else reads it before the end, which shows it with the gain from the accepted offer.",
);
const PRICE: ValueKind = ValueKind::Number { least: 0.0, most: 1e15 };
