//! Resources and prompts: the sessions as text, and requests for the bundled scenarios.

use super::reading;
use crate::analysis;
use crate::catalogue;
use crate::cli::context::Context;
use crate::cli::saved_id::SavedId;
use crate::scenario::{about, bundled, bundled_names};
use crate::session::ReadProgress;
use crate::text;
use rmcp::model::{
    ErrorData, Prompt, PromptArgument, PromptMessage, Resource, ResourceContents, ResourceTemplate,
    Role,
};

/// Sessions that are listed as resources.
const LISTED_MAX: usize = 200;
/// Prefix of a session's URI.
const SCHEME: &str = "colloquium://sessions/";

/// Returns the error for parameters that cannot be used.
pub fn wrong(message: impl Into<String>) -> ErrorData {
    ErrorData::invalid_params(message.into(), None)
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
    let id = SavedId::try_from(id.to_owned()).map_err(wrong)?;
    let log = reading::read(id.as_str(), context).map_err(|failure| wrong(failure.with_hint()))?;
    let text = reading::transcript(&log).map_err(|failure| wrong(failure.message))?;
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
