//! Conversations that another process runs, such as one on the screen of the user: clients see and steer them over the
//! sockets of [`crate::live`], as a second terminal does, but with fewer rights.

use super::attended::ANSWER_WITHIN;
use super::jobs::ToolCall;
use super::values::LISTED_MAX;
use crate::catalogue::{SessionStatus, SessionSummary};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::running::{RunningSession, describe, running};
use crate::cli::runtime::block_on;
use crate::cli::saved_id::SavedId;
use crate::live::client::{ClientError, FirstReceipt};
use crate::model::{Command, SteerLine};
use crate::state::State;
use crate::text;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::timeout;

/// A conversation that another program runs.
#[derive(Serialize, JsonSchema)]
pub struct OtherConversation {
    session: String,
    title: String,
    state: String,
}

/// Lists the running conversations that take clients; a stopped process is listed as not answering.
pub fn list(context: &Context) -> Result<Vec<OtherConversation>, Failure> {
    let mut all = running(context)?;
    all.truncate(LISTED_MAX);
    block_on(async {
        describe(&mut all, context).await;
        Ok(())
    })?;
    let one = |session: SessionSummary| match session.standing {
        SessionStatus::Live { doing, .. } => Some(OtherConversation {
            session: text::line(&session.id).into_owned(),
            title: text::line(&session.title).into_owned(),
            state: text::line(&doing).into_owned(),
        }),
        _ => None,
    };
    Ok(all.into_iter().filter_map(one).collect())
}

/// Refuses a command that lifts a limit, or that speaks for a person. `at_limit` is true if the conversation has reached
/// a limit.
fn check(command: &Command, at_limit: bool) -> Result<(), Failure> {
    let name = command.name();
    if command.needs_terminal() {
        let message = format!("`{name}` is for a terminal, as in: colloquium attach");
        return Err(Failure::usage(message, "clients lift no limits"));
    }
    match command {
        Command::Speak { .. } => Err(Failure::usage(
            "a person speaks for this participant",
            "`say` is heard by everybody; your own cast is for `start`",
        )),
        // going on at a limit raises it
        Command::Resume {} | Command::Step { .. } if at_limit => {
            Err(Failure::usage("a limit was reached", "a person can go on in a terminal"))
        }
        _ => Ok(()),
    }
}

/// Sends a command to a conversation that another process runs; returns its first receipt.
///
/// # Errors
/// When the conversation does not run, takes no clients, or refuses the command.
pub fn give(
    id: &SavedId,
    line: SteerLine,
    state: &State,
    call: &ToolCall<'_>,
) -> Result<&'static str, Failure> {
    check(&line.command, state.limit.is_some())?;
    let context = call.context;
    let path = context.paths.sessions().join(format!("{id}.jsonl"));
    let running = RunningSession::at(path, context)?;
    let receipt = call.jobs.runtime.block_on(async {
        let greeted = running.greet(context).await?;
        let (mut receiver, mut sender) = running.enter(greeted, "mcp", context).await?;
        let receipt = async {
            let key = sender.give(&line).await?;
            receiver.receipt(&key).await
        };
        let receipt = timeout(ANSWER_WITHIN, receipt).await.unwrap_or(Ok(FirstReceipt::SENT));
        receipt.map_err(|fault| match fault {
            ClientError::Closed => Failure::new(Exit::Failed, "the conversation ended first"),
            fault => Failure::new(Exit::Failed, text::line(&fault.to_string()).into_owned()),
        })
    })?;
    if receipt.is_refusal() {
        let why = receipt.why.map_or("too late".into(), |why| text::line(&why).into_owned());
        return Err(Failure::new(Exit::Failed, why));
    }
    Ok(receipt.is)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_client_lifts_a_limit_of_another_program() {
        let may = |line: &str, at_limit| {
            check(&SteerLine::parse(line).unwrap().command, at_limit).is_ok()
        };
        for line in ["{\"do\":\"resume\"}", "{\"do\":\"step\"}"] {
            assert!(may(line, false) && !may(line, true), "{line}");
        }
        assert!(!may("{\"do\":\"limit\",\"set\":{\"usd\":1}}", false));
        assert!(!may("{\"do\":\"speak\",\"who\":\"ada\",\"text\":\"x\"}", false));
        assert!(may("{\"do\":\"end\"}", true));
    }
}
