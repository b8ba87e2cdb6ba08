//! What a conversation is made of before it starts: load, check, presets.
//!
//! A scenario is data. It is read from TOML with every fault reported at once, resolved once, and written whole into
//! the log; nothing here runs anything.

mod answer;
mod bundled;
mod check;
mod contest;
mod context;
mod contract;
mod fault;
mod json_schema;
mod keys;
mod kinds;
mod load;
mod plan;
mod policy;
mod profile;
mod resolve;
mod runs;
mod schema;
mod seat;
mod set;
mod shows;
mod tools;
mod tree;
mod unattended;
mod who;

pub use answer::{AnswerSpec, RIGHT};
pub use bundled::{about, bundled, bundled_names, panel, protocol_names};
pub(crate) use check::{Walk, join};
pub use fault::{Fault, Faults, Gravity, Place};
pub use json_schema::validator;
pub use keys::{CONSENSUS, DEPENDS, PLAN, STEP_POLICY};
pub(crate) use keys::{Key, PACE_RANGE, TOP, ValueKind, key, needed};
pub use kinds::unknown_field;
pub(crate) use load::resolve;
pub use load::{Loaded, ReadError, Source, load, read};
pub use profile::{ProfileSpec, RankingSpec, StageSpec};
pub use schema::schema;
pub(crate) use schema::table;
pub use seat::{change, participant};
pub use set::Override;
pub(crate) use tree::{Node, quote};
pub use unattended::Wait;

use crate::model::{Contract, Debate, Layout, Limits, Lore, Sees, Shows, Text};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The scenario as resolved into the log; its seats are logged beside it as participants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scenario {
    /// The title on the screen.
    pub title: Text,
    /// The topic of the conversation; `{{ topic }}` in templates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<Text>,
    /// Where prompts have the conversation.
    #[serde(default, skip_serializing_if = "is_own")]
    pub layout: Layout,
    /// How much prompts say about how to debate.
    #[serde(default, skip_serializing_if = "is_guided")]
    pub debate: Debate,
    /// From how many words to how many an utterance should have, where its participant does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<(u32, u32)>,
    /// Texts that are shown where one of their keys was just used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lore: Vec<Lore>,
    /// The policy that decides who speaks next.
    pub policy: PolicySpec,
    /// The limits of the whole conversation.
    #[serde(default)]
    pub limits: Limits,
    /// The phases, where the policy is `phases`.
    #[serde(default, rename = "phase", skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<Phase>,
    /// Rules that end it before its limits do.
    #[serde(default, rename = "stop", skip_serializing_if = "Vec::is_empty")]
    pub stops: Vec<Stop>,
    /// Who judges it at its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<VerdictSpec>,
    /// The answer that it is to find.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerSpec>,
    /// The values that templates ask for as `item.NAME`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub item: Map<String, Value>,
    /// What is to be known of the person.
    #[serde(default, skip_serializing_if = "is_unset")]
    pub profile: ProfileSpec,
    /// The stages of the conversation, in order.
    #[serde(default, rename = "stage", skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageSpec>,
    /// What is ranked by what is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<RankingSpec>,
}

fn is_unset(profile: &ProfileSpec) -> bool {
    *profile == ProfileSpec::default()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands in a reference")]
fn is_guided(debate: &Debate) -> bool {
    *debate == Debate::Guided
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands in a reference")]
fn is_own(layout: &Layout) -> bool {
    *layout == Layout::Own
}

/// A policy and its options.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PolicySpec {
    /// The policy's name, as in [`PolicyRow`].
    pub name: Text,
    /// Its options, `mentions` among them, as the policy's own rows of [`OptionRow`] describe them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub options: Map<String, Value>,
}

/// One phase of a protocol.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// The phase's name on the screen.
    pub name: Text,
    /// Seats, roles, `all`, `all but NAME`, resolved to seat ids in order.
    pub who: Vec<Text>,
    /// Whether it is for all, also for those who join while it runs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
    /// The policy of the phase: `sequential` is `round_robin`, `shuffled` is `round_robin` with `order = "shuffled"`.
    pub policy: PolicySpec,
    /// What its speakers see of one another, and how they speak.
    #[serde(default, flatten)]
    pub shows: Shows,
    /// How it is judged at its end; none where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<VerdictSpec>,
    /// A condition without which it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Text>,
    /// The form of its speakers' replies, where it is another one than their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Contract>,
}

