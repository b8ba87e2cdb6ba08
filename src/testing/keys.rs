//! The table of keys of a test file: what the walker checks, what `schema test` says, what a hint shows.

use crate::model::facts::OF_CALL;
use crate::scenario::{Key, PACE_RANGE, TOP, ValueKind, key, needed};

/// Failures that a line may have on purpose, as written; see `answers.rs` for what each one is.
pub const FAILURES: &[&str] = &[
    "400", "401", "402", "403", "404", "429", "500", "503", "dns", "refused", "tls", "broken",
    "context", "filter", "empty",
];
/// What a line may answer, as the lines of a scenario do.
const PURPOSES: &[&str] = &["speak", "pick", "bid", "vote", "judge", "summarise"];
/// Times that a test may be run.
pub const RUNS_MAX: u64 = 1_000;
/// Cases of one file.
pub const CASES_MAX: usize = 10_000;

const SHARE: ValueKind = ValueKind::Number { least: 0.0, most: 1.0 };
const TEXTS: ValueKind = ValueKind::AnyOf(&[ValueKind::Text, ValueKind::List(&ValueKind::Text)]);
const NAMES: ValueKind = ValueKind::AnyOf(&[ValueKind::Id, ValueKind::List(&ValueKind::Id)]);

/// The whole file.
pub const TEST: &[Key] = &[
    key("title", ValueKind::Line, r#""Bo answers Ada""#, "What the test shows."),
    needed(
        "scenario",
        ValueKind::AnyOf(&[ValueKind::Line, ValueKind::Table(TOP)]),
        r#""debate.toml""#,
        "The scenario: a path beside this file, the name of a bundled one, or the table itself.",
    ),
    key("topic", ValueKind::Text, r#""Tea or coffee?""#, "The topic, instead of the scenario's."),
    key(
        "set",
        ValueKind::Free,
        r#"{ "limits.utterances" = 4 }"#,
        "Keys of the scenario with other values, as `run --set` takes them.",
    ),
    key("seed", ValueKind::Count { least: 0, most: 1 << 53 }, "7", "The random seed; 0 otherwise."),
    key(
        "voice",
        ValueKind::List(&ValueKind::Table(VOICE)),
        r#"[{ seat = "bo", lines = ["No."] }]"#,
        "Who speaks for a seat; a seat without one has its own lines, the rehearsed cast's, or its stand-in's.",
    ),
    key(
        "given",
        ValueKind::List(&ValueKind::Table(GIVEN)),
        r#"[{ who = "ada", text = "Tea." }]"#,
        "What was said before the test starts, without any call.",
    ),
    key(
        "steer",
        ValueKind::List(&ValueKind::Free),
        r#"[{ after = { utterance = 2 }, do = "pause" }]"#,
        "Commands, as `schema steer` describes them.",
    ),
    key(
        "expect",
        ValueKind::List(&ValueKind::Table(EXPECT)),
        r#"[{ that = "ended.reason == 'utterance_limit'" }]"#,
        "What must be true at the end.",
    ),
    key(
        "case",
        ValueKind::List(&ValueKind::Free),
        r#"[{ name = "short", n = 2 }]"#,
        "One test each; its keys are {{ case.KEY }} in texts and case.KEY in conditions.",
    ),
    key(
        "runs",
        ValueKind::Count { least: 1, most: RUNS_MAX },
        "20",
        "How often the test is run, each time with the next seed.",
    ),
    key("pass", SHARE, "0.9", "The share of its runs that must pass; all, unless it says so."),
    key(
        "timeout",
        ValueKind::Duration,
        r#""60s""#,
        "How long one run may really take; 60 seconds, unless it says so.",
    ),
];

/// Who speaks for a seat.
pub const VOICE: &[Key] = &[
    needed(
        "seat",
        NAMES,
        r#""bo""#,
        "The participant or participants; `all` means everyone without a voice in this test.",
    ),
    key(
        "lines",
        ValueKind::List(&ValueKind::AnyOf(&[ValueKind::Template, ValueKind::Table(ANSWER)])),
        r#"["No.", { fail = "429" }]"#,
        "One line a call, in their order; after the last they begin again.",
    ),
    key(
        "recording",
        ValueKind::Line,
        r#""debate.jsonl""#,
        "A session, in which the seat said what it says here; --bless takes changed prompts.",
    ),
    key(
        "ignore",
        TEXTS,
        r#"["[0-9]{2}:[0-9]{2}"]"#,
        "Regular expressions for what may differ in the prompts of a recording.",
    ),
    key("script", ValueKind::True, "true", "The seat's own script, really run."),
    key("human", ValueKind::True, "true", "A person, for whom commands speak: `speak` and `pass`."),
    key("pace", PACE_RANGE, "70", "Milliseconds a word takes, in virtual time."),
    key(
        "price",
        ValueKind::List(&ValueKind::Number { least: 0.0, most: 1e6 }),
        "[0.5, 1.5]",
        "Dollars per million tokens read and written, to test budgets; otherwise it is free.",
    ),
    key(
        "window",
        ValueKind::Count { least: 256, most: 10_000_000 },
        "4096",
        "The context window in tokens, to test long conversations.",
    ),
];

/// One line of a test's voice: a rehearsed line, and what goes wrong with it on purpose.
pub const ANSWER: &[Key] = &[
    key("text", ValueKind::Template, r#""You asked: {{ operator.said }}""#, "The text."),
    key(
        "when",
        ValueKind::Condition(OF_CALL),
        r#""'budget' in prompt""#,
        "The line is used once this condition holds, before the plain ones.",
    ),
    key(
        "for",
        ValueKind::OneOf { words: PURPOSES, later: &[] },
        r#""vote""#,
        "The purpose of the line (default speak).",
    ),
    key(
        "every",
        ValueKind::Flag,
        "true",
        "Whether a line with `when` is used every time its condition is true.",
    ),
    key(
        "every",
        ValueKind::Flag,
        "true",
        "Whether a line with `when` is used every time its condition is true.",
    ),
    key(
        "fail",
        ValueKind::OneOf { words: FAILURES, later: &[] },
        r#""429""#,
        "The call fails: an HTTP status, or what happened to the connection or the reply.",
    ),
    key("wait", ValueKind::Duration, r#""2s""#, "How long a server that fails asks to wait."),
    key("silence", ValueKind::True, "true", "Nothing ever comes, until the call's time is up."),
    key(
        "cut",
        ValueKind::Count { least: 0, most: 100_000 },
        "20",
        "The connection is lost after so many words.",
    ),
    key("slow", ValueKind::Duration, r#""30s""#, "How long it takes until the first word."),
    key(
        "bad_json",
        ValueKind::True,
        "true",
        "Only the first half of the text comes, so it is no JSON.",
    ),
    key("pass", ValueKind::True, "true", "The seat lets its turn go."),
    key(
        "tokens",
        ValueKind::List(&ValueKind::Count { least: 0, most: 10_000_000 }),
        "[900, 120]",
        "The tokens read and written that the model reports.",
    ),
];

/// What was said before.
const GIVEN: &[Key] = &[
    needed("who", ValueKind::Id, r#""ada""#, "A seat, or operator."),
    needed("text", ValueKind::Text, r#""Tea.""#, "The text."),
];

/// What must be true.
pub const EXPECT: &[Key] = &[
    key(
        "that",
        ValueKind::Text,
        r#""ended.reason == 'utterance_limit'""#,
        "A condition over the final state.",
    ),
    key("speakers", ValueKind::List(&ValueKind::Id), r#"["ada", "bo"]"#, "Who spoke, in order."),
    key(
        "prompt",
        ValueKind::Table(OF_PROMPT),
        r#"{ of = "bo", turn = 1 }"#,
        "What a participant was shown; with `contains`, `lacks` or `file`.",
    ),
    key("contains", TEXTS, r#""Tea.""#, "Texts that the prompt contains."),
    key("lacks", TEXTS, r#""Coffee.""#, "Texts that the prompt does not contain."),
    key("file", ValueKind::Line, r#""bo-1.txt""#, "The file that holds the prompt as it must be."),
    key(
        "transcript",
        ValueKind::Line,
        r#""debate.golden.md""#,
        "The file that holds the whole transcript as it must be; --bless writes it.",
    ),
    key(
        "each",
        ValueKind::Text,
        r#""'sorry' not in utterance.text""#,
        "A condition over `utterance` that holds for every one; the first breach stops the run.",
    ),
    key("pass", SHARE, "0.8", "The share of runs in which it must be true."),
    key("why", ValueKind::Line, r#""Bo must not give in""#, "What a failure means."),
];

const OF_PROMPT: &[Key] = &[
    needed("of", ValueKind::Id, r#""bo""#, "Whose prompt."),
    key(
        "turn",
        ValueKind::Count { least: 1, most: 100_000 },
        "1",
        "Of which of its turns, from 1; the last one, unless it says so.",
    ),
];

/// Names that lines of a test's voice may ask for besides those of a conversation.
pub const VOICE_NAMES: &[&str] = &["attempt", "case", "model", "prompt"];

/// Names that expectations may ask for besides those of a conversation.
pub const EXPECT_NAMES: &[&str] = &[
    "calls",
    "case",
    "cost",
    "events",
    "exit",
    "ms",
    "prompt",
    "rate",
    "receipts",
    "run",
    "speakers",
    "tokens",
    "transcript",
    "turns",
    "utterance",
    "warnings",
];
