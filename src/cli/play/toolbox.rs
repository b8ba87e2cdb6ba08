//! The tools of a run: what its options allow, before anything starts.

use crate::cli::args::play::Play;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::trust::allowed::Allowed;
use crate::config;
use crate::model::{Command, Participant, VoiceSpec};
use crate::spawn::ChildEnvironment;
use crate::tool::{Folder, ToolScripts, Toolbox, Tools};
use std::path::PathBuf;
use std::sync::Arc;

/// Returns the tools that the seats of a conversation may use; its scripts run in `folder`.
///
/// # Errors
/// When a seat reads files and no folder was named for that, or none that is there.
pub fn toolbox<'a>(
    seats: impl IntoIterator<Item = &'a Participant>,
    allowed: Allowed,
    folder: PathBuf,
    play: &Play,
    environment: &config::Environment,
) -> Result<Arc<dyn Tools>, Failure> {
    let files = play.files.as_ref().map(|path| {
        Folder::new(path).map(Arc::new).map_err(|e| {
            let message = format!("--files {}: {e}", path.display());
            Failure::usage(message, "name an existing folder")
        })
    });
    let files = files.transpose()?;
    let asks = |seat: &&Participant| matches!(seat.voice, VoiceSpec::Model(_));
    let readers = seats.into_iter().filter(asks).flat_map(|seat| {
        let reads = seat.tools.iter().filter(|tool| tool.reads_files());
        reads.map(|tool| (seat.id.clone(), tool.name.clone()))
    });
    if let (Some((seat, tool)), None) = (readers.into_iter().next(), &files) {
        let message =
            format!("{seat} has the tool {tool}, and no folder is named that it may read");
        return Err(Failure::new(Exit::Invalid, message)
            .hint("name a folder with --files FOLDER; nothing outside it is read"));
    }
    let scripts = ToolScripts {
        permits: Arc::new(move |command| allowed.permits(command)),
        folder,
        environment: ChildEnvironment::allowed(environment.for_children()),
    };
    Ok(Arc::new(Toolbox { scripts, folder: files }))
}

/// Returns the commands by which the operator allows tools before anything starts.
pub fn decisions(play: &Play) -> Vec<Command> {
    let allow =
        |name: &String| Command::Decide { tool: name.as_str().into(), yes: true, once: false };
    play.allow_tool.iter().map(allow).collect()
}
