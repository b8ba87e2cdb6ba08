//! Scenarios: load, check, presets.
//!
//! A scenario is data: parsed from TOML with every fault reported at once, resolved once, and written completely into
//! the log. Nothing here runs anything.

mod advice;
mod answer;
mod bundled;
mod card;
mod check;
mod contest;
mod context;
mod contract;
mod fault;
mod http;
mod idle;
mod json_schema;
mod keys;
mod kinds;
mod load;
mod open_seats;
mod pattern;
mod plan;
mod policy;
mod policy_row;
mod profile;
mod prompt;
mod recast;
mod resolve;
mod runs;
mod schema;
mod seat;
mod set;
mod shows;
mod spelling;
mod tools;
mod tree;
mod unattended;
mod who;

pub use advice::{Advice, asks_for_data};
pub use answer::{AnswerSpec, RIGHT, without_nulls};
pub use bundled::{about, bundled, bundled_names, panel, protocol_names};
pub use card::CharacterCard;
pub use check::Walk;
pub use fault::{Fault, Faults, Gravity, NamedModel, Place};
pub use http::{check as check_service, service};
pub use json_schema::validator;
pub use keys::{HTTP, Key, PACE_RANGE, TOP, ValueKind, key, keys, needed};
pub use kinds::unknown_field;
pub use load::resolve;
pub use load::{AnyTopic, Loaded, ReadError, Source, load, load_item, read};
pub use open_seats::AsItself;
pub use pattern::{PatternFault, answer_pattern};
pub use policy_row::{PolicyRow, PolicyTraits, TakesPart, TurnOrder, UsualLength, options};
pub use profile::{ProfileSpec, RankingSpec, StageSpec};
pub use schema::schema;
pub use schema::table;
pub use seat::{Team, Teams, VOICES, change, id_of, participant};
pub use set::Override;
pub use tree::{At, Node, Or, lenient, quote};
pub use unattended::Wait;

use crate::model::{
    Contract, Debate, Guards, Layout, Limits, Lore, PromptTemplates, Sees, Shows, Text, is_default,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The scenario as resolved into the log; its participants are logged next to it.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scenario {
    /// Title on the screen.
    pub title: Text,
    /// Topic of the conversation; `{{ topic }}` in templates.
    pub topic: Option<Text>,
    /// Position of the conversation in prompts; `None` leaves it to the seat's model.
    pub layout: Option<Layout>,
    /// Amount of debating advice in prompts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub debate: Debate,
    /// True for prompts without a frame.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bare: bool,
    /// Templates of prompts without a frame.
    #[serde(default, skip_serializing_if = "is_default")]
    pub prompt: PromptTemplates,
    /// Corrections of replies.
    #[serde(default, skip_serializing_if = "is_default")]
    pub guards: Guards,
    /// Target length of a turn in words (min, max), unless the participant has its own.
    pub words: Option<(u32, u32)>,
    /// Names of the two poles between which the participants state their position.
    pub stance: Option<[Text; 2]>,
    /// True if short and long turns alternate in a guided debate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub varied: bool,
    /// Texts that are shown after one of their keys was used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lore: Vec<Lore>,
    /// The policy that decides who speaks next.
    pub policy: PolicySpec,
    /// The limits of the whole conversation.
    #[serde(default)]
    pub limits: Limits,
    /// Phases, with the policy `phases`.
    #[serde(default, rename = "phase", skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<Phase>,
    /// Rules for an end before the limits.
    #[serde(default, rename = "stop", skip_serializing_if = "Vec::is_empty")]
    pub stops: Vec<Stop>,
    /// Verdict at the end.
    pub verdict: Option<VerdictSpec>,
    /// A poll before the first turn and after the last one.
    pub poll: Option<PollSpec>,
    /// Rule for a result at the end.
    #[serde(default, skip_serializing_if = "is_default")]
    pub result: ResultRule,
    /// The requested answer.
    pub answer: Option<AnswerSpec>,
    /// True if a template that cannot be filled in ends its turn before the call, as in a batch.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// Values of `item.NAME` in templates.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub item: Map<String, Value>,
    /// Profile of the person.
    #[serde(default, skip_serializing_if = "is_default")]
    pub profile: ProfileSpec,
    /// The stages of the conversation, in order.
    #[serde(default, rename = "stage", skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageSpec>,
    /// Ranking of a catalogue by the profile.
    pub ranking: Option<RankingSpec>,
}

/// Rule for a result at the end of a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultRule {
    /// No result.
    #[default]
    None,
    /// A scribe writes it.
    Scribe,
}

/// A policy and its options.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PolicySpec {
    /// The policy's name, as in [`PolicyRow`].
    pub name: Text,
    /// Options, including `mentions`, as described by [`OptionRow`].
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub options: Map<String, Value>,
}

