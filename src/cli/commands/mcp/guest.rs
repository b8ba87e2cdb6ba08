//! Conversations that another process runs, such as one on the screen of the user: clients see and steer them over the
//! sockets of [`crate::live`], as a second terminal does, but with fewer rights.

use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::running::{RunningSession, doing, introductions};
use crate::cli::runtime::block_on;
use crate::cli::saved_id::SavedId;
use crate::live::client::Received;
use crate::model::{Command, Key, Kind, SteerLine};
use crate::state::State;
use crate::text;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;
use tokio::time::timeout;

/// Name of the clients in the log of a conversation.
const NAME: &str = "mcp";
/// Time for the first receipt of a command.
const RECEIPT_WITHIN: Duration = Duration::from_secs(5);

/// A conversation that another program runs.
#[derive(Serialize, JsonSchema)]
pub struct OtherSession {
    session: String,
    title: String,
    state: String,
}

/// Lists the running conversations that take clients.
pub fn list(context: &Context) -> Result<Vec<OtherSession>, Failure> {
    let all = block_on(async { Ok(introductions(context).await) })?;
    let one = |hello: &crate::live::protocol::Hello| OtherSession {
        session: text::line(&hello.session).into_owned(),
        title: text::line(&hello.title).into_owned(),
        state: text::line(&doing(hello)).into_owned(),
    };
    Ok(all.iter().map(one).collect())
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
    line: &SteerLine,
    state: &State,
    context: &Context,
) -> Result<&'static str, Failure> {
    check(&line.command, state.limit.is_some())?;
    let path = context.paths.sessions().join(format!("{id}.jsonl"));
    let running = RunningSession::at(path, context)?;
    let failed = |fault| running.failure(&fault, context);
    let raw = Value::Object(line.to_map()).to_string();
    let receipt = block_on(async {
        let greeted = running.greet(context).await?;
        let (mut receiver, mut sender) = running.enter(greeted, NAME, context).await?;
        let key = sender.steer(&raw).await.map_err(failed)?;
        let first = async {
            loop {
                match receiver.next().await {
                    Received::Event(record) => {
                        if let Some(receipt) = receipt(&key, &record.event.kind) {
                            return receipt;
                        }
                    }
                    Received::Piece(_) => {}
                    Received::Error(error) => return Err(error.text),
                    Received::Bye(_) | Received::Lost => {
                        return Err("the conversation ended first".into());
                    }
                }
            }
        };
        Ok(timeout(RECEIPT_WITHIN, first).await.unwrap_or(Ok("sent")))
    })?;
    receipt.map_err(|why| Failure::new(Exit::Failed, text::line(&why).into_owned()))
}

/// Returns the receipt of a command that an event reports, or the reason for a refusal.
fn receipt(of: &Key, kind: &Kind) -> Option<Result<&'static str, String>> {
    match kind {
        Kind::CommandRefused(refused) if refused.key == *of => Some(Err(refused.why.to_string())),
        Kind::Receipt(receipt) if receipt.of == *of => Some(match receipt.is.word() {
            "too_late" => Err(receipt.why.as_ref().map_or("too late".into(), ToString::to_string)),
            word => Ok(word),
        }),
        _ => None,
    }
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
