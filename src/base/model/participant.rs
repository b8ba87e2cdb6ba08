//! Participants, as resolved into the log: all data that later decisions and prompts depend on.
//!
//! Contains no keys and no secrets of endpoints; a session file must be enough to repeat every decision a year later.

use super::agent::AgentSpec;
use super::contract::Contract;
use super::http::HttpSpec;
use super::ids::{SeatId, Text};
use super::language_model::{Fallback, ModelSpec};
use super::money::{Price, Usd};
use super::shows::Sees;
use super::tool::Tool;
use super::turn::Purpose;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Side of a participant that argues for a yes, or for a motion.
pub const YES: &str = "yes";
/// Side of a participant that argues for a no, or against a motion.
pub const NO: &str = "no";

/// A participant, with exactly one voice.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Participant {
    /// Unique ASCII id; never changes.
    pub id: SeatId,
    /// Display name; the id by default.
    pub name: Text,
    /// Further names for mentions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<Text>,
    /// Free text: `pro`, `judge`, `executor`.
    pub role: Option<Text>,
    /// The answer that it argues for: `yes`, `no`, or words.
    pub side: Option<Text>,
    /// Rotating roles, one per round.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Text>,
    /// One line about the participant, for moderators.
    pub description: Option<Text>,
    /// Target length of a turn in words (min, max).
    pub words: Option<(u32, u32)>,
    /// Persona, as a template.
    pub persona: Option<Text>,
    /// Private goal, in its own prompt only and shown at the end.
    pub goal: Option<Goal>,
    /// Source of its text: a model, a script, rehearsed lines, a person, an agent, a team.
    pub voice: VoiceSpec,
    /// True if `voice` replaces another one (a human seat that runs unattended).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stands_in: bool,
    /// Voice for headless runs and tests.
    pub stand_in: Option<VoiceSpec>,
    /// Share of the floor with weighted policies.
    #[serde(default = "one")]
    pub weight: f64,
    /// Probability of taking the floor with the policy `talkative`, from 0 to 1.
    #[serde(default = "half", skip_serializing_if = "is_half")]
    pub talkativeness: f64,
    /// Maximum turns of this participant.
    pub max_utterances: Option<u32>,
    /// True if it takes turns; otherwise it only votes, picks or judges.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub speaks: bool,
    /// Required form of its replies, and the number of retries.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub reply: Contract,
    /// Messages that it sees, unless the phase decides.
    pub sees: Option<Sees>,
    /// Participants whose messages it sees, if `sees` lists them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<Text>,
    /// Dependencies, with the policy `depends`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub runs: Runs,
    /// Part of the conversation that its prompt keeps if it exceeds the model's window.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub context: Budget,
    /// Time limits of its calls.
    pub timeouts: Timeouts,
    /// Rule for failed calls.
    pub on_failure: FailureRule,
    /// Maximum cost of this participant in dollars.
    pub max_usd: Option<Usd>,
    /// Price of the model; null if not priced.
    #[serde(default)]
    #[serialize_always]
    pub price: Option<Price>,
    /// True if the model runs on this machine; its calls cost no money.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub local: bool,
    /// Context window of the model in tokens.
    #[serde(default)]
    #[serialize_always]
    pub window: Option<u32>,
    /// True if its server states that the model has few parameters, so that its prompts are short and plain unless the
    /// scenario sets the layout.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub small: bool,
    /// True if its prompt lists its tools and its model requests them in text: for models without tool calls.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub text_tools: bool,
    /// Tools that its model may call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    /// Template of a participant that the engine created.
    pub made_from: Option<SeatId>,
}

fn one() -> f64 {
    1.0
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands in a reference")]
fn is_true(v: &bool) -> bool {
    *v
}

fn half() -> f64 {
    0.5
}

fn is_half(v: &f64) -> bool {
    *v == half()
}

impl Participant {
    /// Returns a participant with this id and voice, and defaults for everything else.
    pub fn new(id: impl Into<SeatId>, voice: VoiceSpec) -> Participant {
        let id = id.into();
        Participant {
            name: id.0.clone(),
            id,
            aliases: vec![],
            role: None,
            side: None,
            roles: vec![],
            description: None,
            words: None,
            persona: None,
            goal: None,
            voice,
            stands_in: false,
            stand_in: None,
            weight: one(),
            talkativeness: half(),
            max_utterances: None,
            speaks: true,
            reply: Contract::default(),
            context: Budget::default(),
            sees: None,
            seen: vec![],
            runs: Runs::default(),
            timeouts: Timeouts::default(),
            on_failure: FailureRule::default(),
            max_usd: None,
            price: None,
            local: false,
            window: None,
            small: false,
            text_tools: false,
            tools: vec![],
            made_from: None,
        }
    }
}

impl Default for Participant {
    fn default() -> Participant {
        Participant::new("", VoiceSpec::Script(vec![]))
    }
}

/// Source of a participant's text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VoiceSpec {
    /// A language model, on a server or on this machine.
    Model(ModelSpec),
    /// A child process: one JSON request in, JSON lines or plain text out.
    Script(Vec<Text>),
    /// An HTTP service.
    Http(Box<HttpSpec>),
    /// An agent that speaks the Agent Client Protocol.
    Agent(AgentSpec),
    /// A person, who uses the commands `speak` and `pass`.
    Human {
        /// Seconds to wait; `None` waits without a limit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seconds: Option<u64>,
        /// True if the turn passes after `seconds`; otherwise it waits.
        #[serde(default)]
        pass: bool,
        /// True if the person speaks in a browser, by a link of `serve`; otherwise the operator speaks for the seat.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        link: bool,
    },
    /// A team: a whole conversation that speaks with one voice.
    Team(Box<TeamSpec>),
    /// Rehearsed lines: pre-written, no model is called.
    Lines {
        /// The lines, in order; they start over after the last one.
        lines: Vec<Line>,
        /// Milliseconds per word.
        pace: u64,
    },
}

