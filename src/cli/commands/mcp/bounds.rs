//! Limits for clients: allowed models, a budget in dollars, and no way to run a program.
//!
//! [`ClientGate`] checks them last, on the final participants. No argument of a client disables a check or raises a
//! limit.

use crate::cli::error::{Exit, Failure};
use crate::cli::models::resolve::ModelSource;
use crate::cli::play::gate::Gate;
use crate::cli::play::purse::Purse;
use crate::model::{Limits, Participant, Usd, VoiceSpec};
use crate::settings::Serving;
use crate::voice::program;
use std::sync::Arc;

/// Billionths in the default limit of a conversation.
const DEFAULT_USD: Usd = Usd(250_000_000);

/// The bounds of clients.
pub struct Bounds {
    /// Dollars of all conversations together.
    pub usd: Usd,
    /// Conversations at once.
    pub running: usize,
    /// Seconds of one.
    pub seconds: u64,
    serving: Serving,
}

impl Bounds {
    /// Returns those of the settings.
    pub fn new(serving: Serving) -> Bounds {
        Bounds {
            usd: Usd::try_from(serving.budget()).unwrap_or_default(),
            running: serving.max_running.get(),
            seconds: u64::from(serving.max_seconds.get()),
            serving,
        }
    }

    /// Returns the part of the budget for one of `places` conversations, with `left` dollars left.
    pub fn purse(&self, left: Usd, places: usize) -> Purse {
        let is_set = self.serving.max_usd.is_some();
        let share = Usd(left.0 / places.max(1) as u64);
        Purse { left, default: if is_set { share } else { DEFAULT_USD }, is_set }
    }

    /// Refuses a model that the settings do not allow.
    pub fn model(&self, name: &str) -> Result<(), Failure> {
        if self.serving.allows(name) {
            return Ok(());
        }
        let message = format!("the model {name} is not allowed for MCP clients");
        Err(Failure::new(Exit::Invalid, message).hint("name it in mcp.models of the settings"))
    }

    /// Refuses participants who would run something, or ask a model that is not allowed.
    pub fn admit<'a>(
        &self,
        seats: impl IntoIterator<Item = &'a Participant>,
    ) -> Result<(), Failure> {
        for seat in seats {
            if !seat.tools.is_empty() {
                return Err(runs(seat, "has tools"));
            }
            for voice in std::iter::once(&seat.voice).chain(&seat.stand_in) {
                self.admit_voice(seat, voice)?;
            }
        }
        Ok(())
    }

    fn admit_voice(&self, seat: &Participant, voice: &VoiceSpec) -> Result<(), Failure> {
        match voice {
            VoiceSpec::Script(_) | VoiceSpec::Agent(_) => Err(runs(seat, "runs a program")),
            VoiceSpec::Http(_) => Err(runs(seat, "calls an HTTP service")),
            VoiceSpec::Team(team) => self.admit(&team.participants),
            // asks no model: it repeats a session that the user's own scenario names
            VoiceSpec::Model(model) if model.recording().is_some() => Ok(()),
            VoiceSpec::Model(model) if model.is_program() => {
                let (name, _) = program::parts(&model.name).unwrap_or_default();
                if self.serving.programs.iter().any(|program| program == name) {
                    return Ok(());
                }
                let failure = runs(seat, "speaks by a program");
                Err(failure
                    .hint(format!("or allow it in the settings: mcp.programs = [\"{name}\"]")))
            }
            VoiceSpec::Model(model) => model.names().try_for_each(|name| self.model(name)),
            VoiceSpec::Human { .. } | VoiceSpec::Lines { .. } => Ok(()),
        }
    }
}

fn runs(seat: &Participant, what: &str) -> Failure {
    let message = format!("{} {what}, which MCP clients cannot start", seat.id);
    Failure::new(Exit::Invalid, message).hint("run this scenario with `colloquium run`")
}

/// The gate of a client.
pub struct ClientGate {
    /// The bounds of all clients.
    pub bounds: Arc<Bounds>,
    /// The part of the budget that is left for it.
    pub purse: Purse,
    /// The limits that the client asks for; they only lower the others.
    pub asked: Limits,
    /// True if the client wants rehearsed lines alone.
    pub rehearsed: bool,
}

impl Gate for ClientGate {
    fn admit(
        &self,
        seats: &[Participant],
        limits: &mut Limits,
        models: &ModelSource,
    ) -> Result<(), Failure> {
        let unrehearsed = seats.iter().find(|seat| !seat.voice.is_rehearsed());
        if let (true, Some(seat)) = (self.rehearsed, unrehearsed) {
            let message = format!("{} has no rehearsed lines", seat.id);
            return Err(Failure::new(Exit::Invalid, message).hint(
                "leave out `rehearsed`, or name a scenario with lines for every participant",
            ));
        }
        self.bounds.admit(seats)?;
        let all: Vec<&Participant> = seats.iter().collect();
        let asked = Limits {
            usd: lower(limits.usd, self.asked.usd),
            tokens: lower(limits.tokens, self.asked.tokens),
            ..Limits::default()
        };
        let Limits { usd, tokens, .. } = self.purse.limits(&all, &asked);
        let most = lower(limits.seconds, self.asked.seconds);
        let seconds = lower(most, Some(self.bounds.seconds));
        *limits = Limits { usd, tokens, seconds, ..limits.clone() };
        models.count(seats, limits)
    }
}

/// Returns the lower one of two limits.
fn lower<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
    a.into_iter().chain(b).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ModelSpec, Price};

    fn seat(price: Option<Price>) -> Participant {
        let spec = ModelSpec { name: "far:model".into(), ..ModelSpec::default() };
        Participant { price, ..Participant::new("ada", VoiceSpec::Model(spec)) }
    }

    #[test]
    fn a_default_limit_becomes_tokens_for_models_without_a_price() {
        let purse = Purse { left: Usd(1_000_000_000), default: DEFAULT_USD, is_set: false };
        let priced = seat(Some(Price(2.0, 10.0)));
        let unpriced = seat(None);
        let of = |seats: &[&Participant], asked: &Limits| {
            let Limits { usd, tokens, .. } = purse.limits(seats, asked);
            (usd.map(f64::from), tokens)
        };
        let none = Limits::default();
        assert_eq!(of(&[&priced], &none), (Some(0.25), None));
        assert_eq!(of(&[&unpriced], &none), (None, Some(200_000)));
        assert_eq!(of(&[&unpriced, &priced], &none), (None, Some(25_000)), "at the dearest price");
        let asked = Limits { tokens: Some(900), ..Limits::default() };
        assert_eq!(of(&[&unpriced], &asked), (None, Some(900)));
        let asked = Limits { usd: Some(Usd(500_000_000)), ..Limits::default() };
        assert_eq!(of(&[&unpriced], &asked), (Some(0.5), None), "a limit of the client is kept");
        let empty = Purse { left: Usd(0), ..purse };
        assert_eq!(empty.limits(&[&priced], &none).usd, Some(Usd(1)));
        assert_eq!(empty.limits(&[&unpriced], &none).tokens, Some(1));
    }
}
