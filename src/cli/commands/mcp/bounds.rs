//! Limits for clients: allowed models, a budget in dollars, and no way to run a program.
//!
//! [`ClientGate`] checks them last, on the final participants. No argument of a client disables a check or raises a
//! limit.

use crate::cli::error::{Exit, Failure};
use crate::cli::models::resolve::ModelSource;
use crate::cli::play::gate::Gate;
use crate::ledger::{self, AskedLimits, Ledger, RunBudget};
use crate::model::{Limits, Participant, Usd, VoiceSpec};
use crate::settings::Serving;
use crate::state::State;
use crate::voice::program;
use std::sync::Arc;

/// The bounds of clients.
pub struct Bounds {
    /// Account of all conversations together.
    pub ledger: Arc<Ledger>,
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
            ledger: Ledger::new(serving.max_usd, ledger::MCP),
            running: serving.max_running.get(),
            seconds: u64::from(serving.max_seconds.get()),
            serving,
        }
    }

    /// Reserves the limits of one of `places` conversations, with its own limits `own`, which continues after the state
    /// `past`. A limit in the settings is shared equally.
    pub fn reserve(
        &self,
        seats: &[&Participant],
        own: &Limits,
        past: &State,
        places: usize,
    ) -> Result<RunBudget, Failure> {
        let share = || Usd(self.ledger.left().0 / places.max(1) as u64);
        let each = Some(if self.ledger.is_set() { share() } else { ledger::MCP_EACH });
        let ask = AskedLimits { seats, own, past, each };
        let hint = "raise mcp.max_usd in the settings";
        self.ledger.reserve(&ask).map_err(|all| Failure::from(all).hint(hint))
    }

    /// Refuses a model that the settings do not allow.
    pub fn model(&self, name: &str) -> Result<(), Failure> {
        if self.serving.allows(name) {
            return Ok(());
        }
        let message = format!("the model {name} is not allowed for MCP clients");
        Err(Failure::new(Exit::Invalid, message).hint("name it in mcp.models of the settings"))
    }

    /// Refuses a program of the user that the settings do not allow.
    fn program(&self, seat: &Participant, name: &str) -> Result<(), Failure> {
        if self.serving.programs.iter().any(|program| program == name) {
            return Ok(());
        }
        let failure = runs(seat, "speaks by a program");
        Err(failure.hint(format!("or allow it in the settings: mcp.programs = [\"{name}\"]")))
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
            VoiceSpec::Model(model) => {
                model.names().try_for_each(|name| match program::parts(name) {
                    Some((program, _)) => self.program(seat, program),
                    None => self.model(name),
                })
            }
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
    /// Number of conversations that may still start.
    pub places: usize,
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
    ) -> Result<Option<RunBudget>, Failure> {
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
        let budget = self.bounds.reserve(&all, &asked, &State::default(), self.places)?;
        let Limits { usd, tokens, .. } = budget.limits;
        let most = lower(limits.seconds, self.asked.seconds);
        let seconds = lower(most, Some(self.bounds.seconds));
        *limits = Limits { usd, tokens, seconds, ..limits.clone() };
        models.count(seats, limits)?;
        Ok(Some(budget))
    }
}

/// Returns the lower one of two limits.
fn lower<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
    a.into_iter().chain(b).min()
}
