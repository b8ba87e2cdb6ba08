//! Keys of a conversation's tables: `reply`, `context`, prompts, limits, phases, answers, profiles, lore, `[[stop]]`
//! and `[verdict]`.

use super::value::{
    DAY_SECONDS, Key, NAMES, ONE_OR_MORE_NAMES, ROUND_RANGE, Readers, SEES, SEES_WORD, TOKEN_RANGE,
    USD, UTTERANCE_RANGE, ValueKind, WORDS, key, keys, needed,
};
use crate::model::facts::{OF_CONVERSATION, OF_ITEM, OF_VERDICT};
use crate::model::{
    Aggregation, Anonymous, AnswerKind, AnswerTie, SeatId, Sees, Text, TrajectoryScores,
    UnknownField,
};
use crate::scenario::tree::Or;
use crate::scenario::{Tie, VerdictAt};
use serde_json::Value;

keys! {
    /// The keys of `[prompt]`.
    pub(super) static PROMPT;
    system = key(ValueKind::Prompt, r#""You solve problems.""#,
        "The system message (default: the persona; without one, there is no system message).");
    first = key(ValueKind::Prompt, r#""{{ question }} {{ task }}""#,
        "The first request to a participant (default: the task of the phase, else the topic).");
    next = key(ValueKind::Prompt, r#""{% for other in others %}{{ other.text }} {% endfor %}{{ task }}""#,
        "Each later request, and one that shows messages of others (default: as for `first`).");
}

keys! {
    /// The keys of `[limits]`.
    pub(super) static LIMITS;
    utterances = key(UTTERANCE_RANGE, "20",
        "Finished turns (default 20, unless phases define the length).");
    rounds = key(ROUND_RANGE, "3", "Rounds.").read_by(Readers::Named);
    seconds = key(ValueKind::Count { least: 1, most: 365 * DAY_SECONDS }, "600",
        "Running time, not counting pauses and waiting for a person. Whoever is speaking when time is up has 10 \
         s to finish.");
    batches = key(UTTERANCE_RANGE, "20", "Finished batches, with the policy depends (default 20).");
    per_seat = key(UTTERANCE_RANGE, "5", "Turns of each participant.");
    tokens = key(TOKEN_RANGE, "200000", "Input and output tokens of all models.");
    usd = key(USD, "0.5", "Cost in dollars; every model needs a known price or runs locally.");
}

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
    keep = key(KEEP, r#""profile""#,
        "Keeps the facts of the reply as the profile, field by field: those in its field `profile` where the \
         schema has one, else all of them; { profile = \"NAME\" } names another field. A fact stays until it \
         changes; null deletes it.");
    says: Option<Text> = key(ValueKind::Line, r#""message""#,
        "The field of the reply that holds the words that everybody reads (default: the whole reply).");
}

/// `keep`: the facts of a reply that are kept.
const KEEP: ValueKind =
    ValueKind::AnyOf(&[ValueKind::OneOf(&["profile"]), ValueKind::Table(KEEP_TABLE)]);

