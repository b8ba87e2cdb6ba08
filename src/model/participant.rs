//! Who can speak, as resolved into the log: everything that a later decision or prompt depends on is in here.
//!
//! It holds no keys and no secrets of endpoints; a session file must be enough to decide the same a year later.

use super::agent::AgentSpec;
use super::contract::Contract;
use super::ids::{SeatId, Text};
use super::language_model::{Fallback, ModelSpec};
use super::money::{Price, Usd};
use super::runs::Runs;
use super::shows::Sees;
use super::tool::Tool;
use super::turn::Purpose;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A seat at the table, with exactly one voice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Participant {
    /// ASCII id, unique in the conversation; never changes.
    pub id: SeatId,
    /// Name as shown; the id where none was given.
    pub name: Text,
    /// Further names that a mention may use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<Text>,
    /// Free text: `pro`, `judge`, `executor`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Text>,
    /// The roles that take the place of `role`, one a round; after the last one they begin again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Text>,
    /// One line about it, for those who choose who speaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<Text>,
    /// From how many words to how many an utterance should have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<(u32, u32)>,
    /// A description of the participant, as a template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persona: Option<Text>,
    /// What gives it words: a model, a script, rehearsed lines, a person, an agent.
    pub voice: VoiceSpec,
    /// True if `voice` replaces another one (a human seat that runs unattended).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stands_in: bool,
    /// The voice that speaks instead in headless runs and tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stand_in: Option<VoiceSpec>,
    /// Share of the floor where a policy weighs seats.
    #[serde(default = "one")]
    pub weight: f64,
    /// How readily it takes the floor where a policy asks for that, from 0 to 1.
    #[serde(default = "half", skip_serializing_if = "is_half")]
    pub talkativeness: f64,
    /// Utterances after which this seat alone falls silent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_utterances: Option<u32>,
    /// True if it takes turns; a seat that does not only votes, picks or judges.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub speaks: bool,
    /// The form of its replies, and how often it may try again.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reply: Contract,
    /// Whose words it sees, where the phase does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sees: Option<Sees>,
    /// When it runs, where the policy is `depends`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub runs: Runs,
    /// What the prompt keeps when the conversation does not fit its model's window.
    #[serde(default, skip_serializing_if = "is_default")]
    pub context: Budget,
    /// How long a call may take.
    pub timeouts: Timeouts,
    /// What happens when a call fails.
    pub on_failure: FailureRule,
    /// Dollars after which this seat alone falls silent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_usd: Option<Usd>,
    /// Price of the model; null is "not priced".
    #[serde(default)]
    pub price: Option<Price>,
    /// True if the model runs on this machine, where a call costs no money that a limit could count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub local: bool,
    /// Context window of the model in tokens.
    #[serde(default)]
    pub window: Option<u32>,
    /// True if its prompt lists its tools and its model asks for them in text: for models that cannot call tools.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub text_tools: bool,
    /// The tools that its model may ask for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    /// The participant it was made from, where the engine made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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

fn is_default<T: Default + PartialEq>(v: &T) -> bool {
    *v == T::default()
}

fn half() -> f64 {
    0.5
}

fn is_half(v: &f64) -> bool {
    *v == half()
}

impl Participant {
    /// Returns a seat with this id and voice, and the default for everything else.
    pub fn new(id: impl Into<SeatId>, voice: VoiceSpec) -> Participant {
        let id = id.into();
        Participant {
            name: id.0.clone(),
            id,
            aliases: vec![],
            role: None,
            roles: vec![],
            description: None,
            words: None,
            persona: None,
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
            runs: Runs::default(),
            timeouts: Timeouts::default(),
            on_failure: FailureRule::default(),
            max_usd: None,
            price: None,
            local: false,
            window: None,
            text_tools: false,
            tools: vec![],
            made_from: None,
        }
    }
}

/// What gives a participant words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VoiceSpec {
    /// A language model, on a server or on this machine.
    Model(ModelSpec),
    /// A child process: one JSON request in, JSON lines or plain text out.
    Script(Vec<Text>),
    /// An agent that speaks the Agent Client Protocol.
    Agent(AgentSpec),
    /// A person; the floor waits for the commands `speak` and `pass`.
    Human {
        /// Seconds after which `then` happens; none waits without end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seconds: Option<u64>,
        /// True if the floor passes on after `seconds`; otherwise it waits.
        #[serde(default)]
        pass: bool,
    },
    /// A whole conversation that speaks with one voice.
    Team(Box<TeamSpec>),
    /// Rehearsed lines: pre-written, no model is called.
    Lines {
        /// The lines in order; after the last one they begin again.
        lines: Vec<Line>,
        /// Milliseconds for each word.
        pace: u64,
    },
}