/// One phase of a protocol.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Name on the screen.
    pub name: Text,
    /// Seats, roles, `all`, `all but NAME`, resolved to seat ids in order.
    pub who: Vec<Text>,
    /// True if it is for all, including participants who join while it runs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
    /// The policy of the phase: `sequential` is `round_robin`, `shuffled` is `round_robin` with `order = "shuffled"`.
    pub policy: PolicySpec,
    /// Visibility and style of its speakers.
    #[serde(default, flatten)]
    pub shows: Shows,
    /// Judgement at its end, if any.
    pub judge: Option<VerdictSpec>,
    /// Condition; if false, the phase is skipped.
    pub when: Option<Text>,
    /// Form of its speakers' replies, if different from their own.
    pub reply: Option<Contract>,
}

impl Phase {
    /// Returns the number of rounds.
    pub fn rounds(&self) -> u32 {
        let rounds = self.policy.options.get("rounds").and_then(Value::as_u64).unwrap_or(1);
        u32::try_from(rounds).unwrap_or(u32::MAX)
    }
}

/// A rule that ends the conversation, or asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stop {
    /// The rule.
    #[serde(flatten)]
    pub rule: Rule,
    /// True if it pauses and asks instead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ask: bool,
    /// True if it asks each time the rule becomes true.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub every: bool,
}

/// Kind of a stop rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// An expression over the state.
    When(Text),
    /// A line that begins with this word, in an ended turn of one of `by`.
    Word {
        /// The word, compared with the beginning of each line.
        word: Text,
        /// The participants whose lines count; empty for all.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        by: Vec<Text>,
        /// The participants who have to answer with the word in their own next turn; empty if the line alone counts.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        accepted_by: Vec<Text>,
    },
    /// A judge says yes.
    Judge {
        /// The judge.
        seat: Text,
        /// The question, answered with yes or no.
        question: Text,
        /// Number of turns between two questions.
        every: u32,
    },
    /// Minimum share of speakers whose last turns give the same answer.
    Agreement(f64),
    /// The conversation repeats itself.
    Loop {},
}

/// A poll that is taken before the first turn and again after the last one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PollSpec {
    pub question: Text,
    /// The choices.
    pub options: Vec<Text>,
    /// The voters.
    pub who: Vec<Text>,
}

/// Rules of a verdict on a conversation or a phase.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VerdictSpec {
    pub judges: Vec<Text>,
    /// The question for the judges.
    pub question: Text,
    /// The sides; empty for one side per speaker.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<Side>,
    /// Number of requests to each judge.
    pub votes: u32,
    /// True if each is also asked with the sides in reverse order.
    pub swap_test: bool,
    /// Fields of the item that are exchanged in the second judgement.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub swaps: Vec<(Text, Text)>,
    /// Topic of the second judgement, if it differs.
    pub swapped_topic: Option<Text>,
    /// Template of the judge's whole request; `None` for the usual one.
    pub prompt: Option<Text>,
    /// Rule for a tie of judgements.
    pub tie: Tie,
    /// Messages that the judges see; `None` for all.
    pub sees: Option<Sees>,
    /// True if they are also asked after each round, and a winner ends it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_stop: bool,
    /// Ends at which it is given.
    #[serde(default, skip_serializing_if = "is_default")]
    pub at: VerdictAt,
}

impl VerdictSpec {
    /// Returns an item with the fields of the sides exchanged.
    pub fn exchanged(&self, item: &Map<String, Value>) -> Map<String, Value> {
        let mut exchanged = item.clone();
        for (a, b) in &self.swaps {
            for (to, from) in [(a, b), (b, a)] {
                if let Some(value) = item.get(&**from) {
                    exchanged.insert(to.to_string(), value.clone());
                }
            }
        }
        exchanged
    }
}

/// Ends at which a verdict is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictAt {
    /// Every end except a failure, if the budget allows.
    #[default]
    Always,
    /// Only ends by the conversation's own rules.
    Completed,
}

/// One side of a debate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Side {
    /// Name: a participant's id, or a role.
    pub name: Text,
    /// The participants on this side.
    pub seats: Vec<Text>,
    /// Template of the answer that it argues for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argues: Option<Text>,
}

/// Rule for a tie of judgements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tie {
    /// No winner.
    #[default]
    Draw,
    /// The first named side wins.
    First,
    /// A random side, by the seed, wins.
    Random,
    /// The first judge decides between the tied sides.
    Judge,
    /// The operator decides, by `verdict` with a winner.
    Human,
}

/// Kind of an option's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// A whole number from 1.
    Count,
    /// A whole number from 1 to this one.
    CountTo(u32),
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A boolean, `true` or `false`.
    Flag,
    /// The id of a participant; required. It takes no turns by default.
    Seat,
    /// The id of a participant; optional.
    Named {
        /// True if it takes turns by default.
        speaks: bool,
    },
    /// A number from 0 to 1.
    Share,
}

/// One option of a policy.
#[derive(Clone, Copy, Debug)]
pub struct OptionRow {
    /// Key in the policy's table.
    pub key: &'static str,
    pub kind: OptionKind,
    /// One sentence for the schema and help.
    pub meaning: &'static str,
}
