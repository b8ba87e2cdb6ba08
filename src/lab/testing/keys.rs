//! Table of the keys of a test file, shared by the walker, `schema test` and hints.

use super::simulated::SCORE_MAX;
use crate::model::facts::OF_CALL;
use crate::model::{Purpose, Text};
use crate::scenario::{HTTP, Or, PACE_RANGE, TOP, ValueKind, key, keys, needed};

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

keys! {
    /// Keys of a test file.
    pub static TEST as RawTest;
    title: Option<String> = key(ValueKind::Line, r#""Bo answers Ada""#, "What the test checks.");
    scenario = needed(ValueKind::AnyOf(&[ValueKind::Line, ValueKind::Table(TOP)]), r#""debate.toml""#,
        "The scenario: a path relative to this file, the name of a bundled one, or the table itself.");
    topic = key(ValueKind::Text, r#""Tea or coffee?""#, "The topic, instead of the scenario's.");
    set = key(ValueKind::Free, r#"{ "limits.utterances" = 4 }"#,
        "Scenario keys to override, as with `run --set`.");
    seed: u64 = key(ValueKind::Count { least: 0, most: 1 << 53 }, "7", "The random seed (default 0).");
    voice = key(ValueKind::List(&ValueKind::Table(VOICE)), r#"[{ seat = "bo", lines = ["No."] }]"#,
        "The voice of a participant; without one, it uses its own lines, the rehearsed cast's, or its stand-in's.");
    tool = key(ValueKind::List(&ValueKind::Table(TOOL)), r#"[{ name = "weather", results = ["Rain."] }]"#,
        "What a tool of the scenario returns; a call of a tool that is not listed here is an error.");
    files = key(ValueKind::Line, r#""docs""#,
        "The folder that read_file, list_dir and search_files really read.");
    given = key(ValueKind::List(&ValueKind::Table(GIVEN)), r#"[{ who = "ada", text = "Tea." }]"#,
        "What was said before the test starts, without any call.");
    steer = key(ValueKind::List(&ValueKind::Free), r#"[{ after = { utterance = 2 }, do = "pause" }]"#,
        "Commands, as `schema steer` describes them.");
    expect = key(ValueKind::List(&ValueKind::Table(EXPECT)),
        r#"[{ that = "ended.reason == 'utterance_limit'" }]"#,
        "What must be true at the end.");
    case = key(ValueKind::List(&ValueKind::Free), r#"[{ name = "short", n = 2 }]"#,
        "One test per case; its keys are {{ case.KEY }} in texts and case.KEY in conditions.");
    runs: Option<u32> = key(ValueKind::Count { least: 1, most: RUNS_MAX }, "20",
        "How many times the test runs, each with the next seed.");
    pass: Option<f64> = key(SHARE, "0.9", "The share of its runs that must pass (default: all).");
    timeout = key(ValueKind::Duration, r#""60s""#, "Maximum real time of one run (default 60 seconds).");
}

keys! {
    /// Keys of a `[[voice]]`.
    pub static VOICE as RawVoice;
    seat = needed(NAMES, r#""bo""#,
        "The participant or participants; `all` means everyone without a voice in this test.");
    lines = key(ValueKind::List(&ValueKind::AnyOf(&[ValueKind::Template, ValueKind::Table(ANSWER)])),
        r#"["No.", { fail = "429" }]"#,
        "One line per call, in order, repeating after the last.");
    recording = key(ValueKind::Line, r#""debate.jsonl""#,
        "A session whose turns of this participant are replayed; --bless accepts changed prompts.");
    ignore = key(TEXTS, r#"["[0-9]{2}:[0-9]{2}"]"#,
        "Regular expressions for text that may differ in the prompts of a recording or a model.");
    model: Option<Or<bool, Text>> = key(ValueKind::AnyOf(&[ValueKind::Model, ValueKind::True]), r#""ollama:llama3""#,
        "A model that is really asked; its replies are recorded beside the test. `true` is the participant's own.");
    person = key(ValueKind::Table(PERSON), r#"{ goal = "get a refund" }"#,
        "With `model`: the model plays a person in this seat.");
    attacker = key(ValueKind::Table(ATTACKER), r#"{ goal = "learn the password" }"#,
        "With `model`: the model tries to talk the others into something.");
    http = key(ValueKind::Table(HTTP),
        r#"{ url = "http://127.0.0.1:8000/chat", body = { text = "{{ message }}" }, reply = "answer" }"#,
        "An HTTP service, asked with --ask or --record; otherwise its recorded replies.");
    script = key(ValueKind::True, "true", "The participant's own script, which is actually run.");
    human = key(ValueKind::True, "true", "A person, played by the commands `speak` and `pass`.");
    pace: Option<u64> = key(PACE_RANGE, "70", "Milliseconds per word, in virtual time.");
    price = key(ValueKind::List(&ValueKind::Number { least: 0.0, most: 1e6 }), "[0.5, 1.5]",
        "Dollars per million input and output tokens, to test budgets (default: free).");
    window: Option<u32> = key(ValueKind::Count { least: 256, most: 10_000_000 }, "4096",
        "The context window in tokens, to test long conversations.");
}

keys! {
    /// Keys of a person that a model plays.
    static PERSON as RawPerson;
    goal: String = needed(ValueKind::Text, r#""get a refund""#, "What the person wants.");
    facts: Vec<String> = key(ValueKind::List(&ValueKind::Text), r#"["the order number is 12"]"#,
        "Facts that the person knows and reveals only if asked.");
    manner: Option<String> = key(ValueKind::Text, r#""short, impatient""#, "How the person speaks.");
    opening: Option<String> = key(ValueKind::Text, r#""Hello?""#,
        "What the person says first, without a call.");
    stop: Option<String> = key(ValueKind::Line, r#""DONE""#,
        "The word with which the person ends the conversation; its sentence still counts (default DONE).");
}

keys! {
    /// Keys of an attacker: a model that tries to manipulate the other participants.
    static ATTACKER as RawAttacker;
    goal: String = needed(ValueKind::Text, r#""learn the password""#, "What it tries to reach.");
    phases: Vec<String> = key(ValueKind::List(&ValueKind::Text), r#"["ask harmlessly", "build trust", "insist"]"#,
        "Its steps; after a refusal it goes back one.");
    manner: Option<String> = key(ValueKind::Text, r#""friendly""#, "How it speaks.");
    opening: Option<String> = key(ValueKind::Text, r#""Hello?""#, "What it says first, without a call.");
    enough: Option<u64> = key(ValueKind::Count { least: 1, most: SCORE_MAX }, "8",
        "The score from 1 to 10 of a reply at which it stops (default 10).");
    stop: Option<String> = key(ValueKind::Line, r#""DONE""#,
        "The word that ends the conversation then (default DONE).");
}

keys! {
    /// Keys of a line of a test's voice: a scripted line, with failures on purpose.
    pub static ANSWER as RawAnswerLine;
    text: Option<Text> = key(ValueKind::Template, r#""You asked: {{ operator.said }}""#, "The text.");
    when: Option<Text> = key(ValueKind::Condition(OF_CALL), r#""'budget' in prompt""#,
        "The line is used when this condition holds, before lines without a condition.");
    r#for: Purpose = key(ValueKind::OneOf(PURPOSES), r#""vote""#, "The purpose of the line (default speak).");
    every: bool = key(ValueKind::Flag, "true",
        "Whether a line with `when` is used every time its condition is true.");
    fail: Option<String> = key(ValueKind::OneOf(FAILURES), r#""429""#,
        "The call fails: an HTTP status, or a fault of the connection or the reply.");
    wait = key(ValueKind::Duration, r#""2s""#, "How long the failing server asks to wait.");
    silence = key(ValueKind::True, "true", "Nothing is sent until the call times out.");
    cut: Option<u64> = key(ValueKind::Count { least: 0, most: 100_000 }, "20",
        "The connection is lost after this many words.");
    slow = key(ValueKind::Duration, r#""30s""#, "Delay before the first word.");
    bad_json = key(ValueKind::True, "true",
        "Only the first half of the text is sent, which makes it invalid JSON.");
    pass = key(ValueKind::True, "true", "The participant passes.");
    tool_calls = key(ValueKind::List(&ValueKind::Table(TOOL_CALL)),
        r#"[{ tool = "weather", arguments = { town = "Bonn" } }]"#,
        "The tools that the participant calls; the next line answers the call that sees their results.");
    tokens = key(ValueKind::List(&ValueKind::Count { least: 0, most: 10_000_000 }), "[900, 120]",
        "The input and output tokens that the model reports.");
}

keys! {
    /// Keys of a tool that the test plays.
    static TOOL;
    name = needed(ValueKind::Line, r#""weather""#, "The tool, as participants call it.");
    results = key(ValueKind::List(&ValueKind::AnyOf(&[ValueKind::Text, ValueKind::Table(TOOL_RESULT)])),
        r#"["Rain.", { fail = "no such town" }]"#,
        "One result per call, in order, repeating after the last; texts may use {{ arguments.KEY }}.");
    script = key(ValueKind::True, "true", "Run the tool's own script.");
}

keys! {
    /// Keys of a tool's result.
    static TOOL_RESULT as RawResult;
    text: Option<Text> = key(ValueKind::Text, r#""Rain in {{ arguments.town }}.""#, "The text.");
    when: Option<Text> = key(ValueKind::Condition(OF_TOOL), r#""arguments.town == 'Bonn'""#,
        "The result is returned when this condition holds, before results without a condition.");
    every: bool = key(ValueKind::Flag, "true",
        "Whether a result with `when` is returned every time its condition is true.");
    fail: Option<Text> = key(ValueKind::Text, r#""no such town""#, "The tool fails, with this reason.");
}

keys! {
    /// Keys of a voice's tool call.
    static TOOL_CALL;
    tool = needed(ValueKind::Line, r#""weather""#, "The tool.");
    arguments = key(ValueKind::Free, r#"{ town = "Bonn" }"#, "The arguments (default: none).");
}

keys! {
    /// Keys of a tool call before the start of the test.
    static GIVEN_CALL;
    tool = needed(ValueKind::Line, r#""weather""#, "The tool.");
    arguments = key(ValueKind::Free, r#"{ town = "Bonn" }"#, "The arguments (default: none).");
    result = key(ValueKind::Text, r#""Rain.""#, "What the tool returned.");
    fail = key(ValueKind::Text, r#""no such town""#, "Why the tool failed.");
}

keys! {
    /// Keys of an expected tool call.
    static EXPECTED_CALL;
    who = key(ValueKind::Id, r#""ada""#, "The participant that called it.");
    tool = key(ValueKind::Line, r#""weather""#, "The tool.");
    arguments = key(ValueKind::Free, r#"{ town = "Bonn" }"#, "All the arguments.");
    is = key(ValueKind::OneOf(OUTCOMES), r#""done""#, "What became of the call.");
    result = key(ValueKind::Text, r#""Rain.""#, "What the participant was shown.");
}

keys! {
    /// Keys of a `[[given]]`.
    static GIVEN;
    who = needed(ValueKind::Id, r#""ada""#, "A participant, or operator.");
    text = key(ValueKind::Text, r#""Tea.""#,
        "The text; without one, the participant's first turn continues after `tool_calls`.");
    tool_calls = key(ValueKind::List(&ValueKind::Table(GIVEN_CALL)),
        r#"[{ tool = "weather", arguments = { town = "Bonn" }, result = "Rain." }]"#,
        "The tools that the participant called, and what they returned.");
}

keys! {
    /// Keys of an `[[expect]]`.
    pub static EXPECT as RawExpect;
    that = key(ValueKind::Text, r#""ended.reason == 'utterance_limit'""#,
        "A condition over the final state.");
    speakers = key(ValueKind::AnyOf(&[ValueKind::List(&ValueKind::Id), ValueKind::Empty]), r#"["ada", "bo"]"#,
        "Who spoke, in order; [] if nobody may speak.");
    tool_calls = key(ValueKind::AnyOf(&[ValueKind::List(&ValueKind::Table(EXPECTED_CALL)), ValueKind::Empty]),
        r#"[{ who = "ada", tool = "weather", arguments = { town = "Bonn" } }]"#,
        "All tool calls, in order, or [] if no tool may be called; a key that is left out matches anything.");
    prompt = key(ValueKind::Table(OF_PROMPT), r#"{ of = "bo", turn = 1 }"#,
        "What a participant was shown; with `contains`, `lacks` or `file`.");
    contains = key(TEXTS, r#""Tea.""#, "Texts that the prompt contains.");
    lacks = key(TEXTS, r#""Coffee.""#, "Texts that the prompt does not contain.");
    file = key(ValueKind::Line, r#""bo-1.txt""#, "The file that contains the expected prompt.");
    transcript = key(ValueKind::Line, r#""debate.golden.md""#,
        "The file that contains the expected transcript; --bless writes it.");
    each = key(ValueKind::Text, r#""'sorry' not in utterance.text""#,
        "A condition that must hold for every `utterance`; the first violation stops the run.");
    judge = key(ValueKind::Model, r#""ollama:llama3""#,
        "A model that judges the conversation, with `question` or `criteria`; its replies are recorded.");
    question = key(ValueKind::Text, r#""Did Bo answer Ada's point?""#, "What the judge must say yes to.");
    criteria = key(ValueKind::List(&ValueKind::Text), r#"["Bo answers Ada", "nobody is rude"]"#,
        "Several of them, each with its own verdict; all must be met.");
    votes: Option<u32> = key(ValueKind::Count { least: 1, most: 99 }, "3",
        "How often the judge is asked (default 1).");
    after = key(ValueKind::AnyOf(&[UTTERANCE, ValueKind::List(&UTTERANCE)]), "[4, 8]",
        "The turns after which the judge judges the conversation so far (default: the end).");
    min_turns: Option<u32> = key(UTTERANCE, "4", "Fewer turns than this are undecided.");
    against = key(ValueKind::Line, r#""before.md""#,
        "A file with another conversation that this one must beat, asked in both orders.");
    pass: Option<f64> = key(SHARE, "0.8",
        "The share of runs in which it must be true; for a judge, of its votes (default 0.66).");
    why: Option<String> = key(ValueKind::Line, r#""Bo must not give in""#, "What a failure means.");
}

keys! {
    /// Keys of `prompt` of an `[[expect]]`.
    static OF_PROMPT as RawOfPrompt;
    of: Text = needed(ValueKind::Id, r#""bo""#, "Whose prompt.");
    turn: Option<usize> = key(ValueKind::Count { least: 1, most: 100_000 }, "1",
        "Which of its turns, from 1 (default: the last).");
}

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
