//! Builds a scenario from the arguments of a client: the name of a scenario, or a cast given as data. Rejects programs.

use super::values::{ClientText, GivenName, ModelName};
use crate::cli::args::{ModelOptions, Play, RunOptions, SteerSource};
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::source::{self, FoundScenario};
use crate::model::{Command, Key, Limits, SteerLine, Trigger, Usd};
use crate::policy;
use crate::scenario::{self, Loaded, TurnOrder};
use crate::state::policies;
use serde::Deserialize;
use toml::{Table, Value};

/// The panels that answer a question.
pub const PANELS: [&str; 2] = ["council", "review"];
/// Participants of a cast.
pub const CAST_MAX: usize = 12;
/// Texts of material.
pub const MATERIAL_MAX: usize = 100;
/// Seconds that the caller may take for its turn.
const CALLER_SECONDS: i64 = 300;

/// Topic and cast of a client's conversation.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Wanted {
    /// The name of a scenario or panel.
    pub scenario: Option<GivenName>,
    /// Participants of the client's own.
    pub cast: Vec<Member>,
    /// The topic or the question.
    pub topic: Option<ClientText>,
    /// Texts that everybody reads first.
    pub material: Vec<ClientText>,
    /// The caller's own answer.
    pub opinion: Option<ClientText>,
    /// The model of participants that name none.
    pub model: Option<ModelName>,
    /// Rehearsed lines alone.
    pub rehearsed: bool,
    /// Limits.
    pub max_turns: Option<u32>,
    /// Seconds.
    pub max_seconds: Option<u64>,
    /// Tokens.
    pub max_tokens: Option<u64>,
    /// Dollars.
    pub max_usd: Option<f64>,
}

/// A participant of a client's own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// The name that the others see; the id is made from its place.
    pub name: GivenName,
    /// Its description for its own prompt.
    pub persona: Option<ClientText>,
    /// The role, shown to everybody at the table.
    pub role: Option<GivenName>,
    /// A word for its model, if not the one for all.
    pub model: Option<ModelName>,
    /// The caller speaks for it, with `say`.
    #[serde(default)]
    pub caller: bool,
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
        if self.cast.len() > CAST_MAX {
            return Err(Failure::usage(format!("a cast has at most {CAST_MAX} participants"), fix));
        }
        let mut members = vec![];
        for (at, member) in self.cast.iter().enumerate() {
            let mut table = Table::new();
            table.insert("id".into(), format!("p{}", at + 1).into());
            table.insert("name".into(), member.name.as_str().into());
            if let Some(persona) = &member.persona {
                let persona = persona.plain().map_err(|why| Failure::usage(why, fix))?;
                table.insert("persona".into(), persona.into());
            }
            if let Some(role) = &member.role {
                table.insert("role".into(), role.as_str().into());
            }
            match (member.caller, &member.model) {
                (true, _) => {
                    let mut human = Table::new();
                    human.insert("seconds".into(), CALLER_SECONDS.into());
                    table.insert("human".into(), Value::Table(human));
                }
                (false, Some(model)) => {
                    table.insert("model".into(), model.as_str().into());
                }
                (false, None) => {}
            }
            members.push(Value::Table(table));
        }
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
        let usd = self.max_usd.map(Usd::try_from).transpose().map_err(|_| {
            Failure::usage("max_usd is not an amount in dollars", "as in {\"max_usd\": 0.50}")
        })?;
        Ok(Limits { usd, tokens: self.max_tokens, seconds: self.max_seconds, ..Limits::default() })
    }

    /// Returns the options of the conversation, with the models of the server for participants that name none. Its other
    /// limits are set by the gate.
    pub fn options(&self, models: &ModelOptions) -> RunOptions {
        let own = self.model.as_ref().map(|model| model.as_str().to_owned());
        let play = Play {
            headless: true,
            rehearsed: self.rehearsed,
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
    /// When there is too much material, or the scenario has faults.
    pub fn lines(&self, found: &FoundScenario) -> Result<Vec<(Key, SteerLine)>, Failure> {
        if self.material.len() > MATERIAL_MAX {
            let message = format!("there are more than {MATERIAL_MAX} texts of material");
            return Err(Failure::usage(message, "join some of them"));
        }
        let said = |text: ClientText| {
            SteerLine::from(Command::Say { text: text.into(), re: None, material: None })
        };
        let mut lines: Vec<SteerLine> = self.material.iter().cloned().map(said).collect();
        if let Some(opinion) = &self.opinion {
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
