//! A scenario from what a client says: a name, or a cast of its own, which is data and never a program.

use crate::cli::args::models::ModelOptions;
use crate::cli::args::play::Play;
use crate::cli::args::run::RunOptions;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::source::{self, FoundScenario};
use crate::model::{Command, Key, Limits, SteerLine, Usd};
use crate::scenario::{self, Source, bundled_names, protocol_names};
use serde::Deserialize;
use std::path::PathBuf;
use toml::{Table, Value};

/// The panels that answer a question.
pub const PANELS: [&str; 2] = ["council", "review"];
/// Participants of a cast.
const CAST_MAX: usize = 12;
/// Bytes of a text.
const TEXT_MAX: usize = 64 << 10;
/// Seconds that the caller may take for its turn.
const CALLER_SECONDS: i64 = 300;

/// What a client wants to have talked about, and by whom.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Wanted {
    /// The name of a scenario or panel.
    pub scenario: Option<String>,
    /// Participants of the client's own.
    pub cast: Vec<Member>,
    /// The topic or the question.
    pub topic: Option<String>,
    /// Texts that everybody reads first.
    pub material: Vec<String>,
    /// What the caller thinks, as one of the opinions.
    pub opinion: Option<String>,
    /// The model of whoever names none.
    pub model: Option<String>,
    /// Whether nobody is called, where the scenario has rehearsed lines.
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
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Member {
    /// The name that the others see; the id is made from it.
    pub name: String,
    /// Who it is.
    pub persona: Option<String>,
    /// The role, shown to everybody at the table.
    pub role: Option<String>,
    /// The model as `provider:name`, if not the one for all.
    pub model: Option<String>,
    /// Whether the caller speaks for it, with `say`.
    pub caller: bool,
}

impl Wanted {
    /// Returns whether the caller has a seat.
    fn has_caller(&self) -> bool {
        self.cast.iter().any(|member| member.caller)
    }

    /// Finds the scenario.
    ///
    /// # Errors
    /// When no scenario has that name.
    pub fn found(&self, context: &Context) -> Result<FoundScenario, Failure> {
        let fix = "name a scenario (see list_scenarios), or give a cast of {\"name\", \"persona\"}";
        let found = match (&self.scenario, self.cast.is_empty()) {
            (Some(_), false) => {
                return Err(Failure::usage("a scenario and a cast cannot be combined", fix));
            }
            (None, true) => self.named(PANELS[0], context)?,
            (Some(name), true) => self.named(name, context)?,
            (None, false) => self.own()?,
        };
        Ok(found)
    }

    fn named(&self, name: &str, context: &Context) -> Result<FoundScenario, Failure> {
        if let Some(text) = scenario::panel(name) {
            let source = Source { name: name.into(), text: text.into(), settings: vec![] };
            return Ok(FoundScenario { source, folder: PathBuf::from("."), trusted: true });
        }
        let mut known = bundled_names().chain(protocol_names()).map(str::to_owned);
        // a path is no name: clients read no files of their choice
        if !known.any(|k| k == name)
            && !source::own_names(&context.paths).iter().any(|own| own == name)
        {
            let message = format!("no scenario `{name}`");
            return Err(Failure::usage(message, "list_scenarios names them all"));
        }
        source::find(&context.paths, name)
    }

    fn own(&self) -> Result<FoundScenario, Failure> {
        let fix = "as in {\"name\": \"Ada\", \"persona\": \"You plan cities.\"}";
        if self.cast.len() > CAST_MAX {
            return Err(Failure::usage(format!("a cast has at most {CAST_MAX} participants"), fix));
        }
        let mut members = vec![];
        for (at, member) in self.cast.iter().enumerate() {
            let texts = [&member.persona, &member.role].into_iter().flatten();
            // what is filled in belongs to scenarios of the user's own
            if texts.chain([&member.name]).any(|text| text.contains("{{") || text.contains("{%")) {
                return Err(Failure::usage("a cast holds no templates ({{ or {%)", fix));
            }
            let mut table = Table::new();
            table.insert("id".into(), format!("p{}", at + 1).into());
            table.insert("name".into(), member.name.as_str().into());
            for (key, text) in [("persona", &member.persona), ("role", &member.role)] {
                text.iter().for_each(|text| {
                    table.insert(key.into(), text.as_str().into());
                });
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
        let source = Source { name: "the cast".into(), text: whole.to_string(), settings: vec![] };
        Ok(FoundScenario { source, folder: PathBuf::from("."), trusted: true })
    }

    /// Returns the limits that the client asks for, which only lower others.
    ///
    /// # Errors
    /// When `max_usd` is not an amount of dollars.
    pub fn limits(&self) -> Result<Limits, Failure> {
        let usd = self.max_usd.map(Usd::try_from).transpose().map_err(|_| {
            Failure::usage("max_usd is no amount of dollars", "as in {\"max_usd\": 0.50}")
        })?;
        Ok(Limits { usd, tokens: self.max_tokens, seconds: self.max_seconds, ..Limits::default() })
    }

    /// Returns the options of the conversation. Its other limits are set by the gate.
    pub fn options(&self) -> RunOptions {
        let play = Play {
            headless: true,
            rehearsed: self.rehearsed,
            // the words of a caller in its seat come while it runs
            steer: self.has_caller().then(|| "-".to_owned()),
            max_utterances: self.max_turns,
            models: ModelOptions { model: self.model.clone(), ..ModelOptions::default() },
            ..Play::default()
        };
        RunOptions { play, topic: self.topic.clone(), ..RunOptions::default() }
    }

    /// Returns what everybody reads first.
    ///
    /// # Errors
    /// When a text is too long.
    pub fn lines(&self) -> Result<Vec<(Key, SteerLine)>, Failure> {
        let opinion =
            self.opinion.iter().map(|text| format!("The opinion of the caller:\n\n{text}"));
        let texts = self.material.iter().cloned().chain(opinion);
        let line = |(at, text): (usize, String)| {
            if text.len() > TEXT_MAX {
                let message = format!("a text has more than {} KiB", TEXT_MAX >> 10);
                return Err(Failure::usage(message, "shorten it"));
            }
            Ok((format!("mcp:{}", at + 1).into(), Command::Say { text: text.into() }.into()))
        };
        texts.enumerate().map(line).collect()
    }
}