impl Participant {
    /// Returns the seat with its next fallback as its model, if it has one.
    pub fn replaced(&self) -> Option<Participant> {
        let VoiceSpec::Model(spec) = &self.voice else { return None };
        let (next, rest) = spec.fallbacks.split_first()?;
        let spec = ModelSpec { name: next.name.clone(), fallbacks: rest.to_vec(), ..spec.clone() };
        let voice = VoiceSpec::Model(spec);
        let Fallback { price, local, window, text_tools, .. } = *next;
        Some(Participant { voice, price, local, window, text_tools, ..self.clone() })
    }
}

/// One rehearsed line: a template, and when it is taken out of turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    /// The words, as a template.
    pub text: Text,
    /// A condition; a line with one is held back until the condition is true, then goes before the plain ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Text>,
    /// The purpose of the turns that it answers; `speak` unless it says otherwise.
    #[serde(default, rename = "for", skip_serializing_if = "is_default")]
    pub purpose: Purpose,
}

impl Participant {
    /// Returns the model for which a limit in dollars cannot hold here: it has no price, and is on another machine. An
    /// agent pays for its own models.
    pub fn uncountable(&self) -> Option<&Text> {
        if let VoiceSpec::Agent(agent) = &self.voice {
            return agent.command.first();
        }
        if let VoiceSpec::Team(team) = &self.voice {
            return team.participants.iter().find_map(Participant::uncountable);
        }
        let VoiceSpec::Model(model) = &self.voice else { return None };
        let own = (self.price.is_none() && !self.local).then_some(&model.name);
        let other = model.fallbacks.iter().find(|f| f.price.is_none() && !f.local);
        own.or(other.map(|f| &f.name))
    }
}

impl Participant {
    /// The default bound on a reply, in tokens, of a model on this machine: small models do not always stop by
    /// themselves.
    const LOCAL_REPLY_TOKENS: u32 = 320;
    /// Tokens of such a model's choice, bid or ballot: a word or a number, and why.
    const LOCAL_CHOICE_TOKENS: u32 = 128;

    /// Returns the most tokens of a reply of its model, if anything bounds them.
    pub fn reply_tokens(&self) -> Option<u32> {
        let VoiceSpec::Model(model) = &self.voice else { return None };
        model.max_tokens.or(self.local.then_some(Participant::LOCAL_REPLY_TOKENS))
    }

    /// Returns the most tokens of its model's answer to what a turn is for, if anything bounds them.
    pub fn answer_tokens(&self, purpose: Purpose) -> Option<u32> {
        let VoiceSpec::Model(model) = &self.voice else { return None };
        let choice = self.local.then_some(Participant::LOCAL_CHOICE_TOKENS);
        match purpose {
            Purpose::Pick | Purpose::Bid | Purpose::Vote => model.max_tokens.or(choice),
            Purpose::Speak | Purpose::Judge | Purpose::Summarise => self.reply_tokens(),
        }
    }
}

impl Participant {
    /// Returns a seat, and the seats of the teams in it.
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

impl VoiceSpec {
    /// Returns whether it is rehearsed lines, or a team of only such voices.
    pub fn is_rehearsed(&self) -> bool {
        match self {
            VoiceSpec::Lines { .. } => true,
            VoiceSpec::Team(team) => team.participants.iter().all(|p| p.voice.is_rehearsed()),
            _ => false,
        }
    }

