//! Keys of `reply`, `context`, `[[stop]]` and `[verdict]`.

use super::answer::FORM;
use super::value::{
    Key, NAMES, ONE_OR_MORE_NAMES, SEES_WORD, UTTERANCE_RANGE, ValueKind, key, keys, needed,
};
use crate::model::facts::OF_CONVERSATION;
use crate::model::{AnswerKind, SeatId, Sees, Text};
use crate::scenario::{Tie, VerdictAt};
use serde_json::Value;

/// The forms of `reply`.
pub(super) const REPLY: ValueKind =
    ValueKind::AnyOf(&[ValueKind::OneOf(&["free"]), ValueKind::Table(CONTRACT)]);

keys! {
    /// The keys of `reply`.
    static CONTRACT as RawReply;
    markers: Option<Vec<Text>> = key(NAMES, r#"["[PASS]", "[AGREE]"]"#,
        "Markers with a meaning at the end of a line; a reply of markers alone is a turn that counts.");
    choice: Option<Vec<Text>> = key(NAMES, r#"["yes", "no"]"#, "The possible answers.");
    schema = key(ValueKind::Schema, r#"{ type = "object", required = ["claim"] }"#,
        "JSON Schema of the reply.");
    again: Option<u32> = key(ValueKind::Count { least: 0, most: 5 }, "1",
        "Further attempts after a reply that does not fit (default 1).");
    answer: Option<AnswerKind> = key(FORM, r#""number""#,
        "The reply is text that ends with an answer of this kind, after \"ANSWER:\".");
    rank: Option<Value> = key(
        ValueKind::AnyOf(&[ValueKind::True, ValueKind::Count { least: 1, most: 100 }]), "true",
        "The reply is text that ends with a ranking of the others whose turns were shown: all of them, or the \
         best N.");
    score: Option<Vec<Text>> = key(NAMES, r#"["A", "B"]"#,
        "The reply is text that ends with a score from 0 to 10 for each of these, as in \"SCORE A: 7\".");
    quotes = key(ValueKind::Text, r#""{{ item.text }}""#,
        "The text that quotations in the reply are checked against; each is marked as found in it or not.");
    to = key(ONE_OR_MORE_NAMES, r#"["bo"]"#,
        "The participants or roles, or all, to whom a reply may whisper: a paragraph that begins `WHISPER NAME:`.");
    keep = key(ValueKind::OneOf(&["profile"]), r#""profile""#,
        "Keeps the facts of the reply as the profile, field by field: those in its field `profile` where the \
         schema has one, else all of them. A fact stays until it changes; null deletes it.");
    says: Option<Text> = key(ValueKind::Line, r#""message""#,
        "The field of the reply that holds the words that everybody reads (default: the whole reply).");
}

/// `context`: the part of a long conversation that a prompt keeps.
pub(super) const CONTEXT: ValueKind = ValueKind::AnyOf(&[
    ValueKind::OneOf(&["head_tail", "window", "summary"]),
    ValueKind::Table(CONTEXT_TABLE),
]);

keys! {
    /// The keys of `context` as a table.
    static CONTEXT_TABLE as RawContext;
    summary_by: Option<SeatId> = key(ValueKind::Line, r#""clerk""#,
        "The participant that summarises earlier turns.");
    window: Option<u32> = key(ValueKind::Count { least: 1, most: 100_000 }, "12",
        "How many of the last messages it is shown, and nothing before them.");
}

keys! {
    /// The keys of a `[[stop]]`.
    pub(super) static STOP as RawStop;
    when: Option<Text> = key(ValueKind::Condition(OF_CONVERSATION), r#""turn_count > 6""#,
        "Ends when this condition holds.");
    word: Option<Text> = key(ValueKind::Line, r#""AGREED""#, "Ends when a line of a turn starts with this.");
    by = key(ONE_OR_MORE_NAMES, r#"["ada"]"#, "Whose line: participants or roles (default: anyone).");
    accepted_by = key(ONE_OR_MORE_NAMES, r#"["bo"]"#,
        "With word: the line is an offer, which counts once one of these answers it with the word in their next \
         turn.");
    judge = key(ValueKind::Line, r#""jo""#, "Ends when this participant answers the question with yes.");
    question: Option<Text> = key(ValueKind::Line, r#""Is all said?""#, "The question to the judge.");
    every: Option<u32> = key(ValueKind::AnyOf(&[ValueKind::True, UTTERANCE_RANGE]), "4",
        "With judge: ask it every N turns (default 1). With then = \"ask\": true asks each time that the rule \
         becomes true, not only once.");
    agreement: Option<f64> = key(ValueKind::Number { least: 0.01, most: 1.0 }, "0.8",
        "Ends when this share of the speakers gives the same answer; abstentions count against it.");
    r#loop = key(ValueKind::True, "true",
        "Ends when the conversation repeats itself for two rounds; warns after the first.");
    then: Option<Text> = key(ValueKind::OneOf(&["end", "ask"]), r#""ask""#,
        "Whether to end at once (default), or to pause and ask you.");
}

keys! {
    /// The keys of `[poll]`.
    pub(super) static POLL as RawPoll;
    question: Option<Text> = key(ValueKind::Line, r#""Should the dam come down?""#,
        "The question (default: the topic).");
    options: Option<Vec<Text>> = key(NAMES, r#"["for", "against"]"#,
        "The choices (default: for, against, undecided).");
    who = key(ONE_OR_MORE_NAMES, r#""jury""#,
        "The participants or roles that vote (default: everyone who speaks).");
}

keys! {
    /// The keys of `[verdict]`, at the end of the conversation.
    pub(super) static VERDICT as RawVerdict;
    judge = needed(ONE_OR_MORE_NAMES, r#""jo""#,
        "The judge, or several as a panel; they take no turns unless speaks = true.");
    question: Option<Text> = key(ValueKind::Line, r#""Who made the better case?""#,
        "The question (default: who made the better case).");
    sides = key(NAMES, r#"["pro", "con"]"#,
        "The participants or roles compared (default: everyone who speaks).");
    argues: Vec<Text> = key(ValueKind::List(&ValueKind::Template), r#"["{{ item.a }}", "{{ item.b }}"]"#,
        "The answer that each of the sides argues for, in the same order; the judge reads it.");
    votes: Option<u32> = key(ValueKind::Count { least: 1, most: 9 }, "1",
        "How often each judge is asked (default 1).");
    swap_test: bool = key(ValueKind::Flag, "true",
        "Whether each judge is asked again with the sides swapped; a judgement that changes counts as a tie.");
    tie: Tie = key(ValueKind::OneOf(&["draw", "first", "random", "judge", "human"]), r#""judge""#,
        "How a tie is broken: not at all, the side named first, at random, by the first judge, or by you.");
    sees: Option<Sees> = key(SEES_WORD, r#""opening""#, "Whose turns the judges see (default: all).");
    may_stop: bool = key(ValueKind::Flag, "true",
        "Whether the judges are also asked after each round; a winner then ends the conversation.");
    at: VerdictAt = key(ValueKind::OneOf(&["always", "completed"]), r#""completed""#,
        "Whether to give the verdict at every end (default; also at a limit or when you end it, budget \
         permitting) or only when the conversation is completed.");
}

/// The keys of a phase's `judge`: those of a verdict, but for the name of the first and without `at`.
pub(super) static JUDGE: [Key; 9] = {
    let mut keys = *VERDICT.first_chunk().expect("more than nine keys");
    keys[0].name = "seat";
    keys
};

const PRICE: ValueKind = ValueKind::Number { least: 0.0, most: 1e15 };

keys! {
    /// The keys of a participant's `goal`.
    pub(super) static GOAL;
    text = needed(ValueKind::Text, r#""sell for 310 or more""#, "The goal, in its own prompt only.");
    least = key(PRICE, "310", "The lowest price that it accepts.");
    most = key(PRICE, "340", "The highest price that it accepts.");
}
