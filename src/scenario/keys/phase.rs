//! The keys of `[[phase]]`.

use super::contest::{JUDGE, REPLY};
use super::value::{ONE_OR_MORE_NAMES, ROUND_RANGE, SEES, ValueKind, WORDS, key, keys, needed};
use crate::model::facts::OF_CONVERSATION;
use crate::model::{Anonymous, Sees, Text};
use crate::scenario::tree::Or;

keys! {
    /// The keys of a `[[phase]]`.
    pub(super) static PHASE as RawPhase;
    name: Text = needed(ValueKind::Line, r#""opening""#, "Name.");
    who = key(ONE_OR_MORE_NAMES, r#"["pro", "con"]"#,
        "Participants, roles, all, or all but NAME (default: all).");
    order = key(ValueKind::Order, r#""sequential""#,
        "sequential, simultaneous, shuffled, or a policy: its name, or a table with its options.");
    rounds: Option<u32> = key(ROUND_RANGE, "2", "Rounds (default 1).");
    moderator = key(ValueKind::Line, r#""mo""#,
        "Who chooses the next speaker, with order = \"moderated\".");
    sees: Option<Or<Sees, Vec<Text>>> = key(SEES, r#""others_last""#,
        "Whose turns are seen: a word (default: all), or a list of participants or roles.");
    keeps = key(ValueKind::OneOf(&["majority"]), r#""majority""#,
        "majority: a participant whose last answer is the most frequent one keeps it and is not called.");
    anonymous: Anonymous = key(
        ValueKind::OneOf(&["off", "stable", "per_round", "per_viewer"]), r#""per_round""#,
        "Labels instead of names: the same throughout, new each round, or different for each viewer.");
    think: Option<Text> = key(ValueKind::OneOf(&["off", "private"]), r#""private""#,
        "Whether part of the reply is visible only to you and the log.");
    words = key(WORDS, "[70, 150]", "Minimum and maximum words of a turn.");
    until: Option<Text> = key(ValueKind::Condition(OF_CONVERSATION), r#""agreement >= 0.8""#,
        "Ends the phase after a round in which this condition holds; `rounds` is the upper bound.");
    when: Option<Text> = key(ValueKind::Condition(OF_CONVERSATION), r#""agreement < 1""#,
        "The phase is skipped unless this condition holds when it would begin.");
    task: Option<Text> = key(ValueKind::Prompt, r#""Name the weakest step of each solution.""#,
        "What its speakers are asked; phases named opening, rebuttal or closing have a default.");
    reply = key(REPLY, r#"{ rank = true }"#,
        "Required form of its speakers' replies (default: their own).");
    diverse: Option<u32> = key(ValueKind::Count { least: 1, most: 100 }, "2",
        "How many of the turns that `sees` allows are shown: those least alike.");
    judge = key(ValueKind::Table(&JUDGE), r#"{ seat = "jo", may_stop = true }"#,
        "The judge at the end of the phase; with may_stop, the phase ends once a side has won.");
}