impl Participant {
    /// Returns the participant with its next fallback model, if it has one.
    pub fn replaced(&self) -> Option<Participant> {
        let spec = self.voice.as_model()?;
        let (next, rest) = spec.fallbacks.split_first()?;
        let spec = ModelSpec { name: next.name.clone(), fallbacks: rest.to_vec(), ..spec.clone() };
        let voice = VoiceSpec::Model(spec);
        let Fallback { price, local, window, text_tools, .. } = *next;
        Some(Participant { voice, price, local, window, text_tools, ..self.clone() })
    }
}

/// One rehearsed line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    /// Text, as a template.
    pub text: Text,
    /// Condition; a line with one waits until it is true, then takes precedence over plain lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Text>,
    /// True if it takes the place of the next plain line, which is then left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub instead: bool,
    /// True if the next plain line follows it in the same turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leads: bool,
    /// True if it is the line of all turns after the last plain line, which repeat the plain lines otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spent: bool,
    /// Purpose of the turns that it answers; `speak` by default.
    #[serde(default, rename = "for", skip_serializing_if = "super::is_default")]
    pub purpose: Purpose,
}

impl Participant {
    /// Returns the model whose cost is unknown, so that a limit in dollars cannot hold: it has no price and runs on
    /// another machine. An agent pays for its own models.
    pub fn uncountable(&self) -> Option<&Text> {
        if let VoiceSpec::Agent(agent) = &self.voice {
            return agent.command.first();
        }
        if let VoiceSpec::Team(team) = &self.voice {
            return team.participants.iter().find_map(Participant::uncountable);
        }
        let model = self.voice.as_model()?;
        let own = (self.price.is_none() && !self.local).then_some(&model.name);
        let other = model.fallbacks.iter().find(|f| f.price.is_none() && !f.local);
        own.or(other.map(|f| &f.name))
    }
}

impl Participant {
    /// Default maximum tokens of a reply of a local model: small models do not always stop by themselves.
    pub const LOCAL_REPLY_TOKENS: u32 = 320;
    /// Maximum tokens of a local model's choice, bid or ballot: a word or a number, and a reason.
    const LOCAL_CHOICE_TOKENS: u32 = 128;

    /// Returns the maximum tokens of its model's reply, if limited.
    pub fn reply_tokens(&self) -> Option<u32> {
        let model = self.voice.as_model()?;
        model.max_tokens.or(self.local.then_some(Participant::LOCAL_REPLY_TOKENS))
    }

    /// Returns the maximum tokens of its model's answer for a purpose, if limited.
    pub fn answer_tokens(&self, purpose: Purpose) -> Option<u32> {
        let model = self.voice.as_model()?;
        let choice = self.local.then_some(Participant::LOCAL_CHOICE_TOKENS);
        match purpose {
            Purpose::Pick | Purpose::Bid | Purpose::Vote => model.max_tokens.or(choice),
            Purpose::Speak | Purpose::Judge | Purpose::Summarise | Purpose::Result => {
                self.reply_tokens()
            }
        }
    }
}

impl Participant {
    /// Returns a participant and the members of its teams.
    pub fn everyone(&self) -> Vec<&Participant> {
        let inside = match &self.voice {
            VoiceSpec::Team(team) => {
                team.participants.iter().flat_map(Participant::everyone).collect()
            }
            _ => vec![],
        };
        [vec![self], inside].concat()
    }
}

/// Maximum nesting depth of teams.
pub const TEAM_DEPTH: usize = 2;
/// The most seats of a conversation, those of its teams included.
pub const SEATS_MAX: usize = 200;

/// A team: a scenario with its participants, as loaded when the conversation began.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TeamSpec {
    /// File or bundled scenario that it was loaded from.
    pub file: Text,
    /// Resolved scenario; null before loading.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub scenario: Value,
    /// Its participants, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub participants: Vec<Participant>,
    /// Maximum parallel calls.
    #[serde(default)]
    pub parallel: u32,
}

/// Part of a conversation that a prompt keeps if it exceeds the model's window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Budget {
    /// The beginning and the end, without the middle.
    #[default]
    HeadTail,
    /// The end: as many of the last messages as fit.
    Window,
    /// At most this many of the last messages.
    Last(u32),
    /// The end, and a summary of the messages before.
    Summary {
        /// The participant who writes the summary; `None` for the reader itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<SeatId>,
    },
}

