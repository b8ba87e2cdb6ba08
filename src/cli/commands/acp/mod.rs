//! `acp`: an agent of the Agent Client Protocol, with which editors and other clients hold conversations.
//!
//! The person at the client is the operator: the first prompt is the topic, later ones are messages, and tools that need
//! a decision ask the client for it. Each session is a thread with one conversation, kept in a session file of the same
//! id. When the client disconnects or a signal arrives, each conversation is saved up to its last event.

mod agent;
mod calls;
mod errors;
mod order;
mod playing;
mod prompt;
mod serving;
mod session;
mod sessions;
mod transport;
mod updates;

use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::play::signals::Signals;
use crate::cli::runtime::{block_on, refused};
use crate::cli::source;
use crate::{policy, scenario};
use agent_client_protocol::Lines;
pub use session::AcpArgs;
use sessions::Sessions;
use std::sync::Arc;

impl AcpArgs {
    /// Serves until the client goes.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        if self.scenario == "-" {
            return Err(Failure::usage(
                "the scenario cannot come from standard input, which has the protocol",
                "name a scenario or a file",
            ));
        }
        // a fault is reported now, and not with the first prompt
        let found = source::find_panel(&context.paths, &self.scenario)?;
        scenario::load(&found.source, &policy::rows())?;
        let sessions = Arc::new(Sessions::new(self, context));
        let served = block_on(async {
            let mut signals = Signals::listen().map_err(refused)?;
            let input = transport::input().map_err(refused)?;
            let lines = Lines::new(transport::output(), input);
            let served = agent::serve(sessions.clone(), lines);
            tokio::select! { biased;
                code = signals.next() => Ok(code),
                served = served => served.map(|()| Exit::Done).map_err(|e| {
                    Failure::new(Exit::Failed, format!("the connection failed: {}", e.message))
                }),
            }
        });
        sessions.leave();
        served
    }
}