    /// Milliseconds a rehearsed word takes where a scenario names no pace.
    pub const PACE_MS: u64 = 70;

    /// Returns whether a language model reads its prompts: by itself, or in an agent.
    pub fn reads_as_a_model(&self) -> bool {
        matches!(self, VoiceSpec::Model(_) | VoiceSpec::Agent(_))
    }

    /// Returns whether a person speaks here, so that a turn has no call.
    pub fn is_human(&self) -> bool {
        matches!(self, VoiceSpec::Human { .. })
    }

    /// Returns the name that a log and a transcript give this voice: who really spoke.
    pub fn label(&self) -> String {
        match self {
            VoiceSpec::Model(m) => m.name.to_string(),
            VoiceSpec::Script(c) => format!("script:{}", c.first().map_or("", |c| &**c)),
            VoiceSpec::Agent(a) => format!("agent:{}", a.command.first().map_or("", |c| &**c)),
            VoiceSpec::Team(t) => format!("team:{}", t.file),
            VoiceSpec::Human { .. } => "human".into(),
            VoiceSpec::Lines { .. } => "rehearsed".into(),
        }
    }
}

/// How deep teams may be nested.
pub const TEAM_DEPTH: usize = 2;
/// The most seats of a conversation, those of its teams included.
pub const SEATS_MAX: usize = 200;

/// A team: a scenario with its seats, as read when the conversation began. Its file is no longer needed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TeamSpec {
    /// The file or the bundled scenario that it was read from.
    pub file: Text,
    /// The scenario as resolved; null before it was read.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub scenario: Value,
    /// Its seats, in the order of the table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub participants: Vec<Participant>,
    /// The most calls of it at the same time.
    #[serde(default)]
    pub parallel: u32,
}

/// What a prompt keeps of a conversation that does not fit its model's window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Budget {
    /// The beginning and the end: the middle is left out.
    #[default]
    HeadTail,
    /// The end: as many of the last messages as fit.
    Window,
    /// At most this many of the last messages.
    Last(u32),
    /// The end, and a summary of what was before it.
    Summary {
        /// The seat that writes the summary; none is the reader itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<SeatId>,
    },
}

/// How long a call may take, in milliseconds; none of them is optional.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Timeouts {
    /// Until the connection is open.
    pub connect: u64,
    /// From the request to the first piece.
    pub first: u64,
    /// Between two pieces.
    pub silence: u64,
    /// For the whole call, from its start to the end of the reply.
    pub total: u64,
}

impl Timeouts {
    /// The default for agents: an agent starts up, thinks and uses tools before it speaks.
    pub const AGENT: Timeouts =
        Timeouts { connect: 10_000, first: 300_000, silence: 300_000, total: 1_800_000 };
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts { connect: 10_000, first: 120_000, silence: 60_000, total: 600_000 }
    }
}

/// What happens when a call of a seat fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailureRule {
    /// Further calls within the same turn.
    pub retry: u32,
    /// What follows the last failure.
    pub then: Then,
    /// Calls of one model in one turn at most, whatever its server asks for.
    #[serde(default = "tries", skip_serializing_if = "is_tries")]
    pub tries: u32,
    /// The longest sum of waits between the calls of one model in one turn, in milliseconds.
    #[serde(default = "wait", skip_serializing_if = "is_wait")]
    pub wait: u64,
}

impl FailureRule {
    /// Calls of one model in one turn, by default.
    pub const TRIES: u32 = 5;
    /// Milliseconds of waiting between them in all, by default.
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

/// What follows a turn that failed after all retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// The turn is given up and the next seat speaks.
    Skip,
    /// The conversation pauses and asks the operator.
    Pause,
    /// The next fallback model takes the turn; when no fallback is left, the next seat speaks.
    Replace,
    /// The conversation ends with a failure.
    Stop,
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
