//! Sockets of the conversations that are played here, as the settings want them.

use crate::cli::context::Context;
use crate::engine::Owner;
use crate::host::Assembled;
use std::path::PathBuf;

/// Returns the folder of the sockets; `None` if the settings turn them off.
pub fn folder(context: &Context) -> Option<PathBuf> {
    let wanted = context.settings().is_ok_and(|settings| settings.live.unwrap_or(true));
    wanted.then(|| context.paths.sockets.clone())
}

/// Opens a conversation to clients; a failure is reported, and the conversation goes on.
pub fn open(conversation: &mut Assembled, owner: Owner, context: &Context) {
    let opened = folder(context).map_or(Ok(()), |folder| conversation.open(folder, owner));
    if let Err(fault) = opened {
        context.note(&format!("nobody can attach: {fault}"));
    }
}
