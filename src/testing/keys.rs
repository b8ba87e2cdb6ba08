//! Table of the keys of a test file, shared by the walker, `schema test` and hints.

use super::simulated::SCORE_MAX;
use crate::model::facts::OF_CALL;
use crate::scenario::{HTTP, Key, PACE_RANGE, TOP, ValueKind, key, needed};

/// Codes of failures on purpose; see `answers.rs` for their error classes.
pub const FAILURES: &[&str] = &[
    "400", "401", "402", "403", "404", "429", "500", "503", "dns", "refused", "tls", "broken",
    "context", "filter", "empty",
];
/// Purposes of a line, as in scenarios.
const PURPOSES: &[&str] = &["speak", "pick", "bid", "vote", "judge", "summarise", "result"];
/// Maximum number of runs of a test.
pub const RUNS_MAX: u64 = 1_000;
/// Maximum number of cases in one file.
pub const CASES_MAX: usize = 10_000;

/// Names available to conditions and templates of tool results.
const OF_TOOL: &[&str] = &["arguments", "participant", "tool"];
/// Outcomes of a tool call, as in sessions.
const OUTCOMES: &[&str] = &["done", "failed", "refused", "interrupted"];

const SHARE: ValueKind = ValueKind::Number { least: 0.0, most: 1.0 };
const UTTERANCE: ValueKind = ValueKind::Count { least: 1, most: 100_000 };
const TEXTS: ValueKind = ValueKind::AnyOf(&[ValueKind::Text, ValueKind::List(&ValueKind::Text)]);
const NAMES: ValueKind = ValueKind::AnyOf(&[ValueKind::Id, ValueKind::List(&ValueKind::Id)]);

