//! Builds a scenario from the arguments of a client: the name of a scenario, or a cast given as data. Rejects programs.

use super::values::{ClientText, GivenName, ModelName, WAIT_MAX};
use crate::cli::args::{ModelOptions, Play, RunOptions, SteerSource};
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::source::{self, FoundScenario};
use crate::model::{Command, Key, Limits, SteerLine, Trigger, Usd};
use crate::policy;
use crate::scenario::{self, Loaded, TurnOrder};
use crate::state::policies;
use schemars::{JsonSchema, Schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use toml::{Table, Value};

/// The panels that answer a question.
pub const PANELS: [&str; 2] = ["council", "review"];
/// Participants of a cast.
const CAST_MAX: usize = 12;
/// Texts of material.
const MATERIAL_MAX: usize = 100;
/// Seconds that the caller may take for its turn.
const CALLER_SECONDS: i64 = 300;

/// Topic, cast and limits of a client's conversation.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Wanted {
    /// A name from list_scenarios (default: the panel `council`).
    scenario: Option<GivenName>,
    /// Participants of your own, in place of a scenario.
    #[schemars(length(max = CAST_MAX))]
    cast: Vec<Member>,
    topic: Option<ClientText>,
    #[serde(flatten)]
    pub panel: Panel,
    #[schemars(range(min = 1, max = 500))]
    max_turns: Option<u32>,
    /// Running time; only lowers the limit.
    #[schemars(range(min = 1, max = 86_400))]
    max_seconds: Option<u64>,
    #[schemars(range(min = 1, max = 100_000_000))]
    max_tokens: Option<u64>,
}

/// Arguments of all tools that start a conversation.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Panel {
    /// Texts that everybody reads first.
    #[schemars(length(max = MATERIAL_MAX))]
    material: Vec<ClientText>,
    /// Your own answer, shown to the panel after its first, blind answers.
    opinion: Option<ClientText>,
    /// A family such as claude, provider:name, or several with commas, for participants without a model.
    model: Option<ModelName>,
    /// Play the rehearsed lines of the scenario; no model is called.
    pub rehearsed: bool,
    /// Dollars (default 0.25), within the budget of the settings.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 10_000))]
    max_usd: Option<f64>,
    /// The same key never starts two conversations.
    #[serde(deserialize_with = "parse_key")]
    pub key: Option<GivenName>,
}

/// Parses an idempotency key: the path of a fault is unknown in flattened arguments.
fn parse_key<'de, D: Deserializer<'de>>(from: D) -> Result<Option<GivenName>, D::Error> {
    Option::deserialize(from).map_err(|e| D::Error::custom(format!("`key`: {e}")))
}

/// Let several models talk about a topic and wait for the result: answer, dissent, verdict, cost and the end of the
/// transcript. If it is not over within deadline_seconds, the result is partial (complete: false) and the conversation
/// goes on: call `wait` with its session. A conversation costs at most 0.25 dollars (200,000 tokens for models without a
/// known price) unless max_usd or the user's settings say otherwise.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Convene {
    #[serde(flatten)]
    pub wanted: Wanted,
    /// How long to wait (default 45).
    #[schemars(range(min = 1, max = WAIT_MAX))]
    pub deadline_seconds: Option<u64>,
}

/// Start a conversation and return at once with its session and the ids of its participants; the arguments are those of
/// `convene`. The same key never starts two. It costs at most 0.25 dollars (200,000 tokens for models without a known
/// price) unless max_usd or the user's settings say otherwise.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(transform = undescribed)]
pub struct Start {
    #[serde(flatten)]
    pub wanted: Wanted,
}

/// Ask the panel `council` a question and wait for its answer, dissent and cost. As `convene`, with fewer choices.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(transform = undescribed)]
pub struct AskPanel {
    question: ClientText,
    #[serde(flatten)]
    panel: Panel,
    #[schemars(range(min = 1, max = WAIT_MAX))]
    deadline_seconds: Option<u64>,
}

impl From<AskPanel> for Convene {
    fn from(ask: AskPanel) -> Convene {
        let AskPanel { question, panel, deadline_seconds } = ask;
        Convene {
            wanted: Wanted { topic: Some(question), panel, ..Wanted::default() },
            deadline_seconds,
        }
    }
}

/// A participant of a client's own.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(description = "")]
struct Member {
    name: GivenName,
    persona: Option<ClientText>,
    role: Option<GivenName>,
    model: Option<ModelName>,
    /// You speak for it yourself, with `say`.
    #[serde(default)]
    caller: bool,
}

impl Wanted {
    /// Returns whether the caller has a seat.
    fn has_caller(&self) -> bool {
        self.cast.iter().any(|member| member.caller)
    }

    /// Finds the scenario.
    pub fn found(&self, context: &Context) -> Result<FoundScenario, Failure> {
        let fix = "name a scenario (see list_scenarios), or give a cast of {\"name\", \"persona\"}";
        match (&self.scenario, self.cast.is_empty()) {
            (Some(_), false) => {
                Err(Failure::usage("a scenario and a cast cannot be combined", fix))
            }
            (None, true) => find_scenario(PANELS[0], context),
            (Some(name), true) => find_scenario(name.as_str(), context),
            (None, false) => self.own(),
        }
    }

