//! Resources, prompts and tasks: the sessions as text, requests for the bundled scenarios, and conversations of calls.
//!
//! A client that can take tasks gets the conversation of a call as a task and asks for its state, so that no call has to
//! stay open for longer than a client waits. The id of a task is the id of the session, and its state is read from the
//! session: a task survives a restart of the server, and `wait`, `tail` and `steer` work on it.

use super::jobs::{Jobs, read};
use super::reading;
use super::tools::completed;
use super::values::LISTED_MAX;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::saved_id::SavedId;
use crate::export::{self, Seen};
use crate::host::Leave;
use crate::model::{StopReason, Wall};
use crate::scenario::{about, bundled, bundled_names};
use crate::session::ReadProgress;
use crate::{analysis, catalogue, text};
use jiff::Timestamp;
use rmcp::model::{
    DetailedTask, ErrorData, Prompt, PromptArgument, PromptMessage, Resource, ResourceContents,
    ResourceTemplate, Role, Task, TaskPayload, TaskStatus,
};
use serde_json::Value;

/// Prefix of a session's URI.
const SCHEME: &str = "colloquium://sessions/";

/// Tools whose calls become tasks.
pub const TASK_TOOLS: [&str; 2] = ["ask", "convene"];
/// Milliseconds after which a client asks again.
const POLL_MS: u64 = 2_000;

/// Returns the error for parameters that cannot be used.
pub fn wrong(message: impl Into<String>) -> ErrorData {
    ErrorData::invalid_params(message.into(), None)
}

fn unknown(failure: Failure) -> ErrorData {
    wrong(failure.with_hint())
}

fn parse(id: &str) -> Result<SavedId, ErrorData> {
    SavedId::try_from(id.to_owned()).map_err(wrong)
}

/// Returns the latest sessions as resources.
pub fn resources(context: &Context) -> Result<Vec<Resource>, ErrorData> {
    let folder = context.paths.sessions();
    let listed = catalogue::list(&folder, analysis::headline, &ReadProgress::default())
        .map_err(|e| wrong(e.to_string()))?;
    let one = |session: &catalogue::SessionSummary| {
        Resource::new(format!("{SCHEME}{}", session.id), text::line(&session.id))
            .with_title(text::label(&session.title))
            .with_mime_type("text/plain")
    };
    // no client could name a file of another kind
    let listed = listed.iter().filter(|session| SavedId::try_from(session.id.clone()).is_ok());
    Ok(listed.take(LISTED_MAX).map(one).collect())
}

/// Returns the template of the sessions.
pub fn template() -> ResourceTemplate {
    ResourceTemplate::new(format!("{SCHEME}{{id}}"), "session")
        .with_mime_type("text/plain")
        .with_description("The transcript of a session")
}

/// Returns the transcript of a session.
pub fn resource(uri: &str, context: &Context) -> Result<ResourceContents, ErrorData> {
    let id = uri.strip_prefix(SCHEME).ok_or_else(|| wrong("no such resource"))?;
    let seen = read(parse(id)?.as_str(), context).map_err(unknown)?;
    let text = seen.narration(export::text::spell).map_err(|fault| unknown(fault.into()))?;
    Ok(ResourceContents::text(text, uri))
}

/// Returns a prompt for each bundled scenario.
pub fn prompts() -> Vec<Prompt> {
    let topic = PromptArgument::new("topic").with_description("The topic").with_required(false);
    let prompt = |name| {
        let about = about(bundled(name).unwrap_or_default());
        Prompt::new(name, Some(about), Some(vec![topic.clone()]))
    };
    bundled_names().map(prompt).collect()
}

/// Returns the message of a prompt.
pub fn prompt(name: &str, topic: &str) -> Result<PromptMessage, ErrorData> {
    let known = bundled_names().find(|known| *known == name);
    let name = known.ok_or_else(|| wrong("no such prompt"))?;
    let topic = match topic {
        "" => "a topic that fits what we are working on".to_owned(),
        topic => format!("this topic: {}", text::line(topic)),
    };
    let words = format!(
        "Use the tool `convene` with the scenario `{name}` on {topic}. Then tell me the answer, who disagrees and why, \
         and what it cost."
    );
    Ok(PromptMessage::new_text(Role::User, words))
}

/// Returns the state of a task; a conversation that was interrupted by a restart continues.
///
/// # Errors
/// When no task has this id, or its session cannot be read.
pub fn task(id: &str, jobs: &Jobs, context: &Context) -> Result<DetailedTask, ErrorData> {
    let id = parse(id)?;
    let job = jobs.going_on(&id, context).map_err(unknown)?;
    let is_over = job.is_over();
    let seen = read(id.as_str(), context).map_err(unknown)?;
    let Seen { survey, state, .. } = &seen;
    let time = |at: Option<Wall>| {
        let at = at.and_then(|at| Timestamp::from_millisecond(at.0).ok());
        at.unwrap_or(Timestamp::UNIX_EPOCH).to_string()
    };
    let (created, updated) = (time(survey.began), time(survey.latest));
    let task = Task::new(id.as_str(), TaskStatus::Working, created, updated)
        .with_poll_interval_ms(POLL_MS)
        .with_status_message(export::utterances(state.utterances));
    let payload = match &state.ended {
        Some(end) if end.reason == StopReason::Signal && job.is_stopped() => TaskPayload::Cancelled,
        None if !is_over => TaskPayload::Working,
        // the result of a conversation without an end says that it is not complete
        Some(_) | None => {
            let internal = |e: serde_json::Error| ErrorData::internal_error(e.to_string(), None);
            let report = reading::report(&seen).map_err(unknown)?;
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
pub fn cancel_task(id: &str, jobs: &Jobs, context: &Context) -> Result<(), ErrorData> {
    jobs.going_on(&parse(id)?, context).map_err(unknown)?.leave(Leave::End);
    Ok(())
}
