//! Who can speak, as resolved into the log: everything that a later decision or prompt depends on is in here.
//!
//! It holds no keys and no secrets of endpoints; a session file must be enough to decide the same a year later.

use super::agent::AgentSpec;
use super::contract::Contract;
use super::ids::{SeatId, Text};
use super::money::{Price, Usd};
use super::runs::Runs;
use super::shows::Sees;
use super::tool::Tool;
use super::turn::Purpose;
use serde::{Deserialize, Serialize};

/// A seat at the table, with exactly one voice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// Whether `voice` replaces another one (a human seat that runs unattended).
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
    /// Whether it takes turns; a seat that does not only votes, picks or judges.
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
    /// Whether the model runs on this machine, where a call costs no money that a limit could count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub local: bool,
    /// Context window of the model in tokens.
    #[serde(default)]
    pub window: Option<u32>,
    /// Whether its tools are told to its model in words, and asked for in words: for models that cannot call tools.
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
        /// Whether the floor passes on after `seconds`; otherwise it waits.
        #[serde(default)]
        pass: bool,
    },
    /// Rehearsed lines: pre-written, no model is called.
    Lines {
        /// The lines in order; after the last one they begin again.
        lines: Vec<Line>,
        /// Milliseconds for each word.
        pace: u64,
    },
}

/// What the name of a model begins with whose words are read from a session.
const RECORDING: &str = "recording:";

impl ModelSpec {
    /// Returns the model whose words are those of a participant in the session of a file.
    pub fn recorded(file: &str) -> ModelSpec {
        ModelSpec { name: format!("{RECORDING}{file}").into(), ..ModelSpec::default() }
    }

    /// Returns the file of the session that it speaks from; none where it is a real model.
    pub fn recording(&self) -> Option<&str> {
        self.name.strip_prefix(RECORDING)
    }
}

/// A language model and the parameters of its calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelSpec {
    /// `provider:name`; empty until one is chosen.
    pub name: Text,
    /// The models that speak instead, in order, where the failure rule says `replace`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<Fallback>,
    /// How freely it chooses its words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The share of likely words that it chooses among, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// The seed of its dice, where the server keeps to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How much less likely a token becomes with each use, from -2 to 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency_penalty: Option<f64>,
    /// How much less likely a token becomes after its first use, from -2 to 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub presence_penalty: Option<f64>,
    /// The factor by which words that were used become less likely, as local servers have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat_penalty: Option<f64>,
    /// The most tokens of one reply; none leaves it to the program and the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Words at which the reply stops.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<Text>,
    /// Reasoning effort: `low`, `medium` or `high`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Text>,
}

/// A model that speaks where those before it failed, with what is known of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fallback {
    /// `provider:name`.
    pub name: Text,
    /// Its price, as a seat has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Whether it runs on this machine, as a seat has it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub local: bool,
    /// Its context window in tokens; none is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// Whether it is told of tools in words, as a seat has it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub text_tools: bool,
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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

impl ModelSpec {
    /// Returns the tokens of reasoning that are asked for besides the reply.
    pub fn reasoning_tokens(&self) -> u32 {
        match self.effort.as_deref() {
            None => 0,
            Some("low") => 1_024,
            Some("high") => 16_384,
            Some(_) => 4_096,
        }
    }
}

impl VoiceSpec {
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
            VoiceSpec::Human { .. } => "human".into(),
            VoiceSpec::Lines { .. } => "rehearsed".into(),
        }
    }
}

/// What a prompt keeps of a conversation that does not fit its model's window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