    fn own(&self) -> Result<FoundScenario, Failure> {
        let fix = "as in {\"name\": \"Ada\", \"persona\": \"You plan cities.\"}";
        let member = |(at, member): (usize, &Member)| {
            let persona = member.persona.as_ref().map(ClientText::plain).transpose();
            let persona = persona.map_err(|why| Failure::usage(why, fix))?;
            let human = Table::from_iter([("seconds".to_owned(), CALLER_SECONDS.into())]);
            let model = if member.caller { None } else { member.model.as_ref() };
            let keys = [
                ("id", Some(format!("p{}", at + 1).into())),
                ("name", Some(member.name.as_str().into())),
                ("persona", persona.map(Value::from)),
                ("role", member.role.as_ref().map(|role| role.as_str().into())),
                ("model", model.map(|model| model.as_str().into())),
                ("human", member.caller.then_some(human.into())),
            ];
            let given = keys.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
            Ok(Value::Table(given.collect()))
        };
        let members = self.cast.iter().enumerate().map(member).collect::<Result<_, Failure>>()?;
        let mut whole = Table::new();
        whole.insert("title".into(), "A conversation".into());
        whole.insert("participant".into(), Value::Array(members));
        Ok(FoundScenario::provided("the cast", &whole.to_string()))
    }

    /// Returns the limits that the client asks for, which only lower others.
    ///
    /// # Errors
    /// When `max_usd` is not an amount of dollars.
    pub fn limits(&self) -> Result<Limits, Failure> {
        let usd = self.panel.max_usd.map(Usd::try_from).transpose().map_err(|_| {
            Failure::usage("max_usd is not an amount in dollars", "as in {\"max_usd\": 0.50}")
        })?;
        Ok(Limits { usd, tokens: self.max_tokens, seconds: self.max_seconds, ..Limits::default() })
    }

    /// Returns the options of the conversation, with the models of the server for participants that name none. Its other
    /// limits are set by the gate.
    pub fn options(&self, models: &ModelOptions) -> RunOptions {
        let own = self.panel.model.as_ref().map(|model| model.as_str().to_owned());
        let play = Play {
            headless: true,
            rehearsed: self.panel.rehearsed,
            // the words of a caller in its seat come while it runs
            steer: self.has_caller().then_some(SteerSource::Caller),
            max_utterances: self.max_turns,
            models: ModelOptions {
                model: own.or(models.model.clone()),
                is_client: true,
                ..models.clone()
            },
            ..Play::default()
        };
        let topic = self.topic.clone().map(Into::into);
        RunOptions { play, topic, ..RunOptions::default() }
    }

    /// Returns the words of the caller: its material, and its opinion. After a blind first round the opinion is one more
    /// answer, shown when all others are complete.
    ///
    /// # Errors
    /// When the scenario has faults.
    pub fn lines(&self, found: &FoundScenario) -> Result<Vec<(Key, SteerLine)>, Failure> {
        let said = |text: ClientText| {
            SteerLine::from(Command::Say { text: text.into(), re: None, material: None })
        };
        let mut lines: Vec<SteerLine> = self.panel.material.iter().cloned().map(said).collect();
        if let Some(opinion) = &self.panel.opinion {
            let loaded = scenario::load(&found.source, &policy::rows())?;
            let (head, trigger) = match blind_turns(&loaded) {
                Some(utterance) => (
                    "One more answer, by the caller of this panel",
                    Some(Trigger::After { utterance }),
                ),
                None => ("The opinion of the caller", None),
            };
            let text = format!("{head}:\n\n{opinion}").into();
            lines.push(SteerLine {
                trigger,
                ..Command::Say { text, re: None, material: None }.into()
            });
        }
        let keyed = |(at, line)| (format!("mcp:{}", at + 1).into(), line);
        Ok(lines.into_iter().enumerate().map(keyed).collect())
    }
}

/// Returns the number of turns in the first round, if its speakers do not see each other's words.
fn blind_turns(loaded: &Loaded) -> Option<u32> {
    let speakers = loaded.participants.iter().filter(|seat| seat.speaks).count();
    let (policy, turns) = match loaded.scenario.phases.first() {
        Some(phase) => (&phase.policy, phase.who.len()),
        None => (&loaded.scenario.policy, speakers),
    };
    if policies::traits(&policy.name).order != TurnOrder::AtOnce {
        return None;
    }
    u32::try_from(turns).ok()
}

/// Finds a scenario by its name. A path is not a name: clients choose no files.
fn find_scenario(name: &str, context: &Context) -> Result<FoundScenario, Failure> {
    if let Some(text) = scenario::panel(name) {
        return Ok(FoundScenario::provided(name, text));
    }
    source::find_named(&context.paths, name)?.ok_or_else(|| {
        let message = format!("no scenario `{name}`");
        Failure::usage(message, "list_scenarios names them all")
    })
}

/// Removes the descriptions of arguments that another tool describes.
fn undescribed(schema: &mut Schema) {
    let properties = schema.get_mut("properties").and_then(serde_json::Value::as_object_mut);
    for property in properties.into_iter().flat_map(serde_json::Map::values_mut) {
        property.as_object_mut().map(|property| property.shift_remove("description"));
    }
}
