//! Names available in conditions and templates, by context.
//!
//! `state` provides their values. A name without a value in its context is an error at load: `last` in a `[[stop]]`
//! would always be false, without a visible reason.

/// Names in conditions on the whole conversation: `[[stop]]`, `until`, `after`, steering lines.
pub const OF_CONVERSATION: &[&str] = &crate::strings![
    "agreement" "answers" "at_limit" "context" "ended" "fields" "history" "item" "paused" "pausing"
    "plan" "profile" "ranking" "round" "said" "seats" "speaking" "stage" "title" "topic"
    "turn_count" "utterances" "verdict" "vote" "waiting"
];

/// Names in rehearsed lines and templates, with the view of the called participant.
pub const OF_CALL: &[&str] = &crate::strings![
    "answers" "context" "correction" "dice" "fields" "item" "last" "limits" "me" "notes" "number"
    "operator" "options" "plan" "profile" "purpose" "question" "ranking" "requests" "round" "seats"
    "stage" "step" "topic" "turn_count"
];

/// Names in personas, tasks and `[prompt]`: those of a call, and the messages that it reads.
pub const OF_PROMPT: &[&str] = &crate::strings![
    "answers" "context" "correction" "dice" "fields" "item" "last" "limits" "me" "notes" "number"
    "operator" "options" "others" "own" "plan" "profile" "purpose" "question" "ranking" "requests"
    "round" "rounds" "seats" "stage" "step" "task" "topic" "turn_count"
];

/// Names in the `prompt` of a verdict.
pub const OF_VERDICT: &[&str] =
    &crate::strings!["argues" "item" "me" "options" "question" "speeches" "topic"];

/// Names in the templates of a request to an HTTP service: those of a call, and the messages that it reads.
pub const OF_REQUEST: &[&str] = &crate::strings![
    "answers" "attempt" "brief" "context" "correction" "dice" "fields" "history" "item" "key"
    "last" "limits" "me" "message" "messages" "notes" "number" "operator" "options" "participant"
    "plan" "profile" "prompt" "purpose" "question" "ranking" "requests" "round" "seats" "session"
    "stage" "step" "system" "task" "topic" "turn_count"
];

/// Names in the conditions of a `[ranking]`.
pub const OF_ITEM: &[&str] = &["fields", "item", "profile", "stage"];

/// Returns the fault of a name that is not in `known`: it has a value elsewhere, or nowhere.
pub fn unknown(name: &str, known: &[&str]) -> String {
    let elsewhere = |list: &[&str]| list.contains(&name) && !known.contains(&name);
    if elsewhere(OF_PROMPT) && !OF_CALL.contains(&name) {
        return format!("`{name}` is known only to personas, tasks and [prompt]");
    }
    if elsewhere(OF_CALL) {
        return format!(
            "`{name}` is known only to rehearsed lines and templates, where a participant is called"
        );
    }
    if elsewhere(OF_CONVERSATION) {
        return format!("`{name}` is known only to conditions over the whole conversation");
    }
    format!("unknown name `{name}`")
}

/// Returns a replacement for such a name.
pub fn instead(name: &str, known: &[&str]) -> String {
    match name {
        "last" if known.contains(&"history") => {
            "history[-1] is the last message, by anybody; it has .participant and .text".into()
        }
        _ => super::near::instead(name, known),
    }
}

crate::words! {
    /// The kind of a fact's value.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum FactKind {
        /// Values in order.
        List = "a list",
        /// Values by key.
        Mapping = "a mapping",
        /// A number.
        Number = "a number",
        /// A text.
        Text = "a text",
        /// True or false.
        Flag = "true or false",
        /// A function to call.
        Function = "a function",
    }
    /// Returns the kind in words.
    fn as_str()
}