/// A rule that ends the conversation, or asks whether it should.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stop {
    /// The condition of the end.
    #[serde(flatten)]
    pub rule: Rule,
    /// Whether it pauses and asks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ask: bool,
    /// Whether it asks each time that the rule becomes true.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub every: bool,
}

/// What ends a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// An expression over the state.
    When(Text),
    /// A line that begins with this word, in a finished utterance of one of `by` (all, if it names nobody).
    Word {
        /// The word, compared with the beginning of each line.
        word: Text,
        /// The seats whose lines count; empty is all.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        by: Vec<Text>,
    },
    /// A seat that says yes.
    Judge {
        /// The seat that is asked.
        seat: Text,
        /// The question, answered with yes or no.
        question: Text,
        /// The number of utterances from one question to the next.
        every: u32,
    },
    /// The share of those who speak that gave the same answer in their last utterances.
    Agreement(f64),
    /// The conversation goes in circles.
    Loop {},
}

/// How a conversation or a phase is judged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VerdictSpec {
    /// The seats that judge.
    pub judges: Vec<Text>,
    /// The question that the judges answer.
    pub question: Text,
    /// The sides; empty for each seat that speaks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<Side>,
    /// How often each judge is asked.
    pub votes: u32,
    /// Whether each is also asked with the sides in reverse order.
    pub swap_test: bool,
    /// What breaks a tie of judgements.
    pub tie: Tie,
    /// Whose words the judges see; none is everybody's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sees: Option<Sees>,
    /// Whether they are asked after each round too, and a side that has won then ends it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_stop: bool,
    /// At which ends it is given.
    #[serde(default, skip_serializing_if = "is_always")]
    pub at: VerdictAt,
}

fn is_always(at: &VerdictAt) -> bool {
    *at == VerdictAt::Always
}

/// At which ends a verdict is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictAt {
    /// At every end but a failure, as far as money allows.
    #[default]
    Always,
    /// At the conversation's own end alone.
    Completed,
}

/// One side of a debate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Side {
    /// Its name: a seat's id, or a role.
    pub name: Text,
    /// The seats on this side.
    pub seats: Vec<Text>,
}

/// What breaks a tie of judgements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tie {
    /// Nothing: there is no winner.
    #[default]
    Draw,
    /// The side that is named first.
    First,
    /// Dice, from the seed.
    Random,
    /// The first judge, asked once more between the tied sides alone.
    Judge,
    /// The operator, by `verdict` with a winner.
    Human,
}

/// The kind of value an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// A whole number from 1.
    Count,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A boolean, `true` or `false`.
    Flag,
    /// The id of a seat, which is required, and takes no turns of its own by default.
    Seat,
    /// The id of a seat, which may be named; `speaks` says whether it takes turns of its own.
    Named {
        /// Whether it does, unless the file says otherwise.
        speaks: bool,
    },
    /// A number from 0 to 1.
    Share,
}

/// One option of a policy, as the policy describes it.
#[derive(Clone, Copy, Debug)]
pub struct OptionRow {
    /// The key in the policy's table.
    pub key: &'static str,
    /// The form of its value.
    pub kind: OptionKind,
    /// One sentence for the schema and help.
    pub meaning: &'static str,
}

/// A policy as the loader knows it: passed in by `cli`, because dependencies only go down.
#[derive(Clone, Copy, Debug)]
pub struct PolicyRow {
    /// The policy's name in a scenario.
    pub name: &'static str,
    /// One sentence for the schema and help.
    pub meaning: &'static str,
    /// The options that it takes besides the common ones.
    pub options: &'static [OptionRow],
    /// Whether it waits for the operator, so that it cannot run headless without steering.
    pub needs_operator: bool,
    /// Whether a person who takes part has turns.
    pub takes_part: TakesPart,
}

/// What a person has who takes part, said to that person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakesPart {
    /// A seat with turns, and when they come.
    Turns(&'static str),
    /// A seat without turns, and what it is good for.
    NoTurns(&'static str),
}

impl TakesPart {
    /// Returns it in words.
    pub fn told(self) -> &'static str {
        match self {
            TakesPart::Turns(told) | TakesPart::NoTurns(told) => told,
        }
    }
}
