//! The last lines after a conversation: the saved session, its outcome, and the command that resumes it.

use crate::cli::args::Play;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::export::{spent, utterances};
use crate::model::{Limit, StopReason, Usd, Wire};
use crate::session::SessionFiles;
use crate::state::{RunState, State};
use serde_json::{Value, json};

/// Returns one line with the name of the saved session, its length, usage and outcome, and the command to resume it.
pub fn saved_line(state: &State, name: Option<&str>, end: &str, resume: Option<&str>) -> String {
    let kept = name.map_or("not saved".into(), |name| format!("saved: {name}"));
    let spoken = utterances(state.utterances);
    let used = spent(&state.spent()).iter().map(|s| format!(", {s}")).collect::<String>();
    let go_on = resume.iter().map(|r| format!("; resume: {r}")).collect::<String>();
    format!("{kept}, {spoken}{used}, {end}{go_on}")
}

/// Returns the failure for a session that cannot be written.
pub fn unwritable(files: &SessionFiles, why: &str) -> Failure {
    let path = files.log().display();
    Failure::new(Exit::Session, format!("cannot write the session {path}: {why}"))
        .hint(format!("free some space, then: colloquium resume {path}"))
}

/// Returns the command that resumes a session with the same options, complete enough to be typed.
pub fn resume_command(name: &str, play: &Play, context: &Context) -> String {
    context.command_line(&resume_words(name, play, context))
}

/// Returns the arguments that resume a session with the same options.
pub fn resume_words(name: &str, play: &Play, context: &Context) -> Vec<String> {
    let mut words = vec!["resume".to_owned(), name.to_owned()];
    if play.headless && !play.background {
        words.push("--headless".into());
    }
    // an address is never taken from a session, so it must be given again
    if let Some(url) = &play.models.server.endpoint {
        words.extend(["--endpoint".into(), url.clone()]);
        let wire = play.models.server.wire.map(Wire::name);
        words.extend(wire.into_iter().flat_map(|wire| ["--wire".into(), wire.to_owned()]));
    }
    if let Some(folder) = &play.tools.files {
        words.extend(["--files".into(), folder.display().to_string()]);
    }
    if let Some(state) = &play.state {
        words.extend(["--state".into(), state.path().display().to_string()]);
    }
    words.extend(
        play.tools.allow_tool.iter().flat_map(|name| ["--allow-tool".into(), name.clone()]),
    );
    // nor is a session trusted because an earlier run of it was
    if play.trust {
        words.push("--trust".into());
    }
    words.extend(context.settings_options());
    words
}

/// Returns the command that resumes a conversation, with the change that keeps it from ending again at once: a higher
/// limit if a limit ended it, new words if it is finished, an unmuted participant if all were muted, a resume if it was
/// paused, the screen if a person has to speak or to choose.
pub fn way_on(state: &State, resume: &str) -> String {
    let Some(at) = &state.limit else {
        let failed = state.ended.as_ref().is_some_and(|e| e.reason == StopReason::Failure);
        let mut speakers = state.seats.iter().filter(|s| s.spec.speaks);
        let able = speakers.clone().any(|s| state.may_speak(&s.spec.id));
        let waits = speakers.clone().any(|s| s.spec.voice.is_human());
        return match speakers.find(|s| s.muted && !s.gone) {
            // the screen opens it for reading
            _ if state.is_finished() && resume.contains(" --headless") => {
                format!("{resume} --steer -")
            }
            _ if !failed => resume.to_owned(),
            _ if state.run == RunState::Paused => steered(resume, &json!({"do": "resume"})),
            Some(seat) if !able => steered(resume, &json!({"do": "unmute", "who": seat.spec.id})),
            _ if waits => resume.replacen(" --headless", "", 1),
            _ => resume.to_owned(),
        };
    };
    // a limit that was set late may be far below the current value
    let more = at.limit.max(at.value).saturating_mul(2);
    match at.what {
        Limit::Utterances => format!("{resume} --max-turns {more}"),
        Limit::Seconds => format!("{resume} --max-time {more}s"),
        Limit::Tokens => format!("{resume} --max-tokens {more}"),
        Limit::Usd => format!("{resume} --max-usd {}", f64::from(Usd(more))),
        Limit::Rounds | Limit::Batches => {
            steered(resume, &json!({"do": "limit", "set": {at.what.key(): more}}))
        }
    }
}

/// Returns a command that reads one steering line.
fn steered(resume: &str, line: &Value) -> String {
    format!("echo '{line}' | {resume} --steer -")
}