/// A name that conditions and templates can use: the checker and the help page are made from these.
#[derive(Debug)]
pub struct KnownFact {
    /// The name.
    pub name: &'static str,
    /// The kind of its value.
    pub kind: FactKind,
    /// The keys of a mapping, or of each item of a list; empty if any key may occur.
    pub fields: &'static [&'static str],
    /// The meaning, for the help page.
    pub about: &'static str,
}

/// Characters of a row of keys on the help page.
const KEYS_WIDTH: usize = 58;
/// Keys of an utterance while the conversation runs.
const UTTERANCE: &[&str] = &["number", "participant", "text", "outcome", "hidden"];
/// Keys of an utterance in a `that` of a test.
const TESTED_UTTERANCE: &[&str] = &crate::strings![
    "number" "participant" "text" "outcome" "hidden" "at" "took" "calls" "tokens" "cost" "why"
    "finish"
];
const TURN: &[&str] = &crate::strings![
    "participant" "purpose" "number" "outcome" "text" "think" "structured" "why" "error" "finish"
    "calls" "tokens" "cost" "at" "took"
];
const SEAT: &[&str] = &["id", "name", "role", "muted", "utterances"];
const TOOL_CALL: &[&str] =
    &["participant", "tool", "arguments", "is", "result", "took", "utterance"];

/// Returns a row of the table.
const fn fact(
    name: &'static str,
    kind: FactKind,
    fields: &'static [&'static str],
    about: &'static str,
) -> KnownFact {
    KnownFact { name, kind, fields, about }
}