keys! {
    /// The keys of `keep` as a table.
    static KEEP_TABLE;
    profile = key(ValueKind::Line, r#""updatedProfile""#, "The field of the reply that holds the facts.");
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
    swaps = key(ValueKind::List(&NAMES), r#"[["a", "b"]]"#,
        "With swap_test: the fields of the item that the second judgement exchanges in its topic and persona \
         (default: the fields in `argues`).");
    prompt: Option<Text> = key(ValueKind::TemplateOf(OF_VERDICT), r#""{{ question }} ... ANSWER: and the letter alone.""#,
        "The whole request to the judge, without tags, scores or JSON: a template over question, argues and \
         speeches (name, text), with A, B and so on as the names of the sides. The reply ends with ANSWER: A.");
    at: VerdictAt = key(ValueKind::OneOf(&["always", "completed"]), r#""completed""#,
        "Whether to give the verdict at every end (default; also at a limit or when you end it, budget \
         permitting) or only when the conversation is completed.");
}

/// The keys of a phase's `judge`: those of a verdict, but for the name of the first and without `at`.
pub(super) static JUDGE: [Key; 11] = {
    let mut keys = *VERDICT.first_chunk().expect("more than eleven keys");
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
    fallback: Option<Text> = key(ValueKind::OneOf(&["last"]), r#""last""#,
        "What is the answer of a reply in which none can be read: its last number (last), as in the scripts of \
         some papers (default: it abstains).");
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

keys! {
    /// The keys of `[profile]`.
    pub(super) static PROFILE as RawProfile;
    fields: Vec<Text> = key(NAMES, r#"["living_space", "allergies"]"#,
        "The fields that a complete profile has; conditions find them as `fields`, as in count(profile, fields).");
    unknown: UnknownField = key(ValueKind::OneOf(&["keep", "drop", "refuse"]), r#""refuse""#,
        "What becomes of other fields in a reply: kept (default), dropped, or refused, so that the reply is \
         asked for again.");
    known: Option<Value> = key(ValueKind::Free, r#"{ living_space = "a flat" }"#,
        "What is known from the beginning; `run --state FILE` puts it in.");
}

keys! {
    /// The keys of a `[[stage]]`.
    pub(super) static STAGE;
    name = needed(ValueKind::Line, r#""gathering""#,
        "Its name; conditions and templates find it as `stage`.");
    when = key(ValueKind::Condition(OF_CONVERSATION), r#""count(profile, fields) < 4""#,
        "Condition of the stage; the first stage with a true condition applies, whatever a reply claims. \
         Without one it always applies.");
}

keys! {
    /// The keys of `[ranking]`.
    pub(super) static RANKING as RawRanking;
    top: Option<u32> = key(ValueKind::Count { least: 1, most: 100 }, "5",
        "How many items are offered (default 5).");
    when: Option<Text> = key(ValueKind::Condition(OF_CONVERSATION), r#""stage != 'gathering'""#,
        "When the ranking is offered; without `when` and `asked`, as soon as anything is known.");
    asked: Option<Text> = key(ValueKind::Condition(OF_CONVERSATION), r#""'recommend' in said""#,
        "Condition for a request by the person: the ranking is then offered even if `when` is false. `said` is \
         the person's last message in lower case.");
    filter: Vec<RawFilter> = key(ValueKind::List(&ValueKind::Table(FILTER)),
        r#"[{ name = "allergies", when = "item.low_shedding" }]"#,
        "Hard filters: an item for which one does not hold is left out.");
    score: Vec<RawScore> = key(ValueKind::List(&ValueKind::Table(SCORE)),
        r#"[{ name = "activity", weight = 20, when = "item.energy == profile.activity" }]"#,
        "Soft scores: they are added up and held between 0 and 100.");
    catalogue = needed(ValueKind::Free, r#"{ beagle = { name = "Beagle", energy = 4 } }"#,
        "The items by their ids, each a table: `item` in filters and scores. Equal scores keep the order of the \
         file.");
}

keys! {
    static FILTER as RawFilter;
    name: Text = needed(ValueKind::Line, r#""allergies""#, "Its name.");
    when: Text = needed(ValueKind::Condition(OF_ITEM), r#""not profile.allergies or item.low_shedding""#,
        "Must hold for an item to be offered.");
}

keys! {
    static SCORE as RawScore;
    name: Text = needed(ValueKind::Line, r#""activity""#, "Its name.");
    weight: f64 = needed(ValueKind::Number { least: -100.0, most: 100.0 }, "20",
        "What it gives where its condition holds.");
    when: Text = needed(ValueKind::Condition(OF_ITEM), r#""item.energy == profile.activity""#,
        "Whether it counts: true in full, false not at all, a number from 0 to 1 as that share.");
}

keys! {
    /// The keys of `[[lore]]`: a text that is shown after one of its keys was used.
    pub(super) static LORE as RawLore;
    keys: Vec<Text> = needed(NAMES, r#"["organ", "pipe organ"]"#, "Words or phrases, in any case.");
    text: Text = needed(ValueKind::Text, r#""The organ is from 1927.""#, "The text.");
    who = key(ONE_OR_MORE_NAMES, r#"["hanna"]"#,
        "The participants or roles that see it (default: everybody).");
    last: Option<u32> = key(ValueKind::Count { least: 1, most: 1_000 }, "4",
        "How many of the last messages are searched for the keys. Default: 4.");
}