/// Time limits of a call, in milliseconds; all are required.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Timeouts {
    /// From the start until the connection is open.
    pub connect: u64,
    /// From the request to the first piece.
    pub first: u64,
    /// Between two pieces.
    pub silence: u64,
    /// From the start of the call to the end of the reply.
    pub total: u64,
}

impl Timeouts {
    /// Default for agents, whose tools may take long.
    pub const AGENT: Timeouts =
        Timeouts { connect: 10_000, first: 120_000, silence: 300_000, total: 1_800_000 };
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts { connect: 10_000, first: 120_000, silence: 60_000, total: 600_000 }
    }
}

/// Rule for failed calls of a participant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailureRule {
    /// Number of retries in the same turn.
    pub retry: u32,
    /// Action after the last failure.
    pub then: Then,
    /// Maximum calls of one model in one turn, whatever its server asks for.
    #[serde(default = "tries", skip_serializing_if = "is_tries")]
    pub tries: u32,
    /// Maximum total wait between the calls of one model in one turn, in milliseconds.
    #[serde(default = "wait", skip_serializing_if = "is_wait")]
    pub wait: u64,
}

impl FailureRule {
    /// Default of `tries`.
    pub const TRIES: u32 = 5;
    /// Default of `wait`, in milliseconds.
    pub const WAIT_MS: u64 = 60_000;
}

fn tries() -> u32 {
    FailureRule::TRIES
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands in a reference")]
fn is_tries(n: &u32) -> bool {
    *n == tries()
}

fn wait() -> u64 {
    FailureRule::WAIT_MS
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands in a reference")]
fn is_wait(ms: &u64) -> bool {
    *ms == wait()
}

impl Default for FailureRule {
    fn default() -> Self {
        FailureRule { retry: 1, then: Then::Skip, tries: tries(), wait: wait() }
    }
}

/// Action after a turn has failed with all its retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// The turn is skipped.
    Skip,
    /// The conversation pauses and asks the operator.
    Pause,
    /// The next fallback model takes the turn; without one, the turn is skipped.
    Replace,
    /// The conversation ends with a failure.
    Stop,
}

/// Dependencies of a participant with the policy `depends`, and its allowed requests. Plain data; the policy evaluates
/// the conditions.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Runs {
    /// The participants that it waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<After>,
    /// Number of dependencies that must be met.
    #[serde(default)]
    pub needs: Needs,
    /// True if it may run first, before its dependencies are met; a participant without dependencies always may.
    pub starts: Option<bool>,
    /// Additional key of its data in the context, besides its id.
    pub state_key: Option<Text>,
    /// Participants that the `requests` in its replies may wake; `None` for all.
    pub may_request: Option<Vec<SeatId>>,
}

/// One dependency on another participant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct After {
    /// The participant whose turns meet it.
    pub participant: SeatId,
    /// Condition over the state; `None` is always true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Text>,
    /// Maximum number of turns that this dependency may trigger.
    pub max: u32,
}

/// Number of dependencies that must be met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Needs {
    /// All dependencies must be met.
    #[default]
    All,
    /// One met dependency is enough.
    Any,
}

/// A private goal, with the limit of the price that a participant accepts.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Goal {
    /// The goal as text.
    pub text: Text,
    /// Lowest acceptable price, for a seller.
    pub least: Option<f64>,
    /// Highest acceptable price, for a buyer.
    pub most: Option<f64>,
}

impl Goal {
    /// Returns the difference between a price and the limit; negative if the price is beyond the limit.
    pub fn gain(&self, price: f64) -> Option<f64> {
        let over = self.least.map(|least| price - least);
        over.or_else(|| self.most.map(|most| most - price))
    }
}

/// Data of a goal at the end of a conversation, as in the result of `conversation.ended`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GoalOutcome {
    /// Id of the participant.
    pub participant: Text,
    /// The goal.
    pub goal: Goal,
    /// Difference between the agreed price and the limit; `None` without a price or a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain: Option<f64>,
}

impl GoalOutcome {
    /// Reads the outcomes from the result of a conversation; empty if it has none.
    pub fn all_in(result: &Value) -> Vec<GoalOutcome> {
        serde_json::from_value(result["goals"].clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_that_nobody_named_holds_on_this_machine_only() {
        let fallbacks = vec![Fallback { name: "far:large".into(), ..Fallback::default() }];
        let spec = ModelSpec { name: "near:tiny".into(), fallbacks, ..ModelSpec::default() };
        let named = ModelSpec { max_tokens: Some(70), ..spec.clone() };
        let unnamed = [[Some(320), Some(128)], [None; 2]];
        for (spec, bounds) in [(spec, unnamed), (named, [[Some(70); 2]; 2])] {
            let near =
                Participant { local: true, ..Participant::new("ada", VoiceSpec::Model(spec)) };
            let far = near.replaced().unwrap();
            let of =
                |seat: &Participant| [Purpose::Speak, Purpose::Pick].map(|p| seat.answer_tokens(p));
            assert_eq!([of(&near), of(&far)], bounds);
        }
    }
}
