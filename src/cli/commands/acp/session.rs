//! A session of the client: its place, its connection and its options.

use super::order::{Order, Pace};
use crate::cli::args::{ModelOptions, Play, SteerSource, ToolOptions, usd};
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::models::resolve::ModelSource;
use crate::cli::play::gate::Gate;
use crate::ledger::{AskedLimits, Ledger, RunBudget};
use crate::model::{Limits, Participant, Usd};
use crate::state::State;
use agent_client_protocol::Client;
use agent_client_protocol::v1::schema::{
    SessionId, SessionNotification, SessionUpdate, SetSessionModeResponse,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Serve the Agent Client Protocol: hold conversations in an editor
#[derive(Clone, Debug, Args)]
pub struct AcpArgs {
    /// Scenario name or file; the first prompt is its topic
    #[arg(value_name = "SCENARIO", default_value = "council")]
    pub scenario: String,
    /// Add a seat for yourself
    #[arg(long)]
    pub take_part: bool,
    /// Trust the file: allow the commands it names
    #[arg(long)]
    pub trust: bool,
    /// Use the scenario's rehearsed lines; no model is called
    #[arg(long)]
    pub rehearsed: bool,
    /// Stop each conversation after N turns; a later prompt adds a round
    #[arg(long, visible_alias = "max-turns", value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Limits")]
    pub max_utterances: Option<u32>,
    /// Dollars that all conversations of this client may cost together [default: 1]
    #[arg(long, value_name = "USD", value_parser = usd, help_heading = "Limits")]
    pub max_usd: Option<Usd>,
    /// Override a scenario key, as in --set limits.utterances=9
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    #[command(flatten)]
    pub tools: ToolOptions,
    #[command(flatten)]
    pub models: ModelOptions,
}

/// A session, on its own thread.
pub struct ClientSession {
    /// Id of the session and of its file.
    pub id: SessionId,
    /// Path of its file, which exists once the conversation has started.
    pub path: PathBuf,
    /// Connection to the client.
    pub client: ConnectionTo<Client>,
    /// Work to do, in order.
    pub orders: mpsc::Receiver<Order>,
    /// Number of turns after a prompt.
    pub pace: Pace,
    /// Account of all conversations of the client.
    pub gate: EditorGate,
    /// True if the conversation began here, with the scenario of the command line, for which its consents hold.
    pub began: bool,
    /// Arguments of the command.
    pub args: Arc<AcpArgs>,
    /// Folders and settings.
    pub context: Context,
}

impl ClientSession {
    /// Sends an update to the client, if it is still there.
    pub fn send(&self, update: SessionUpdate) {
        let _ = self.client.send_notification(SessionNotification::new(self.id.clone(), update));
    }

    /// Changes the number of turns after a prompt, and confirms it.
    pub fn set_pace(&mut self, pace: Pace, responder: Responder<SetSessionModeResponse>) {
        self.pace = pace;
        // a client that has gone needs no answer
        let _ = responder.respond(SetSessionModeResponse::new());
    }

    /// Returns the options of the conversation: the person at the client is its operator.
    pub fn options(&self) -> Play {
        let args = &self.args;
        Play {
            headless: true,
            background: true,
            steer: Some(SteerSource::Caller),
            trust: args.trust,
            rehearsed: args.rehearsed,
            max_utterances: args.max_utterances,
            set: args.set.clone(),
            tools: args.tools.clone(),
            models: args.models.clone(),
            ..Play::default()
        }
    }
}

/// The gate of a client: its conversations pay from one account.
#[derive(Clone)]
pub struct EditorGate(pub Arc<Ledger>);

impl EditorGate {
    /// Reserves the limits of a conversation with its own limits `own`, which continues after the state `past`.
    ///
    /// # Errors
    /// If nothing is left.
    pub fn reserve(
        &self,
        seats: &[&Participant],
        own: &Limits,
        past: &State,
    ) -> Result<RunBudget, Failure> {
        let ask = AskedLimits { seats, own, past, each: None };
        let hint = "start `colloquium acp` with a higher --max-usd";
        self.0.reserve(&ask).map_err(|all| Failure::from(all).hint(hint))
    }
}

impl Gate for EditorGate {
    fn admit(
        &self,
        seats: &[Participant],
        limits: &mut Limits,
        models: &ModelSource,
    ) -> Result<Option<RunBudget>, Failure> {
        let all: Vec<&Participant> = seats.iter().collect();
        let budget = self.reserve(&all, limits, &State::default())?;
        let Limits { usd, tokens, .. } = budget.limits;
        *limits = Limits { usd, tokens, ..limits.clone() };
        models.count(seats, limits)?;
        Ok(Some(budget))
    }
}