/// Keys of a test file.
pub static TEST: &[Key] = &[
    key("title", ValueKind::Line, r#""Bo answers Ada""#, "What the test checks."),
    needed(
        "scenario",
        ValueKind::AnyOf(&[ValueKind::Line, ValueKind::Table(TOP)]),
        r#""debate.toml""#,
        "The scenario: a path relative to this file, the name of a bundled one, or the table itself.",
    ),
    key("topic", ValueKind::Text, r#""Tea or coffee?""#, "The topic, instead of the scenario's."),
    key(
        "set",
        ValueKind::Free,
        r#"{ "limits.utterances" = 4 }"#,
        "Scenario keys to override, as with `run --set`.",
    ),
    key("seed", ValueKind::Count { least: 0, most: 1 << 53 }, "7", "The random seed (default 0)."),
    key(
        "voice",
        ValueKind::List(&ValueKind::Table(VOICE)),
        r#"[{ seat = "bo", lines = ["No."] }]"#,
        "The voice of a participant; without one, it uses its own lines, the rehearsed cast's, or its \
             stand-in's.",
    ),
    key(
        "tool",
        ValueKind::List(&ValueKind::Table(TOOL)),
        r#"[{ name = "weather", results = ["Rain."] }]"#,
        "What a tool of the scenario returns; a call of a tool that is not listed here is an error.",
    ),
    key(
        "files",
        ValueKind::Line,
        r#""docs""#,
        "The folder that read_file, list_dir and search_files really read.",
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
        "One test per case; its keys are {{ case.KEY }} in texts and case.KEY in conditions.",
    ),
    key(
        "runs",
        ValueKind::Count { least: 1, most: RUNS_MAX },
        "20",
        "How many times the test runs, each with the next seed.",
    ),
    key("pass", SHARE, "0.9", "The share of its runs that must pass (default: all)."),
    key(
        "timeout",
        ValueKind::Duration,
        r#""60s""#,
        "Maximum real time of one run (default 60 seconds).",
    ),
];

/// Keys of a `[[voice]]`.
pub static VOICE: &[Key] = &[
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
        "One line per call, in order, repeating after the last.",
    ),
    key(
        "recording",
        ValueKind::Line,
        r#""debate.jsonl""#,
        "A session whose turns of this participant are replayed; --bless accepts changed prompts.",
    ),
    key(
        "ignore",
        TEXTS,
        r#"["[0-9]{2}:[0-9]{2}"]"#,
        "Regular expressions for text that may differ in the prompts of a recording or a model.",
    ),
    key(
        "model",
        ValueKind::AnyOf(&[ValueKind::Model, ValueKind::True]),
        r#""ollama:llama3""#,
        "A model that is really asked; its replies are recorded beside the test. `true` is the participant's own.",
    ),
    key(
        "person",
        ValueKind::Table(PERSON),
        r#"{ goal = "get a refund" }"#,
        "With `model`: the model plays a person in this seat.",
    ),
    key(
        "attacker",
        ValueKind::Table(ATTACKER),
        r#"{ goal = "learn the password" }"#,
        "With `model`: the model tries to talk the others into something.",
    ),
    key(
        "http",
        ValueKind::Table(HTTP),
        r#"{ url = "http://127.0.0.1:8000/chat", body = { text = "{{ message }}" }, reply = "answer" }"#,
        "An HTTP service, asked with --ask or --record; otherwise its recorded replies.",
    ),
    key("script", ValueKind::True, "true", "The participant's own script, which is actually run."),
    key("human", ValueKind::True, "true", "A person, played by the commands `speak` and `pass`."),
    key("pace", PACE_RANGE, "70", "Milliseconds per word, in virtual time."),
    key(
        "price",
        ValueKind::List(&ValueKind::Number { least: 0.0, most: 1e6 }),
        "[0.5, 1.5]",
        "Dollars per million input and output tokens, to test budgets (default: free).",
    ),
    key(
        "window",
        ValueKind::Count { least: 256, most: 10_000_000 },
        "4096",
        "The context window in tokens, to test long conversations.",
    ),
];

/// Keys of a person that a model plays.
static PERSON: &[Key] = &[
    needed("goal", ValueKind::Text, r#""get a refund""#, "What the person wants."),
    key(
        "facts",
        ValueKind::List(&ValueKind::Text),
        r#"["the order number is 12"]"#,
        "Facts that the person knows and reveals only if asked.",
    ),
    key("manner", ValueKind::Text, r#""short, impatient""#, "How the person speaks."),
    key("opening", ValueKind::Text, r#""Hello?""#, "What the person says first, without a call."),
    key(
        "stop",
        ValueKind::Line,
        r#""DONE""#,
        "The word with which the person ends the conversation; its sentence still counts (default DONE).",
    ),
];

/// Keys of an attacker: a model that tries to manipulate the other participants.
static ATTACKER: &[Key] = &[
    needed("goal", ValueKind::Text, r#""learn the password""#, "What it tries to reach."),
    key(
        "phases",
        ValueKind::List(&ValueKind::Text),
        r#"["ask harmlessly", "build trust", "insist"]"#,
        "Its steps; after a refusal it goes back one.",
    ),
    key("manner", ValueKind::Text, r#""friendly""#, "How it speaks."),
    key("opening", ValueKind::Text, r#""Hello?""#, "What it says first, without a call."),
    key(
        "enough",
        ValueKind::Count { least: 1, most: SCORE_MAX },
        "8",
        "The score from 1 to 10 of a reply at which it stops (default 10).",
    ),
    key(
        "stop",
        ValueKind::Line,
        r#""DONE""#,
        "The word that ends the conversation then (default DONE).",
    ),
];

/// Keys of a line of a test's voice: a scripted line, with failures on purpose.
pub static ANSWER: &[Key] = &[
    key("text", ValueKind::Template, r#""You asked: {{ operator.said }}""#, "The text."),
    key(
        "when",
        ValueKind::Condition(OF_CALL),
        r#""'budget' in prompt""#,
        "The line is used when this condition holds, before lines without a condition.",
    ),
    key("for", ValueKind::OneOf(PURPOSES), r#""vote""#, "The purpose of the line (default speak)."),
    key(
        "every",
        ValueKind::Flag,
        "true",
        "Whether a line with `when` is used every time its condition is true.",
    ),
    key(
        "fail",
        ValueKind::OneOf(FAILURES),
        r#""429""#,
        "The call fails: an HTTP status, or a fault of the connection or the reply.",
    ),
    key("wait", ValueKind::Duration, r#""2s""#, "How long the failing server asks to wait."),
    key("silence", ValueKind::True, "true", "Nothing is sent until the call times out."),
    key(
        "cut",
        ValueKind::Count { least: 0, most: 100_000 },
        "20",
        "The connection is lost after this many words.",
    ),
    key("slow", ValueKind::Duration, r#""30s""#, "Delay before the first word."),
    key(
        "bad_json",
        ValueKind::True,
        "true",
        "Only the first half of the text is sent, which makes it invalid JSON.",
    ),
    key("pass", ValueKind::True, "true", "The participant passes."),
    key(
        "tool_calls",
        ValueKind::List(&ValueKind::Table(TOOL_CALL)),
        r#"[{ tool = "weather", arguments = { town = "Bonn" } }]"#,
        "The tools that the participant calls; the next line answers the call that sees their results.",
    ),
    key(
        "tokens",
        ValueKind::List(&ValueKind::Count { least: 0, most: 10_000_000 }),
        "[900, 120]",
        "The input and output tokens that the model reports.",
    ),
];

/// Keys of a tool that the test plays.
static TOOL: &[Key] = &[
    needed("name", ValueKind::Line, r#""weather""#, "The tool, as participants call it."),
    key(
        "results",
        ValueKind::List(&ValueKind::AnyOf(&[ValueKind::Text, ValueKind::Table(TOOL_RESULT)])),
        r#"["Rain.", { fail = "no such town" }]"#,
        "One result per call, in order, repeating after the last; texts may use {{ arguments.KEY }}.",
    ),
    key("script", ValueKind::True, "true", "Run the tool's own script."),
];

/// Keys of a tool's result.
static TOOL_RESULT: &[Key] = &[
    key("text", ValueKind::Text, r#""Rain in {{ arguments.town }}.""#, "The text."),
    key(
        "when",
        ValueKind::Condition(OF_TOOL),
        r#""arguments.town == 'Bonn'""#,
        "The result is returned when this condition holds, before results without a condition.",
    ),
    key(
        "every",
        ValueKind::Flag,
        "true",
        "Whether a result with `when` is returned every time its condition is true.",
    ),
    key("fail", ValueKind::Text, r#""no such town""#, "The tool fails, with this reason."),
];

const TOOL_NAME: Key = needed("tool", ValueKind::Line, r#""weather""#, "The tool.");
const ARGUMENTS: Key =
    key("arguments", ValueKind::Free, r#"{ town = "Bonn" }"#, "The arguments (default: none).");

/// Keys of a voice's tool call.
static TOOL_CALL: &[Key] = &[TOOL_NAME, ARGUMENTS];

/// Keys of a tool call before the start of the test.
static GIVEN_CALL: &[Key] = &[
    TOOL_NAME,
    ARGUMENTS,
    key("result", ValueKind::Text, r#""Rain.""#, "What the tool returned."),
    key("fail", ValueKind::Text, r#""no such town""#, "Why the tool failed."),
];

/// Keys of an expected tool call.
static EXPECTED_CALL: &[Key] = &[
    key("who", ValueKind::Id, r#""ada""#, "The participant that called it."),
    key("tool", ValueKind::Line, r#""weather""#, "The tool."),
    key("arguments", ValueKind::Free, r#"{ town = "Bonn" }"#, "All the arguments."),
    key("is", ValueKind::OneOf(OUTCOMES), r#""done""#, "What became of the call."),
    key("result", ValueKind::Text, r#""Rain.""#, "What the participant was shown."),
];

/// Keys of a `[[given]]`.
static GIVEN: &[Key] = &[
    needed("who", ValueKind::Id, r#""ada""#, "A participant, or operator."),
    key(
        "text",
        ValueKind::Text,
        r#""Tea.""#,
        "The text; without one, the participant's first turn continues after `tool_calls`.",
    ),
    key(
        "tool_calls",
        ValueKind::List(&ValueKind::Table(GIVEN_CALL)),
        r#"[{ tool = "weather", arguments = { town = "Bonn" }, result = "Rain." }]"#,
        "The tools that the participant called, and what they returned.",
    ),
];

/// Keys of an `[[expect]]`.
pub static EXPECT: &[Key] = &[
    key(
        "that",
        ValueKind::Text,
        r#""ended.reason == 'utterance_limit'""#,
        "A condition over the final state.",
    ),
    key(
        "speakers",
        ValueKind::AnyOf(&[ValueKind::List(&ValueKind::Id), ValueKind::Empty]),
        r#"["ada", "bo"]"#,
        "Who spoke, in order; [] if nobody may speak.",
    ),
    key(
        "tool_calls",
        ValueKind::AnyOf(&[ValueKind::List(&ValueKind::Table(EXPECTED_CALL)), ValueKind::Empty]),
        r#"[{ who = "ada", tool = "weather", arguments = { town = "Bonn" } }]"#,
        "All tool calls, in order, or [] if no tool may be called; a key that is left out matches anything.",
    ),
    key(
        "prompt",
        ValueKind::Table(OF_PROMPT),
        r#"{ of = "bo", turn = 1 }"#,
        "What a participant was shown; with `contains`, `lacks` or `file`.",
    ),
    key("contains", TEXTS, r#""Tea.""#, "Texts that the prompt contains."),
    key("lacks", TEXTS, r#""Coffee.""#, "Texts that the prompt does not contain."),
    key("file", ValueKind::Line, r#""bo-1.txt""#, "The file that contains the expected prompt."),
    key(
        "transcript",
        ValueKind::Line,
        r#""debate.golden.md""#,
        "The file that contains the expected transcript; --bless writes it.",
    ),
    key(
        "each",
        ValueKind::Text,
        r#""'sorry' not in utterance.text""#,
        "A condition that must hold for every `utterance`; the first violation stops the run.",
    ),
    key(
        "judge",
        ValueKind::Model,
        r#""ollama:llama3""#,
        "A model that judges the conversation, with `question` or `criteria`; its replies are recorded.",
    ),
    key(
        "question",
        ValueKind::Text,
        r#""Did Bo answer Ada's point?""#,
        "What the judge must say yes to.",
    ),
    key(
        "criteria",
        ValueKind::List(&ValueKind::Text),
        r#"["Bo answers Ada", "nobody is rude"]"#,
        "Several of them, each with its own verdict; all must be met.",
    ),
    key(
        "votes",
        ValueKind::Count { least: 1, most: 99 },
        "3",
        "How often the judge is asked (default 1).",
    ),
    key(
        "after",
        ValueKind::AnyOf(&[UTTERANCE, ValueKind::List(&UTTERANCE)]),
        "[4, 8]",
        "The turns after which the judge judges the conversation so far (default: the end).",
    ),
    key("min_turns", UTTERANCE, "4", "Fewer turns than this are undecided."),
    key(
        "against",
        ValueKind::Line,
        r#""before.md""#,
        "A file with another conversation that this one must beat, asked in both orders.",
    ),
    key(
        "pass",
        SHARE,
        "0.8",
        "The share of runs in which it must be true; for a judge, of its votes (default 0.66).",
    ),
    key("why", ValueKind::Line, r#""Bo must not give in""#, "What a failure means."),
];

static OF_PROMPT: &[Key] = &[
    needed("of", ValueKind::Id, r#""bo""#, "Whose prompt."),
    key(
        "turn",
        ValueKind::Count { least: 1, most: 100_000 },
        "1",
        "Which of its turns, from 1 (default: the last).",
    ),
];

/// Names that lines of a test's voice may use in addition to those of a conversation.
pub const VOICE_NAMES: &[&str] = &["attempt", "case", "model", "prompt"];

/// Names that an expectation for each utterance may use in addition to those of a conversation.
pub const EACH_NAMES: &[&str] = &["case", "utterance"];

/// Names that expectations may use in addition to those of a conversation.
pub const EXPECT_NAMES: &[&str] = &[
    "attack",
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
    "tool_calls",
    "transcript",
    "turns",
    "warnings",
];