/// Every name, in the order of the help page.
pub const FACTS: &[KnownFact] = &[
    fact(
        "utterances",
        FactKind::List,
        TESTED_UTTERANCE,
        "the turns; `at` to `finish` only in `that`",
    ),
    fact("history", FactKind::List, UTTERANCE, "the turns and the operator's words"),
    fact("turn_count", FactKind::Number, &[], "turns so far (batches in `depends`)"),
    fact("round", FactKind::Number, &[], "the round"),
    fact("seats", FactKind::List, SEAT, "the participants"),
    fact("said", FactKind::Text, &[], "the last words of a person, in lower case"),
    fact("speaking", FactKind::List, &[], "ids of the current speakers"),
    fact("waiting", FactKind::Text, &[], "id of the seat that waits for a person"),
    fact("context", FactKind::Mapping, &[], "data from structured replies"),
    fact("profile", FactKind::Mapping, &[], "known facts about a person"),
    fact("fields", FactKind::List, &[], "the names in [profile] fields"),
    fact("stage", FactKind::Text, &[], "the name of the [[stage]]"),
    fact("ranking", FactKind::List, &[], "the ranked items"),
    fact("item", FactKind::Mapping, &[], "the item of a catalogue or a batch"),
    fact("answers", FactKind::Mapping, &[], "the answers that were read from replies"),
    fact("agreement", FactKind::Number, &[], "share of the seats with the same answer"),
    fact("vote", FactKind::Mapping, &["winner", "counts"], "the last vote"),
    fact("verdict", FactKind::Mapping, &["winner", "scores"], "the verdict"),
    fact("plan", FactKind::Mapping, &[], "the plan with its steps"),
    fact("paused", FactKind::Flag, &[], "whether it is paused"),
    fact("pausing", FactKind::Flag, &[], "whether it pauses after this turn"),
    fact("at_limit", FactKind::Text, &[], "the limit that was reached"),
    fact("ended", FactKind::Mapping, &["reason", "settled", "result"], "the end"),
    fact("title", FactKind::Text, &[], "the title"),
    fact("topic", FactKind::Text, &[], "the topic"),
    fact("me", FactKind::Mapping, &["id", "name", "role"], "the participant that is called"),
    fact(
        "last",
        FactKind::Mapping,
        &["who", "name", "text"],
        "the last turn of another participant",
    ),
    fact("own", FactKind::Text, &[], "the own last turn, in prompts"),
    fact(
        "others",
        FactKind::List,
        &["name", "text", "answer", "own"],
        "turns of others that are shown, in prompts",
    ),
    fact("speeches", FactKind::List, &["name", "text"], "the turns that a judge reads, by side"),
    fact("argues", FactKind::List, &[], "the answers of the sides that a judge compares"),
    fact("rounds", FactKind::Number, &[], "the rounds of the phase, in prompts"),
    fact("task", FactKind::Text, &[], "the task of the phase, in [prompt]"),
    fact(
        "operator",
        FactKind::Mapping,
        &["said", "wish", "whisper", "whispered", "asked"],
        "the operator's new words",
    ),
    fact("notes", FactKind::List, &[], "the operator's notes for this turn"),
    fact("number", FactKind::Number, &[], "the number of this turn"),
    fact("purpose", FactKind::Text, &[], "the purpose of this turn"),
    fact("question", FactKind::Text, &[], "the question of a vote; in prompts else the topic"),
    fact("options", FactKind::List, &[], "the options of a vote"),
    fact("step", FactKind::Mapping, &[], "the step of the plan"),
    fact("requests", FactKind::List, &["by", "text"], "requests to this participant"),
    fact("correction", FactKind::Text, &[], "why the last reply was refused"),
    fact("dice", FactKind::Number, &[], "a random number from 0 to 1"),
    fact("limits", FactKind::Mapping, &[], "the limits"),
    fact("utterance", FactKind::Mapping, UTTERANCE, "the turn that `each` checks"),
    fact("turns", FactKind::List, TURN, "every turn, also votes and failed ones"),
    fact(
        "calls",
        FactKind::List,
        &["participant", "purpose", "number", "attempt"],
        "every call of a voice",
    ),
    fact("tool_calls", FactKind::List, TOOL_CALL, "every call of a tool"),
    fact("speakers", FactKind::List, &[], "ids of the speakers, in order"),
    fact("prompt", FactKind::Function, &[], "prompt('bo', 2): Bo's prompt in turn 2"),
    fact("transcript", FactKind::Text, &[], "the whole transcript"),
    fact("receipts", FactKind::Mapping, &[], "by id of a command: is, why, all"),
    fact("events", FactKind::Mapping, &[], "how many events of each kind"),
    fact("warnings", FactKind::List, &[], "the warnings"),
    fact("exit", FactKind::Number, &[], "the exit code"),
    fact("ms", FactKind::Number, &[], "virtual milliseconds"),
    fact("cost", FactKind::Number, &[], "dollars"),
    fact("tokens", FactKind::Mapping, &["input", "output", "total"], "the tokens"),
    fact("attack", FactKind::Mapping, &[], "by attacker: score, scores, phase, refusals"),
    fact("case", FactKind::Mapping, &[], "the variables of the [[case]]"),
    fact("run", FactKind::Number, &[], "the run, from 0"),
    fact("rate", FactKind::Function, &[], "rate(\"CONDITION\"): share of runs that fulfil it"),
];

/// Returns the keys that are known of a fact; `tested` adds those that only a finished test has.
pub fn fields(fact: &KnownFact, tested: bool) -> &'static [&'static str] {
    if fact.name == "utterances" && !tested { UTTERANCE } else { fact.fields }
}

/// Returns the rows of the help page: name, kind and meaning, with the keys of its items below.
pub fn help_rows() -> String {
    let mut rows = String::new();
    for KnownFact { name, kind, fields, about } in FACTS {
        rows.push_str(&format!("    {name:<11} {:<13} {about}\n", kind.as_str()));
        let mut line = String::new();
        for (at, key) in fields.iter().enumerate() {
            let comma = if at + 1 < fields.len() { "," } else { "" };
            if line.len() + key.len() > KEYS_WIDTH {
                rows.push_str(&format!("                 {}\n", line.trim_start()));
                line.clear();
            }
            line.push_str(&format!(" .{key}{comma}"));
        }
        if !line.is_empty() {
            rows.push_str(&format!("                 {}\n", line.trim_start()));
        }
    }
    rows
}
