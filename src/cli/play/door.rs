//! The socket of a conversation that is played here, for clients of the same user.

use crate::cli::context::Context;
use crate::cli::play::assemble::Assembled;
use crate::engine::Owner;
use std::io;
use std::path::PathBuf;

/// Reason why a conversation takes no clients.
const CLOSED: &str = "nobody could attach to it: it is not saved, `live` is off in the settings, or \
                      this is not Linux";

/// Server of the conversation; `None` if it takes no clients.
#[derive(Default)]
pub struct Door {
    #[cfg(target_os = "linux")]
    server: Option<crate::live::server::LiveServer>,
}

impl Door {
    /// Waits until clients can attach; must be called once. Cancel safe.
    #[cfg(target_os = "linux")]
    pub async fn opened(&mut self) -> io::Result<()> {
        match &mut self.server {
            Some(server) => server.opened().await.map(drop),
            None => Err(io::Error::other(CLOSED)),
        }
    }

    /// Waits until clients can attach.
    #[cfg(not(target_os = "linux"))]
    pub async fn opened(&mut self) -> io::Result<()> {
        Err(io::Error::other(CLOSED))
    }

    /// Returns the reason why nobody can attach.
    pub fn fault(&self) -> Option<&'static str> {
        #[cfg(target_os = "linux")]
        if self.server.is_some() {
            return None;
        }
        Some(CLOSED)
    }

    /// Asks the engine to stop once nothing is in flight, because another process takes the conversation over.
    pub fn hand_over(&self) {
        #[cfg(target_os = "linux")]
        self.server.iter().for_each(crate::live::server::LiveServer::hand_over);
    }
}

/// Folder of the sockets, for conversations that run outside the main thread; `None` if the settings turn them off.
#[derive(Clone, Default)]
pub struct Doors(Option<PathBuf>);

impl Doors {
    /// Reads the settings.
    pub fn new(context: &Context) -> Doors {
        let wanted = context.settings().is_ok_and(|settings| settings.live.unwrap_or(true));
        Doors(wanted.then(|| context.paths.sockets.clone()))
    }

    /// Opens a conversation to clients, unless the settings or the kind of conversation forbid it: an unsaved
    /// conversation lacks a name, and virtual time ends at once.
    ///
    /// Sockets need Linux, where the program recognises the processes that a conversation started.
    #[cfg(target_os = "linux")]
    pub fn open(&self, conversation: &mut Assembled, owner: Owner) -> io::Result<Door> {
        use crate::live::server::{self, LiveOpening};
        let Assembled { engine, files, past, saved, clock, .. } = conversation;
        let (Some(folder), true, false) = (&self.0, *saved, clock.is_virtual()) else {
            return Ok(Door::default());
        };
        let opening = LiveOpening {
            folder: folder.clone(),
            files: files.clone(),
            tail: engine.tail(),
            past: past.clone(),
            durable: engine.durable(),
            owner,
        };
        let (server, guests) = server::open(opening)?;
        engine.guests = Some(guests);
        Ok(Door { server: Some(server) })
    }

    /// Opens nothing: this system does not list processes as needed.
    #[cfg(not(target_os = "linux"))]
    pub fn open(&self, _conversation: &mut Assembled, _owner: Owner) -> io::Result<Door> {
        Ok(Door::default())
    }
}

/// Opens a conversation to clients; a failure is reported, and the conversation goes on.
pub fn open(conversation: &mut Assembled, owner: Owner, context: &Context) -> Door {
    Doors::new(context).open(conversation, owner).unwrap_or_else(|fault| {
        context.note(&format!("nobody can attach: {fault}"));
        Door::default()
    })
}
