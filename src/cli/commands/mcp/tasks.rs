//! Tasks: a client that can take them gets the conversation of a call as a task and asks for its state, so that no call
//! has to stay open for longer than a client waits.
//!
//! The id of a task is the id of the session, and its state is read from the session: a task survives a restart of the
//! server, and `wait`, `tail` and `steer` work on it.

use super::jobs::Jobs;
use super::protocol::wrong;
use super::reading;
use super::tools::completed;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::saved_id::SavedId;
use crate::cli::session_file::fold;
use crate::host::Leave;
use crate::model::{StopReason, Wall};
use jiff::Timestamp;
use rmcp::model::{DetailedTask, ErrorData, Task, TaskPayload, TaskStatus};
use serde_json::Value;

/// Tools whose calls become tasks.
pub const TOOLS: [&str; 2] = ["ask", "convene"];
/// Milliseconds after which a client asks again.
const POLL_MS: u64 = 2_000;

fn unknown(failure: Failure) -> ErrorData {
    wrong(failure.with_hint())
}

fn parse(id: &str) -> Result<SavedId, ErrorData> {
    SavedId::try_from(id.to_owned()).map_err(wrong)
}

/// Returns the state of a task; a conversation that was interrupted by a restart continues.
///
/// # Errors
/// When no task has this id, or its session cannot be read.
pub fn state(id: &str, jobs: &Jobs, context: &Context) -> Result<DetailedTask, ErrorData> {
    let id = parse(id)?;
    let job = jobs.going_on(&id, context).map_err(unknown)?;
    let is_over = job.is_over();
    let log = reading::read(id.as_str(), context).map_err(unknown)?;
    let state = fold(&log);
    let time = |at: Option<Wall>| {
        let at = at.and_then(|at| Timestamp::from_millisecond(at.0).ok());
        at.unwrap_or(Timestamp::UNIX_EPOCH).to_string()
    };
    let mut times = log.events().map(|event| event.at);
    let created = time(times.next());
    let updated = times.next_back().map_or_else(|| created.clone(), |at| time(Some(at)));
    let task = Task::new(id.as_str(), TaskStatus::Working, created, updated)
        .with_poll_interval_ms(POLL_MS)
        .with_status_message(format!("{} turns", state.utterances));
    let payload = match &state.ended {
        Some(end) if end.reason == StopReason::Signal && job.is_stopped() => TaskPayload::Cancelled,
        None if !is_over => TaskPayload::Working,
        // the result of a conversation without an end says that it is not complete
        Some(_) | None => {
            let internal = |e: serde_json::Error| ErrorData::internal_error(e.to_string(), None);
            let report = reading::report(&log).map_err(unknown)?;
            let data = serde_json::to_value(report).map_err(internal)?;
            match serde_json::to_value(completed(&data)).map_err(internal)? {
                Value::Object(result) => TaskPayload::Completed { result },
                _ => TaskPayload::Working,
            }
        }
    };
    Ok(DetailedTask::new(task, payload))
}

/// Ends the conversation of a task.
pub fn cancel(id: &str, jobs: &Jobs, context: &Context) -> Result<(), ErrorData> {
    jobs.going_on(&parse(id)?, context).map_err(unknown)?.leave(Leave::End);
    Ok(())
}
