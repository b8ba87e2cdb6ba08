//! What clients may start: models that the settings allow, within their dollars; scripts, agents and tools never.

use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::config::Serving;
use crate::model::{Participant, Usd, VoiceSpec};

/// What is left of a server's budget when another conversation begins.
#[derive(Clone, Copy, Debug)]
pub struct Purse {
    /// All of it.
    pub left: Usd,
    /// An equal part for each conversation that may still begin beside those that run.
    pub share: Usd,
}

impl Purse {
    /// Returns the limit of a conversation that asks for `asked` dollars, or names no limit. There always is one: once
    /// the budget is used up, free conversations go on and paid ones do not begin.
    pub fn limit(self, asked: Option<Usd>) -> Usd {
        asked.map_or(self.share, |usd| usd.min(self.left)).max(Usd(1))
    }
}

/// The bounds of clients.
pub struct Bounds {
    /// Dollars of all conversations together.
    pub usd: Usd,
    /// Conversations at once.
    pub running: usize,
    /// Seconds of one.
    pub seconds: u64,
    serving: Serving,
    default_model: Option<String>,
}

impl Bounds {
    /// Returns those of the settings.
    pub fn new(serving: Serving, default_model: Option<String>) -> Bounds {
        Bounds {
            usd: Usd::try_from(serving.max_usd).unwrap_or_default(),
            running: serving.max_running.get(),
            seconds: u64::from(serving.max_seconds.get()),
            serving,
            default_model,
        }
    }

    /// Refuses a model that the settings do not allow; none named is the default one.
    ///
    /// # Errors
    /// When it is not allowed.
    pub fn model(&self, name: &str) -> Result<(), Failure> {
        let name = match name {
            "" => self.default_model.as_deref().unwrap_or_default(),
            name => name,
        };
        if name.is_empty() || (self.serving.allows(name) && !name.starts_with("agent:")) {
            return Ok(());
        }
        let message = format!("the model {name} is not allowed for MCP clients");
        Err(Failure::new(Exit::Invalid, message).hint("name it in mcp.models of the settings"))
    }

    /// Refuses participants who would run something.
    ///
    /// # Errors
    /// When one would, or has a model that is not allowed.
    pub fn admit<'a>(
        &self,
        seats: impl IntoIterator<Item = &'a Participant>,
    ) -> Result<(), Failure> {
        for seat in seats.into_iter().flat_map(Participant::everyone) {
            let runs = matches!(seat.voice, VoiceSpec::Script(_) | VoiceSpec::Agent(_));
            if runs || !seat.tools.is_empty() {
                let what = if runs { "runs a program" } else { "has tools" };
                let message = format!("{} {what}, which MCP clients cannot start", seat.id);
                return Err(Failure::new(Exit::Invalid, message)
                    .hint("run this scenario with `colloquium run`"));
            }
            if let VoiceSpec::Model(model) = &seat.voice {
                self.model(&model.name)?;
                model.fallbacks.iter().try_for_each(|f| self.model(&f.name))?;
            }
        }
        Ok(())
    }
}
