//! A session of the client: its place, its connection and its options.

use super::args::AcpArgs;
use super::budget::EditorGate;
use super::order::Order;
use super::pace::Pace;
use crate::cli::args::{Play, SteerSource};
use crate::cli::context::Context;
use agent_client_protocol::Client;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{SessionId, SessionNotification, SessionUpdate};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;

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
